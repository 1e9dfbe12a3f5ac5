"""The Dask engine: what it can do, and its operations in the order in which a fit asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Block, GraphPlan, LinkNorm, LinkTotals, State
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.matrix.matrix import CpuMatrix
from mrsne.backends.dask.connection import Capacity, check_open, connected, losses_named
from mrsne.backends.dask.forces.forces import ClusterForces
from mrsne.backends.dask.graph.assembly import assemble
from mrsne.backends.dask.graph.graph import NeighborBlock
from mrsne.backends.dask.graph.relations import RelationBlock, link_totals, read_links, relation_block
from mrsne.backends.dask.matrix.matrix import ClusterMatrix
from mrsne.backends.dask.search.blocks import Blocks, prepare_blocks
from mrsne.backends.dask.search.neighbors import neighbors
from mrsne.backends.dask.step.motion import ClusterMotion
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.backends.projection import Projection
from mrsne.data.lazy import LazyData
from mrsne.parameters import ParameterError
from mrsne.threads import thread_count, threads

MOST_ITEMS = 2**31 - 1  # that columns of P̃ can number


class DaskBackend:
    """Blocks on the workers of a cluster; see :class:`mrsne.backends.base.Backend`.

    Parameters
    ----------
    client : distributed.Client, optional
        By default threads of this process.
    n_jobs : int, optional
        Threads of what the client itself does; all cores by default.
    """

    def __init__(self, client: Any = None, n_jobs: int | None = None) -> None:
        self.client, self.n_jobs = client, n_jobs
        self._read: dict[tuple[str, str], list[Any]] = {}  # links that have been read and are needed once more
        thread_count(n_jobs)  # raises where it is not a number of threads

    @contextmanager
    def session(self) -> Iterator[None]:
        """Connect to the cluster; raise a ClusterError if it is lost."""
        self._read = {}
        if self.client is not None:
            check_open(self.client)
            with losses_named(self.client), threads(self.n_jobs):
                yield
            return
        with connected() as client:
            self.client = client
            try:
                with losses_named(client), threads(self.n_jobs):
                    yield
            finally:
                self.client = None

    @cached_property
    def capacity(self) -> Capacity:
        """What the cluster had when it was first asked."""
        return Capacity.of(self.client)

    def check_affinities(self, data: LazyData, weights: Any) -> None:
        """Raise for balanced weights, which need all of P̃ in one place, and for too many items."""
        if isinstance(weights, str) and weights == "balanced":
            raise ParameterError(
                "weights must be 'auto', 'size', 'equal' or numbers for data in dask collections, got 'balanced'"
            )
        if data.n_items > MOST_ITEMS:
            raise ParameterError(f"data has {data.n_items} items, at most {MOST_ITEMS} can be in one map")

    def check_layout(self, method: str, n_components: int) -> None:
        """Raise for what only all pairs could do, which never meet."""
        if method == "exact":
            raise ParameterError("method must be 'auto' or 'fft' for data in dask collections, got 'exact'")
        if n_components > 3:
            raise ParameterError(f"n_components must be 1, 2 or 3 for data in dask collections, got {n_components}")

    def exact_up_to(self, n_components: int) -> int:
        """Return 0: pairs never meet in one place."""
        return 0

    def vectors(
        self, data: LazyData, domain: str, metric: str, n_pca: int | None, k: int
    ) -> tuple[Blocks, Projection | None]:
        """Return the vectors of a domain in blocks on the workers."""
        return prepare_blocks(data, domain, metric, n_pca, k, self.client, self.capacity)

    def neighbor_graph(
        self, vectors: Blocks, plan: GraphPlan, masses: NDArray[np.float64] | None = None
    ) -> tuple[NeighborBlock, float]:
        """Return the neighbours of a domain, and the recall; probabilities are computed when P̃ is put together."""
        settings = (plan.k, plan.exhaustive, plan.goal, self.capacity, self.client)
        parts, recall = neighbors(vectors.parts, vectors.starts, *settings)
        sent = None if masses is None else self.client.submit(np.asarray, masses, pure=False)  # travels once
        total = 0.0 if masses is None else float(masses.sum())
        n = int(vectors.starts[-1])
        return NeighborBlock(vectors.domain, parts, n, plan.k, plan.perplexity, sent, total), recall

    def link_totals(self, data: LazyData, pair: tuple[str, str]) -> tuple[LinkTotals, LinkTotals]:
        """Return what the links of a relation add up to."""
        self._read[pair] = read_links(pair, data.relations[pair], self.client)
        return link_totals(pair, self._read[pair], data.sizes, self.client)

    def link_vectors(self, data: LazyData, domain: str) -> None:
        """Return None: nobody has all links, so no neighbours are searched by them."""

    def agreement(self, data: LazyData, domain: str, metric: str) -> None:
        """Return None: nobody has all links."""

    def relation_graph(self, data: LazyData, pair: tuple[str, str], norm: LinkNorm) -> RelationBlock:
        """Return the normalised links of a relation."""
        links = self._read.pop(pair, None) or read_links(pair, data.relations[pair], self.client)
        return relation_block(pair, links, norm, data.sizes, self.client)

    def assemble(
        self,
        blocks: dict[Block, Any],
        beta: Mapping[Block, float],
        data: LazyData,
        items: Mapping[str, NDArray[np.bool_]],
    ) -> ClusterMatrix:
        """Return P̃ in blocks of rows, about one for each worker."""
        submit = partial(self.client.submit, pure=False)
        k = max([1, *(block.k for block in blocks.values() if isinstance(block, NeighborBlock))])
        entries: list[Any] = []
        for name in list(blocks):
            entries += blocks.pop(name).entries(beta[name], data.offsets, submit)
        return assemble(entries, data.n_items, k, self.capacity, self.client)

    def load(self, P: ClusterMatrix, clean: Any = None) -> ClusterMatrix:
        """Return P̃ as it is: what a caller has of it came from here."""
        return P

    def gather(self, P: ClusterMatrix) -> ClusterMatrix:
        """Return P̃ where it is, since it may be too large to come."""
        return P

    def forces(self, P: ClusterMatrix, n_components: int, method: str, kernel: StudentKernel = CAUCHY) -> ClusterForces:
        """Return the forces of P̃."""
        return ClusterForces(P, kernel)

    def motion(self, P: ClusterMatrix, state: State, method: str, kernel: StudentKernel = CAUCHY) -> ClusterMotion:
        """Return a descent in its state."""
        return ClusterMotion(P, state, kernel)


class ThreadedDaskBackend(CpuBackend):
    """Dask collections without a cluster: threads of this process read them and make P̃, the processor makes the map."""

    def __init__(self, n_jobs: int | None = None) -> None:
        super().__init__(n_jobs)
        self.dask = DaskBackend(n_jobs=n_jobs)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Run Dask's threads, and our own."""
        with self.dask.session(), super().session():
            yield

    def check_affinities(self, data: Any, weights: Any) -> None:
        """Raise for what a cluster could not do either."""
        self.dask.check_affinities(data, weights)

    def check_layout(self, method: str, n_components: int) -> None:
        """Raise for what a cluster could not do either."""
        self.dask.check_layout(method, n_components)

    def vectors(self, data: Any, domain: str, metric: str, n_pca: int | None, k: int) -> Any:
        """Return the vectors of a domain in blocks."""
        return self.dask.vectors(data, domain, metric, n_pca, k)

    def neighbor_graph(self, vectors: Any, plan: GraphPlan, masses: NDArray[np.float64] | None = None) -> Any:
        """Return the neighbours of a domain, and the recall."""
        return self.dask.neighbor_graph(vectors, plan, masses)

    def link_totals(self, data: Any, pair: tuple[str, str]) -> tuple[LinkTotals, LinkTotals]:
        """Return what the links of a relation add up to."""
        return self.dask.link_totals(data, pair)

    def link_vectors(self, data: Any, domain: str) -> None:
        """Return None, as on a cluster."""

    def agreement(self, data: Any, domain: str, metric: str) -> None:
        """Return None, as on a cluster."""

    def relation_graph(self, data: Any, pair: tuple[str, str], norm: LinkNorm) -> Any:
        """Return the normalised links of a relation."""
        return self.dask.relation_graph(data, pair, norm)

    def assemble(
        self, blocks: dict[Block, Any], beta: Mapping[Block, float], data: Any, items: Mapping[str, NDArray[np.bool_]]
    ) -> CpuMatrix:
        """Return P̃, all of it in this process."""
        return CpuMatrix(self.dask.assemble(blocks, beta, data, items).to_csr())
