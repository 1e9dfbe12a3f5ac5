"""Kernels for a GPU against sums over all pairs in double precision, and against those of the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import sparse

from mrsne import kl_gradient
from mrsne.backends.cpu.attraction import Entries
from mrsne.backends.cpu.mesh.charges import CHUNKS
from mrsne.backends.cpu.motion import take_step as take_step_on_the_processor
from mrsne.backends.cpu.orders import spatial_order as spatial_order_on_the_processor
from mrsne.backends.gpu.entries import LIMIT
from mrsne.backends.gpu.forces import DeviceForces, Halves
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.motion import POINTS, spatial_order, take_step

# the interpreter computes lanes that are masked too, and divides by zero there
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def affinities(n: int, seed: int = 0) -> sparse.csr_matrix:
    """A graph with rows of very different lengths, one of them empty."""
    random = np.random.default_rng(seed)
    A = sparse.random(n, n, 0.06, random_state=seed, format="lil")
    A[3, :] = random.random(n)
    A[:, 5] = 0
    A[5, :] = 0
    P = sparse.csr_matrix(A + A.T)
    P.setdiag(0)
    P.eliminate_zeros()
    return (P / P.sum()).astype(np.float32).tocsr()


def layout(n: int, span: float, seed: int = 1) -> NDArray[np.float32]:
    random = np.random.default_rng(seed)
    return (span / 4 * random.normal(size=(n, 2)) + 0.3 * span).astype(np.float32)


def pairs(P: sparse.csr_matrix, Y: NDArray[np.float32]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Z, repulsion and attraction from all pairs, in double precision."""
    difference = Y[:, None].astype(float) - Y[None].astype(float)
    q = 1 / (1 + (difference**2).sum(axis=2))
    np.fill_diagonal(q, 0)
    repulsive = (q[:, :, None] ** 2 * difference).sum(axis=1)
    return float(q.sum()), repulsive, ((P.toarray() * q)[:, :, None] * difference).sum(axis=1)


def error(found: torch.Tensor, expected: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(found.cpu().numpy() - expected) / np.linalg.norm(expected))


@pytest.mark.parametrize("span", [1e-3, 0.3, 5.0, 60.0])
@pytest.mark.parametrize("method", ["exact", "fft"])
def test_forces_and_divergence(device: str, span: float, method: str) -> None:
    P, Y = affinities(150), layout(150, span)
    forces = DeviceForces(DeviceMatrix.of(P, device), method)
    on_device = torch.from_numpy(Y).to(device)
    Z, repulsive, attractive = forces.halves(on_device)
    true_Z, true_repulsive, true_attractive = pairs(P, Y)
    assert pytest.approx(true_Z, rel=1e-6) == Z
    assert error(attractive, true_attractive) < 1e-6
    assert error(repulsive, true_repulsive) < (1e-6 if method == "exact" else 1e-3)
    assert forces.kl(on_device, Z) == pytest.approx(kl_gradient(P, Y, method="exact")[0], abs=1e-6)


def test_the_same_points_give_the_same_bits(device: str) -> None:
    P, Y = affinities(150), torch.from_numpy(layout(150, 20.0)).to(device)
    first, second = (DeviceForces(DeviceMatrix.of(P, device), "fft").halves(Y) for _ in range(2))
    assert first[0] == second[0]
    assert torch.equal(first[1], second[1])
    assert torch.equal(first[2], second[2])


def test_points_on_one_node_add_up(device: str) -> None:
    """Many charges at one place, as under exaggeration."""
    Y = np.zeros((600, 2), np.float32)
    Y[0], Y[1] = -20, 20
    forces = DeviceForces(DeviceMatrix.of(affinities(600), device), "fft")
    Z, _, _ = forces.halves(torch.from_numpy(Y).to(device))
    assert pytest.approx(pairs(affinities(600), Y)[0], rel=1e-4) == Z
    assert forces.mesh is not None
    total = float(forces.mesh.padded.double().sum())
    assert total == pytest.approx(600, abs=1e-3), "every point is one unit of charge"


def test_rows_in_another_order(device: str) -> None:
    P = affinities(80)
    order = np.random.default_rng(2).permutation(80)
    expected = Entries.of(P, order)
    found = DeviceMatrix.of(P, device).reordered(torch.from_numpy(order).to(device))
    np.testing.assert_array_equal(found.indptr.cpu(), expected.indptr)
    np.testing.assert_array_equal(found.indices.cpu(), expected.indices)
    np.testing.assert_array_equal(found.values.cpu(), expected.values)


