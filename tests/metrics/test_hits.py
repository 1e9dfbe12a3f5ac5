"""Metrics (I) and (II)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import metrics
from tests.metrics import brute_force
from tests.metrics.cases import Case, cases, truths


@cases
@pytest.mark.parametrize("target", ["image", "tag"])
@truths
def test_hit_rate_and_count_are_their_definitions(case: Case, target: str, within: Any) -> None:
    embedding, data = case
    ks = list(range(1, data.sizes[target] + (target != "image")))
    expected = [brute_force.hits(embedding, data, k, "image", target, within) for k in ks]
    rate = metrics.hit_rate(embedding, data, ks, query="image", target=target, within=within)
    count = metrics.hit_count(embedding, data, ks, query="image", target=target, within=within)
    np.testing.assert_allclose(rate, [e[0] for e in expected], rtol=0, atol=1e-12)
    np.testing.assert_allclose(count, [e[1] for e in expected], rtol=0, atol=1e-12)
    assert metrics.hit_rate(embedding, data, 2, "image", target, within) == rate[1]


def test_the_mean_over_single_queries_is_the_score_of_all(fitted: Case) -> None:
    each = [metrics.hit_count(*fitted, 2, "photo", "photo", queries=[i]) for i in range(60)]
    assert np.mean(each) == pytest.approx(metrics.hit_count(*fitted, 2, "photo", "photo"))


def test_the_first_domain_is_asked_about_and_the_first_it_is_linked_to_is_searched(fitted: Case) -> None:
    assert metrics.hit_rate(*fitted, 1) == metrics.hit_rate(*fitted, 1, "photo", "tag")
