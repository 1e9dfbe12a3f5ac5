"""The map's kernel on a GPU, or on Triton's interpreter, against double precision."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne import RelationalData, joint_affinities
from mrsne.backends.gpu.backend import GpuBackend
from mrsne.backends.kernel import StudentKernel
from tests.conftest import clusters
from tests.reference import student_gradient


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the interpreter computes lanes that are masked too
@pytest.mark.parametrize("dof", [0.5, 4.0])
@pytest.mark.parametrize(("method", "span"), [("exact", 10.0), ("fft", 10.0), ("fft", 0.01)])
def test_all_pairs_and_mesh_have_the_gradient(device: str, dof: float, method: str, span: float) -> None:
    P = joint_affinities(RelationalData({"a": clusters(60)}), perplexity=10, neighbors="approximate")
    Y = (span / 4 * np.random.default_rng(1).normal(size=(60, 2))).astype(np.float32)
    backend = GpuBackend(device=device)
    kl, gradient = student_gradient(P, Y, dof)
    found_kl, found = backend.forces(backend.load(P), 2, method, StudentKernel(dof)).gradient(Y)
    assert found_kl == pytest.approx(kl, rel=1e-5)
    assert np.linalg.norm(found - gradient) < 1e-3 * np.linalg.norm(gradient)
