"""Tables of text as people have them: any separator, any encoding, broken rows and all."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mrsne.io.damage import FileContentError, file_errors
from mrsne.io.regular_files import open_regular
from mrsne.io.text import decode_text, read_text

SEPARATORS = ",;\t|"
QUOTED = re.compile(r'"[^"]*"')
MOST_LINES = 8  # that a row goes on for, beyond its first
MOST_COLUMNS = 1_000_000


class TableError(FileContentError):
    """A file cannot be read as a table."""


def read_table(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    r"""Return the rows of a CSV, TSV or Parquet file, each with its line number; a Parquet file's header is line 1.

    The separator is the one that fits most lines; the encoding is UTF-8, UTF-16 or Windows-1252.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "tags.csv")
    ...     _ = file.write_text("picture;tag\na.jpg;red\n")
    ...     read_table(file)
    [(1, ['picture', 'tag']), (2, ['a.jpg', 'red'])]
    """
    source = Path(path)
    try:
        if source.suffix.lower() == ".parquet":
            with open_regular(source) as file:
                return _read_parquet(source, file)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table {str(source)!r}") from None
    with file_errors(source, "a table", TableError):
        rows = list(text_rows(source))
    if not rows:
        raise TableError(f"{str(source)!r} is empty")
    return rows


def text_rows(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV or TSV file that are not empty, each with its line number."""
    source = Path(path)
    try:
        text = read_text(source).replace("\x00", "")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table {str(source)!r}") from None
    separator = "\t" if source.suffix.lower() in (".tsv", ".tab") else _separator(text)
    lines = text.splitlines()
    del text
    with _cells_of_any_size():
        for line, row in _rows(lines, separator):
            if any(cell.strip() for cell in row):
                yield line, row


@contextmanager
def _cells_of_any_size() -> Iterator[None]:
    """Lift the limit that the csv module has for the whole process, for a while."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _rows(lines: list[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of a table, each with the number of its last line."""
    at = 0
    while at < len(lines):
        row, height = _row(lines, at, separator)
        at += height
        yield at, row


def _row(lines: list[str], at: int, separator: str) -> tuple[list[str], int]:
    """Return the row that begins with a line, and how many lines it takes.

    A row with an open quote goes on in the next lines. Where the quote is not closed soon, or stands inside a cell, it
    is a character like any other, so that a stray one does not swallow the rest of the table.
    """
    if '"' not in lines[at] and lines[at].count(separator) < MOST_COLUMNS:
        return lines[at].split(separator), 1
    record = ""
    for last, line in enumerate(lines[at : at + MOST_LINES + 1], start=at):
        record += "\n" + line if record else line
        if record.count(separator) >= MOST_COLUMNS:
            raise ValueError(f"line {last + 1} has more than {MOST_COLUMNS:,} columns")
        if record.count('"') % 2 == 0:
            rows = list(csv.reader(io.StringIO(record, newline=""), delimiter=separator))
            if len(rows) > 1:
                break
            return rows[0] if rows else [], last + 1 - at
    return next(csv.reader([lines[at]], delimiter=separator, quoting=csv.QUOTE_NONE), []), 1


def _separator(text: str) -> str:
    """Return the separator that most lines have: of several, the one that comes as often in each.

    Inside quotes, and where the first line has others but not this one, it is a part of cells.
    """
    lines = [QUOTED.sub("", line) for line in text.splitlines()[:50] if line.strip()]
    best, merit = ",", 0.0
    in_first = [separator for separator in SEPARATORS if lines and separator in lines[0]]
    for separator in in_first or SEPARATORS:
        counts = Counter(line.count(separator) for line in lines)
        usual, times = max(((n, t) for n, t in counts.items() if n > 0), key=lambda item: item[1], default=(0, 0))
        if usual and times / len(lines) > merit + 1e-9:
            best, merit = separator, times / len(lines)
    return best


def _read_parquet(source: Path, file: IO[bytes]) -> list[tuple[int, list[str]]]:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError(
            f"{str(source)!r} needs pyarrow, which cannot be imported ({error}): pip install 'mrsne[parquet]'"
        ) from error
    with file_errors(source, "a Parquet file", TableError):
        table = parquet.ParquetFile(file).read()  # of this file alone: read_table takes folders' names for columns
        columns = [column.to_pylist() for column in table.columns]
        rows = [[_cell(column[i]) for column in columns] for i in range(table.num_rows)]
    return [(1, list(table.column_names)), *((i + 2, row) for i, row in enumerate(rows))]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return decode_text(value)
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
