"""Trustworthiness and kept neighbours are those of zadu, where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData, metrics

trustworthiness_continuity: Any = pytest.importorskip(
    "zadu.measures.trustworthiness_continuity", reason="zadu, another library of such scores, is not installed"
)
local_continuity: Any = pytest.importorskip("zadu.measures.local_continuity_meta_criteria")


@pytest.mark.parametrize("k", [5, 10, 30])
@pytest.mark.parametrize("noise", [0.05, 0.5, 5.0])
@pytest.mark.parametrize(
    ("dimensions", "tolerance"),
    [
        (20, 1e-12),
        (40, 1e-5),  # wide vectors are compared in single precision, which ties some and so moves a rank by a half
    ],
)
def test_the_scores_by_vector_are_zadus(k: int, noise: float, dimensions: int, tolerance: float) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(400, dimensions))
    Y = X[:, :2] + noise * random.normal(size=(400, 2))
    embedding = Embedding({"x": Y})
    report = metrics.report(embedding, RelationalData({"x": X}), k=k, sample=None)
    places = embedding["x"].astype(np.float64)
    trust = trustworthiness_continuity.measure(X, places, k=k)["trustworthiness"]
    assert report["trustworthiness"]["x"] == pytest.approx(trust, abs=tolerance)
    # zadu's criterion is the share that is kept minus what chance keeps; ours is on a scale that ends at 1
    lcmc, local = local_continuity.measure(X, places, k=k, return_local=True)
    scale = 1 - k / (len(X) - 1)
    assert report["kept_by_vector"]["x"] == pytest.approx(max(lcmc["lcmc"], 0) / scale, abs=tolerance)
    expected = np.clip(local["local_lcmc"] / scale, 0, 1)
    np.testing.assert_allclose(report.item_scores["x"], expected, atol=1e-12)
