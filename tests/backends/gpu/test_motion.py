"""Whole runs on a GPU, or on Triton's interpreter, beside those of the processor."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from mrsne import MRSNE, RelationalData, embed, joint_affinities, kl_gradient
from mrsne.backends.base import STAYS, Anchor, State
from mrsne.backends.choice import DeviceError, choose_backend
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.gpu import motion
from mrsne.backends.gpu.backend import GpuBackend
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.motion import DeviceMotion
from mrsne.datasets.shapes import make_shapes
from mrsne.layout.descent import descend
from mrsne.layout.schedule import Run, default_schedule, paper_schedule
from mrsne.parameters import ParameterError
from tests.devices import GPU

# the interpreter computes lanes that are masked too, and divides by zero there
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

on_a_gpu = pytest.mark.skipif(not GPU, reason="needs a GPU")


def problem(n: int) -> tuple[sparse.csr_matrix, NDArray[np.float32]]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 8)) + 4 * (np.arange(n) % 3)[:, None]
    P = joint_affinities(RelationalData({"a": X}), perplexity=8)
    return P, (1e-4 * random.normal(size=(n, 2))).astype(np.float32)


@pytest.mark.parametrize("method", [pytest.param("exact", marks=pytest.mark.slow), "fft"])
def test_a_short_run_is_the_processors(device: str, method: str) -> None:
    """Rounding grows as a map unfolds; for a few iterations both are still the same."""
    P, start = problem(90)
    schedule = default_schedule(90, 15, 12.0, "auto", 0.8)
    processor, gpu = CpuBackend(), GpuBackend(device=device)
    expected = descend(processor.load(P), start, Run(schedule, method), processor)
    found = descend(gpu.load(P), start, Run(schedule, method), gpu)
    assert found[1] == pytest.approx(expected[1], rel=1e-3)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-2 * float(np.abs(expected[0]).max()))
    assert found[2] == 15


def test_old_places_hold_as_they_do_on_the_processor(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where rows are sorted on the device; items that stay are where they were to the bit."""
    monkeypatch.setattr("mrsne.backends.gpu.motion.WORTH_FROM", 10)
    P, _ = problem(90)
    random = np.random.default_rng(1)
    start = (5 * random.normal(size=(90, 2))).astype(np.float32)
    pull = (random.random(90) / 90).astype(np.float32)
    pull[:9] = STAYS
    run = Run(default_schedule(90, 12, 1.0, "auto", 0.8), "exact", anchor=Anchor(start[::-1].copy(), pull))
    processor, gpu = CpuBackend(), GpuBackend(device=device)
    expected = descend(processor.load(P), start, run, processor)
    found = descend(gpu.load(P), start, run, gpu)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-2 * float(np.abs(expected[0]).max()))
    np.testing.assert_array_equal(found[0][:9], start[:9])
    items = np.array([0, 7, 40])
    np.testing.assert_allclose(gpu.load(P).rows_of(items).toarray(), P[items].toarray())


