"""Vectors from links on a GPU; see :mod:`mrsne.backends.cpu.link_vectors`."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.singular import left_singular_vectors
from mrsne.backends.gpu.search.neighbors import full_precision


def singular_vectors(links: sparse.csr_matrix, width: int, device: str) -> NDArray[np.float32]:
    """Return the first left singular vectors of a sparse matrix, each times its singular value.

    Examples
    --------
    >>> found = singular_vectors(sparse.csr_matrix(np.diag([3.0, 2.0, 1.0])), 1, "cpu")
    >>> np.abs(found).round(3).ravel()
    array([3., 0., 0.], dtype=float32)
    """
    with full_precision():
        return np.asarray(left_singular_vectors(DeviceProducts(links, device), width).cpu().numpy())


class DeviceProducts:
    """A sparse matrix on a device in single precision; see :class:`mrsne.backends.cpu.singular.Products`."""

    def __init__(self, A: sparse.csr_matrix, device: str) -> None:
        self.shape, self.device = (int(A.shape[0]), int(A.shape[1])), device
        lengths = torch.from_numpy(np.diff(A.indptr).astype(np.int64)).to(device)
        rows = torch.repeat_interleave(torch.arange(len(lengths), device=device), lengths)
        columns = torch.from_numpy(A.indices.astype(np.int64)).to(device)
        values = torch.from_numpy(A.data.astype(np.float32)).to(device)
        order = torch.argsort(columns, stable=True)
        self.A = _matrix(rows, columns, values, self.shape)
        self.transposed = _matrix(columns[order], rows[order], values[order], self.shape[::-1])

    def start(self, rows: int, columns: int) -> torch.Tensor:
        """Return random numbers, always the same."""
        numbers = np.random.RandomState(0).standard_normal((rows, columns))
        return torch.from_numpy(numbers.astype(np.float32)).to(self.device)

    def times(self, X: torch.Tensor) -> torch.Tensor:
        """Return A X."""
        return self.A @ X

    def transposed_times(self, X: torch.Tensor) -> torch.Tensor:
        """Return Aᵀ X."""
        return self.transposed @ X

    def squares(self, X: torch.Tensor) -> NDArray[np.float64]:
        """Return Xᵀ X, in double precision."""
        wide = X.double()
        return np.asarray((wide.T @ wide).cpu().numpy())

    def combined(self, X: torch.Tensor, C: NDArray[np.float64]) -> torch.Tensor:
        """Return X C, summed in double precision, as the processor does."""
        return (X.double() @ torch.from_numpy(np.ascontiguousarray(C)).to(self.device)).float()


def _matrix(rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    places = torch.stack([rows, columns])
    return torch.sparse_coo_tensor(places, values, shape, check_invariants=False, is_coalesced=True)
