from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE
from tests.conftest import clusters


def test_a_converged_run_stays_as_it_is(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"perplexity": 3, "max_iter": 5000, "min_grad_norm": 1e-4, "random_state": 0}
    runs = [MRSNE(checkpoint=tmp_path / "run", **settings).fit(clusters(40)) for _ in range(3)]
    assert len({run.n_iter_ for run in runs}) == 1
    np.testing.assert_array_equal(runs[0].embedding_, runs[2].embedding_)
    longer = MRSNE(checkpoint=tmp_path / "run", **{**settings, "max_iter": 9000}).fit(clusters(40))
    assert longer.n_iter_ == runs[0].n_iter_


def test_resuming_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings: dict[str, Any] = {"perplexity": 5, "max_iter": 60, "checkpoint": tmp_path / "run", "random_state": 0}
    first = MRSNE(**settings).fit_transform(clusters(50))
    with caplog.at_level(logging.INFO, "mrsne"):
        second = MRSNE(**settings).fit_transform(clusters(50))
    assert "resuming from" in caplog.text
    np.testing.assert_array_equal(first, second)


def test_checkpoints_of_other_runs_and_broken_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    settings: dict[str, Any] = {"perplexity": 5, "max_iter": 60, "checkpoint": path, "random_state": 0}
    MRSNE(**settings).fit(clusters(50))
    with pytest.raises(
        ValueError, match=r"belongs to another run: it holds a map of 50 items .* this run has 51 items"
    ):
        MRSNE(**settings).fit(clusters(51))
    with pytest.raises(ValueError, match="belongs to another run"):
        MRSNE(**settings).fit(clusters(50, seed=1))
    for changed in (
        {"learning_rate": 20.0},
        {"random_state": 1},
        {"init": "random"},
        {"momentum": 0.5},
        {"method": "fft"},
    ):
        with pytest.raises(ValueError, match="belongs to another run"):
            MRSNE(**{**settings, **changed}).fit(clusters(50))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"run.npz' is damaged or not a checkpoint .* delete it or give another"):
        MRSNE(**settings).fit(clusters(50))


def test_a_checkpoint_beyond_the_end_is_refused(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"perplexity": 5, "checkpoint": tmp_path / "run.npz", "random_state": 0}
    MRSNE(max_iter=900, **settings).fit(clusters(50))
    with pytest.raises(ValueError, match="is at iteration 900, beyond max_iter=800"):
        MRSNE(max_iter=800, **settings).fit(clusters(50))
