"""Links across domains predicted from nearness, those that the map was made from and held-out ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score

from mrsne import MRSNE, Embedding, RelationalData, metrics
from tests.conftest import tagged
from tests.metrics import brute_force
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


@pytest.fixture
def densely_linked() -> RelationalData:
    random = np.random.default_rng(0)
    return RelationalData(
        {"image": random.normal(size=(50, 4)), "tag": 9, "user": 3},
        {("image", "tag"): random.random((50, 9)) < 0.5, ("user", "image"): np.ones((3, 50))},
        names={"tag": list("abcdefghi")},
        missing={"image": np.arange(50) == 3},
    )


def test_holding_out_links_leaves_every_item_at_least_one(densely_linked: RelationalData) -> None:
    W = densely_linked.relations["image", "tag"]
    rest, held_out = metrics.hold_out_links(densely_linked, ("image", "tag"), 0.3, random_state=1)
    assert held_out.nnz == round(0.3 * W.nnz)
    assert (rest.relations["image", "tag"] + held_out != W).nnz == 0
    assert rest.relations["image", "tag"].sum(axis=1).min() == (W.sum(axis=1) > 0).min()
    assert rest.relations["image", "tag"].sum(axis=0).min() >= 1


def test_holding_out_links_leaves_everything_else_as_it_was(densely_linked: RelationalData) -> None:
    rest, _ = metrics.hold_out_links(densely_linked, ("image", "tag"), 0.3, random_state=1)
    assert (rest.names, rest.sizes) == (densely_linked.names, densely_linked.sizes)
    np.testing.assert_array_equal(rest.missing["image"], densely_linked.missing["image"])
    assert (rest.relations["user", "image"] != densely_linked.relations["user", "image"]).nnz == 0


def test_the_seed_decides_which_links_are_held_out(densely_linked: RelationalData) -> None:
    first, again, other = (
        metrics.hold_out_links(densely_linked, ("image", "tag"), 0.3, random_state=seed)[1] for seed in (1, 1, 2)
    )
    assert (first != again).nnz == 0
    assert (first != other).nnz > 0


def test_a_pair_may_be_named_in_either_order(densely_linked: RelationalData) -> None:
    rest, held_out = metrics.hold_out_links(densely_linked, ("tag", "image"), 0.3, random_state=1)
    assert held_out.shape == (9, 50)
    W = densely_linked.relations["image", "tag"]
    assert (rest.relations["image", "tag"] + held_out.T != W).nnz == 0


def test_a_map_finds_links_it_has_not_seen() -> None:
    data = tagged()
    W = data.relations["photo", "tag"].toarray()[:, :3]
    two_tags_each = RelationalData({"photo": data.vectors["photo"], "tag": 6}, {("photo", "tag"): np.hstack([W, W])})
    rest, held_out = metrics.hold_out_links(two_tags_each, ("photo", "tag"), 0.2, random_state=0)
    embedding = MRSNE(perplexity=5, random_state=0).fit_transform(rest)
    assert metrics.link_auc(embedding, rest, ("photo", "tag"), held_out=held_out) > 0.9
