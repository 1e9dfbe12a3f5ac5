"""The search for neighbours with the recall that the library aims at."""

from __future__ import annotations

from functools import partial

from mrsne.affinity.settings import RECALL
from mrsne.backends.cpu.search import neighbors

nearest_neighbors = partial(neighbors.nearest_neighbors, goal=RECALL)
nearest_to = partial(neighbors.nearest_to, goal=RECALL)
