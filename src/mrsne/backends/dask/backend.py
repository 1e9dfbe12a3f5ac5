"""The Dask engine: what it can do, and its operations in the order in which a fit asks for them."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property, partial
from typing import Any

from mrsne.arrays import Float64
from mrsne.backends.base import Anchor, GraphPlan, Graphs, LinkNorm, LinkTotals, Masks, State, Weights
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.backends.dask.connection import Capacity, check_open, connected, losses_named
from mrsne.backends.dask.forces import ClusterForces, ClusterMotion
from mrsne.backends.dask.graph import NeighborBlock, RelationBlock, assemble, link_totals, read_links
from mrsne.backends.dask.matrix import ClusterMatrix
from mrsne.backends.dask.neighbors import neighbors
from mrsne.backends.dask.tasks import send
from mrsne.backends.dask.vectors import Blocks, prepare_blocks
from mrsne.backends.distances import PRECOMPUTED
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.backends.projection import Projection
from mrsne.backends.rows import METRICS
from mrsne.data.lazy import LazyData
from mrsne.parameters import ParameterError
from mrsne.threads import thread_count, threads

MOST_ITEMS = 2**31 - 1  # that columns of P̃ can number


class DaskAffinities:
    """P̃ of dask collections, by the workers of a cluster, or by default by threads of this process."""

    def __init__(self, client: Any = None, n_jobs: int | None = None) -> None:
        self.client, self.n_jobs = client, n_jobs
        self._read: dict[tuple[str, str], list[Any]] = {}  # links that have been read and are needed once more
        thread_count(n_jobs)  # raises where it is not a number of threads

    @contextmanager
    def session(self) -> Iterator[None]:
        """Connect to the cluster; raise a ClusterError if it is lost."""
        self._read = {}
        given = self.client
        if given is not None:
            check_open(given)
        with connected() if given is None else nullcontext(given) as self.client:
            try:
                with losses_named(self.client), threads(self.n_jobs):
                    yield
            finally:
                self.client = given

    @cached_property
    def capacity(self) -> Capacity:
        """What the cluster had when it was first asked."""
        return Capacity.of(self.client)

    def check_affinities(self, data: LazyData, settings: Any) -> None:
        """Raise for balanced weights, which need all of P̃ in one place, for given distances and too many items."""
        if PRECOMPUTED in settings.metric.values():
            raise ParameterError(
                f"metric must be one of {', '.join(map(repr, METRICS))} for data in dask collections, "
                "got 'precomputed', which needs distances in memory"
            )
        if isinstance(settings.weights, str) and settings.weights == "balanced":
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

    def vectors(
        self, data: LazyData, domain: str, metric: str, n_pca: int | None, k: int
    ) -> tuple[Blocks, Projection | None]:
        return prepare_blocks(data, domain, metric, n_pca, k, self.client, self.capacity)

    def neighbor_graph(
        self, vectors: Blocks, plan: GraphPlan, masses: Float64 | None = None
    ) -> tuple[NeighborBlock, float]:
        """Return the neighbours of a domain, and the recall; probabilities are computed when P̃ is put together."""
        settings = (plan.k, plan.exhaustive, plan.goal, self.capacity, self.client)
        parts, recall = neighbors(vectors.parts, vectors.starts, *settings)
        sent = None if masses is None else send(self.client, masses)  # travels once
        total = float(vectors.starts[-1]) if masses is None else float(masses.sum())
        return NeighborBlock(vectors.domain, parts, plan.k, plan.perplexity, sent, total), recall

    def link_totals(self, data: LazyData, pair: tuple[str, str]) -> tuple[LinkTotals, LinkTotals]:
        self._read[pair] = read_links(pair, data.relations[pair], self.client)
        return link_totals(pair, self._read[pair], data.sizes, self.client)

    def link_neighbors(self, data: LazyData, domain: str, plan_for: Any) -> None:
        """Return None: no process has all links, so no neighbours are searched by them."""

    def agreement(self, data: LazyData, domain: str, metric: str) -> None:
        """Return None: no process has all links."""

    def relation_graph(self, data: LazyData, pair: tuple[str, str], norm: LinkNorm) -> RelationBlock:
        links = self._read.pop(pair, None) or read_links(pair, data.relations[pair], self.client)
        return RelationBlock.of(pair, links, norm, data.sizes, self.client)

    def assemble(self, blocks: Graphs, beta: Weights, data: Any, items: Masks) -> ClusterMatrix:
        """Return P̃ in blocks of rows, about one for each worker."""
        submit = partial(self.client.submit, pure=False)
        k = max([1, *(block.k for block in blocks.values() if isinstance(block, NeighborBlock))])
        entries: list[Any] = []
        for name in list(blocks):
            entries += blocks.pop(name).entries(beta[name], data.offsets, submit)
        return assemble(entries, data.n_items, k, self.capacity, self.client)


class DaskBackend(DaskAffinities):
    """Blocks on the workers of a cluster, for the map too; see :class:`mrsne.backends.base.Backend`."""

    def exact_up_to(self, n_components: int) -> int:
        """Return 0: all pairs never meet in one place."""
        return 0

    def load(self, P: ClusterMatrix, clean: Any = None) -> ClusterMatrix:
        """Return P̃ unchanged: what a caller has of it came from here."""
        return P

    def gather(self, P: ClusterMatrix) -> ClusterMatrix:
        return P

    def forces(self, P: ClusterMatrix, n_components: int, method: str, kernel: StudentKernel = CAUCHY) -> ClusterForces:
        return ClusterForces(P, kernel)

    def motion(
        self, P: ClusterMatrix, state: State, method: str, kernel: StudentKernel = CAUCHY, anchor: Anchor | None = None
    ) -> ClusterMotion:
        return ClusterMotion(P, state, kernel, anchor)


class ThreadedDaskBackend(DaskAffinities, CpuBackend):  # type: ignore[misc]  # vectors and blocks are of other types
    """Dask collections without a cluster: threads of this process read them and make P̃, the processor makes the map."""

    def __init__(self, n_jobs: int | None = None) -> None:
        super().__init__(None, n_jobs)

    def assemble(self, blocks: Graphs, beta: Weights, data: Any, items: Masks) -> Any:
        """Return P̃, all of it in this process."""
        return CpuMatrix(super().assemble(blocks, beta, data, items).to_csr())
