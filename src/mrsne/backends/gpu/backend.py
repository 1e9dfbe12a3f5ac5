"""A GPU: what it can do, and its operations in the order in which a fit asks for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy import sparse

from mrsne.arrays import Float32, Float64, Int32
from mrsne.backends.base import Anchor, GraphPlan, Graphs, LinkNorm, Masks, State, Weights
from mrsne.backends.cpu.backend import HostBackend, links_of
from mrsne.backends.cpu.graph import neighbor_graph, row_scales
from mrsne.backends.distances import KnownDistances
from mrsne.backends.gpu.forces import DeviceForces
from mrsne.backends.gpu.graph import neighbor_probabilities, symmetrized
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.motion import DeviceMotion
from mrsne.backends.gpu.neighbors import Search
from mrsne.backends.gpu.relations import DeviceRelation, assemble, relation_probabilities, singular_vectors
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.backends.rows import Rows
from mrsne.parameters import ParameterError

EXACT_UP_TO = 4_000  # items: measured crossover of all pairs and mesh on an H200


class GpuBackend(HostBackend):
    """Triton and torch on a GPU; vectors are prepared on the processor and uploaded when they are searched."""

    def __init__(self, n_jobs: int | None = None, device: str = "cuda") -> None:
        super().__init__(n_jobs)
        self.device = device

    def check_layout(self, method: str, n_components: int) -> None:
        """Raise for maps that are not in the plane."""
        if n_components != 2:
            raise ParameterError(
                f"device='cuda' computes maps of 2 dimensions, got n_components={n_components}; use device='cpu'"
            )

    def exact_up_to(self, n_components: int) -> int:
        return EXACT_UP_TO

    def neighbor_graph(
        self, vectors: Rows | KnownDistances, plan: GraphPlan, masses: Float64 | None = None
    ) -> tuple[DeviceMatrix, float]:
        """Return P^(d) and the recall of the search.

        Graphs of all pairs, which are small, and of given distances come from the processor.
        """
        if plan.all_pairs or isinstance(vectors, KnownDistances):
            graph, recall = neighbor_graph(vectors, plan, masses)
            return DeviceMatrix.of(graph, self.device), recall
        indices, squared, recall = Search(plan.k, self.device, plan.goal, plan.exhaustive).nearest(vectors)
        probabilities = neighbor_probabilities(squared, plan.perplexity)
        del squared  # as large as all the rest
        if masses is not None:
            probabilities *= torch.from_numpy(row_scales(masses)).to(self.device)
        return symmetrized(indices, probabilities), recall

    def nearest(self, rows: Rows, plan: GraphPlan) -> tuple[Int32, Float64]:
        """Return the nearest other rows of every row, and their squared distances, in this process's memory."""
        if plan.all_pairs:
            return super().nearest(rows, plan)
        found = Search(plan.k, self.device, plan.goal, plan.exhaustive).nearest(rows)
        return found.indices.cpu().numpy(), found.squared.double().cpu().numpy()

    def singular_vectors(self, links: sparse.csr_matrix, width: int) -> Float32:
        return singular_vectors(links, width, self.device)

    def relation_graph(self, data: Any, pair: tuple[str, str], norm: LinkNorm) -> DeviceRelation:
        return relation_probabilities(links_of(data, pair), norm, self.device)

    def assemble(self, blocks: Graphs, beta: Weights, data: Any, items: Masks) -> DeviceMatrix:
        places = {name: np.flatnonzero(mask) for name, mask in items.items()}
        P = assemble(blocks, places, beta, data.sizes, self.device)
        blocks.clear()
        return P.without_zeros()

    def load(self, P: sparse.csr_matrix, clean: Callable[[Any], sparse.csr_matrix] | None = None) -> DeviceMatrix:
        if clean is None:
            return DeviceMatrix.of(P, self.device).without_zeros()
        return DeviceMatrix.of(clean(P), self.device)

    def gather(self, P: DeviceMatrix) -> sparse.csr_matrix:
        return P.to_csr()

    def forces(self, P: DeviceMatrix, n_components: int, method: str, kernel: StudentKernel = CAUCHY) -> DeviceForces:
        return DeviceForces(P, method, kernel)

    def motion(
        self, P: DeviceMatrix, state: State, method: str, kernel: StudentKernel = CAUCHY, anchor: Anchor | None = None
    ) -> DeviceMotion:
        return DeviceMotion(P, state, method, kernel, anchor)
