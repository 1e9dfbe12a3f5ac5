"""A table from a file, by its ending."""

from __future__ import annotations

import os
from pathlib import Path

from mrsne.io.regular_files import open_regular
from mrsne.io.tables import TableError
from mrsne.tables.delimited import table_from_text
from mrsne.tables.json_lines import table_from_json
from mrsne.tables.parquet import table_from_parquet
from mrsne.tables.sqlite import table_from_sqlite
from mrsne.tables.table import Table

TEXTS = (".csv", ".tsv", ".tab", ".txt")
JSONS = (".jsonl", ".ndjson", ".json")
DATABASES = (".db", ".sqlite", ".sqlite3")
ENDINGS = (*TEXTS, *JSONS, ".parquet", *DATABASES)
SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")
BEGINNINGS = {  # of files that are no text, whatever they are called
    b"PK\x03\x04": "a spreadsheet or another zip archive; open it and save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel file; open it and save it as CSV",
    b"PAR1": "a Parquet file; let its name end in .parquet",
    b"SQLite format 3\x00": "a SQLite database; let its name end in .db",
    b"\x1f\x8b": "compressed with gzip; unpack it first",
    b"\x89PNG": "a picture; mrsne map takes the folder of pictures",
    b"\xff\xd8\xff": "a picture; mrsne map takes the folder of pictures",
    b"%PDF": "a PDF file",
}


def read_any_table(path: str | os.PathLike[str], name: str | None = None) -> Table:
    """Return the table in a file: CSV, TSV, Parquet, JSON Lines or SQLite, one row for each item.

    Parameters
    ----------
    path : path
    name : str, optional
        Of the table in a database that has several.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TableError
        If it cannot be read; the message says where and what to do.
    """
    source = Path(path)
    ending = source.suffix.lower()
    if ending in SPREADSHEETS:
        raise TableError(f"{str(source)!r} is a spreadsheet; open it and save it as CSV")
    if ending not in ENDINGS:
        raise TableError(f"{str(source)!r} must end in {', '.join(ENDINGS)} to be read as a table")
    if name is not None and ending not in DATABASES:
        raise TableError(f"{str(source)!r} holds one table; --table chooses one in a database ({', '.join(DATABASES)})")
    _check_beginning(source, ending)
    if ending in JSONS:
        return table_from_json(source)
    if ending == ".parquet":
        return table_from_parquet(source)
    if ending in DATABASES:
        return table_from_sqlite(source, name)
    return table_from_text(source)


def _check_beginning(source: Path, ending: str) -> None:
    """Raise for files that are something else than their name says."""
    try:
        with open_regular(source) as file:
            start = file.read(16)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table {str(source)!r}") from None
    if not start:
        raise TableError(f"{str(source)!r} is empty: it needs a row of headings and a row for each item")
    for beginning, what in BEGINNINGS.items():
        fits = (beginning == b"PAR1" and ending == ".parquet") or (beginning[:6] == b"SQLite" and ending in DATABASES)
        if start.startswith(beginning) and not fits:
            raise TableError(f"{str(source)!r} is {what}")
