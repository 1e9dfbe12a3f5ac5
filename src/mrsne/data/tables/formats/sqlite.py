"""SQLite databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from mrsne.data.tables.table import Coder, Format, Headings, Table, TableError, chosen_name
from mrsne.regular_files import decode_text

ROWS = 10_000  # that are fetched at a time


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read a table or view; the database is opened for reading only."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")  # a view must not run functions with effects
            return _read(path, database, name)
    except sqlite3.Error as error:
        raise TableError(f"{str(path)!r} cannot be read as a SQLite database ({error})") from error


def _read(path: Path, database: sqlite3.Connection, name: str | None) -> Table:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
    names = [row[0] for row in database.execute(query)]
    if name is None and len(names) > 1:
        raise TableError(f"{str(path)!r} has {len(names)} tables ({', '.join(names)}); choose one with --table NAME")
    chosen = chosen_name(path, names, name)
    database.text_factory = decode_text
    quoted = chosen.replace('"', '""')
    cursor = database.execute(f'SELECT * FROM "{quoted}"')
    found = [column[0] for column in cursor.description]
    coders = [Coder() for _ in found]
    size = 0
    while rows := cursor.fetchmany(ROWS):
        for row in rows:
            for coder, cell in zip(coders, row, strict=True):
                coder.add(cell)
        size += len(rows)
    if not size:
        raise TableError(f"the table {chosen!r} of {str(path)!r} has no rows")
    columns = {heading: coder.column() for heading, coder in zip(found, coders, strict=True)}
    return Table(chosen, dict(columns), size, np.arange(1, size + 1), path.parent)


FORMAT = Format("a SQLite database", (".db", ".sqlite", ".sqlite3"), read, b"SQLite format 3\x00", holds_several=True)
