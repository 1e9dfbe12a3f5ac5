"""The definitions of the scores, word for word, over every order in which ties can come."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne import Embedding, RelationalData


def squared(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(sum((float(x) - float(y)) ** 2 for x, y in zip(a, b, strict=True)))


def orders(distances: dict[Any, float]) -> Iterator[list[Any]]:
    """Every way to list candidates by distance."""
    groups = [[c for c in distances if distances[c] == value] for value in sorted(set(distances.values()))]
    for choice in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [candidate for group in choice for candidate in group]


def links_of(data: RelationalData, domain: str, item: int) -> dict[tuple[str, int], float]:
    """Weights from an item to everything it is linked to."""
    weights = {}
    for a, b in data.relations:
        W = data.relations[a, b].toarray()
        if a == b == domain:
            W = W + W.T
            weights.update({(b, j): w for j, w in enumerate(W[item]) if w > 0 and j != item})
        elif domain in (a, b):
            other, row = (b, W[item]) if a == domain else (a, W[:, item])
            weights.update({(other, j): w for j, w in enumerate(row) if w > 0})
    return weights


def is_true(data: RelationalData, query: str, i: int, candidate: tuple[str, int], within: Any) -> bool:
    target, j = candidate
    links = links_of(data, query, i)
    if target != query:
        return (target, j) in links
    others = links_of(data, query, j)
    if not isinstance(within, str):
        return bool(within[i, j] != 0)
    return bool(set(links) & set(others)) if within == "shared" else bool(links) and links == others


def candidates(embedding: Embedding, query: str, i: int, targets: list[str]) -> dict[Any, float]:
    return {
        (target, j): squared(embedding[query][i], embedding[target][j])
        for target in targets
        for j in range(len(embedding[target]))
        if (target, j) != (query, i)
    }


def hits(
    embedding: Embedding, data: RelationalData, k: int, query: str, target: str, within: Any
) -> tuple[float, float]:
    """Metrics (I) and (II)."""
    any_hit, number = [], []
    for i in range(data.sizes[query]):
        distances = candidates(embedding, query, i, [target])
        true = {candidate: is_true(data, query, i, candidate, within) for candidate in distances}
        counts = [sum(true[candidate] for candidate in order[:k]) for order in orders(distances)]
        any_hit.append(np.mean([count > 0 for count in counts]))
        number.append(np.mean(counts))
    return float(np.mean(any_hit)), float(np.mean(number))


def roc(
    embedding: Embedding, data: RelationalData, query: str, targets: list[str], within: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    n = sum(data.sizes[target] for target in targets)
    true, false = np.zeros(n), np.zeros(n)
    for i in range(data.sizes[query]):
        distances = candidates(embedding, query, i, targets)
        linked = {candidate: is_true(data, query, i, candidate, within) for candidate in distances}
        ways = list(orders(distances))
        for k in range(n):
            mean = np.mean([sum(linked[candidate] for candidate in order[:k]) for order in ways])
            true[k] += mean
            false[k] += k - mean
    return false / false[-1], true / true[-1]


def link_auc(embedding: Embedding, a: str, b: str, true: Any, known: Any) -> float:
    pairs = list(itertools.product(range(len(embedding[a])), range(len(embedding[b]))))
    distances = {(i, j): squared(embedding[a][i], embedding[b][j]) for i, j in pairs}
    linked = [pair for pair in pairs if true[pair] > 0]
    without = [pair for pair in pairs if true[pair] == 0 and known[pair] == 0]
    wins = [
        float(distances[p] < distances[q]) + 0.5 * float(distances[p] == distances[q]) for p in linked for q in without
    ]
    return float(np.mean(wins))


def preservation(X: NDArray[Any], Y: NDArray[Any], k: int) -> float:
    scores = []
    for i in range(len(X)):
        by_vector, in_map = ({j: squared(Z[i], Z[j]) for j in range(len(X)) if j != i} for Z in (X, Y))
        ways = itertools.product(list(orders(by_vector)), list(orders(in_map)))
        scores.append(np.mean([len(set(a[:k]) & set(b[:k])) / k for a, b in ways]))
    return float(np.mean(scores))


def trust(X: NDArray[Any], Y: NDArray[Any], k: int) -> float:
    n, penalty = len(X), 0.0
    for i in range(n):
        by_vector, in_map = ({j: squared(Z[i], Z[j]) for j in range(n) if j != i} for Z in (X, Y))
        ways = itertools.product(list(orders(by_vector)), list(orders(in_map)))
        penalty += float(np.mean([sum(max(0, a.index(j) + 1 - k) for j in b[:k]) for a, b in ways]))
    return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * penalty
