"""Held-out links: the definitions of recall and reciprocal rank, over every order in which ties can come."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mrsne.quality import prediction
from mrsne.quality.prediction import predict_links
from tests.metrics.brute_force import orders, squared


@pytest.mark.parametrize("same_domain", [False, True], ids=["across", "inside"])
@pytest.mark.parametrize("steps", [2, 1000], ids=["many ties", "no ties"])
@pytest.mark.parametrize("seed", range(4))
def test_recall_and_rank_are_their_definitions(
    seed: int, steps: int, same_domain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "TOP", 2)
    random = np.random.default_rng(seed)
    B = random.integers(0, steps, (6, 2)) / 3
    A = B if same_domain else random.integers(0, steps, (6, 2)) / 3
    known = np.eye(6, k=2) + np.eye(6, k=-2)
    links = np.array([[0, 1], [0, 3], [4, 5]])
    hits, reciprocals = [], []
    for i, j in links:
        candidates = {c: squared(A[i], B[c]) for c in range(6) if not known[i, c] and not (same_domain and c == i)}
        places = [order.index(j) + 1 for order in orders(candidates)]
        hits.append(np.mean([place <= 2 for place in places]))
        reciprocals.append(np.mean([1 / place for place in places]))
    found = predict_links(A, B, sparse.csr_matrix(known), links, same_domain)
    assert found.recall == pytest.approx(np.mean(hits), abs=1e-12)
    assert found.reciprocal_rank == pytest.approx(np.mean(reciprocals), abs=1e-12)


def test_a_map_on_one_spot_scores_as_chance() -> None:
    A, B = np.zeros((3, 2)), np.zeros((40, 2))
    found = predict_links(A, B, sparse.csr_matrix((3, 40)), np.array([[0, 1], [2, 39]]))
    assert found.recall == pytest.approx(found.chance_of_recall, abs=1e-12) == pytest.approx(0.25)
    assert found.reciprocal_rank == pytest.approx(found.chance_of_reciprocal_rank, abs=1e-12)
