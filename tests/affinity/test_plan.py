"""How many neighbours an item gets."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import mrsne
from mrsne.affinity import plan
from tests.conftest import clusters


def test_all_pairs_are_kept_up_to_20_000_items_where_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "available_memory", lambda: 1e12)
    assert plan.graph_plan(20_000, 30, "exact").all_pairs
    assert plan.graph_plan(20_001, 30, "exact").k == 90
    monkeypatch.setattr(plan, "available_memory", lambda: 1e9)
    assert plan.graph_plan(7_000, 30, "exact").all_pairs
    beyond = plan.graph_plan(7_100, 30, "exact")
    assert (beyond.all_pairs, beyond.exhaustive, beyond.k) == (False, True, 90)


def test_too_little_memory_for_all_pairs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "available_memory", lambda: 1e6)
    data = mrsne.RelationalData({"photo": clusters(1100)})
    with pytest.warns(UserWarning, match="keeps all pairs where memory allows; 'photo' has 1100"):
        P = mrsne.joint_affinities(data, perplexity=10, neighbors="exact")
    assert P.nnz < 2 * 30 * 1100


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says it")
def test_what_the_system_has_left_is_known_on_linux() -> None:
    assert 1e6 < plan.available_memory() < np.inf
