"""Vectors from links on a GPU; see :mod:`mrsne.backends.cpu.graph.link_vectors`."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

EXTRA = 10  # vectors beyond those asked for, so that the iteration settles sooner
PASSES = 4


def singular_vectors(links: sparse.csr_matrix, width: int, device: str) -> NDArray[np.float64]:
    """Return the first left singular vectors of a sparse matrix, each times its singular value.

    A random subspace is iterated (Halko, Martinsson, Tropp 2011). The random numbers are always the same.

    Examples
    --------
    >>> found = singular_vectors(sparse.csr_matrix(np.diag([3.0, 2.0, 1.0])), 1, "cpu")
    >>> np.abs(found).round(3).ravel()
    array([3., 0., 0.])
    """
    A, B = (_uploaded(matrix, device) for matrix in (links, links.T.tocsr()))
    count = min(width + EXTRA, *links.shape)
    start = np.random.RandomState(0).standard_normal((links.shape[1], count)).astype(np.float32)
    Q = torch.linalg.qr(A @ torch.from_numpy(start).to(device))[0]
    for _ in range(PASSES):
        Q = torch.linalg.qr(B @ Q)[0]
        Q = torch.linalg.qr(A @ Q)[0]
    small = B @ Q  # Qᵀ A, transposed
    values, directions = torch.linalg.eigh(small.T.double() @ small.double())
    lengths = values.flip(0)[:width].clamp(min=0).sqrt()
    return np.asarray((Q.double() @ directions.flip(1)[:, :width] * lengths).cpu().numpy())


def _uploaded(matrix: sparse.csr_matrix, device: str) -> torch.Tensor:
    entries = matrix.tocoo()
    places = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64)).to(device)
    values = torch.from_numpy(entries.data.astype(np.float32)).to(device)
    return torch.sparse_coo_tensor(places, values, matrix.shape, check_invariants=False, is_coalesced=True)
