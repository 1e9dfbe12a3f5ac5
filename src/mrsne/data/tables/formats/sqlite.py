"""SQLite databases."""

import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
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
    with _opened(path) as database:
        names = _names(database, "type IN ('table', 'view')")
        if name is None and len(names) > 1:
            raise TableError(f"{str(path)!r} has {len(names)} tables ({listed(names)}); choose one with --table NAME")
        chosen = chosen_name(path, names, name)
        table = _read(path, database, chosen, Counter())
        if not table.size:
            raise TableError(f"the table {chosen!r} of {str(path)!r} has no rows")
        return table


def read_all(path: Path) -> list[Table]:
    """Read all tables that have rows, together within the limits for one; views only show what tables hold."""
    spent = Counter[str]()
    with _opened(path) as database:
        names = _names(database, "type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        tables = [_read(path, database, name, spent) for name in names] if len(names) > 1 else []
        return [table for table in tables if table.size]


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading, within the limits of time and size; errors say what is wrong with the file."""
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
            database.text_factory = decode_text
            yield database
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


def _names(database: sqlite3.Connection, which: str) -> list[str]:
    query = f"SELECT name FROM sqlite_master WHERE {which} AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [row[0] for row in database.execute(query)]


def _read(path: Path, database: sqlite3.Connection, name: str, spent: Counter[str]) -> Table:
    quoted = '"' + name.replace('"', '""') + '"'
    cursor = database.execute(f"SELECT * FROM {quoted}")
    found = [column[0] for column in cursor.description]
    spent["columns"] += len(found)
    check_size(str(path), 0, spent["columns"])
    coders = [Coder() for _ in found]
    size = 0
    file_bytes = path.stat().st_size
    most_cells, most_unpacked = CELLS.most(), UNPACKED_BYTES.most(file_bytes)
    for row in cursor:
        for coder, cell in zip(coders, row, strict=True):
            coder.add(None if isinstance(cell, bytes) and b"\0" in cell else cell)  # such as a picture
        size += 1
        spent["cells"] += len(coders)
        spent["unpacked"] += sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
        if spent["cells"] > most_cells or spent["unpacked"] > most_unpacked:
            CELLS.check(name, spent["cells"], TableError)
            UNPACKED_BYTES.check(f"{name!r} of {str(path)!r}", spent["unpacked"], TableError, file_bytes)
    columns = {heading: coder.column() for heading, coder in zip(found, coders, strict=True)}
    keys = [str(row[1]) for row in database.execute(f"PRAGMA table_info({quoted})") if row[5]]
    references = database.execute(f"PRAGMA foreign_key_list({quoted})").fetchall()
    parts = Counter(row[0] for row in references)  # of keys of several columns no column alone says what is meant
    foreign = {str(row[3]): str(row[2]) for row in references if parts[row[0]] == 1}
    lines = np.arange(1, size + 1)
    return Table(name, dict(columns), size, lines, path.parent, primary_key=keys, foreign_keys=foreign)


ENDINGS = (".db", ".sqlite", ".sqlite3")
FORMAT = Format("a SQLite database", ENDINGS, read, b"SQLite format 3\x00", holds_several=True, read_all=read_all)
