"""Tables of text as people have them: any separator, any encoding, broken rows and all."""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from mrsne.io.damage import FileContentError, reading
from mrsne.io.regular_files import open_regular

SEPARATORS = ",;\t|"
MOST_LINES = 8  # of one record


class TableError(FileContentError):
    """A file cannot be read as a table."""


def read_table(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    r"""Return the rows of a CSV, TSV or Parquet file, each with its line number; a Parquet file's header is line 1.

    The separator is found out; the encoding is UTF-8 or UTF-16, by its mark, or else Windows-1252.

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
        with open_regular(source) as file:
            if source.suffix.lower() == ".parquet":
                return _read_parquet(source, file)
            text = decoded(file.read()).replace("\x00", "")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table {str(source)!r}") from None
    if not text.strip():
        raise TableError(f"{str(source)!r} is empty")
    separator = "\t" if source.suffix.lower() in (".tsv", ".tab") else _separator(text)
    csv.field_size_limit(2**31 - 1)
    rows = []
    for number, record, quoted in _records(text):
        source_line = io.StringIO(record, newline="")
        if quoted:
            row = next(csv.reader(source_line, delimiter=separator), [])
        else:
            row = next(csv.reader(source_line, delimiter=separator, quoting=csv.QUOTE_NONE), [])
        if any(cell.strip() for cell in row):
            rows.append((number, row))
    return rows


def _records(text: str) -> Iterator[tuple[int, str, bool]]:
    """Return the records of a table with the number of their last line, and whether their quotes are paired.

    A record with an open quote goes on in the next lines. Where the quote is not closed soon it is taken for a letter
    of its own line, so that a stray one does not swallow the rest of the table.
    """
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        record, last = lines[at], at
        while record.count('"') % 2 and last - at < MOST_LINES and last + 1 < len(lines):
            last += 1
            record += "\n" + lines[last]
        paired = record.count('"') % 2 == 0
        if not paired:
            record, last = lines[at], at
        yield last + 1, record, paired
        at = last + 1


def decoded(content: bytes) -> str:
    """Return text in whatever encoding it is: by its mark, UTF-8, or else Windows-1252."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _separator(text: str) -> str:
    """Return the separator that most lines have: of several, the one that comes as often in each."""
    lines = [line for line in text.splitlines()[:50] if line.strip()]
    best, merit = ",", 0.0
    for separator in SEPARATORS:
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
    with reading(source, "a Parquet file", TableError):
        table = parquet.ParquetFile(file).read()  # of this file alone: read_table takes folders' names for columns
        columns = [column.to_pylist() for column in table.columns]
        rows = [[_cell(column[i]) for column in columns] for i in range(table.num_rows)]
    return [(1, list(table.column_names)), *((i + 2, row) for i, row in enumerate(rows))]


def _cell(value: object) -> str:
    if value is None:
        return ""
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
