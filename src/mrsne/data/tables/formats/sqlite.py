"""SQLite databases."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np

from mrsne.budgets import CELLS, QUERY_STEPS, UNPACKED_BYTES, VALUE_BYTES
from mrsne.data.files.damage import file_errors
from mrsne.data.tables.table import Coder, Format, Headings, Table, TableError, check_size, chosen_name, listed
from mrsne.regular_files import decode_text, open_regular

STEPS = 100_000  # between two looks at how many there were
WAL = 2  # in byte 18 of a file: what is new is in another file, its write-ahead log


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read a table or view; the database is opened for reading only, and nothing is left beside it."""
    steps = 0

    def too_many() -> bool:
        nonlocal steps
        steps += STEPS
        return steps > most

    with ExitStack() as stack:
        stack.enter_context(file_errors(path, "a SQLite database", TableError))
        file_bytes = path.stat().st_size
        most = QUERY_STEPS.most(file_bytes)
        try:
            database = stack.enter_context(closing(sqlite3.connect(_address(path, stack), uri=True)))
            database.execute("PRAGMA trusted_schema = OFF")  # a view must not run functions with effects
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(VALUE_BYTES.most(), 2**31 - 1))
            database.set_progress_handler(too_many, STEPS)
            return _read(path, database, name, file_bytes)
        except sqlite3.Error as error:
            QUERY_STEPS.check(f"the query of {str(path)!r}", steps, TableError, file_bytes)
            if "too big" in str(error):
                VALUE_BYTES.check(f"a value of {str(path)!r}", VALUE_BYTES.most() + 1, TableError)
            raise TableError(f"{str(path)!r} cannot be read as a SQLite database ({error})") from error


def _address(path: Path, stack: ExitStack) -> str:
    """Return the address at which a database is read without a trace.

    Of one with a write-ahead log SQLite makes two files, ``-wal`` and ``-shm``, even to read it. Where there is no log,
    it is opened as a file that does not change; where there is one that nobody has open, both are copied.
    """
    with open_regular(path) as file:
        head = file.read(100)
    if head[18:19] != bytes([WAL]):
        return f"{path.resolve().as_uri()}?mode=ro"
    log, index = (path.resolve().with_name(f"{path.resolve().name}-{end}") for end in ("wal", "shm"))
    if not log.exists() or not log.stat().st_size:
        return f"{path.resolve().as_uri()}?immutable=1"
    if not index.exists():
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shutil.copyfile(log, folder / "copy-wal")
        path = Path(shutil.copyfile(path, folder / "copy"))
    return f"{path.resolve().as_uri()}?mode=ro"


def _read(path: Path, database: sqlite3.Connection, name: str | None, file_bytes: int) -> Table:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
    names = [row[0] for row in database.execute(query)]
    if name is None and len(names) > 1:
        raise TableError(f"{str(path)!r} has {len(names)} tables ({listed(names)}); choose one with --table NAME")
    chosen = chosen_name(path, names, name)
    database.text_factory = decode_text
    quoted = chosen.replace('"', '""')
    cursor = database.execute(f'SELECT * FROM "{quoted}"')
    found = [column[0] for column in cursor.description]
    check_size(chosen, 0, len(found))
    coders = [Coder() for _ in found]
    size = unpacked = 0
    most = CELLS.most() // max(len(coders), 1), UNPACKED_BYTES.most(file_bytes)
    for row in cursor:
        for coder, cell in zip(coders, row, strict=True):
            coder.add(cell)
        size += 1
        unpacked += sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
        if size > most[0] or unpacked > most[1]:
            check_size(chosen, size, len(coders))
            UNPACKED_BYTES.check(f"{chosen!r} of {str(path)!r}", unpacked, TableError, file_bytes)
    if not size:
        raise TableError(f"the table {chosen!r} of {str(path)!r} has no rows")
    columns = {heading: coder.column() for heading, coder in zip(found, coders, strict=True)}
    return Table(chosen, dict(columns), size, np.arange(1, size + 1), path.parent)


FORMAT = Format("a SQLite database", (".db", ".sqlite", ".sqlite3"), read, b"SQLite format 3\x00", holds_several=True)
