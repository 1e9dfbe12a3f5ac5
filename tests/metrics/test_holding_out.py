"""Links that are held out of every relation, or of one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from mrsne import RelationalData, metrics
from mrsne.backends.links import within_graph


def photos(seed: int = 0) -> RelationalData:
    """Photos with tags, some of them rare, of one author each, and a graph among photos."""
    random = np.random.default_rng(seed)
    tags = random.random((60, 20)) < np.linspace(0.01, 0.4, 20)
    tags[:2] = False
    follows = sparse.random(60, 60, density=0.1, random_state=seed) + sparse.identity(60)
    return RelationalData(
        {"photo": random.normal(size=(60, 3)), "tag": 20, "author": 7},
        {
            ("photo", "tag"): tags * random.integers(1, 5, tags.shape),
            ("author", "photo"): np.eye(7)[:, random.integers(0, 7, 60)],
            ("photo", "photo"): follows,
        },
        missing={"photo": np.arange(60) == 5},
        names={"author": list("abcdefg")},
        pictures={"photo": np.zeros((60, 2, 2, 3), np.uint8)},
        columns={"photo": {"year": np.arange(1960.0, 2020.0)}},
    )


@given(st.integers(0, 10_000))
def test_links_are_divided_and_every_item_keeps_one(seed: int) -> None:
    data = photos(seed)
    rest, held_out = metrics.hold_out(data, 0.3, random_state=seed)
    for pair, W in data.relations.items():
        removed = held_out.get(pair, sparse.csr_matrix(W.shape))
        assert (rest.relations[pair] + removed != W).nnz == 0
        assert rest.relations[pair].multiply(removed).nnz == 0
        kept, before = (within_graph(V) if pair[0] == pair[1] else V for V in (rest.relations[pair], W))
        for axis in (0, 1):
            assert ((kept.sum(axis=axis) > 0) == (before.sum(axis=axis) > 0)).all()


def test_only_items_with_enough_links_lose_one() -> None:
    data = photos()
    counts = np.diff(data.relation("tag", "photo").indptr)
    _, held_out = metrics.hold_out(data, 0.5, min_count=5)
    used = np.unique(held_out["photo", "tag"].indices)
    assert len(used) > 5
    assert counts[used].min() >= 5
    within = np.diff(within_graph(data.relations["photo", "photo"]).indptr)
    assert within[np.unique(held_out["photo", "photo"].nonzero())].min() >= 5


def test_the_share_is_of_the_links_that_can_be_held_out() -> None:
    data = photos()
    W = data.relations["photo", "tag"]
    eligible = np.bincount(W.indices, minlength=20)[W.indices] >= 3
    _, held_out = metrics.hold_out(data, 0.1)
    assert held_out["photo", "tag"].nnz == round(0.1 * eligible.sum())


def test_a_link_inside_a_domain_goes_in_both_directions_or_not_at_all() -> None:
    chain = np.eye(30, k=1) + np.eye(30, k=2) + np.eye(30, k=3)
    rest, held_out = metrics.hold_out(RelationalData({"a": 30}, {("a", "a"): chain + chain.T}), 0.2)
    assert (held_out["a", "a"] != held_out["a", "a"].T).nnz == 0
    assert (rest.relations["a", "a"] != rest.relations["a", "a"].T).nnz == 0


def test_an_author_of_one_photo_each_keeps_all() -> None:
    _, held_out = metrics.hold_out(photos(), 0.3)
    assert ("author", "photo") not in held_out  # no photo has three authors


def test_the_seed_decides_and_the_rest_of_the_data_stays() -> None:
    data = photos()
    (rest, first), (_, again), (_, other) = (metrics.hold_out(data, 0.3, random_state=seed) for seed in (1, 1, 2))
    assert (first["photo", "tag"] != again["photo", "tag"]).nnz == 0
    assert (first["photo", "tag"] != other["photo", "tag"]).nnz > 0
    assert (rest.names, rest.sizes, list(rest.relations)) == (data.names, data.sizes, list(data.relations))
    assert rest.pictures["photo"].shape == (60, 2, 2, 3)
    assert rest.columns["photo"]["year"][59] == 2019
    np.testing.assert_array_equal(rest.missing["photo"], data.missing["photo"])


def test_what_cannot_be_held_out_is_said() -> None:
    for share in (0, 1, -0.5, "much"):
        with pytest.raises(ValueError, match="share must be"):
            metrics.hold_out(photos(), share)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="min_count must be a whole number of at least 1"):
        metrics.hold_out(photos(), min_count=0)
    single = RelationalData({"photo": 3, "tag": 3}, {("photo", "tag"): np.eye(3)})
    with pytest.raises(ValueError, match="no link can be held out: min_count=3"):
        metrics.hold_out(single)
    with pytest.raises(ValueError, match="no link can be held out"):
        metrics.hold_out(RelationalData({"photo": np.eye(3)}))
    with pytest.raises(ValueError, match="data must be a RelationalData"):
        metrics.hold_out(np.eye(3))  # type: ignore[arg-type]


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
