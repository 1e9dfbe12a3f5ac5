"""What can be seen of a column: how many values it has, how long they are, how often they come again."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrsne.tables.table import Coded, Column

SAMPLE = 5000  # different values whose words are counted
WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Facts:
    """What can be seen of a column.

    Attributes
    ----------
    present : int
        Rows with a value.
    different : int
        Values.
    repeated : float
        Share of the rows with a value that have it in common with another row.
    largest : float
        Share of the rows with a value that have the most frequent one.
    words : float
        Mean number of words in a value.
    lists : bool
        Whether there are lists, not only texts.
    """

    present: int
    different: int
    repeated: float
    largest: float
    words: float
    lists: bool


def facts_of(column: Column) -> Facts:
    """Look at a column.

    Examples
    --------
    >>> facts_of(Coded(np.array([0, 1, 0, -1, 0], np.int32), ["blue sky", "sea"]))
    Facts(present=4, different=2, repeated=0.75, largest=0.75, words=1.5, lists=False)
    """
    if isinstance(column, Coded):
        counts = column.counts()
        present = int(counts.sum())
        texts = [value for value in column.values[:SAMPLE] if isinstance(value, str)]
        words = float(np.mean([len(WORD.findall(text)) for text in texts])) if texts else 0.0
        lists = any(isinstance(value, tuple) for value in column.values)
        used = counts[counts > 0]
        return Facts(present, len(used), *_shares(used), words, lists)
    if column.ndim == 2:
        return Facts(len(column), len(column), 0.0, 0.0, 0.0, True)
    missing = np.isnat(column) if column.dtype.kind == "M" else np.isnan(column) if column.dtype.kind == "f" else None
    values = column if missing is None else column[~missing]
    _, counts = np.unique(values, return_counts=True)
    return Facts(len(values), len(counts), *_shares(counts), 0.0, False)


def _shares(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return the share of rows whose value comes again, and of those with the most frequent one."""
    total = max(int(counts.sum()), 1)
    return float(counts[counts > 1].sum() / total), float(counts.max(initial=0) / total)
