from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mrsne
from mrsne.backends.cpu import orders
from mrsne.backends.cpu.attraction import Entries
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.orders import spatial_order
from mrsne.layout.descent import descend, first_gains
from mrsne.layout.inputs import proper_affinities
from mrsne.layout.schedule import Run, default_schedule, paper_schedule, staged_schedule
from mrsne.layout.start import initial_layout
from tests.conftest import clusters


def test_order_of_the_rows_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map whose rows were sorted for speed comes back in the order of the items."""
    processor = CpuBackend()
    P = processor.load(mrsne.joint_affinities(mrsne.RelationalData({"photo": clusters(600)})))
    start = initial_layout(P, "spectral", 2, np.random.RandomState(0))
    schedule = default_schedule(600, 30, 12.0, "auto", 0.8)
    plain = descend(P, start, Run(schedule, "exact"), processor)[0]
    monkeypatch.setattr("mrsne.backends.cpu.motion.WORTH_FROM", 100)
    sorted_rows = descend(P, start, Run(schedule, "exact"), processor)[0]
    # sums have another order, and thirty iterations let rounding grow a little
    np.testing.assert_allclose(sorted_rows, plain, atol=1e-3 * np.abs(plain).max())
    assert orders.WORTH_FROM > 600


def stopping_at(last: int) -> Any:
    return lambda iteration, kl, Y: iteration == last


def test_a_sorted_run_resumes_to_the_same_result(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr("mrsne.backends.cpu.motion.WORTH_FROM", 100)
    processor = CpuBackend()
    P = processor.load(mrsne.joint_affinities(mrsne.RelationalData({"photo": clusters(400)})))
    start = initial_layout(P, "spectral", 2, np.random.RandomState(0))
    schedule = default_schedule(400, 750, 12.0, "auto", 0.8)
    whole = descend(P, start, Run(schedule, "fft"), processor)[0]
    for stop in (200, 250, 300, 500):
        path = f"{tmp_path}/run{stop}.npz"
        descend(P, start, Run(schedule, "fft", callbacks=[stopping_at(stop)], checkpoint=path), processor)
        np.testing.assert_array_equal(descend(P, start, Run(schedule, "fft", checkpoint=path), processor)[0], whole)


def test_spatial_order_brings_neighbours_together() -> None:
    Y = np.random.default_rng(0).random((5000, 2)).astype(np.float32)
    path = Y[spatial_order(Y)]
    step = np.linalg.norm(np.diff(path, axis=0), axis=1).mean()
    assert step < 0.1 * np.linalg.norm(np.diff(Y, axis=0), axis=1).mean()


def test_reordering_is_indexing() -> None:
    P = mrsne.joint_affinities(mrsne.RelationalData({"photo": clusters(80)}), perplexity=5)
    order = np.random.default_rng(0).permutation(80)
    _, indptr, indices, values = Entries.of(P, order)
    found = sparse.csr_matrix((values, indices.astype(np.int32), indptr), shape=P.shape)
    np.testing.assert_array_equal(found.toarray(), P.toarray()[order][:, order])


@pytest.mark.parametrize("max_iter", [1, 2, 3, 10, 100, 749, 750, 2000])
def test_schedules_cover_every_iteration_once(max_iter: int) -> None:
    for schedule in (
        default_schedule(100, max_iter, 12.0, "auto", 0.8),
        default_schedule(100, max_iter, 1.0, 50.0, 0.8),
        staged_schedule(100, max_iter, 12.0, "auto", 0.8),
        paper_schedule(max_iter, 100.0, 0.5),
    ):
        ends = [phase.end for phase in schedule]
        assert ends == sorted(set(ends))
        assert ends[-1] == max_iter


def test_no_item_is_faster_than_its_attraction_allows() -> None:
    """Gains are 1/max(1, n p_i): a tag that every picture has moves by a hundredth, an item of mean weight by all."""
    star = sparse.csr_matrix(np.ones((1, 199)))
    P = proper_affinities(sparse.block_array([[None, star], [star.T, None]]))
    phase = default_schedule(200, 750, 6.0, "auto", "auto")[0]
    gains = first_gains(CpuBackend().load(P), (200, 2), phase)
    np.testing.assert_allclose(gains[0], 1 / 100)  # half of P̃, of 200 items
    np.testing.assert_array_equal(gains[1:], 1)
    older = staged_schedule(200, 750, 12.0, "auto", "auto")[0]
    np.testing.assert_array_equal(first_gains(CpuBackend().load(P), (200, 2), older), 1)
