from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE
from mrsne.backends.base import State
from mrsne.layout.descent import CheckpointError, load_checkpoint, save_checkpoint
from tests.conftest import clusters
from tests.data.files.hostile_files import flipped_bits, hostile_files, in_another_process


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
    with pytest.raises(ValueError, match=r"run.npz' is not a checkpoint, or is damaged .*; delete it or give another"):
        MRSNE(**settings).fit(clusters(50))


def test_a_checkpoint_beyond_the_end_is_refused(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"perplexity": 5, "checkpoint": tmp_path / "run.npz", "random_state": 0}
    MRSNE(max_iter=900, **settings).fit(clusters(50))
    with pytest.raises(ValueError, match="is at iteration 900, beyond max_iter=800"):
        MRSNE(max_iter=800, **settings).fit(clusters(50))


def state_of(n: int = 6, **changed: Any) -> State:
    """Return a state as a run might have it, but for what is changed."""
    Y = np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
    whole: dict[str, Any] = {
        "iteration": 50,
        "Y": Y,
        "velocity": 0 * Y,
        "gains": np.ones_like(Y),
        "order": np.arange(n)[::-1].copy(),
        "best_kl": 1.5,
        "best_iteration": 50,
    }
    return State(**{**whole, **changed})


def test_a_state_survives_saving(tmp_path: Path) -> None:
    for changed in ({}, {"best_kl": np.inf, "best_iteration": 0}, {"converged": True, "skipped": 3}):
        state = state_of(**changed)
        save_checkpoint(tmp_path / "run", state, "this")
        found = load_checkpoint(tmp_path / "run", "this", (6, 2))
        assert repr(found) == repr(state)


BAD = np.full((6, 2), np.nan, np.float32)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"velocity": np.zeros((3, 2), np.float32)}, "velocity must hold finite float32 numbers, as many as Y"),
        ({"velocity": np.zeros((6, 2))}, "velocity must hold finite float32 numbers"),
        ({"velocity": BAD}, "velocity must hold finite float32 numbers"),
        ({"gains": np.zeros((6, 2), np.float32)}, "gains numbers above 0"),
        ({"gains": np.ones((6, 3), np.float32)}, "gains must hold finite float32 numbers, as many as Y"),
        ({"Y": BAD}, "Y must hold finite float32 numbers"),
        ({"Y": np.full((6, 2), 1e30, np.float32)}, "Y must hold coordinates of a map"),
        ({"Y": np.float32(3)}, "Y must hold finite float32 numbers"),
        ({"order": np.zeros(6, np.int64)}, "order must hold each of 0 … 5 once"),
        ({"order": np.arange(6) + 900_000}, "order must hold each of 0 … 5 once"),
        ({"order": np.arange(6) - 1}, "order must hold each of 0 … 5 once"),
        ({"order": np.arange(7)}, "order must hold each of 0 … 5 once"),
        ({"order": np.arange(6.0)}, "order must hold each of 0 … 5 once"),
        ({"iteration": -5}, "iteration must be a whole number of at least 0"),
        ({"iteration": 5.5}, "iteration must be a whole number of at least 0"),
        ({"iteration": [5, 6]}, "iteration must be a whole number of at least 0"),
        ({"skipped": -1}, "skipped must be a whole number of at least 0"),
        ({"best_iteration": 51}, "best_kl must be a divergence, of an iteration that has been"),
        ({"best_kl": np.nan}, "best_kl must be a divergence"),
        ({"best_kl": -np.inf}, "best_kl must be a divergence"),
        ({"converged": 2}, "converged must be true or false"),
    ],
)
def test_what_is_out_of_bounds_is_refused_under_a_digest_that_fits(
    changed: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    save_checkpoint(tmp_path / "run", state_of(**changed), "this")
    with pytest.raises(CheckpointError, match=rf"run' is not a checkpoint, or is damaged \(.*{reason}.*; delete it"):
        load_checkpoint(tmp_path / "run", "this", (6, 2))


def test_content_under_another_digest_is_refused(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "run.npz", state_of(), "this")
    arrays = dict(np.load(tmp_path / "run.npz"))
    arrays["Y"][0, 0] += 1
    np.savez(tmp_path / "run.npz", **arrays)
    with pytest.raises(CheckpointError, match="its digest is that of another content"):
        load_checkpoint(tmp_path / "run.npz", "this", (6, 2))
    np.savez(tmp_path / "run.npz", **{**arrays, "format": 2})
    with pytest.raises(
        CheckpointError, match=r"was written by an older mrsne: it has format 2, .* from 3 on; delete it"
    ):
        load_checkpoint(tmp_path / "run.npz", "this", (6, 2))


def test_damaged_checkpoints_are_one_kind_of_error(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    save_checkpoint(path, state_of(), "this")
    whole = repr(load_checkpoint(path, "this", (6, 2)))
    messages = []
    for _ in flipped_bits(path, 500):
        try:
            assert repr(load_checkpoint(path, "this", (6, 2))) == whole  # a bit that nothing hangs on
        except (CheckpointError, MemoryError) as error:
            messages.append(str(error))
    assert len(messages) > 250
    assert all("run.npz'" in message for message in messages)


def test_pipes_devices_and_links_in_a_circle_are_no_checkpoints(tmp_path: Path) -> None:
    expected = hostile_files(tmp_path, ".npz")
    del expected["broken.npz"]  # a checkpoint may be written where a link leads to
    script = """
from mrsne.layout.descent import load_checkpoint
for path in sys.argv[1:]:
    try:
        print(load_checkpoint(path, "", (6, 2)))
    except ValueError as error:
        print(error)
"""
    result = in_another_process(script, *(tmp_path / name for name in expected))
    said = [f"{str(tmp_path / name)!r} is {reason}" for name, reason in expected.items()]
    assert result.stdout.splitlines() == said, result.stderr
