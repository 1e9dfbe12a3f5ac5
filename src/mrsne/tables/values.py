"""Values of columns for items: numbers, dates and words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.io.problems import Problems
from mrsne.tables.cells import numbers_of
from mrsne.tables.dates import dates_of
from mrsne.tables.items import Items, as_coded
from mrsne.tables.table import Coded, Table

MOST_NOTES = 1000  # cells of a column that are listed one by one


def item_numbers(table: Table, heading: str, items: Items, problems: Problems) -> NDArray[np.float64]:
    """Return the number of each item, NaN where there is none; cells that are no numbers are noted."""
    column = table.columns[heading]
    if isinstance(column, Coded):
        known = numbers_of(column.values)
        _note(table, heading, column, np.isnan(known), "cell that is no number", problems)
        values = np.append(known, np.nan)[column.codes]
    else:
        values = column.astype(np.float64)
    return np.asarray(values[items.first_row])


def item_dates(table: Table, heading: str, items: Items, problems: Problems) -> NDArray[np.datetime64]:
    """Return the date of each item, NaT where there is none; cells that are no dates are noted."""
    column = table.columns[heading]
    if isinstance(column, Coded) or column.dtype.kind != "M":
        coded = as_coded(column)
        known = dates_of(coded.values)
        _note(table, heading, coded, np.isnat(known), "cell that is no date", problems)
        values = np.append(known, np.datetime64("NaT", "s"))[coded.codes]
    else:
        values = column.astype("datetime64[s]")
    return np.asarray(values[items.first_row])


def item_words(table: Table, heading: str, items: Items) -> tuple[str | None, ...]:
    """Return the text of each item, None where there is none."""
    coded = as_coded(table.columns[heading])
    texts: Any = np.empty(len(coded.values) + 1, dtype=object)
    texts[:-1] = ["; ".join(value) if isinstance(value, tuple) else value for value in coded.values]
    texts[-1] = None
    return tuple(texts[coded.codes[items.first_row]].tolist())


def _note(table: Table, heading: str, column: Coded, bad: NDArray[np.bool_], kind: str, problems: Problems) -> None:
    if not bad.any():
        return
    rows = np.flatnonzero(np.append(bad, False)[column.codes])
    for row in rows[:MOST_NOTES].tolist():
        value = column.values[column.codes[row]]
        problems.add(
            kind, f"{table.where(row)}, column {heading}", value if isinstance(value, str) else "; ".join(value)
        )
    if len(rows) > MOST_NOTES:
        others = len(rows) - MOST_NOTES
        problems.add(kind, f"{table.source}, column {heading}", f"{others:,} more, not listed", others)