def test_sorting_changes_nothing_but_the_order_of_rows(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    P, start = problem(90)
    phase = default_schedule(90, 15, 12.0, "auto", 0.8)[0]
    maps = []
    for sort in (False, True):
        state = State(0, start.copy(), np.zeros_like(start), np.ones_like(start), np.arange(90))
        descent = DeviceMotion(DeviceMatrix.of(P, device), state, "exact")
        descent.step(phase)
        if sort:
            monkeypatch.setattr(motion, "WORTH_FROM", 90)
            descent.sort()
            assert not np.array_equal(descent.order.cpu().numpy(), np.arange(90))
        descent.step(phase)
        maps.append(descent.positions())
    np.testing.assert_allclose(maps[0], maps[1], rtol=1e-4, atol=1e-9)


@pytest.mark.slow  # on the interpreter
def test_a_run_goes_on_from_its_checkpoint(device: str, tmp_path: Path) -> None:
    """A checkpoint of the run's own state, at the end of a shorter run with the same phases, leads to the same map."""
    P, start = problem(40)
    long, short = (default_schedule(40, end, 1.0, 10.0, 0.8) for end in (53, 51))
    gpu = GpuBackend(device=device)
    there = gpu.load(P)
    whole = descend(there, start, Run(long, "exact"), gpu)
    path = tmp_path / "run.npz"
    assert descend(there, start, Run(short, "exact", checkpoint=path), gpu)[2] == 51
    resumed = descend(there, start, Run(long, "exact", checkpoint=path), gpu)
    assert resumed[2] == 53
    np.testing.assert_array_equal(resumed[0], whole[0])


def test_a_learning_rate_too_large_is_named(device: str) -> None:
    P, start = problem(60)
    gpu = GpuBackend(device=device)
    with pytest.raises(ParameterError, match=r"diverged at iteration .*: learning_rate is too large"):
        descend(gpu.load(P), start, Run(paper_schedule(12, 1e38, 0.5), "exact"), gpu)


@pytest.mark.skipif(GPU, reason="there is a GPU")
def test_without_a_gpu_cuda_is_an_error_and_auto_the_processor() -> None:
    P, start = problem(40)
    calls: list[Callable[[], object]] = [
        lambda: embed(P, device="cuda"),
        lambda: kl_gradient(P, start, device="cuda"),
        lambda: MRSNE(device="cuda").fit(np.eye(12)),
    ]
    for call in calls:
        with pytest.raises(DeviceError, match="device='cuda' cannot be used: torch finds no CUDA device"):
            call()
    assert isinstance(choose_backend(None, "auto"), CpuBackend)
    automatic, processor = (embed(P, device=where, max_iter=20, random_state=0) for where in ("auto", "cpu"))
    np.testing.assert_array_equal(automatic, processor)


def test_what_a_device_is() -> None:
    with pytest.raises(ParameterError, match=r"device must be .*'cuda'.*'gpu'"):
        choose_backend(None, "gpu")
    with pytest.raises(ParameterError, match=r"device='cuda' computes maps of 2 dimensions, got n_components=3"):
        GpuBackend().check_layout("auto", 3)


def test_affinities_come_back_when_they_are_asked_for(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[DeviceMatrix] = []

    class Watched(GpuBackend):
        def gather(self, P: DeviceMatrix) -> sparse.csr_matrix:
            copies.append(P)
            return super().gather(P)

    monkeypatch.setattr("mrsne.model.fit.choose_backend", lambda *_: Watched(device=device))
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = MRSNE(perplexity=5, max_iter=2, random_state=0).fit(X)
    assert not copies
    expected = joint_affinities(RelationalData({"items": X}), perplexity=5, weights="auto", relation_norm="auto")
    np.testing.assert_allclose(model.affinities_.toarray(), expected.toarray(), rtol=1e-5)
    assert model.affinities_ is model.affinities_
    assert len(copies) == 1
    first = model.affinities_
    restored = pickle.loads(pickle.dumps(model.fit(2 * X)))  # what is on the GPU does not travel
    assert len(copies) == 2
    assert restored.affinities_.shape == (40, 40)
    assert model.affinities_ is not first


@on_a_gpu
@pytest.mark.parametrize(("n", "seeds"), [(2_000, 8), (30_000, 1)])
def test_whole_runs_end_where_the_processors_do(n: int, seeds: int) -> None:
    """On average: the divergence of a map of 2,000 items differs by 0.9 % from seed to seed, on either engine."""
    P, _ = problem(n)
    expected, found = (
        np.mean([kl_gradient(P, embed(P, device=device, random_state=seed))[0] for seed in range(seeds)])
        for device in ("cpu", "cuda")
    )
    assert found == pytest.approx(expected, rel=0.015)


@on_a_gpu
@pytest.mark.parametrize("weights", ["size", 0.5, "balanced"])
def test_a_fit_of_two_domains_ends_where_the_processors_does(weights: object) -> None:
    data, _ = make_shapes(3000, random_state=0)
    settings: dict[str, object] = {"weights": weights, "random_state": 0}
    expected, found = (MRSNE(**settings, device=where).fit_transform(data) for where in ("cpu", "cuda"))  # type: ignore[arg-type]
    assert found.kl_divergence == pytest.approx(expected.kl_divergence, rel=0.01)


@on_a_gpu
def test_a_whole_run_gives_the_same_bits() -> None:
    P, _ = problem(30_000)
    first, second = (embed(P, device="cuda", random_state=0) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@on_a_gpu
def test_the_gradient_is_the_processors() -> None:
    P, _ = problem(20_000)
    Y = embed(P, random_state=0)
    (kl, gradient), (expected_kl, expected) = (kl_gradient(P, Y, "fft", device=where) for where in ("cuda", "cpu"))
    assert kl == pytest.approx(expected_kl, abs=1e-4)
    assert np.linalg.norm(gradient - expected) < 1e-2 * np.linalg.norm(expected)
