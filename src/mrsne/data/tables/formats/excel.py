"""Excel's .xlsx."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mrsne.data.files.damage import check_unpacked, file_errors
from mrsne.data.tables.cells import cell_text, read_cell
from mrsne.data.tables.formats.rows import FIRST_ROWS, Row, table_from_rows
from mrsne.data.tables.table import Format, Headings, Table, TableError, chosen_name, package
from mrsne.regular_files import open_regular

MOST_ROWS = 2**20  # of a sheet, in Excel too


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read the first sheet, or the one of a name; of formulas, the values that Excel computed last."""
    openpyxl = package(path, "openpyxl", "excel")
    with file_errors(path, "an Excel workbook", TableError), open_regular(path) as file:
        with zipfile.ZipFile(file) as archive:
            check_unpacked(path, archive, TableError)
        with closing(openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book:
            sheets = {sheet.title: sheet for sheet in book.worksheets}
            return table_from_rows(path, _rows(sheets[chosen_name(path, list(sheets), name)]), headings)


def _rows(sheet: Any) -> Iterator[Row]:
    """Yield the rows that are not empty, the first one as wide as those below it: columns may have no heading."""
    sheet.reset_dimensions()  # what a sheet says of its size may be anything
    numbered = enumerate(islice(sheet.iter_rows(values_only=True), MOST_ROWS), start=1)
    rows = ((line, row) for line, values in numbered if any(row := [_text(value) for value in values]))
    first = list(islice(rows, FIRST_ROWS))
    for _, row in first[:1]:
        row += [""] * (max(len(other) for _, other in first) - len(row))
    yield from chain(first, rows)


def _text(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    cell = read_cell(value)
    return "" if cell is None else cell_text(cell)


FORMAT = Format("an Excel workbook", (".xlsx",), read, b"PK\x03\x04", holds_several=True)
