"""Suggestions of links: properties that must hold, the equations in double precision, and what scores are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mrsne
from mrsne import LinkPredictor, RelationalData
from mrsne.backends.cpu.sparse_products import largest
from mrsne.model.closed_form import _in_a_subspace, link_weights, new_link_weights, penalties
from mrsne.model.link_model import SIMILAR, SIMILAR_ALONE, VOTES
from mrsne.model_selection import split_links
from mrsne.parameters import ParameterError


def made(n: int = 400, n_tags: int = 40, seed: int = 0) -> RelationalData:
    """Photos of eight subjects, each with its tags; vectors say the subject, and so do most tags."""
    random = np.random.default_rng(seed)
    subject = random.integers(0, 8, n)
    chances = random.dirichlet(np.full(n_tags, 0.15), 8)
    links = random.random((n, n_tags)) < np.minimum(6 * chances[subject], 0.9)
    links[np.arange(n), subject] = True
    tags = chances.T / np.linalg.norm(chances.T, axis=1, keepdims=True)
    return RelationalData(
        {"photo": 2 * np.eye(8)[subject] + random.normal(size=(n, 8)), "tag": tags},
        {("photo", "tag"): links},
        names={"photo": [f"p{i}" for i in range(n)], "tag": [f"t{j}" for j in range(n_tags)]},
        labels={"tag": [f"Tag {j}" for j in range(n_tags)]},
    )


@pytest.fixture(scope="module")
def data() -> RelationalData:
    return made()


@pytest.fixture(scope="module")
def fitted(data: RelationalData) -> LinkPredictor:
    return LinkPredictor(perplexity=10, random_state=0).fit(data)


@pytest.mark.parametrize("kinds", [("photo", "tag"), ("tag", "photo")])
def test_no_known_link_is_suggested_and_none_twice(
    fitted: LinkPredictor, data: RelationalData, kinds: tuple[str, str]
) -> None:
    places, scores = fitted.suggest(*kinds, k=30)
    known = data.relation(*kinds).toarray() > 0
    for row, (own, worth) in enumerate(zip(places, scores, strict=True)):
        found = own[own >= 0]
        assert not known[row, found].any()
        assert len(set(found)) == len(found)
        assert (np.diff(worth[own >= 0]) <= 1e-12).all()
        assert (own[len(found) :] == -1).all()
        assert (worth[len(found) :] == 0).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (places >= 0).mean() > 0.3


def test_scores_are_those_of_the_equation(fitted: LinkPredictor, data: RelationalData) -> None:
    relation = fitted._relation("photo", "tag")
    assert relation.kinds == ("photo", "tag")
    model, chosen = relation.model, relation.model.settings
    W = data.relations["photo", "tag"].toarray().astype(float)
    counts = W.sum(axis=0)
    penalty = chosen.ridge * np.sqrt(np.maximum(counts, 0.1 * counts.mean()) * counts.mean())
    Q = np.linalg.inv(W.T @ W + np.diag(penalty))
    B = -Q / np.diag(Q)
    np.fill_diagonal(B, 0)
    P = fitted.affinities_.toarray().astype(float)
    photos, tags = P[:400, :400], P[400:, 400:]
    votes = photos / photos.sum(axis=1, keepdims=True)
    similar = tags / np.maximum(tags.sum(axis=1, keepdims=True), 1e-300)
    X = data.vectors["photo"]
    assert isinstance(X, np.ndarray)
    F = X - X.mean(axis=0)  # a ridge regression does not see the rotation to principal components
    G = F.T @ F
    C = np.linalg.solve(G + np.trace(G) / len(G) * np.eye(len(G)), F.T @ W)
    weight = np.where(counts > 0, SIMILAR, SIMILAR_ALONE)
    expected = W @ B + chosen.vectors * (F @ C + VOTES * votes @ W) + (W @ similar) * weight
    expected *= np.maximum(counts, 1) ** -chosen.damping
    np.testing.assert_allclose(model.scores(model.known), expected, atol=2e-5 * np.abs(expected).max())


def test_a_column_of_the_regression_is_the_best_that_does_not_use_itself() -> None:
    X = sparse.csr_matrix((np.random.default_rng(1).random((80, 12)) < 0.3).astype(np.float32))
    weights = link_weights(X, 12, 1.0)
    dense, penalty = X.toarray().astype(float), penalties(X, 1.0)
    for j in range(12):
        others = np.delete(np.arange(12), j)
        A = dense[:, others]
        best = np.linalg.solve(A.T @ A + np.diag(penalty[others]), A.T @ dense[:, j])
        np.testing.assert_allclose(weights.between(others, j), best, atol=1e-5)
        assert weights.between(j, j) == 0


def test_in_a_subspace_of_all_dimensions_the_regression_is_the_same() -> None:
    X = sparse.csr_matrix((np.random.default_rng(1).random((80, 12)) < 0.3).astype(np.float32))
    exact, subspace = link_weights(X, 12, 1.0), _in_a_subspace(X, 12, penalties(X, 1.0))
    for j in range(12):
        others = np.delete(np.arange(12), j)
        np.testing.assert_allclose(subspace.between(others, j), exact.between(others, j), atol=1e-4)


def test_new_columns_solve_the_same_regression() -> None:
    random = np.random.default_rng(1)
    X = sparse.csr_matrix((random.random((80, 12)) < 0.3).astype(np.float32))
    column = (random.random(80) < 0.3).astype(float)
    dense = X.toarray().astype(float)
    best = np.linalg.solve(dense.T @ dense + np.diag(penalties(X, 1.0)), dense.T @ column)
    np.testing.assert_allclose(new_link_weights(X, 1.0, column[:, None])[:, 0], best, atol=1e-5)


def test_held_out_links_are_found_far_better_than_by_popularity(data: RelationalData) -> None:
    rest, held_out = split_links(data, 0.2)
    links = held_out["photo", "tag"]
    known = rest.relations["photo", "tag"]
    popular = np.tile(np.asarray(known.sum(axis=0)).ravel(), (400, 1)).astype(np.float32)
    popular[known.nonzero()] = 0
    places, _ = largest(popular, 10)
    by_popularity = sum(links[i, j] > 0 for i in range(400) for j in places[i]) / links.nnz
    assert LinkPredictor(perplexity=10, random_state=0).fit(rest).score(held_out) > by_popularity + 0.1


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_of_links_with_a_score_so_many_are_real(share: float) -> None:
    data = made(3_000, 60, seed=2)
    rest, held_out = split_links(data, share, random_state=5)
    places, scores = LinkPredictor(perplexity=10, missing=share, random_state=0).fit(rest).suggest("photo", "tag")
    real = np.take_along_axis(held_out["photo", "tag"].toarray() > 0, np.maximum(places, 0), axis=1)[places >= 0]
    bins = np.minimum((10 * scores[places >= 0]).astype(int), 9)
    error = sum(
        abs(real[bins == b].mean() - scores[places >= 0][bins == b].mean()) * (bins == b).mean() for b in set(bins)
    )
    assert error < 0.05
    assert scores.max() > 0.3  # not everything is as likely as the mean


def test_items_without_links_get_them_from_their_vectors(data: RelationalData) -> None:
    W = data.relations["photo", "tag"].tolil()
    hidden = np.arange(0, 400, 10)
    W[hidden] = 0
    X, tags = data.vectors["photo"], data.vectors["tag"]
    rest = RelationalData({"photo": X, "tag": tags}, {("photo", "tag"): W.tocsr()})
    places, scores = LinkPredictor(perplexity=10, random_state=0).fit(rest).suggest("photo", "tag", hidden)
    truth = data.relations["photo", "tag"].toarray()[hidden] > 0
    hits = np.take_along_axis(truth, np.maximum(places, 0), axis=1)
    counts = W.toarray().sum(axis=0)
    by_popularity = truth[:, np.argsort(-counts)[:10]].sum()
    assert hits.sum() > 1.15 * by_popularity
    assert scores[hits].mean() > scores[~hits].mean() + 0.1


def test_kinds_without_vectors_are_predicted_by_links_alone(data: RelationalData) -> None:
    bare = RelationalData(dict(data.sizes), dict(data.relations))
    rest, held_out = split_links(bare, 0.2)
    predictor = LinkPredictor(perplexity=10, random_state=0).fit(rest)
    assert predictor.score(held_out) > 10 / 40 + 0.1


def test_new_items_are_like_old_ones(fitted: LinkPredictor, data: RelationalData) -> None:
    X = data.vectors["photo"]
    assert isinstance(X, np.ndarray)
    old, of_old = fitted.suggest("photo", "tag", np.arange(50))
    relations = {("photo", "tag"): data.relations["photo", "tag"][:50]}
    new, of_new = fitted.suggest("photo", "tag", vectors={"photo": X[:50]}, relations=relations)
    shared = [len(set(a) & set(b) - {-1}) / max(len(set(a) - {-1}), 1) for a, b in zip(old, new, strict=True)]
    assert np.mean(shared) > 0.85
    assert np.corrcoef(of_old[:, 0], of_new[:, 0])[0, 1] > 0.7
    known = relations["photo", "tag"].toarray() > 0
    assert not np.take_along_axis(known, np.maximum(new, 0), axis=1)[new >= 0].any()


def test_new_items_of_the_other_kind(fitted: LinkPredictor, data: RelationalData) -> None:
    W = data.relation("tag", "photo")
    with_links, scores = fitted.suggest("tag", "photo", relations={("tag", "photo"): W[:8]}, k=20)
    old, _ = fitted.suggest("tag", "photo", np.arange(8), k=20)
    assert scores.shape == (8, 20)
    assert np.mean([len(set(a) & set(b)) / 20 for a, b in zip(old, with_links, strict=True)]) > 0.5
    X = data.vectors["tag"]
    assert isinstance(X, np.ndarray)
    by_vector, _ = fitted.suggest("tag", "photo", vectors={"tag": X[:8]}, k=20)
    assert np.mean(np.take_along_axis(W[:8].toarray() > 0, by_vector, axis=1)) > 2 * (W[:8] > 0).mean()


def test_the_order_of_items_does_not_matter(data: RelationalData) -> None:
    """Only what is held out depends on it, and so may what is chosen by that."""
    order = np.random.default_rng(3).permutation(400)
    fits = [LinkPredictor(perplexity=10, random_state=0).fit(part) for part in (data, data.subset({"photo": order}))]
    models = [fit._relation("photo", "tag").model for fit in fits]
    if models[0].settings == models[1].settings:
        here, there = (model.scores(model.known) for model in models)
        np.testing.assert_allclose(here[order], there, atol=1e-4 * np.abs(here).max())
    assert models[0].settings.vectors > 0


def test_threads_do_not_change_a_bit(data: RelationalData) -> None:
    one, two = (
        LinkPredictor(perplexity=10, random_state=0, n_jobs=n).fit(data).suggest("photo", "tag") for n in (1, 2)
    )
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])


def test_items_by_name_label_and_position(fitted: LinkPredictor) -> None:
    by_name, by_label, by_place = (fitted.suggest("tag", "photo", item) for item in ("t3", "Tag 3", 3))
    assert np.array_equal(by_name[0], by_place[0])
    assert np.array_equal(by_label[0], by_place[0])
    frame = fitted.to_frame("photo", "tag", ["p1", 2], k=3)
    assert set(frame.item) == {"p1", "p2"}
    assert set(frame.suggestion) <= {f"t{j}" for j in range(40)}


def test_the_reason_of_a_suggestion_adds_up_and_names_what_ties_the_two(
    fitted: LinkPredictor, data: RelationalData
) -> None:
    places, _ = fitted.suggest("photo", "tag", [0])
    reason = fitted.reason("photo", "p0", "tag", int(places[0, 0]), k=1000)
    assert reason.share.sum() == pytest.approx(1)
    assert {"vectors", "links"} == set(reason.by)
    photos = reason[(reason.kind == "photo")].id
    assert all(data.relations["photo", "tag"][int(name[1:]), places[0, 0]] > 0 for name in photos)
    own = reason[(reason.kind == "tag")].id
    assert all(data.relations["photo", "tag"][0, int(name[1:])] > 0 for name in own)
    assert reason.path[0] == f"p0 → {reason.id[0]} → t{places[0, 0]}"
    other_way = fitted.reason("tag", int(places[0, 0]), "photo", "p0", k=1000)
    assert other_way.share.tolist() == reason.share.tolist()


@pytest.mark.parametrize("by", ["both", "vectors", "links"])
@pytest.mark.parametrize("kind", ["photo", "tag"])
def test_what_is_nearest_is_of_the_same_subject(
    fitted: LinkPredictor, data: RelationalData, kind: str, by: str
) -> None:
    X = data.vectors["photo"]
    assert isinstance(X, np.ndarray)
    links = data.relations["photo", "tag"].toarray() > 0
    alike = links[:, :8].astype(int) @ links[:, :8].T if kind == "photo" else links
    found = []
    for item in range(40):
        near = fitted.nearest("photo", item, kind=kind, by=by)
        assert near.score.is_monotonic_decreasing
        assert kind == "tag" or f"p{item}" not in set(near.id)
        found.append(alike[item, [int(name[1:]) for name in near.id]].mean())
    assert np.mean(found) > 1.3 * alike[:40].mean()


def test_links_that_were_swapped_are_listed_first() -> None:
    data = made(1_500, 40, seed=4)
    random = np.random.default_rng(0)
    W = data.relations["photo", "tag"].toarray() > 0
    swapped = set()
    for photo in random.permutation(1_500)[: W.sum() // 50]:
        old, new = random.choice(np.flatnonzero(W[photo])), random.choice(np.flatnonzero(~W[photo]))
        W[photo, [old, new]] = False, True
        swapped.add((f"p{photo}", f"t{new}"))
    vectors, names = dict(data.vectors), dict(data.names)
    predictor = LinkPredictor(perplexity=10, random_state=0).fit(
        RelationalData(vectors, {("photo", "tag"): W}, names={"photo": names["photo"], "tag": names["tag"]})
    )
    listed = predictor.oddities("photo", "tag", k=int(W.sum() // 25))
    assert listed.support.is_monotonic_increasing
    found = len(swapped & set(zip(listed.item, listed.link, strict=True))) / len(swapped)
    assert found > 5 * len(listed) / W.sum()  # as many as by chance, times five
    turned = predictor.oddities("tag", "photo", k=5)
    assert turned.link.tolist() == listed.item[:5].tolist()


def test_links_inside_a_kind() -> None:
    random = np.random.default_rng(0)
    group = random.integers(0, 5, 200)
    W = sparse.csr_matrix(np.triu((random.random((200, 200)) < 0.3) & (group[:, None] == group), 1))
    data = RelationalData({"paper": np.eye(5)[group] + random.normal(size=(200, 5))}, {("paper", "paper"): W})
    places, _ = LinkPredictor(perplexity=10, random_state=0).fit(data).suggest("paper", "paper")
    assert not (places == np.arange(200)[:, None]).any()
    assert (group[places] == group[:, None])[places >= 0].mean() > 0.9


def test_another_relation_of_the_same_items_helps() -> None:
    random = np.random.default_rng(0)
    genre = random.integers(0, 6, 500)
    tags = (random.random((500, 30)) < 0.04) | (
        (np.arange(30) % 6 == genre[:, None]) & (random.random((500, 30)) < 0.4)
    )
    relations = {("book", "tag"): tags, ("book", "shelf"): np.eye(6)[genre]}
    full = RelationalData({"book": 500, "tag": 30, "shelf": 6}, relations)
    rest, held_out = split_links(full, 0.2)
    wanted = {("book", "tag"): held_out["book", "tag"]}
    alone = RelationalData({"book": 500, "tag": 30}, {("book", "tag"): rest.relations["book", "tag"]})
    both = RelationalData(full.sizes, {**full.relations, ("book", "tag"): rest.relations["book", "tag"]})
    with_shelves, without = (LinkPredictor(random_state=0).fit(part).score(wanted) for part in (both, alone))
    assert with_shelves > without


def test_too_few_links_to_calibrate() -> None:
    data = RelationalData({"a": 3, "b": 3}, {("a", "b"): [(0, 0), (0, 1), (1, 1), (2, 2)]})
    places, scores = LinkPredictor(random_state=0).fit(data).suggest("a", "b", k=5)
    assert places[1, 0] == 0
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.suggest("photo", "tagg"), "target_kind must be one of 'photo', 'tag', got 'tagg'"),
        (lambda p: p.suggest("photo", "photo"), "links can be predicted where there are some, between photo-tag"),
        (lambda p: p.suggest("photo", "tag", ["p1", "x"]), "items must be names or positions below 400 of 'photo'"),
        (lambda p: p.suggest("photo", "tag", 400), "got 400"),
        (lambda p: p.suggest("photo", "tag", k=0), "k must be a whole number of at least 1, got 0"),
        (lambda p: p.nearest("photo", 0, by="x"), "by must be one of 'both', 'vectors', 'links', got 'x'"),
        (lambda p: p.reason("photo", 0, "tag", "zebra"), "other must be names or positions below 40 of 'tag'"),
        (lambda p: p.suggest("photo", "tag", 1, vectors={"photo": np.eye(8)}), "items must be None where"),
        (lambda p: p.suggest("photo", "tag", vectors={"tag": np.zeros((1, 8))}), "must be of new items of 'photo'"),
    ],
)
def test_errors_name_what_is_wrong(fitted: LinkPredictor, call: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call(fitted)


def test_data_without_links_and_settings_that_cannot_be(data: RelationalData) -> None:
    with pytest.raises(ParameterError, match="data must have a relation"):
        LinkPredictor().fit(RelationalData({"photo": np.eye(3)}))
    with pytest.raises(ParameterError, match="missing must be greater than 0 and less than 1, got 1"):
        LinkPredictor(missing=1).fit(data)


def test_a_map_is_scored_by_held_out_links(data: RelationalData) -> None:
    rest, held_out = split_links(data, 0.1)
    model = mrsne.MRSNE(perplexity=10, max_iter=250, random_state=0).fit(rest)
    report = mrsne.metrics.report(model.embedding_, rest, held_out=held_out, sample=None)
    assert model.score(held_out) == pytest.approx(report["held_out_mrr"]["photo", "tag"])
    assert model.score(held_out) > 0.1
