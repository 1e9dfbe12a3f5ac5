"""Excel's .xlsx."""

import datetime
import zipfile
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mrsne.budgets import UNPACKED_BYTES, XML_TAGS
from mrsne.data.files.damage import check_unpacked, file_errors
from mrsne.data.tables.cells import cell_text, read_cell
from mrsne.data.tables.formats.rows import FIRST_ROWS, Row, table_from_rows
from mrsne.data.tables.table import Format, Headings, Table, TableError, chosen_name, package
from mrsne.regular_files import open_regular

MOST_ROWS = 2**20  # of a sheet, in Excel too
CELL_BYTES = 32  # that a cell counts for, which takes a microsecond also where only those beside it are in the file


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read the first sheet, or the one of a name; of formulas, the values that Excel computed last."""
    openpyxl = package(path, "openpyxl", "excel")
    with file_errors(path, "an Excel workbook", TableError), open_regular(path) as file:
        with zipfile.ZipFile(file) as archive:
            check_unpacked(path, archive, TableError)
            _check_tags(path, archive)
        with closing(openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book:
            sheets = {sheet.title: sheet for sheet in book.worksheets}
            return table_from_rows(path, _rows(path, sheets[chosen_name(path, list(sheets), name)]), headings)


def _check_tags(path: Path, archive: zipfile.ZipFile) -> None:
    """Raise where openpyxl would make millions of objects, most of them of styles that nobody looks at."""
    tags = 0
    for member in archive.infolist():
        with archive.open(member) as content:
            while block := content.read(2**20):
                tags += block.count(b"<")
    XML_TAGS.check(repr(str(path)), tags, TableError, path.stat().st_size)


def _rows(path: Path, sheet: Any) -> Iterator[Row]:
    """Yield the rows that are not empty, the first one as wide as those below it: columns may have no heading."""
    sheet.reset_dimensions()  # what a sheet says of its size may be anything
    rows = _filled_rows(path, islice(sheet.iter_rows(values_only=True), MOST_ROWS))
    first = list(islice(rows, FIRST_ROWS))
    for _, row in first[:1]:
        row += [""] * (max(len(other) for _, other in first) - len(row))
    yield from chain(first, rows)


def _filled_rows(path: Path, found: Iterator[Any]) -> Iterator[Row]:
    cells, size = 0, path.stat().st_size
    for line, values in enumerate(found, start=1):
        cells += len(values)
        UNPACKED_BYTES.check(repr(str(path)), cells * CELL_BYTES, TableError, size)
        if any(row := ["" if value is None else _text(value) for value in values]):
            yield line, row


def _text(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    cell = read_cell(value)
    return "" if cell is None else cell_text(cell)


FORMAT = Format("an Excel workbook", (".xlsx",), read, b"PK\x03\x04", holds_several=True)
