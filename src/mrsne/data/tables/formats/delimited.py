"""CSV and TSV as people have them: any separator, any encoding, broken rows and all."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mrsne.budgets import LINE_SEPARATORS
from mrsne.data.files.damage import file_errors
from mrsne.data.files.writing import write_text
from mrsne.data.tables.formats.rows import FIRST_ROWS, Row, plain_rows, table_from_rows
from mrsne.data.tables.table import Format, Headings, Table, TableError
from mrsne.parameters import ParameterError
from mrsne.regular_files import read_text

RATINGS = (".inter", ".item", ".user")  # of data sets of recommendations, with types in their headings
TABS = (".tsv", ".tab", *RATINGS)
SEPARATORS = ",;\t|"
QUOTED = re.compile(r'"[^"]*"')
UNFIT = re.compile("[\x01-\x08\x0e-\x1f\ufffd]")  # characters that no text has
MOST_LINES = 8  # that a row goes on for, beyond its first


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read a table of text; the separator is the one that fits most lines."""
    with file_errors(path, "a table", TableError):
        rows = text_rows(path)
        first = list(islice(rows, FIRST_ROWS))
        content = "".join(cell for _, row in first for cell in row)
        if len(UNFIT.findall(content)) > 0.01 * len(content) + 1:
            raise TableError(f"{str(path)!r} is not a text that can be read; save the table as CSV in UTF-8")
        if first and re.fullmatch(r"sep=.?", "".join(first[0][1]).strip(), re.IGNORECASE):
            first = first[1:]  # a line that Excel writes for itself
        width = max((len(row) for _, row in first), default=0)
        while first and first[0][1][0].lstrip().startswith("#") and len(first[0][1]) < width:
            first = first[1:]  # a comment
        return table_from_rows(path, chain(first, rows), headings)


def text_rows(path: Path) -> Iterator[Row]:
    """Yield the rows that are not empty, each with the number of its last line."""
    text = read_text(path).replace("\x00", "")
    separator = "\t" if path.suffix.lower() in TABS else _separator(text)
    lines = text.splitlines()
    del text
    at, most = 0, LINE_SEPARATORS.most()
    with ExitStack() as stack:
        stack.callback(csv.field_size_limit, csv.field_size_limit(2**31 - 1))  # a limit of the whole process
        while at < len(lines):
            row, height = _row(lines, at, separator, most)
            at += height
            if any(cell.strip() for cell in row):
                yield at, row


def _row(lines: list[str], at: int, separator: str, most: int) -> tuple[list[str], int]:
    """Return the row that begins with a line, and how many lines it takes.

    A row with an open quote goes on in the next lines. Where the quote is not closed soon, or stands inside a cell, it
    is a character like any other, so that a stray one does not swallow the rest of the table.
    """
    if '"' not in lines[at] and lines[at].count(separator) < most:
        return lines[at].split(separator), 1
    record = ""
    for last, line in enumerate(lines[at : at + MOST_LINES + 1], start=at):
        record += "\n" + line if record else line
        LINE_SEPARATORS.check(f"line {last + 1}", record.count(separator), ParameterError)
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
    in_first = [separator for separator in SEPARATORS if lines and separator in lines[0]]

    def lines_alike(separator: str) -> int:
        counts = Counter(line.count(separator) for line in lines)
        return max((times for number, times in counts.items() if number > 0), default=0)

    return max(in_first or SEPARATORS, key=lines_alike)


def write(path: Path, columns: Mapping[str, Any]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if path.suffix.lower() in TABS else ",")
    writer.writerow(columns)
    writer.writerows(plain_rows(columns))
    write_text(path, text.getvalue())


FORMAT = Format("CSV or TSV", (".csv", ".tsv", ".tab", ".txt", *RATINGS), read, write=write, written=(".csv", ".tsv"))
