"""The start of a map on a GPU, or on Triton's interpreter, beside the processor's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy import sparse

from mrsne import RelationalData, joint_affinities
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.backends.gpu.entries import LIMIT, LongRows
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.layout import start
from mrsne.layout.start import spectral_layout
from tests.devices import GPU

# the interpreter computes lanes that are masked too
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def clusters(sizes: list[int]) -> sparse.csr_matrix:
    """A graph with a component for each cloud of points."""
    random = np.random.default_rng(0)
    blocks = []
    for size in sizes:
        X = random.normal(size=(size, 2)) * [4, 1]
        perplexity = min(5.0, max(1.1, (size - 1) / 3))
        blocks.append(joint_affinities(RelationalData({"a": X}), perplexity=perplexity, neighbors="approximate"))
    P = sparse.block_diag(blocks, format="csr").astype(np.float32)
    order = random.permutation(P.shape[0])
    return sparse.csr_matrix(P[order][:, order] / P.sum(), dtype=np.float32)


def test_row_sums(device: str) -> None:
    P = clusters([50, 7])
    np.testing.assert_allclose(DeviceMatrix.of(P, device).row_sums(), CpuMatrix(P).row_sums(), rtol=1e-12)
    np.testing.assert_allclose(CpuMatrix(P).row_sums(), P.toarray().astype(np.float64).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("sizes", [[50], [5, 40, 17], [9, 9, 9]])
def test_components(device: str, sizes: list[int]) -> None:
    P = clusters(sizes)
    order, starts = DeviceMatrix.of(P, device).components()
    expected_order, expected_starts = CpuMatrix(P).components()
    np.testing.assert_array_equal(starts, expected_starts)
    for first, last in pairwise(starts):
        np.testing.assert_array_equal(order[first:last], np.sort(expected_order[first:last]))


def test_a_long_chain_is_one_component(device: str) -> None:
    n = 200
    order = np.random.default_rng(1).permutation(n)
    chain = sparse.coo_matrix((np.ones(n - 1), (order[1:], order[:-1])), shape=(n, n))
    P = sparse.csr_matrix(chain + chain.T, dtype=np.float32)
    assert DeviceMatrix.of(P, device).components()[1].tolist() == [0, n]


def test_a_product_with_rows_longer_than_one_program_reads(device: str) -> None:
    random = np.random.default_rng(0)
    n = 2 * LIMIT + 50
    A = sparse.random(n, n, 0.002, random_state=0, format="lil")
    A[3], A[n - 2, : n // 2 + 40] = random.random(n), random.random(n // 2 + 40)
    P = sparse.csr_matrix(A + A.T, dtype=np.float32)
    operator = DeviceMatrix.of(P, device).operator(np.arange(n), np.array([0, 300, n]))  # as if they were two parts
    X, before = (torch.from_numpy(random.normal(size=(n, 4)).astype(np.float32)).to(device) for _ in range(2))
    coefficients = random.normal(size=(2, 3))
    found = operator.recurrence(coefficients, X, before).cpu().numpy()
    root = np.sqrt(P.toarray().astype(np.float64).sum(axis=1))
    a, b, c = coefficients[(np.arange(n) >= 300).astype(int)].T[:, :, None]
    expected = (
        a * (P.toarray() / root[:, None] / root) @ X.cpu().numpy() + b * X.cpu().numpy() + c * before.cpu().numpy()
    )
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_little_is_left_of_the_known_eigenvector(device: str) -> None:
    """After a filter it is by far the largest part of everything."""
    P = clusters([120])
    operator = DeviceMatrix.of(P, device).operator(np.arange(120), np.array([0, 120]))
    root = np.sqrt(np.asarray(P.sum(axis=1), dtype=np.float64).ravel())
    known = root / np.linalg.norm(root)
    small = 1e-5 * np.random.default_rng(0).normal(size=(120, 4))
    X = (known[:, None] * [1.0, -2.0, 3.0, 1.0] + small).astype(np.float32)
    found = operator.deflated(torch.from_numpy(X).to(device)).cpu().numpy()
    exact = X - np.outer(known, known @ X)
    exact /= np.linalg.norm(exact, axis=0)
    assert np.abs(known @ found).max() < 1e-3  # 6e-8 of what it was, beside 1e-5 that is left
    assert np.abs(found - exact).max() < 1e-3


@pytest.fixture
def few_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter takes long for two hundred items."""
    monkeypatch.setattr(start, "DENSE_UP_TO", 30)


@pytest.mark.usefixtures("few_are_large")
@pytest.mark.slow  # on the interpreter
@pytest.mark.parametrize("sizes", [[45], [40, 8, 35, 3, 1]])
def test_the_start_is_the_processors(device: str, sizes: list[int]) -> None:
    """But for the sign of each eigenvector, and noise that comes from other random numbers."""
    P = clusters([size for size in sizes if size > 1])
    if 1 in sizes:
        P = sparse.block_diag([P, sparse.csr_matrix((1, 1), dtype=np.float32)], format="csr")
    expected, found = (
        spectral_layout(matrix, 2, np.random.RandomState(0), 1.0)
        for matrix in (CpuMatrix(P), DeviceMatrix.of(P, device))
    )
    order, starts = CpuMatrix(P).components()
    for first, last in pairwise(starts):
        items = order[first:last]
        if last - first > 30:
            for axis in range(2):
                assert abs(np.corrcoef(expected[items, axis], found[items, axis])[0, 1]) > 0.99
        np.testing.assert_allclose(expected[items].mean(axis=0), found[items].mean(axis=0), atol=0.1)


@pytest.mark.skipif(not GPU, reason="needs a GPU")
def test_the_same_seed_gives_the_same_start(device: str) -> None:
    P = DeviceMatrix.of(clusters([450, 400]), device)
    first, second = (spectral_layout(P, 2, np.random.RandomState(3), 1.0) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_long_rows_are_cut_into_segments(device: str) -> None:
    rows = LongRows.of(torch.tensor([0, 3, 1403], device=device))
    assert rows is not None
    assert (rows.rows.tolist(), rows.starts.tolist(), rows.owner.tolist()) == ([1], [0, 2], [1, 1])
    assert (rows.first.tolist(), rows.last.tolist()) == ([515, 1027], [1027, 1403])
    assert LongRows.of(torch.tensor([0, 3, 403], device=device)) is None