def test_the_spatial_order_is_the_processors(device: str) -> None:
    Y = layout(500, 10.0)
    found = spatial_order(torch.from_numpy(Y).to(device)).cpu().numpy()
    assert np.mean(found == spatial_order_on_the_processor(Y)) > 0.95, "but for rounding"


@pytest.mark.parametrize(("adaptive", "limited"), [(True, True), (False, True), (False, False)])
def test_a_step_is_the_processors(device: str, adaptive: bool, limited: bool) -> None:
    random = np.random.default_rng(3)
    state = [random.normal(size=(300, 2)).astype(np.float32) for _ in range(5)]
    state[1][::7] = 0
    state[2] = np.abs(state[2])
    moved = [torch.from_numpy(array.copy()).to(device) for array in state]
    settings = torch.tensor([12.0, 2.5, 0.8, float(adaptive), float(limited)], device=device)
    parts = torch.empty((-(-300 // POINTS), 5), dtype=torch.float64, device=device)
    report = torch.zeros(5, dtype=torch.float64, device=device)
    Y, velocity, gains, attractive, repulsive = moved
    Z = torch.tensor(7.0, dtype=torch.float64, device=device)
    take_step((Y, velocity, gains), Halves(Z, repulsive, attractive, -0.5), settings, parts, report)
    squares = np.empty(CHUNKS)
    f = np.float32
    arguments: list[Any] = [*state, f(12), f(-0.5 / 7), f(2.5), f(0.8), adaptive, limited, squares]
    take_step_on_the_processor.alone(CHUNKS, *arguments)
    for found, expected in zip(moved[:3], state[:3], strict=True):
        np.testing.assert_allclose(found.cpu(), expected, rtol=2e-5, atol=2e-5)
    norm, *bounds = report.tolist()
    assert norm == pytest.approx(squares.sum(), rel=1e-5)
    assert bounds == pytest.approx([*Y.amin(dim=0).tolist(), *Y.amax(dim=0).tolist()])


def test_a_step_too_far_is_seen(device: str) -> None:
    values = (1.0, 0.0, 1.0, 1e30, 0.0)
    Y, velocity, gains, attractive, repulsive = (torch.full((4, 2), value, device=device) for value in values)
    settings = torch.tensor([1.0, 1e10, 0.5, 0.0, 0.0], device=device)
    parts = torch.empty((1, 5), dtype=torch.float64, device=device)
    report = torch.zeros(5, dtype=torch.float64, device=device)
    Z = torch.tensor(1.0, dtype=torch.float64, device=device)
    take_step((Y, velocity, gains), Halves(Z, repulsive, attractive, 1.0), settings, parts, report)
    assert report[0] == float("inf")


def starry(n: int) -> sparse.csr_matrix:
    """A graph in which some items are linked to nearly all, as frequent tags are, and one to just as many as fit."""
    random = np.random.default_rng(0)
    A = sparse.random(n, n, 0.004, random_state=0, format="lil")
    A[3, 10:] = random.random(n - 10)
    A[: LIMIT + 30, n - 1] = random.random((LIMIT + 30, 1))
    A[7, :] = 0
    A[7, 20 : 20 + LIMIT] = random.random(LIMIT)
    P = sparse.csr_matrix(sparse.triu(A, 1))
    P = sparse.csr_matrix(P + P.T)
    return (P / P.sum()).astype(np.float32).tocsr()


@pytest.mark.parametrize("n", [2 * LIMIT + 37])
def test_rows_of_more_entries_than_one_program_reads(device: str, n: int) -> None:
    P, Y = starry(n), layout(n, 20.0)
    matrix = DeviceMatrix.of(P, device)
    assert matrix.long_rows is not None
    assert np.diff(P.indptr)[7] == LIMIT
    assert {3, n - 1} <= set(matrix.long_rows.rows.tolist()) < set(range(n)) - {7}
    forces = DeviceForces(matrix, "fft")
    on_device = torch.from_numpy(Y).to(device)
    Z, _, attractive = forces.halves(on_device)
    again = forces.halves(on_device)[2].clone()
    assert error(attractive, pairs(P, Y)[2]) < 1e-6
    assert torch.equal(attractive, again)
    assert forces.kl(on_device, Z) == pytest.approx(kl_gradient(P, Y, method="exact")[0], abs=1e-4)
