"""What a table says of items that are known: values to colour by, which items are meant, and what they are called."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float64, Int64
from mrsne.data.files.pictures import PictureNames
from mrsne.data.files.problems import Problems
from mrsne.data.tables.addresses import ENDINGS, local_copy
from mrsne.data.tables.cells import without_missing_words
from mrsne.data.tables.dates import dates_of
from mrsne.data.tables.matrices import parsed_numbers
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import Coded, Table, TableError, texts_of
from mrsne.parameters import ParameterError, describe
from mrsne.regular_files import read_text

LONGEST_NUMBER = 12  # digits of a position
CODE = re.compile(r"[+-]?0\d|.*_")  # 00501 and 1_000, which float() would take for numbers
NAMES = ("name", "names", "id", "label")  # headings of a column of names
TEXTS = (".csv", ".tsv", ".tab")  # tables where their first row has such a heading, or else a name on each line
Values = Float64 | NDArray[np.datetime64] | list[str | None]


def columns_from_table(
    path: str | os.PathLike[str], count: int, problems: Problems, names: Sequence[str] = (), pictures: bool = False
) -> dict[str, Values]:
    """Read a table with headings: an item in the first column, something about it in each other column.

    A column whose values are all numbers is one of numbers, one of dates likewise, any other of categories. Items
    without a row, missing values and numbers that are too large for a computer have no value. Where the first column
    has none of the names, it has positions 0, 1, 2, …. Where names are paths of ``pictures``, a file name, or that
    without its ending, will do.
    """
    table = open_table(path, headings=True, keep_missing_words=True)
    if len(table.columns) < 2:
        raise TableError(f"{table.source!r} needs a row of headings, and rows with the item and at least one value")
    found: dict[str, Values] = {}
    problems.extend(table.problems)
    rows = _rows_of_items(table, count, problems, names, pictures)
    for heading, cells in list(table.columns.items())[1:]:
        if not isinstance(cells, Coded) and cells.ndim == 2:  # vectors
            problems.add("column that is not used", table.source, heading)
            continue
        texts = texts_of(cells)
        column = {
            item: text
            for item, row in rows.items()
            if (text := texts[row]) is not None and without_missing_words(text) is not None
        }
        if column:
            found[heading] = _values(column, count, f"{table.source}, column {heading}", problems)
        else:
            problems.add("column without a value", table.source, heading)
    return found


def _rows_of_items(
    table: Table, count: int, problems: Problems, names: Sequence[str], pictures: bool
) -> dict[int, int]:
    """Return the first row of each item that the first column names."""
    cells = [cell or "" for cell in texts_of(table.columns[next(iter(table.columns))])]
    positions = {name.strip(): index for index, name in enumerate(names)}
    paths = PictureNames(names) if pictures else None
    found = [positions.get(cell, None if paths is None else paths.find(cell)) for cell in cells]
    items = [item if isinstance(item, int) else None for item in found]  # what is no picture's name is said in words
    if all(item is None for item in items):
        items = [_position(cell, count) for cell in cells]
    rows: dict[int, int] = {}
    for row, (cell, item) in enumerate(zip(cells, items, strict=True)):
        if item is None:
            problems.add("row for an item that is not there", table.where(row), cell)
        elif item in rows:
            problems.add("second row for the same item", table.where(row), cell)
        else:
            rows[item] = row
    if not rows:
        first = table.where(0).removeprefix(f"{table.source}, ")
        raise TableError(f"no row of {table.source!r} is for an item of the map; {first} has {describe(cells[0])}")
    return rows


def _position(cell: str, count: int) -> int | None:
    is_number = cell.isascii() and cell.isdecimal() and len(cell) <= LONGEST_NUMBER
    return int(cell) if is_number and int(cell) < count else None


def _values(column: dict[int, str], count: int, where: str, problems: Problems) -> Values:
    """Return numbers or dates where all cells are; 00501 is a code and 1_000 a word."""
    items, texts = np.array(list(column)), list(column.values())
    numbers, bad = parsed_numbers(texts)
    if not bad.any() and not any(map(CODE.match, texts)):
        too_large = np.isinf(numbers) & [any(map(str.isdecimal, text)) for text in texts]
        for index in np.flatnonzero(too_large).tolist():
            problems.add("number that is too large", where, texts[index])
        values = np.full(count, np.nan)
        values[items] = np.where(too_large, np.nan, numbers)
        return values
    dates = dates_of(texts)
    if not np.isnat(dates).any():
        moments = np.full(count, np.datetime64("NaT", "s"))
        moments[items] = dates
        return moments
    return [column.get(item) for item in range(count)]


def chosen_items(
    path: Path, sizes: Mapping[str, int], names: Mapping[str, Sequence[str]], problems: Problems
) -> dict[str, Int64]:
    """Return the positions of the items of every domain that a table with the columns kind and id names.

    Items without names are named by their positions. Rows of items that are not in the map are noted.
    """
    positions: dict[tuple[str, str], int] = {}
    for domain, size in sizes.items():
        own = list(names.get(domain) or map(str, range(size)))
        positions |= {(domain, name.strip()): at for at, name in enumerate(own)}
        positions |= {(domain, name): at for at, name in enumerate(own)}
    table = open_table(path, headings=True, keep_missing_words=True)
    headings = {heading.casefold(): heading for heading in reversed(table.columns)}
    if "kind" not in headings or "id" not in headings:
        found = ", ".join(map(repr, table.columns))
        raise TableError(f"--items {str(path)!r} must have the headings kind and id, but it begins with {found}")
    kinds, ids = (texts_of(table.columns[headings[heading]]) for heading in ("kind", "id"))
    found_items: dict[str, set[int]] = {domain: set() for domain in sizes}
    for row, (kind, name) in enumerate(zip(kinds, ids, strict=True)):
        position = positions.get((kind or "", name or ""))
        if position is None:
            problems.add("row for an item that is not there", table.where(row), f"{kind or ''},{name or ''}")
        else:
            found_items[kind or ""].add(position)
    if not any(found_items.values()):
        raise ParameterError(f"--items {str(path)!r} names no item of the map")
    return {domain: np.array(sorted(items), dtype=np.int64) for domain, items in found_items.items()}


def read_names(path: Path, domain: str = "") -> list[str]:
    """Return the names that a file lists: the lines of a text that are not empty, or a column of a table.

    In a table the column is called like the domain, or "name" or the like; otherwise it is the first.
    """
    known = (domain.casefold(), *NAMES)
    with local_copy(path) as local:
        ending = local.suffix.lower()
        if ending in (".txt", *TEXTS) or ending not in ENDINGS:
            lines = _lines(local)
            first = re.split(r"[,;\t|]", lines[0]) if lines and ending in TEXTS else []
            if not any(cell.strip(' "').casefold() in known for cell in first):
                return lines
        table = open_table(local, headings=True, keep_missing_words=True)
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
        raise ParameterError(
            f"{str(path)!r} is not a text in UTF-8, UTF-16 with its mark, or Windows-1252, one name a line"
        )
    return [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()]
