"""A table by columns: each value once, however many rows have it."""

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Int32, Int64
from mrsne.budgets import CELLS, COLUMNS
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import Cell, cell_text, read_cell, without_missing_words
from mrsne.parameters import FileContentError

MOST_NAMED = 20  # tables of a file that a message lists
FEWEST_CODES = 20  # different ones in a column, for NA to be one of them
SAMPLE = 5000  # different values whose words are counted
WORD = re.compile(r"<[^>]*>|\S+@\S+|[^\W\d_]{2,}")  # an address of mail counts as one
SENTENCE = 6.0  # words in the mean, from which text is compared by its words


class TableError(FileContentError):
    """Something cannot be read as a table."""


def check_size(source: str, rows: int, columns: int) -> None:
    """Raise where a table has more columns than can be looked at one by one, or more cells than memory may hold."""
    advice = "put numbers that belong together into one column of lists, or into a file of numpy for mrsne fit"
    COLUMNS.check(source, columns, TableError, advice=advice)
    CELLS.check(source, rows * columns, TableError)


@dataclass(frozen=True)
class Coded:
    codes: Int32  # for each row, the position of its value; -1 where it has none
    values: list[Cell]  # each once

    def counts(self) -> Int64:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    def cells(self) -> list[Cell | None]:
        found: Any = np.empty(len(self.values) + 1, dtype=object)
        found[:-1] = np.fromiter(self.values, object, len(self.values))
        found[-1] = None
        return list(found[self.codes])

    def without_missing_words(self) -> "Coded":
        """Return the column without what stands for nothing, such as "n/a"; NA among codes of two letters is one."""
        lengths = {len(value) if isinstance(value, str) and value.isalpha() else 0 for value in self.values}
        if len(self.values) >= FEWEST_CODES and lengths in ({2}, {3}):
            return self
        return self.with_values(map(without_missing_words, self.values))

    def with_values(self, cells: Iterable[Cell | None]) -> "Coded":
        """Return the column with other cells in the place of its values, in their order."""
        own = column_of(cells)
        return Coded(np.append(own.codes, np.int32(-1))[self.codes], own.values)  # -1 finds the last one


# texts; whole numbers, numbers with NaN or dates with NaT; or a vector for each row
Column: TypeAlias = Coded | NDArray[Any]


class Coder:
    """Collects the cells of a column."""

    def __init__(self, empty_rows: int = 0) -> None:
        self._codes = array("i", [-1]) * empty_rows
        self._positions: dict[Cell, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, value: Any) -> None:
        """Add a value of any type as the cell of the next row."""
        self.add_cell(read_cell(value))

    def add_cell(self, cell: Cell | None) -> None:
        self._codes.append(-1 if cell is None else self._positions.setdefault(cell, len(self._positions)))

    def fill(self, rows: int) -> None:
        self._codes.extend([-1] * (rows - len(self._codes)))

    def column(self) -> Coded:
        codes = np.frombuffer(self._codes, np.int32) if len(self._codes) else np.empty(0, np.int32)
        return Coded(codes, list(self._positions))


def column_of(cells: Iterable[Cell | None]) -> Coded:
    coder = Coder()
    for cell in cells:
        coder.add_cell(cell)
    return coder.column()


def as_coded(column: Column) -> Coded:
    if isinstance(column, Coded):
        return column
    values, codes = np.unique(column, return_inverse=True)
    found = codes.astype(np.int32)
    found[column != column] = -1  # NaN and NaT
    return Coded(found, [f"{value:.15g}" if column.dtype.kind == "f" else str(value) for value in values])


def texts_of(column: Column) -> list[str | None]:
    """Return the text of each row, None where there is none."""
    coded = as_coded(column)
    return Coded(coded.codes, [cell_text(value) for value in coded.values]).cells()  # type: ignore[return-value]


@dataclass(frozen=True)
class Facts:
    """What can be seen of the values of a column."""

    present: int  # rows with a value
    different: int  # values
    repeated: float  # share of the rows with a value that have it in common with another row
    largest: float  # share of the rows with a value that have the most frequent one
    words: float  # mean number of words in a value
    shared: float  # share of the values that several rows have
    others: float  # mean number of other rows with the same value
    lists: bool  # whether there are lists, not only texts


