"""Minibatches: linked pairs drawn in proportion to their weights, and unlinked pairs as negatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import Pair


@dataclass
class Pairs:
    """Pairs of items of two domains, by position."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)


class PairSampler:
    """Draws linked pairs in proportion to their weights, and unlinked pairs uniformly.

    Some links of every pair of domains are held out for validation: they are never drawn, neither as linked nor as
    unlinked pairs. A link inside a domain has no direction and counts once.

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
        self._cumulative_weights: dict[Pair, NDArray[np.float64]] = {}
        self._keys: dict[Pair, NDArray[np.int64]] = {}
        for pair, W in graph.items():
            edges = sparse.coo_matrix(sparse.triu(W) if pair[0] == pair[1] else W)
            left, right = edges.row.astype(np.int64), edges.col.astype(np.int64)
            self._keys[pair] = np.sort(left * W.shape[1] + right)
            is_held_out = random.random_sample(edges.nnz) < held_out
            if is_held_out.all():
                is_held_out[:] = False
            self.validation[pair] = Pairs(left[is_held_out], right[is_held_out])
            self.links[pair] = Pairs(left[~is_held_out], right[~is_held_out])
            self._cumulative_weights[pair] = np.cumsum(edges.data[~is_held_out])
        totals = np.array([cumulative[-1] for cumulative in self._cumulative_weights.values()])
        self._shares = totals / totals.sum()
        self._totals = dict(zip(graph, totals.tolist(), strict=True))

    def linked(self, count: int) -> dict[Pair, Pairs]:
        """Draw linked pairs."""
        counts = self.random.multinomial(count, self._shares)
        batch = {}
        for (pair, cumulative), number in zip(self._cumulative_weights.items(), counts, strict=True):
            if number:
                links = np.searchsorted(cumulative, self.random.random_sample(number) * cumulative[-1], side="right")
                batch[pair] = Pairs(self.links[pair].left[links], self.links[pair].right[links])
        return batch

    def weight_of_unlinked(self, pair: Pair, draws_per_link: int) -> float:
        """Return how much each unlinked pair must count for the expected loss to be the likelihood of all pairs.

        Of N possible draws ``draws_per_link`` are made for each of T linked pairs, so each stands for N/(T · draws).
        Inside a domain of n items N is n²/2: a pair may be drawn either way round, and an item with itself.

        Examples
        --------
        >>> W = sparse.csr_matrix([[1.0, 0, 1], [0, 0, 0]])
        >>> PairSampler({("a", "b"): W}, 0.0, np.random.RandomState(0)).weight_of_unlinked(("a", "b"), 5)
        0.6
        """
        rows, columns = self.shapes[pair]
        draws = rows * columns / (2 if pair[0] == pair[1] else 1)
        return float(draws / (self._totals[pair] * draws_per_link))

    @property
    def pairs_per_link(self) -> float:
        """All pairs that the likelihood has a term for, over the total weight of the links."""
        pairs = sum(
            rows * (rows - 1) / 2 if a == b else rows * columns for (a, b), (rows, columns) in self.shapes.items()
        )
        return float(pairs / sum(self._totals.values()))

    def unlinked(self, pair: Pair, count: int) -> Pairs:
        """Draw ``count`` pairs and return those without a link: fewer where many pairs are linked."""
        rows, columns = self.shapes[pair]
        left, right = self.random.randint(rows, size=count), self.random.randint(columns, size=count)
        linked_keys = self._keys[pair]
        if pair[0] == pair[1]:
            left, right = np.minimum(left, right), np.maximum(left, right)
        keys = left * columns + right
        is_unlinked = linked_keys[np.minimum(np.searchsorted(linked_keys, keys), len(linked_keys) - 1)] != keys
        if pair[0] == pair[1]:
            is_unlinked &= left != right
        return Pairs(left[is_unlinked], right[is_unlinked])
