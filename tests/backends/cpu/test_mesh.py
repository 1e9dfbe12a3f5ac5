"""The particle mesh against all pairs, at every stage of a run, beside openTSNE."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from openTSNE.tsne import kl_divergence_fft

import mrsne
from mrsne.backends.cpu.forces import exact_repulsion
from mrsne.backends.cpu.mesh import charges
from mrsne.backends.cpu.mesh.mesh import Bulk, Mesh
from mrsne.backends.grid import FINE_STEP, MOST_CELLS, STEP, choose_grid
from mrsne.backends.kernel import CAUCHY
from tests import reference
from tests.conftest import clusters

Layout = NDArray[np.float32]


def relative_error(found: Any, expected: Any) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


@lru_cache
def stages_of_a_run(n: int) -> tuple[Any, dict[int, Layout]]:
    """P̃ and the map at its start (a span of 1e-3 or less), during exaggeration, after it, and at its end."""
    P = mrsne.joint_affinities(mrsne.RelationalData({"item": clusters(n, n_clusters=20)}))
    seen: dict[int, Layout] = {0: (1e-4 * np.random.RandomState(0).standard_normal((n, 2))).astype(np.float32)}

    def keep(iteration: int, kl: float, Y: Layout) -> None:
        seen[iteration] = Y

    mrsne.embed(P, init=seen[0], random_state=0, callbacks=keep)
    return P, {iteration: seen[iteration] for iteration in (0, 50, 100, 250, 300, 500, 750)}


@pytest.mark.parametrize("n", [5_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (20_000, 200_000))])
def test_gradient_is_accurate_at_every_stage_and_more_so_than_opentsne(n: int) -> None:
    P, stages = stages_of_a_run(n)
    for iteration, Y in stages.items():
        exact = mrsne.kl_gradient(P, Y, method="exact")[1]
        error = relative_error(mrsne.kl_gradient(P, Y, method="fft")[1], exact)
        settings = {"n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1}
        theirs = kl_divergence_fft(
            Y.astype(np.float64), P.astype(np.float64), dof=1, fft_params=settings, bh_params={}, n_jobs=2
        )[1]
        assert error < 1e-2, iteration
        # 1e-5 is what single precision can tell; at a span of 1e-3 both are better than that
        assert error < max(relative_error(4 * theirs, exact), 1e-5), iteration


@pytest.mark.parametrize("n", [5_000, 20_000])
def test_steps_of_the_descent_keep_the_force_accurate(n: int) -> None:
    """The step is fine until clusters have unfolded and coarser afterwards: the force is within 1e-2 throughout."""
    for iteration, Y in stages_of_a_run(n)[1].items():
        force = exact_repulsion(Y)[1]
        error = relative_error(Mesh(2, FINE_STEP if iteration < 300 else STEP).repulsion(Y)[1], force)
        assert error < 1e-2, iteration


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("span", [1e-6, 1e-3, 0.4, 0.6, 2.0, 20.0])
def test_mesh_in_one_two_and_three_dimensions(n_components: int, span: float) -> None:
    Y = (span * np.random.default_rng(1).random((1500, n_components))).astype(np.float32)
    Z, force = Mesh(n_components).repulsion(Y)
    student = reference.similarities(Y)[0]
    expected = (student**2).sum(axis=1)[:, None] * Y.astype(np.float64) - student**2 @ Y.astype(np.float64)
    assert abs(Z - student.sum()) < 1e-5 * student.sum()
    assert relative_error(force, expected) < 1e-3


def test_a_map_far_from_the_origin_is_the_same_map() -> None:
    Y = (20 * np.random.default_rng(0).random((2000, 2))).astype(np.float32)
    shifted = Y + np.float32(64)
    assert relative_error(Mesh(2).repulsion(shifted)[1], Mesh(2).repulsion(Y)[1]) < 1e-3


def test_the_grid_depends_on_nothing_but_the_points() -> None:
    random = np.random.default_rng(0)
    Y = (30 * random.normal(size=(3000, 2))).astype(np.float32)
    used = Mesh(2, STEP)
    used.repulsion((80 * random.normal(size=(3000, 2))).astype(np.float32))
    np.testing.assert_array_equal(used.repulsion(Y)[1], Mesh(2, STEP).repulsion(Y)[1])


@pytest.mark.parametrize("extent", [(1e-12, 1e-12), (1e-3, 0.0), (5.0, 3000.0), (1e5, 1e5), (1e9, 1.0)])
def test_the_grid_is_never_too_large(extent: tuple[float, float]) -> None:
    width, shape, _ = choose_grid(np.array(extent), STEP)
    assert np.prod(shape) <= MOST_CELLS[2]
    assert all(2 * length / width < cells for length, cells in zip(extent, shape, strict=True))


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_copies_of_a_small_grid_add_up(n_components: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many points on few rows of a grid are spread onto several copies of it."""
    n = 300_000 if n_components == 3 else 60_000
    Y = np.random.default_rng(0).random((n, n_components)).astype(np.float32)
    several = Mesh(n_components)
    several.fit(Y.min(axis=0).astype(float), Y.max(axis=0).astype(float))
    copied = several.charges(Y).copy()
    assert copied.sum() == pytest.approx(len(Y), rel=1e-5)
    monkeypatch.setattr(charges, "MOST_COPIES", 1)
    single = Mesh(n_components)
    single.fit(Y.min(axis=0).astype(float), Y.max(axis=0).astype(float))
    np.testing.assert_allclose(single.charges(Y), copied, rtol=1e-4, atol=1e-3)
    assert not np.array_equal(single.charges(Y), copied)


def test_small_grids_under_many_points_have_copies() -> None:
    sizes = ((9, 7_000, 100_000), (9, 7_000, 5_000), (90, 500_000, 10**6))
    assert [charges.number_of_copies(*size) for size in sizes] == [8, 1, 1]


def test_the_bulk_of_a_small_map_is_known_from_mean_and_variance() -> None:
    bulk = Bulk.of(np.array([[0.0], [0.5]], np.float32), CAUCHY)
    assert (bulk.mean.tolist(), bulk.variance, bulk.sum()) == ([0.25], 0.0625, 3.5)


@pytest.mark.parametrize("K", [1, 2, 3])
def test_two_points_push_each_other_apart(K: int) -> None:
    Y = np.eye(2, K, dtype=np.float32)[:, ::-1] if K > 1 else np.array([[1.0], [0.0]], np.float32)
    Y = np.ascontiguousarray(Y)
    squared = float(((Y[0] - Y[1]) ** 2).sum())
    for Z, force in (Mesh(K).repulsion(Y), exact_repulsion(Y)):
        assert pytest.approx(2 / (1 + squared), rel=1e-3) == Z
        np.testing.assert_allclose(force[0], (Y[0] - Y[1]) / (1 + squared) ** 2, atol=1e-3)
        np.testing.assert_allclose(force[1], -force[0], atol=1e-4)
