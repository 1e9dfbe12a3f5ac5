"""Links predicted from nearness: the definitions of the scores, over every order in which ties can come."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score

from mrsne import MRSNE, Embedding, RelationalData, metrics
from mrsne.metrics import prediction
from mrsne.metrics.prediction import predict_links
from tests.conftest import tagged
from tests.metrics import brute_force
from tests.metrics.brute_force import orders, squared
from tests.metrics.cases import Case, cases


@cases
def test_link_auc_is_its_definition(case: Case) -> None:
    embedding, data = case
    W = data.relation("image", "tag").toarray()
    expected = brute_force.link_auc(embedding, "image", "tag", W, W)
    assert metrics.link_auc(embedding, data, ("image", "tag")) == pytest.approx(expected, abs=1e-12)
    assert metrics.link_auc(embedding, data, ("tag", "image")) == pytest.approx(expected, abs=1e-12)


@cases
def test_held_out_links_are_compared_with_pairs_that_were_never_linked(case: Case) -> None:
    embedding, data = case
    W = data.relation("image", "tag").toarray()
    held_out = sparse.csr_matrix(([1], ([1], [0])), shape=W.shape)
    expected = brute_force.link_auc(embedding, "image", "tag", held_out.toarray(), W)
    score = metrics.link_auc(embedding, data, ("image", "tag"), held_out=held_out)
    assert score == pytest.approx(expected, abs=1e-12)


def test_a_link_inside_a_domain_has_no_direction_and_items_are_no_pairs_with_themselves() -> None:
    chain = np.eye(30, k=1)
    embedding = Embedding({"a": np.arange(30.0)[:, None]})
    for W in (chain, chain.T, chain + chain.T, chain + np.eye(30)):
        assert metrics.link_auc(embedding, RelationalData({"a": 30}, {("a", "a"): W}), ("a", "a")) == 1.0


def test_link_auc_by_inner_product_is_scikit_learns() -> None:
    random = np.random.default_rng(1)
    W = random.random((40, 9)) < 0.3
    embedding = Embedding({"image": random.normal(size=(40, 2)), "tag": random.normal(size=(9, 2))})
    data = RelationalData({"image": 40, "tag": 9}, {("image", "tag"): W})
    similarity = embedding["image"].astype(np.float64) @ embedding["tag"].astype(np.float64).T
    expected = roc_auc_score(W.ravel(), similarity.ravel())
    score = metrics.link_auc(embedding, data, ("image", "tag"), similarity="inner")
    assert score == pytest.approx(expected, abs=1e-12)


def test_a_map_finds_links_it_has_not_seen() -> None:
    data = tagged()
    W = data.relations["photo", "tag"].toarray()[:, :3]
    two_tags_each = RelationalData({"photo": data.vectors["photo"], "tag": 6}, {("photo", "tag"): np.hstack([W, W])})
    rest, held_out = metrics.hold_out_links(two_tags_each, ("photo", "tag"), 0.2, random_state=0)
    embedding = MRSNE(perplexity=5, random_state=0).fit_transform(rest)
    assert metrics.link_auc(embedding, rest, ("photo", "tag"), held_out=held_out) > 0.9


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
    recall, rank, *_ = predict_links(A, B, sparse.csr_matrix(known), links, same_domain)
    assert recall == pytest.approx(np.mean(hits), abs=1e-12)
    assert rank == pytest.approx(np.mean(reciprocals), abs=1e-12)


def test_a_map_on_one_spot_scores_as_chance() -> None:
    A, B = np.zeros((3, 2)), np.zeros((40, 2))
    found = predict_links(A, B, sparse.csr_matrix((3, 40)), np.array([[0, 1], [2, 39]]))
    assert found[:2] == pytest.approx(found[2:], abs=1e-12)
    assert found[0] == pytest.approx(0.25)
