"""PMvGE's likelihood."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mrsne.baselines.sampling import Pairs
from mrsne.baselines.training import Model


def test_the_loss_is_the_negative_log_likelihood() -> None:
    model = Model({"a": np.eye(3, dtype=np.float32), "b": None}, {"a": 3, "b": 2}, [("a", "b")], 4, 2, "euclidean")
    with torch.no_grad():
        model.intercepts[0] = 0.7
    A, B = model.coordinates("a", 3).astype(float), model.coordinates("b", 2).astype(float)
    probability = 1 / (1 + np.exp(-(0.7 - ((A[:, None] - B[None]) ** 2).sum(axis=2))))
    linked, unlinked = Pairs(np.array([0, 2, 0]), np.array([1, 0, 1])), Pairs(np.array([1]), np.array([0]))
    expected = -2 * np.log(probability[0, 1]) - np.log(probability[2, 0]) - np.log(1 - probability[1, 0])
    assert float(model.loss(("a", "b"), linked, unlinked).detach()) == pytest.approx(expected, rel=1e-5)
    model.similarity = "inner"
    probability = 1 / (1 + np.exp(-(0.7 + A @ B.T)))
    log_odds = model.log_odds(("a", "b"), Pairs(np.arange(3), np.ones(3, np.int64))).detach().numpy()
    np.testing.assert_allclose(log_odds, np.log(probability / (1 - probability))[:, 1], rtol=1e-4)
