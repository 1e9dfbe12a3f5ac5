"""A GPU: what it can do, and its operations in the order in which a fit asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.base import Block, GraphPlan, LinkNorm, LinkTotals, State
from mrsne.backends.cpu.backend import CpuBackend, links_of, rows_with_vectors
from mrsne.backends.cpu.graph import row_scales
from mrsne.backends.cpu.link_vectors import link_vectors
from mrsne.backends.gpu.forces import DeviceForces
from mrsne.backends.gpu.graph import neighbor_probabilities, symmetrized
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.motion import DeviceMotion
from mrsne.backends.gpu.neighbors import nearest_neighbors
from mrsne.backends.gpu.relations import DeviceRelation, assemble, relation_probabilities, singular_vectors
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.backends.projection import Projection
from mrsne.backends.rows import Rows
from mrsne.parameters import ParameterError

EXACT_UP_TO = 4_000  # items: measured crossover of all pairs and mesh on an H200


class GpuBackend:
    """Triton and torch on the GPU that torch calls ``device``; see :class:`mrsne.backends.base.Backend`.

    Vectors are prepared, and links counted, on ``n_jobs`` threads of the processor.
    """

    def __init__(self, n_jobs: int | None = None, device: str = "cuda") -> None:
        self.cpu, self.device = CpuBackend(n_jobs), device

    def session(self) -> AbstractContextManager[None]:
        """Run the processor's loops on its threads."""
        return self.cpu.session()

    def check_affinities(self, data: Any, weights: Any) -> None:
        """No restrictions."""

    def check_layout(self, method: str, n_components: int) -> None:
        """Raise for maps that are not in the plane."""
        if n_components != 2:
            raise ParameterError(
                f"device='cuda' computes maps of 2 dimensions, got n_components={n_components}; use device='cpu'"
            )

    def exact_up_to(self, n_components: int) -> int:
        """Return up to how many items all pairs are faster than a mesh."""
        return EXACT_UP_TO

    def vectors(self, data: Any, domain: str, metric: str, n_pca: int | None, k: int) -> tuple[Rows, Projection | None]:
        """Return the vectors of a domain, which are uploaded when they are searched."""
        return self.cpu.vectors(data, domain, metric, n_pca, k)

    def neighbor_graph(
        self, vectors: Rows, plan: GraphPlan, masses: NDArray[np.float64] | None = None
    ) -> tuple[DeviceMatrix, float]:
        """Return P^(d) and the recall of the search; graphs of all pairs, which are small, come from the processor."""
        if plan.all_pairs:
            graph, recall = self.cpu.neighbor_graph(vectors, plan, masses)
            return DeviceMatrix.of(graph, self.device), recall
        indices, squared, recall = nearest_neighbors(
            vectors, plan.k, self.device, plan.goal, exactly=plan.exhaustive, n_jobs=self.cpu.n_jobs
        )
        probabilities = neighbor_probabilities(squared, plan.perplexity)
        del squared  # as large as all the rest
        if masses is not None:
            probabilities *= torch.from_numpy(row_scales(masses)).to(self.device)
        return symmetrized(indices, probabilities), recall

    def link_totals(self, data: Any, pair: tuple[str, str]) -> tuple[LinkTotals, LinkTotals]:
        """Return what the links of a relation add up to."""
        return self.cpu.link_totals(data, pair)

    def agreement(self, data: Any, domain: str, metric: str) -> float | None:
        """Return how well the vectors of a domain agree with its links."""
        return self.cpu.agreement(data, domain, metric)

    def link_vectors(self, data: Any, domain: str) -> tuple[Rows, NDArray[np.bool_]] | None:
        """Return vectors made from the links of a domain, which are uploaded again when they are searched."""
        return rows_with_vectors(link_vectors(data, domain, partial(singular_vectors, device=self.device)))

    def relation_graph(self, data: Any, pair: tuple[str, str], norm: LinkNorm) -> DeviceRelation:
        """Return R of a relation."""
        return relation_probabilities(links_of(data, pair), norm, self.device)

    def assemble(
        self, blocks: dict[Block, Any], beta: Mapping[Block, float], data: Any, items: Mapping[str, NDArray[np.bool_]]
    ) -> DeviceMatrix:
        """Return P̃."""
        places = {name: np.flatnonzero(mask) for name, mask in items.items()}
        P = assemble(blocks, places, beta, data.sizes, self.device)
        blocks.clear()
        return P.without_zeros()

    def load(self, P: sparse.csr_matrix, clean: Callable[[Any], sparse.csr_matrix] | None = None) -> DeviceMatrix:
        """Copy affinities, perhaps those that a caller gave, to the GPU."""
        if clean is None:
            return DeviceMatrix.of(P, self.device).without_zeros()
        return DeviceMatrix.of(clean(P), self.device)

    def gather(self, P: DeviceMatrix) -> sparse.csr_matrix:
        """Return P̃ as a CSR matrix."""
        return P.to_csr()

    def forces(self, P: DeviceMatrix, n_components: int, method: str, kernel: StudentKernel = CAUCHY) -> DeviceForces:
        """Return the forces of P̃."""
        return DeviceForces(P, method, kernel)

    def motion(self, P: DeviceMatrix, state: State, method: str, kernel: StudentKernel = CAUCHY) -> DeviceMotion:
        """Return a descent in its state."""
        return DeviceMotion(P, state, method, kernel)
