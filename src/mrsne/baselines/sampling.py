"""Linked pairs drawn by weight, and pairs without a link to hold against them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import Pair


@dataclass
class Pairs:
    """Pairs of items, all of the same two domains."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)


class PairSampler:
    """Draws linked pairs in proportion to their weights, and as many unlinked ones as asked for.

    Some links of every pair of domains are held out for validation: they are never drawn, neither as linked nor as
    unlinked. A link inside a domain has no direction and is there once.

    Parameters
    ----------
    graph : dict of (str, str) to CSR matrix
    held_out : float
        Share of the links to hold out.
    random : RandomState
    """

    def __init__(self, graph: dict[Pair, sparse.csr_matrix], held_out: float, random: np.random.RandomState) -> None:
        self.random = random
        self.shapes = {pair: W.shape for pair, W in graph.items()}
        self.links: dict[Pair, Pairs] = {}
        self.validation: dict[Pair, Pairs] = {}
        self._odds: dict[Pair, NDArray[np.float64]] = {}
        self._keys: dict[Pair, NDArray[np.int64]] = {}
        for pair, W in graph.items():
            edges = sparse.coo_matrix(sparse.triu(W) if pair[0] == pair[1] else W)
            left, right = edges.row.astype(np.int64), edges.col.astype(np.int64)
            self._keys[pair] = np.sort(left * W.shape[1] + right)
            out = random.random_sample(edges.nnz) < held_out
            if out.all():
                out[:] = False
            self.validation[pair] = Pairs(left[out], right[out])
            self.links[pair] = Pairs(left[~out], right[~out])
            self._odds[pair] = np.cumsum(edges.data[~out])
        totals = np.array([odds[-1] for odds in self._odds.values()])
        self._shares = totals / totals.sum()

    def linked(self, count: int) -> dict[Pair, Pairs]:
        """Draw linked pairs."""
        counts = self.random.multinomial(count, self._shares)
        drawn = {}
        for (pair, odds), number in zip(self._odds.items(), counts, strict=True):
            if number:
                chosen = np.searchsorted(odds, self.random.random_sample(number) * odds[-1], side="right")
                drawn[pair] = Pairs(self.links[pair].left[chosen], self.links[pair].right[chosen])
        return drawn

    def unlinked(self, pair: Pair, count: int) -> Pairs:
        """Draw pairs without a link; fewer than asked for where many pairs are linked."""
        rows, columns = self.shapes[pair]
        left, right = self.random.randint(rows, size=count), self.random.randint(columns, size=count)
        keys = self._keys[pair]
        if pair[0] == pair[1]:
            left, right = np.minimum(left, right), np.maximum(left, right)
        wanted = left * columns + right
        free = keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] != wanted
        if pair[0] == pair[1]:
            free &= left != right
        return Pairs(left[free], right[free])
