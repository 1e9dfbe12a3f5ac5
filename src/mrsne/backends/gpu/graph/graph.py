"""The stochastic neighbour graph P^(d) of one set of vectors, on a GPU."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from mrsne.backends.base import GraphPlan
from mrsne.backends.cpu.graph import neighbor_graph as graph_on_the_processor
from mrsne.backends.cpu.graph import row_scales
from mrsne.backends.gpu.graph.bandwidths import neighbor_probabilities
from mrsne.backends.gpu.graph.symmetry import symmetrized
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix
from mrsne.backends.gpu.search.neighbors import nearest_neighbors
from mrsne.backends.rows import Rows


def neighbor_graph(
    rows: Rows,
    plan: GraphPlan,
    device: str,
    n_jobs: int | None = None,
    masses: NDArray[np.float64] | None = None,
) -> tuple[DeviceMatrix, float]:
    """Compute P^(d) = (m_i p_{j|i} + m_j p_{i|j}) / 2Σm, and the recall of the search; m is 1 by default.

    Graphs of all pairs, which are small, are made on the processor.
    """
    if plan.all_pairs:
        graph, recall = graph_on_the_processor(rows, plan, n_jobs, masses)
        return DeviceMatrix.of(graph, device), recall
    indices, squared, recall = nearest_neighbors(
        rows, plan.k, device, plan.goal, exactly=plan.exhaustive, n_jobs=n_jobs
    )
    if plan.perplexity is None:
        probabilities = torch.full(indices.shape, 1 / plan.k, dtype=torch.float32, device=device)
    else:
        probabilities = neighbor_probabilities(squared, plan.perplexity)
    del squared  # as large as all the rest
    if masses is not None:
        probabilities *= torch.from_numpy(row_scales(masses)).to(device)
    return symmetrized(indices, probabilities), recall
