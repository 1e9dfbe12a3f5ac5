from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE
from mrsne.layout.schedule import Stopwatch, default_schedule, paper_schedule, staged_schedule
from tests.conftest import clusters


def test_no_progress_ends_a_run(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"perplexity": 5, "max_iter": 50_000, "min_grad_norm": 0, "random_state": 0}
    model = MRSNE(n_iter_without_progress=200, checkpoint=tmp_path / "run", **settings).fit(clusters(60))
    assert 300 < model.n_iter_ < 50_000
    assert model.n_iter_ % 50 == 0
    again = MRSNE(n_iter_without_progress=200, checkpoint=tmp_path / "run", **settings).fit(clusters(60))
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
    # it had stopped falling: as many iterations more do not improve it
    longer = MRSNE(**{**settings, "max_iter": model.n_iter_ + 500}).fit(clusters(60))
    assert longer.kl_divergence_ > model.kl_divergence_ - 1e-3


@pytest.mark.slow
def test_a_run_stopped_in_between_has_the_same_patience(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"perplexity": 5, "min_grad_norm": 0, "random_state": 0, "n_iter_without_progress": 200}
    whole = MRSNE(max_iter=50_000, **settings).fit(clusters(60))
    part = {**settings, "checkpoint": tmp_path / "run"}
    MRSNE(max_iter=50_000, callbacks=lambda i, kl, Y: i == whole.n_iter_ - 100, **part).fit(clusters(60))
    resumed = MRSNE(max_iter=50_000, **part).fit(clusters(60))
    assert resumed.n_iter_ == whole.n_iter_
    np.testing.assert_array_equal(resumed.embedding_, whole.embedding_)


def test_a_budget_ends_exploration_and_then_the_run(tmp_path: Path) -> None:
    """A third of the time for early exaggeration; afterwards the map is a map, and more time goes on with it."""
    X = clusters(500)
    settings: dict[str, Any] = {"random_state": 0, "min_grad_norm": 0, "max_iter": 10**6, "checkpoint": tmp_path / "c"}
    model = MRSNE(max_seconds=0.4, **settings).fit(X)
    assert 3 <= model.n_iter_ < 10**6
    assert np.ptp(model.embedding_, axis=0).min() > 5
    longer = MRSNE(max_seconds=0.2, **settings).fit(X)
    assert longer.n_iter_ > model.n_iter_


def test_a_slow_exploration_leaves_time_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock on which every look takes a second: 30 s are 10 iterations of exploration and 20 of the rest."""
    ticks = iter(range(10**6))
    monkeypatch.setattr("mrsne.layout.schedule.time.monotonic", lambda: next(ticks))
    model = MRSNE(max_seconds=30, random_state=0, perplexity=5).fit(clusters(100))
    assert 26 <= model.n_iter_ <= 32  # a look at the clock ends each stage of the exploration


def test_a_stopwatch_waits_for_the_first_iteration() -> None:
    watch = Stopwatch(0.01)
    time.sleep(0.02)
    assert not watch.is_up(exploring=False)
    watch.start()
    time.sleep(0.005)
    assert watch.is_up(exploring=True)
    time.sleep(0.02)
    assert watch.is_up(exploring=False)


def test_attraction_fades_evenly() -> None:
    """By the same factor from one phase to the next, and the learning rate grows as attraction falls."""
    schedule = default_schedule(1200, 750, 6.0, "auto", "auto")
    assert [phase.end for phase in schedule] == [*range(10, 401, 10), 750]
    factors = [one.exaggeration / other.exaggeration for one, other in pairwise(schedule)]
    np.testing.assert_allclose(factors, 6 ** (1 / 40))
    np.testing.assert_allclose([phase.exaggeration * phase.learning_rate * 4 / 1200 for phase in schedule], 1.35)
    assert [schedule[39].momentum, schedule[40].momentum] == [0.9, 0.97]
    assert {phase.momentum for phase in default_schedule(1200, 750, 6.0, "auto", 0.5)} == {0.5}
    assert [phase.end for phase in default_schedule(1200, 60, 6.0, "auto", "auto")] == [10, 20, 30, 32, 60]


def test_the_stages_of_earlier_versions() -> None:
    schedule = staged_schedule(1200, 750, 12.0, "auto", "auto")
    assert all(phase.adaptive and phase.momentum == 0.8 for phase in schedule)
    shown = [(phase.end, round(phase.exaggeration, 2), round(phase.learning_rate, 2)) for phase in schedule]
    assert shown == [(50, 12.0, 25.0), (150, 3.46, 86.6), (250, 1.86, 161.19), (300, 1.0, 300.0), (750, 1.0, 300.0)]


def test_algorithm_1_divides_its_learning_rate_by_ten() -> None:
    assert [(phase.end, phase.learning_rate) for phase in paper_schedule(500, 100.0, 0.5)] == [(400, 100), (500, 10)]
