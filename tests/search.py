"""The search for neighbours with the recall that the library aims at."""

from __future__ import annotations

from typing import Any

from mrsne.affinity.settings import RECALL
from mrsne.backends.cpu.search import neighbors
from mrsne.backends.cpu.search.neighbors import Neighbors
from mrsne.backends.recall import RecallGoal
from mrsne.backends.rows import Dense, Rows, Sparse, prepare
from mrsne.threads import threads


def _rows(X: Any) -> Rows:
    return X if isinstance(X, Dense | Sparse) else prepare(X, "euclidean")


def nearest_neighbors(X: Any, k: int, goal: RecallGoal = RECALL, exactly: bool = False) -> Neighbors:
    with threads(None):
        return neighbors.nearest_neighbors(_rows(X), k, goal, exactly)


def nearest_to(queries: Any, X: Any, k: int, exactly: bool | None = None) -> Neighbors:
    with threads(None):
        return neighbors.nearest_to(_rows(queries), _rows(X), k, RECALL, exactly)
