"""The spread of one domain beside that of another: Experiment 3."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne import Embedding, metrics


def test_the_ratio_is_that_of_the_traces_of_the_sample_covariances() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(50, 3)).astype(np.float32), 2 * random.normal(size=(20, 3)).astype(np.float32)
    expected = np.trace(np.cov(a.astype(float).T)) / np.trace(np.cov(b.astype(float).T))
    assert metrics.variance_ratio(Embedding({"a": a, "b": b}), "a", "b") == pytest.approx(expected, abs=1e-12)


def test_a_domain_on_one_spot_makes_the_ratio_infinite() -> None:
    assert metrics.variance_ratio(Embedding({"a": [[0, 0], [1, 2]], "b": np.zeros((2, 2))}), "a", "b") == np.inf
