"""The processor: what it can do, and its operations in the order in which a fit asks for them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, Int32
from mrsne.backends.base import Anchor, GraphPlan, Graphs, LinkNorm, LinkTotals, Masks, State, Weights
from mrsne.backends.cpu.forces import CpuForces
from mrsne.backends.cpu.graph import neighbor_graph
from mrsne.backends.cpu.link_vectors import agreement, link_neighbors, singular_vectors
from mrsne.backends.cpu.matrix import CpuMatrix, assemble, embedded, without_zeros
from mrsne.backends.cpu.motion import CpuMotion
from mrsne.backends.cpu.search.neighbors import nearest_neighbors
from mrsne.backends.distances import PRECOMPUTED, KnownDistances, KnownNeighbors, check_distances, known_distances
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.backends.links import link_totals, relation_probabilities, within_graph
from mrsne.backends.projection import Projection, principal_axes
from mrsne.backends.rows import Rows, prepare
from mrsne.threads import threads

EXACT_UP_TO = {1: 1_500, 2: 5_000, 3: 35_000}  # items, by K: measured crossover of all pairs and mesh on two cores


class HostBackend:
    """What engines share that read vectors and links in this process, on its threads."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    @contextmanager
    def session(self) -> Iterator[None]:
        with threads(self.n_jobs):
            yield

    def check_affinities(self, data: Any, settings: Any) -> None:
        """Raise where what is given as distances cannot be distances."""
        for name in data.sizes:
            if settings.metric.get(name) == PRECOMPUTED and data.count_vectors(name):
                check_distances(data, name)

    def vectors(
        self, data: Any, domain: str, metric: str, n_pca: int | None, k: int
    ) -> tuple[Rows | KnownDistances, Projection | None]:
        if metric == PRECOMPUTED:
            return known_distances(data, domain), None
        vectors: Any = data.vectors[domain]
        missing = data.missing[domain]
        rows = prepare(vectors[np.flatnonzero(~missing)] if missing.any() else vectors, metric)
        if n_pca is None or n_pca >= rows.shape[1]:
            return rows, None
        projection = principal_axes(rows, n_pca)
        return projection(rows), projection

    def link_totals(self, data: Any, pair: tuple[str, str]) -> tuple[LinkTotals, LinkTotals]:
        return link_totals(links_of(data, pair))

    def agreement(self, data: Any, domain: str, metric: str) -> float | None:
        return agreement(data, domain, metric)

    def link_neighbors(
        self, data: Any, domain: str, plan_for: Callable[[int], GraphPlan]
    ) -> tuple[KnownNeighbors, Bool] | None:
        return link_neighbors(data, domain, plan_for, self.nearest, self.singular_vectors)

    def nearest(self, rows: Rows, plan: GraphPlan) -> tuple[Int32, Float64]:
        """Return the nearest other rows of every row, and their squared distances."""
        found = nearest_neighbors(rows, plan.k, plan.goal, plan.exhaustive)
        return found.indices, found.squared

    def singular_vectors(self, links: sparse.csr_matrix, width: int) -> Float32:
        """Return the first left singular vectors of a sparse matrix, each times its singular value."""
        return singular_vectors(links, width)


class CpuBackend(HostBackend):
    """Compiled loops on the threads of this process; see :class:`mrsne.backends.base.Backend`."""

    def check_layout(self, method: str, n_components: int) -> None:
        """No restrictions."""

    def exact_up_to(self, n_components: int) -> int:
        return EXACT_UP_TO[n_components]

    def neighbor_graph(
        self, vectors: Rows | KnownDistances, plan: GraphPlan, masses: Float64 | None = None
    ) -> tuple[sparse.csr_matrix, float]:
        return neighbor_graph(vectors, plan, masses)

    def relation_graph(self, data: Any, pair: tuple[str, str], norm: LinkNorm) -> sparse.csr_matrix:
        return relation_probabilities(links_of(data, pair), norm)

    def assemble(self, blocks: Graphs, beta: Weights, data: Any, items: Masks) -> CpuMatrix:
        for name in blocks:
            if isinstance(name, str) and not items[name].all():
                blocks[name] = embedded(blocks[name], np.flatnonzero(items[name]), data.sizes[name])
        P = assemble(blocks, beta, data.sizes)
        blocks.clear()
        return CpuMatrix(without_zeros(P))

    def load(self, P: sparse.csr_matrix, clean: Callable[[Any], sparse.csr_matrix] | None = None) -> CpuMatrix:
        return CpuMatrix(without_zeros(P) if clean is None else clean(P))

    def gather(self, P: CpuMatrix) -> sparse.csr_matrix:
        return P.csr

    def forces(self, P: CpuMatrix, n_components: int, method: str, kernel: StudentKernel = CAUCHY) -> CpuForces:
        return CpuForces(P.csr, n_components, method, kernel)

    def motion(
        self, P: CpuMatrix, state: State, method: str, kernel: StudentKernel = CAUCHY, anchor: Anchor | None = None
    ) -> CpuMotion:
        return CpuMotion(P, state, method, kernel, anchor)


def links_of(data: Any, pair: tuple[str, str]) -> sparse.csr_matrix:
    """Return the links of a relation, which inside one domain go both ways."""
    W = data.relations[pair]
    return within_graph(W) if pair[0] == pair[1] else W
