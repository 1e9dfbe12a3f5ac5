"""`mrsne evaluate`: the scores are those of `mrsne.metrics`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrsne import Embedding, metrics
from tests.cli.conftest import Fitted, Invoke, summary_of


def test_the_scores_are_those_of_the_metrics(fitted: Fitted) -> None:
    found, data, embedding = summary_of("evaluate", fitted.path), fitted.data, Embedding.load(fitted.path)
    assert found["reconstruction_auc"] == pytest.approx(metrics.reconstruction_auc(embedding, data), abs=1e-4)
    for k in (1, 10):
        rate = found[f"hit_rate_{k}"]["image"]["tag"]
        assert rate == pytest.approx(metrics.hit_rate(embedding, data, k), abs=1e-4)
    assert found["trustworthiness"]["image"] > 0.7


def test_a_map_that_is_not_there_or_alone_is_a_message(tmp_path: Path, invoke: Invoke) -> None:
    code, _, errors = invoke("evaluate", tmp_path / "nowhere.npz")
    assert (code, errors.startswith("mrsne: "), "nowhere.npz" in errors) == (1, True, True)
    Embedding({"a": [[0, 0]]}).save(tmp_path / "alone.npz")
    code, _, errors = invoke("evaluate", tmp_path / "alone.npz")
    assert (code, f"the data of {str(tmp_path / 'alone.npz')!r} is not beside it" in errors) == (1, True)