def facts_of(column: Column) -> Facts:
    words, lists = 0.0, False
    if isinstance(column, Coded):
        counts = column.counts()
        texts = [value for value in column.values[:SAMPLE] if isinstance(value, str)]
        words = float(np.mean([len(WORD.findall(text)) for text in texts])) if texts else 0.0
        lists = any(isinstance(value, tuple) for value in column.values)
    elif column.ndim == 2:
        counts, lists = np.ones(len(column), np.int64), True
    else:
        counts = np.unique(column[column == column], return_counts=True)[1]  # without NaN and NaT
    counts = counts[counts > 0]
    present, several = int(counts.sum()), counts[counts > 1]
    rows, values = max(present, 1), max(len(counts), 1)
    return Facts(
        present,
        len(counts),
        repeated=float(several.sum() / rows),
        largest=float(counts.max(initial=0) / rows),
        words=words,
        shared=len(several) / values,
        others=float((counts * (counts - 1.0)).sum() / rows),
        lists=lists,
    )


@dataclass(frozen=True)
class Table:
    source: str  # what messages call it
    columns: dict[str, Column]  # by heading
    size: int  # rows
    lines: Int64 | None = None  # of each row in its file
    folder: Path | None = None  # where its file is: pictures are looked for there
    problems: Problems = field(default_factory=Problems)  # what could not be read
    has_headings: bool = True  # else columns are called "column 1", "column 2", …
    short_rows: Mapping[int, int] = field(default_factory=dict)  # that end before the last column: how many cells
    categories: Sequence[str] = ()  # columns that the file itself says hold words to colour by
    primary_key: Sequence[str] = ()  # in a database: the columns that tell rows apart
    foreign_keys: Mapping[str, str] = field(default_factory=dict)  # and the tables that columns refer to

    @cached_property
    def facts(self) -> dict[str, Facts]:
        return {heading: facts_of(column) for heading, column in self.columns.items()}

    def where(self, row: int) -> str:
        return f"{self.source}, row {row + 1}" if self.lines is None else f"{self.source}, line {self.lines[row]}"


@dataclass(frozen=True)
class Role:
    role: str  # id, label, kind, number, date, category, text, shown, picture, vector, weight, rating or unused
    kind: str | None = None  # of a kind, its name
    separator: str | None = None  # of lists in text, what separates them
    reason: str = ""  # for people: what was seen
    compared: bool = False  # of a label, whether items are compared by it as by text
    only_years: bool = False  # of a date

    @property
    def values(self) -> str:
        """What the values of the column are read as: of a date of which only years are known, those."""
        return "year" if self.only_years else self.role


Headings: TypeAlias = bool | Callable[[list[list[str]]], bool]  # whether the first of all rows has headings


@dataclass(frozen=True)
class Format:
    """A format of tables: how it is recognised, read and written."""

    name: str
    endings: tuple[str, ...]
    # from a file, the name of one of its tables, and whether the first row has headings (None: by what is below it)
    read: Callable[[Path, str | None, Headings | None], Table]
    beginning: bytes = b""  # of every such file
    holds_several: bool = False  # tables, by name
    read_all: Callable[[Path], list[Table]] | None = None  # those with rows, of a file where tables refer to others
    write: Callable[[Path, Mapping[str, Any]], None] | None = None
    written: tuple[str, ...] = ()  # endings of tables that commands write


def listed(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")


def chosen_name(path: Path, names: list[str], name: str | None) -> str:
    """Return the name of the table that is meant among those of a file, by default the first."""
    if not names:
        raise TableError(f"{str(path)!r} has no table")
    if name is not None and name not in names:
        raise TableError(f"{str(path)!r} has no table {name!r}; it has {listed(names)}")
    return names[0] if name is None else name


def package(path: Path, name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        needed = name.partition(".")[0]
        raise ImportError(
            f"{str(path)!r} needs {needed}, which cannot be imported ({error}): pip install 'mrsne[{extra}]'"
        ) from error
