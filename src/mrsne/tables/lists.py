"""Lists in cells: "a; b; c", "a|b", JSON arrays."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrsne.tables.table import Cell, plain_cell

SEPARATORS = (";", "|", "\n", ",")
JSON = "[]"
SAMPLE = 4000  # different values that are looked at
FEWEST = 0.05  # share of rows with a separator, for it to separate lists
LONGEST_PART = 40  # characters of the median part of a list; longer ones are sentences
COMMA = re.compile(r",\s*")


def is_plural(heading: str) -> bool:
    """Return whether a heading names several things, such as "subjects" and "keywords_en".

    Examples
    --------
    >>> is_plural("Subjects"), is_plural("tag_list"), is_plural("status"), is_plural("artist")
    (True, True, False, False)
    """
    words = [word for word in re.split(r"[^a-z]+", heading.casefold()) if word]
    return any(
        word in ("list", "tag", "keyword", "genre")
        or (len(word) > 3 and word.endswith("s") and word[-2:] not in ("ss", "us", "is"))
        for word in words
    )


def separator_of(values: Sequence[Cell], counts: NDArray[np.int64], heading: str) -> str | None:
    """Return what separates the lists in a column, ``[]`` for JSON arrays; None where cells are no lists.

    Examples
    --------
    >>> separator_of(["a; b", "b; c", "a"], np.array([1, 1, 1]), "x")
    ';'
    >>> separator_of(["Turner, Joseph", "Blake, William", "Blake, Robert"], np.array([9, 8, 7]), "artist") is None
    True
    >>> separator_of(["red, blue", "blue", "red, green, blue", "green, red"], np.array([1, 1, 1, 1]), "colours")
    ','
    """
    order = np.argsort(-counts, kind="stable")[:SAMPLE]
    sample = [(value, int(counts[index])) for index in order.tolist() if isinstance(value := values[index], str)]
    rows = sum(count for _, count in sample)
    if not rows:
        return None
    if sum(count for value, count in sample if value[:1] == "[" and value[-1:] == "]") > 0.5 * rows:
        return JSON
    for separator in SEPARATORS:
        share = sum(count for value, count in sample if separator in value) / rows
        if share >= FEWEST and _are_lists([value for value, _ in sample], separator, share, is_plural(heading)):
            return separator
    return None


def _are_lists(values: Sequence[str], separator: str, share: float, plural: bool) -> bool:
    lists = [split_cell(value, separator) for value in values]
    parts = [part for cells in lists for part in cells]
    if not parts or np.median([len(part) for part in parts]) > LONGEST_PART:
        return False
    different = len(set(parts))
    if separator != ",":
        return plural or share >= 0.3 or different < 0.7 * len(parts)
    lengths = {len(cells) for cells in lists}
    # "Turner, Joseph" has always two parts, and as many first names as there are names; lists share their parts
    return len(lengths) > 1 and (plural or different < 0.7 * len(values)) and different < 0.8 * len(parts)


def split_cell(cell: Cell, separator: str | None) -> tuple[str, ...]:
    """Return the parts of a cell, each once.

    Examples
    --------
    >>> split_cell("a; b;; a", ";"), split_cell("['x', 'y']", "[]"), split_cell("a; b", None), split_cell(("p",), ";")
    (('a', 'b'), ('x', 'y'), ('a; b',), ('p',))
    """
    if isinstance(cell, tuple):
        return tuple(dict.fromkeys(cell))  # cells already
    if separator is None:
        return (cell,)
    parts = _array(cell) if separator == JSON else cell.split(separator)
    stripped = (" ".join(part.split()) for part in parts)
    return tuple(dict.fromkeys(part for part in stripped if plain_cell(part) is not None))


def _array(cell: str) -> Sequence[str]:
    """Return the parts of a JSON array, or of a list as Python writes it."""
    for text in (cell, cell.replace("'", '"')):
        try:
            found = plain_cell(json.loads(text))
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, tuple) else () if found is None else (found,)
    return [part.strip().strip("'\"") for part in COMMA.split(cell.strip("[]"))]
