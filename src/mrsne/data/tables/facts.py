"""What can be seen of the values of a column: how many there are, and how often they repeat."""

import re
from dataclasses import dataclass

import numpy as np

from mrsne.data.tables.table import Coded, Column

SAMPLE = 5000  # different values whose words are counted
WORD = re.compile(r"<[^>]*>|\S+@\S+|[^\W\d_]{2,}")  # an address of mail counts as one


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
