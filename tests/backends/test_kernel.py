"""The map's kernel w(r) = (1 + r²/α)^−α against double precision and against openTSNE's ``dof``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from openTSNE.tsne import kl_divergence_bh
from scipy import sparse

import mrsne
from mrsne import MRSNE, RelationalData, embed, joint_affinities, kl_gradient
from mrsne.parameters import ParameterError
from tests.conftest import clusters
from tests.reference import student_gradient

DOFS = [0.5, 1.0, 2.0, 8.0]


def problem(n: int) -> sparse.csr_matrix:
    return joint_affinities(RelationalData({"a": clusters(n)}), perplexity=10, neighbors="approximate")


def layout(n: int, n_components: int, span: float) -> NDArray[np.float32]:
    return (span / 4 * np.random.default_rng(1).normal(size=(n, n_components))).astype(np.float32)


def error(found: NDArray[Any], expected: NDArray[Any]) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


@pytest.mark.parametrize("span", [1e-3, 0.3, 30.0])
@pytest.mark.parametrize(("n_components", "dof"), [(1, 0.5), (2, 0.5), (2, 1.0), (2, 2.0), (2, 8.0), (3, 2.0)])
def test_all_pairs_and_mesh_have_the_gradient(span: float, n_components: int, dof: float) -> None:
    """To the accuracy that the mesh has for t-SNE's own kernel; a small map is where one spline spans all of it."""
    P, Y = problem(400), layout(400, n_components, span)
    kl, gradient = student_gradient(P, Y, dof)
    for method, within in (("exact", 5e-6), ("fft", 1e-3)):
        found_kl, found = kl_gradient(P, Y, method, dof=dof)
        assert found_kl == pytest.approx(kl, rel=1e-5)
        assert error(found, gradient) < within


@pytest.mark.parametrize("dof", [0.5, 3.0])
def test_more_than_three_dimensions(dof: float) -> None:
    P, Y = problem(200), layout(200, 5, 10.0)
    kl, gradient = student_gradient(P, Y, dof)
    found_kl, found = kl_gradient(P, Y, dof=dof)
    assert found_kl == pytest.approx(kl, rel=1e-6)
    assert error(found, gradient) < 1e-5


@pytest.mark.parametrize("dof", DOFS)
def test_it_is_opentsnes_dof(dof: float) -> None:
    """openTSNE's gradient is without the factor 4; θ = 0 makes its tree exact."""
    P, Y = problem(300), layout(300, 2, 20.0)
    settings: dict[str, Any] = {"bh_params": {"theta": 0.0}, "should_eval_error": True}
    kl, gradient = kl_divergence_bh(Y.astype(np.float64), P.astype(np.float64), dof, **settings)
    found_kl, found = kl_gradient(P, Y, "exact", dof=dof)
    assert error(found, 4 * gradient) < 1e-5
    assert found_kl == pytest.approx(kl, rel=1e-3)  # openTSNE adds a small number to every similarity


@pytest.mark.parametrize("dof", [0.5, 4.0])
def test_a_descent_lowers_the_divergence_of_its_own_kernel(dof: float) -> None:
    """And no other kernel's map has a lower one."""
    P = problem(500)
    own, other = (kl_gradient(P, embed(P, random_state=0, dof=alpha), dof=dof)[0] for alpha in (dof, 1.0))
    assert own < other


def test_new_items_are_placed_with_the_maps_kernel() -> None:
    """An item that is placed by its own vector lands where the fitted one is, whatever the kernel."""
    data = RelationalData({"photo": clusters(300)})
    for dof in (0.5, 3.0):
        model = MRSNE(dof=dof, random_state=0, perplexity=10).fit(data)
        Y = model.embedding_["photo"]
        near = np.asarray(data.vectors["photo"])[:40] * (1 + 1e-3)
        moved = np.linalg.norm(model.transform({"photo": near})["photo"] - Y[:40], axis=1)
        assert np.median(moved) < 0.05 * float(np.ptp(Y))


@pytest.mark.parametrize("dof", [0, -1, np.nan, "1", None, True])
def test_degrees_of_freedom_must_be_positive(dof: Any) -> None:
    for call in (
        lambda: MRSNE(dof=dof).fit(np.eye(10)),
        lambda: embed(np.ones((5, 5)), dof=dof),
        lambda: mrsne.kl_gradient(np.ones((2, 2)), [[0.0, 0.0], [1.0, 0.0]], dof=dof),
    ):
        with pytest.raises(ParameterError, match="dof must be a finite number greater than 0"):
            call()
