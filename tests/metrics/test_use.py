"""Scores on large maps, held-out links, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE, Embedding, RelationalData, metrics
from mrsne.metrics import ordering
from mrsne.metrics.truth import within_truth
from tests.conftest import tagged

PAIR = ("photo", "tag")
NOTHING: Any = None
WORD: Any = "photo"


@pytest.fixture(scope="module")
def case() -> tuple[Embedding, RelationalData]:
    with pytest.warns(UserWarning, match="1 of 'tag'"):
        return MRSNE(perplexity=5, random_state=0).fit_transform(tagged()), tagged()


def test_blocks_change_nothing(case: tuple[Embedding, RelationalData], monkeypatch: pytest.MonkeyPatch) -> None:
    embedding, data = case

    def scores() -> list[float]:
        return [
            metrics.reconstruction_auc(embedding, data, "photo"),
            metrics.hit_rate(embedding, data, 3, "photo", "photo"),
            metrics.link_auc(embedding, data, ("photo", "tag")),
            metrics.trustworthiness(embedding, data, "photo"),
        ]

    whole = scores()
    monkeypatch.setattr(ordering, "BLOCK", 1)
    np.testing.assert_allclose(scores(), whole, rtol=0, atol=1e-12)


def test_a_sample_of_queries(case: tuple[Embedding, RelationalData]) -> None:
    embedding, data = case
    each = [metrics.hit_count(embedding, data, 2, "photo", "photo", queries=[i]) for i in range(60)]
    assert np.mean(each) == pytest.approx(metrics.hit_count(embedding, data, 2, "photo", "photo"))
    everything = metrics.reconstruction_auc(embedding, data, queries=np.arange(60))
    assert everything == metrics.reconstruction_auc(embedding, data)


def test_the_first_domain_asks_and_the_first_it_is_linked_to_answers(case: tuple[Embedding, RelationalData]) -> None:
    embedding, data = case
    assert metrics.hit_rate(embedding, data, 1) == metrics.hit_rate(embedding, data, 1, "photo", "tag")


def test_a_good_map_scores_well_and_shuffled_photos_do_not(case: tuple[Embedding, RelationalData]) -> None:
    embedding, data = case
    shuffled = Embedding({**embedding, "photo": np.random.default_rng(0).permutation(embedding["photo"])})
    assert metrics.reconstruction_auc(embedding, data) > metrics.reconstruction_auc(shuffled, data) + 0.2
    assert metrics.link_auc(embedding, data, PAIR) > metrics.link_auc(shuffled, data, PAIR) + 0.2
    here, there = (metrics.neighborhood_preservation(e, data, "photo") for e in (embedding, shuffled))
    assert here > there + 0.2


def test_held_out_links_leave_every_item_one() -> None:
    random = np.random.default_rng(0)
    data = RelationalData(
        {"image": random.normal(size=(50, 4)), "tag": 9, "user": 3},
        {("image", "tag"): random.random((50, 9)) < 0.5, ("user", "image"): np.ones((3, 50))},
        names={"tag": list("abcdefghi")},
        missing={"image": np.arange(50) == 3},
    )
    W = data.relations["image", "tag"]
    rest, held_out = metrics.hold_out_links(data, ("image", "tag"), 0.3, random_state=1)
    assert held_out.nnz == round(0.3 * W.nnz)
    assert (rest.relations["image", "tag"] + held_out != W).nnz == 0
    assert rest.relations["image", "tag"].sum(axis=1).min() == (W.sum(axis=1) > 0).min()
    assert rest.relations["image", "tag"].sum(axis=0).min() >= 1
    assert (rest.names, rest.missing["image"].sum(), rest.sizes) == (data.names, 1, data.sizes)
    again = metrics.hold_out_links(data, ("image", "tag"), 0.3, random_state=1)[1]
    assert (again != held_out).nnz == 0
    back, turned = metrics.hold_out_links(data, ("tag", "image"), 0.3, random_state=1)
    assert turned.shape == (9, 50)
    assert back.relations["image", "tag"].nnz == W.nnz - turned.nnz


def test_a_map_finds_links_it_has_not_seen() -> None:
    rest, held_out = metrics.hold_out_links(_two_tags_each(), ("photo", "tag"), 0.2, random_state=0)
    embedding = MRSNE(perplexity=5, random_state=0).fit_transform(rest)
    assert metrics.link_auc(embedding, rest, ("photo", "tag"), held_out=held_out) > 0.9


def _two_tags_each() -> RelationalData:
    data = tagged()
    W = data.relations["photo", "tag"].toarray()[:, :3]
    return RelationalData({"photo": data.vectors["photo"], "tag": 6}, {("photo", "tag"): np.hstack([W, W])})


BAD: list[tuple[Any, str]] = [
    (lambda e, d: metrics.hit_rate(e, d, 0), "k must be a whole number of at least 1, got 0"),
    (lambda e, d: metrics.hit_rate(e, d, 5, target="tag"), "k must be at most 4, the number of other items, got 5"),
    (lambda e, d: metrics.hit_rate(e, d, 60, target="photo"), "k must be at most 59"),
    (lambda e, d: metrics.hit_rate(e, d, []), "k must be a whole number or a list of them"),
    (
        lambda e, d: metrics.hit_rate(e, d, 1, query="word"),
        "query must be one of the domains 'photo', 'tag', got 'word'",
    ),
    (lambda e, d: metrics.hit_rate(e, d, 1, within="same", target="photo"), "within must be 'shared', 'identical' or"),
    (
        lambda e, d: metrics.hit_rate(e, d, 1, target="photo", within=np.eye(3)),
        r"within must be a matrix of shape \(60",
    ),
    (lambda e, d: metrics.hit_rate(e, d, 1, queries=[60]), "queries must be positions of items, 0 … 59"),
    (lambda e, d: metrics.hit_rate(e["photo"], d, 1), "embedding must be an Embedding, got an array"),
    (lambda e, d: metrics.hit_rate(e, NOTHING, 1), "data must be a RelationalData, got None"),
    (
        lambda e, d: metrics.hit_rate(Embedding({"photo": [[0, 0]]}), d, 1),
        "data has 60 items of 'photo', but the embedding",
    ),
    (lambda e, d: metrics.link_auc(e, d, ("photo", "photo")), "pair must be two domains with a relation"),
    (lambda e, d: metrics.link_auc(e, d, WORD), "pair must be two domain names"),
    (lambda e, d: metrics.link_auc(e, d, ("photo", "tag"), similarity="cosine"), "similarity must be one of"),
    (lambda e, d: metrics.hold_out_links(d, ("photo", "tag"), 0.5), "fraction must leave a link to every item: of 60"),
    (
        lambda e, d: metrics.hold_out_links(d, ("photo", "tag"), 0.001),
        "fraction must take out at least one of 60 links",
    ),
    (lambda e, d: metrics.link_auc(e, d, PAIR, held_out=np.eye(3)), r"held_out has shape \(3, 3\), but 'photo' has 60"),
    (lambda e, d: metrics.hold_out_links(d, ("photo", "tag"), 1.5), "fraction must be greater than 0 and less than 1"),
    (lambda e, d: metrics.variance_ratio(e, "photo", "word"), "there is no domain 'word'"),
    (
        lambda e, d: metrics.variance_ratio(Embedding({"a": [[1]], "b": [[2], [3]]}), "a", "b"),
        "at least two items of 'a'",
    ),
    (lambda e, d: metrics.trustworthiness(e, d, "tag"), r"domain must be one with vectors \('photo'\), got 'tag'"),
    (lambda e, d: metrics.trustworthiness(e, d, k=30), "k must be less than half the number of items with vectors, 60"),
    (
        lambda e, d: metrics.neighborhood_preservation(e, d, k=60),
        "k must be less than the number of items with vectors",
    ),
    (lambda e, d: metrics.neighborhood_preservation(e, d, metric="hamming"), "metric must be one of"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_arguments_that_do_not_fit(case: tuple[Embedding, RelationalData], call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(*case)


def test_the_first_domain_with_vectors_is_asked_for_its_neighbourhoods() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    data = RelationalData({"tag": 5, "image": X}, {("image", "tag"): np.eye(5)[np.arange(30) % 5]})
    embedding = Embedding({"tag": np.zeros((5, 2)), "image": X})
    assert metrics.trustworthiness(embedding, data) == 1.0
    with pytest.raises(ValueError, match="no domain of the data has vectors"):
        metrics.trustworthiness(Embedding({"a": [[0], [1]]}), RelationalData({"a": 2}))


def test_no_links_at_all() -> None:
    data = RelationalData({"x": np.arange(6.0)[:, None]})
    embedding = Embedding({"x": np.arange(6.0)[:, None]})
    with pytest.raises(ValueError, match="within needs a relation of 'x' to something, or a matrix"):
        metrics.reconstruction_auc(embedding, data)
    with pytest.raises(ValueError, match="target must be given, since 'x' has no relation"):
        metrics.hit_rate(embedding, data, 1)
    with pytest.raises(ValueError, match="have no true link"):
        metrics.reconstruction_auc(embedding, data, within=np.eye(6))


@pytest.mark.parametrize("within", ["shared", "identical", np.ones((60, 60))])
def test_an_item_is_never_its_own_neighbour(within: Any) -> None:
    belongs = within_truth(tagged(), "photo", within)(np.array([3, 30]))
    assert not belongs[[0, 1], [3, 30]].any()
    assert belongs.any(axis=1).all()
