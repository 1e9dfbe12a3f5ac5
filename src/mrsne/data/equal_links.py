"""Rows of a table that have the same links, and the columns that would tell them apart."""

import shlex
from typing import Any

import numpy as np

from mrsne.data.relational import RelationalData

NAMED = 3  # columns that a hint names at most


def options_that_tell_apart(data: RelationalData) -> str | None:
    """Return a sentence about rows with the same links, where columns that are only shown differ for most of them."""
    item = next(iter(data.sizes))
    links = [data.relation(item, b if a == item else a) for a, b in data.relations if item in (a, b)]
    if data.count_vectors(item) or not links:
        return None
    random = np.random.default_rng(0)
    sums = np.sum([W @ random.random(W.shape[1]) for W in links], axis=0)  # the same for the same links
    _, group, counts = np.unique(sums, return_inverse=True, return_counts=True)
    alike = counts[group] > 1
    found = []
    for heading, values in data.columns.get(item, {}).items():
        words = isinstance(values, tuple)
        known: Any = np.array([text or "" for text in values], object) if words else values
        if words and np.mean([text.count(" ") for text in known]) < 2:
            continue  # names, addresses and categories say little in common
        _, code = np.unique(known, return_inverse=True)
        _, pair, number = np.unique(group * len(values) + code, return_inverse=True, return_counts=True)
        apart = int((alike & (number[pair] == 1)).sum())
        if 2 * apart >= alike.sum() > 0:
            found.append((-apart, f"{'--text' if words else '--vector'} {shlex.quote(heading)}"))
    options = " ".join(option for _, option in sorted(found)[:NAMED])
    return f"{alike.sum()} items have the same links as another; {options} would tell them apart" if found else None
