"""Items and names that a file lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.io.problems import Problems
from mrsne.io.text import read_text
from mrsne.tables.reading import ENDINGS, open_table
from mrsne.tables.table import TableError, texts_of

NAMES = ("name", "names", "id", "label")  # headings of a column of names
TEXTS = (".csv", ".tsv", ".tab")  # tables where their first row has such a heading, or else a name on each line


def chosen_items(
    path: Path, sizes: Mapping[str, int], names: Mapping[str, Sequence[str]], problems: Problems
) -> dict[str, NDArray[np.int64]]:
    """Return the positions of the items of every domain that a table with the columns kind and id names.

    Items without names are named by their positions. Rows of items that are not in the map are noted.
    """
    positions: dict[str, dict[str, int]] = {}
    for domain, size in sizes.items():
        own = list(names.get(domain) or map(str, range(size)))
        positions[domain] = {name.strip(): at for at, name in enumerate(own)} | {
            name: at for at, name in enumerate(own)
        }
    table = open_table(path, headings=True, keep_missing_words=True)
    headings = {heading.casefold(): heading for heading in reversed(table.columns)}
    if "kind" not in headings or "id" not in headings:
        found = ", ".join(map(repr, table.columns))
        raise TableError(f"--items {str(path)!r} must have the headings kind and id, but it begins with {found}")
    kinds, ids = (texts_of(table.columns[headings[heading]]) for heading in ("kind", "id"))
    found_items: dict[str, set[int]] = {domain: set() for domain in sizes}
    for row, (kind, name) in enumerate(zip(kinds, ids, strict=True)):
        position = positions.get(kind or "", {}).get(name or "")
        if position is None:
            problems.add("row for an item that is not there", table.where(row), f"{kind or ''},{name or ''}")
        else:
            found_items[kind or ""].add(position)
    if not any(found_items.values()):
        raise ValueError(f"--items {str(path)!r} names no item of the map")
    return {domain: np.array(sorted(items), dtype=np.int64) for domain, items in found_items.items()}


def read_names(path: Path, domain: str = "") -> list[str]:
    """Return the names that a file lists: the lines of a text that are not empty, or a column of a table.

    In a table the column is called like the domain, or "name" or the like; otherwise it is the first.
    """
    known = (domain.casefold(), *NAMES)
    ending = path.suffix.lower()
    if ending in (".txt", *TEXTS) or ending not in ENDINGS:
        lines = _lines(path)
        first = re.split(r"[,;\t|]", lines[0]) if lines and ending in TEXTS else []
        if not any(cell.strip(' "').casefold() in known for cell in first):
            return lines
    table = open_table(path, headings=True, keep_missing_words=True)
    headings = {heading.casefold(): heading for heading in reversed(table.columns)}
    chosen = next((headings[name] for name in known if name in headings), next(iter(table.columns)))
    names = texts_of(table.columns[chosen])
    for row, name in enumerate(names):
        if name is None:
            raise TableError(f"{table.where(row)} has no name in the column {chosen!r}")
    return [name for name in names if name is not None]


def _lines(path: Path) -> list[str]:
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file of names {str(path)!r}") from None
    if "\0" in text:
        raise ValueError(
            f"{str(path)!r} is not a text in UTF-8, UTF-16 with its mark, or Windows-1252, one name a line"
        )
    return [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()]
