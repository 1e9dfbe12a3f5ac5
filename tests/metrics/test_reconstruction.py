"""The graph reconstructed from nearness: Experiment 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import metrics
from tests.metrics import brute_force
from tests.metrics.cases import Case, cases, random_case, truths


@cases
@truths
def test_the_roc_curve_and_its_area_are_their_definitions(case: Case, within: Any) -> None:
    embedding, data = case
    false, true = brute_force.roc(embedding, data, "image", list(data.sizes), within)
    fpr, tpr = metrics.reconstruction_roc(embedding, data, query="image", within=within)
    np.testing.assert_allclose(fpr, false, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tpr, true, rtol=0, atol=1e-12)
    area = float(((false[1:] - false[:-1]) * (true[1:] + true[:-1]) / 2).sum())
    assert metrics.reconstruction_auc(embedding, data, "image", within) == pytest.approx(area, abs=1e-12)


def test_all_items_are_asked_about_unless_queries_are_given() -> None:
    case = random_case(0, 1000)
    everything = metrics.reconstruction_auc(*case, query="image")
    assert metrics.reconstruction_auc(*case, query="image", queries=np.arange(5)) == everything
    assert metrics.reconstruction_auc(*case, query="image", queries=[0]) != everything
