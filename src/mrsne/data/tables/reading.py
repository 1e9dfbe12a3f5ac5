"""Any table: files by their endings, here or at an address, and frames in memory."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mrsne.data.tables.addresses import ENDINGS, is_elsewhere, local_copy, table_name
from mrsne.data.tables.formats import FORMATS
from mrsne.data.tables.frames import read_frame
from mrsne.data.tables.table import Coded, Format, Headings, Table, TableError
from mrsne.regular_files import open_regular

DATABASES = tuple(ending for known in FORMATS if known.read_all for ending in known.endings)
WRITTEN = tuple(ending for known in FORMATS for ending in known.written)  # endings of tables that commands write
SPREADSHEETS = (".xls", ".ods", ".numbers")
BEGINNINGS = {  # of files that are no text, whatever their names
    **{
        known.beginning: f"{known.name}; let its name end in {known.endings[0]}" for known in FORMATS if known.beginning
    },
    b"PK\x03\x04": "an Excel workbook or another zip archive; let its name end in .xlsx, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old Excel file; open it and save it as .xlsx or CSV",
    b"\x1f\x8b": "compressed with gzip; unpack it first",
    b"\x89PNG": "a picture; mrsne map takes the folder of pictures",
    b"\xff\xd8\xff": "a picture; mrsne map takes the folder of pictures",
    b"%PDF": "a PDF file",
    b"<!DOCTYPE": "a page of the web, and no table",
    b"<!doctype": "a page of the web, and no table",
    b"<html": "a page of the web, and no table",
}


def open_table(
    source: Any,
    *,
    table: str | None = None,
    headings: Headings | None = None,
    keep_missing_words: bool = False,
    name: str = "frame",
) -> Table:
    """Return any table: a file, or a DataFrame, a table of pyarrow, or a mapping of headings to values.

    A file is in one of the formats of :data:`FORMATS`, which its ending tells, or what :func:`local_copy` takes;
    ``table`` is one of several in it. ``headings`` says whether the first row of a file that does not tell has
    headings: by default it is guessed, and a function of all rows may decide; columns without are called "column 1",
    "column 2", …. Words such as "n/a" and "-" stand for a missing value, unless items may be called so
    (``keep_missing_words``). ``name`` is what messages call a frame.
    """
    if isinstance(source, (str, os.PathLike)):
        with local_copy(source) as path:
            found = _format_of(path, table).read(path, table, headings)
        if is_database(source):
            found = replace(found, source=table_name(source))
        if is_elsewhere(source):
            found = replace(found, folder=None)
    else:
        try:
            found = read_frame(source, name)
        except RecursionError:
            raise TableError(f"{name} has a cell that is nested too deeply") from None
    return found if keep_missing_words else _without_missing_words(found)


def is_database(source: Any) -> bool:
    """Return whether a source is a file in which tables refer to others."""
    return isinstance(source, (str, os.PathLike)) and table_name(source).lower().endswith(DATABASES)


def open_database(source: Any) -> list[Table]:
    """Return all tables of a file in which tables refer to others; none of any other source."""
    if not is_database(source):
        return []
    with local_copy(source) as path:
        read_all = _format_of(path, None).read_all
        return [] if read_all is None else list(map(_without_missing_words, read_all(path)))


def _without_missing_words(table: Table) -> Table:
    columns = {
        heading: column.without_missing_words() if isinstance(column, Coded) else column
        for heading, column in table.columns.items()
    }
    return replace(table, columns=columns)


def write_table(path: Path, columns: Mapping[str, Any]) -> None:
    """Write columns of values in the format of the file's ending, one of :data:`WRITTEN`, in one step."""
    ending = path.suffix.lower()
    write = next(known.write for known in FORMATS if ending in known.written)
    assert write is not None
    write(path, columns)


def _format_of(path: Path, table: str | None) -> Format:
    """Return the format of a file; raise where it has none, or is not what its name says."""
    ending = path.suffix.lower()
    if ending in SPREADSHEETS:
        raise TableError(f"{str(path)!r} is a spreadsheet; open it and save it as .xlsx or CSV")
    found = next((known for known in FORMATS if ending in known.endings), None)
    if found is None:
        raise TableError(f"{str(path)!r} must end in {', '.join(ENDINGS)} to be read as a table")
    if table is not None and not found.holds_several:
        several = ", ".join(other for known in FORMATS if known.holds_several for other in known.endings)
        raise TableError(f"{str(path)!r} holds one table; --table chooses one of several ({several})")
    try:
        with open_regular(path) as file:
            start = file.read(16)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table {str(path)!r}") from None
    if not start:
        raise TableError(f"{str(path)!r} is empty: it needs a row of headings and a row for each item")
    for beginning, what in BEGINNINGS.items():
        if start.startswith(beginning) and beginning != found.beginning:
            raise TableError(f"{str(path)!r} is {what}")
    return found
