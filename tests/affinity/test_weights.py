"""Weights that are given, and those that follow from the data: P̃ equals its definition, on every engine the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import mrsne
from mrsne import RelationalData
from mrsne.affinity.weights import LARGEST_SHARE, SMALLEST_SHARE, block_weights, share_of_links, share_out
from mrsne.backends.base import LinkTotals
from mrsne.backends.cpu.link_vectors import agreement, link_vectors
from mrsne.backends.cpu.shared_links import shared_links


def made_data(n: int = 60, tags: int = 24, seed: int = 0, **vectors: Any) -> RelationalData:
    """Return pictures with vectors and tags with some, one of each without links, and links with weights."""
    rng = np.random.default_rng(seed)
    W = rng.uniform(0.5, 2, (n, tags)) * (rng.random((n, tags)) < 0.15)
    W[0], W[:, 0] = 0, 0
    W[np.arange(1, n), rng.integers(1, tags, n - 1)] = 1
    X, T = rng.normal(size=(n, 5)), rng.normal(size=(tags, 4))
    missing = np.zeros(tags, dtype=bool)
    missing[[1, 2]] = True
    given = {"picture": X, "tag": T, **vectors}
    return RelationalData(
        given,
        {("picture", "tag"): W},
        missing={"tag": missing} if given["tag"] is T else None,
    )


def conditional(X: NDArray[Any], perplexity: float) -> NDArray[Any]:
    """Return p_{j|i} of all pairs by bisection in double precision."""
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    P = np.zeros_like(squared)
    for i, row in enumerate(squared):
        others = np.delete(np.arange(len(X)), i)
        low, high = 1e-10, 1e10
        for _ in range(200):
            b = np.sqrt(low * high)
            p = np.exp(-b * (row[others] - row[others].min()))
            p /= p.sum()
            entropy = -(p * np.log(np.maximum(p, 1e-300))).sum()
            low, high = (b, high) if entropy > np.log(perplexity) else (low, b)
        P[i, others] = p
    return np.asarray(P)


def by_definition(data: RelationalData, shares: dict[str, float], perplexity: float) -> NDArray[Any]:
    """Return P̃ item by item, as docs/algorithm.md defines it."""
    W = data.relation("picture", "tag").toarray()
    P = np.zeros((data.n_items, data.n_items))
    for name, links, other in (("picture", W, "tag"), ("tag", W.T, "picture")):
        items = np.flatnonzero(~data.missing[name])
        near = np.zeros((data.sizes[name], data.sizes[name]))
        near[np.ix_(items, items)] = conditional(np.asarray(data.vectors[name])[items], perplexity)
        for i in range(data.sizes[name]):
            w = links[i]
            number = w.sum() ** 2 / (w**2).sum() if w.any() else 0
            mass = np.log2(1 + max(number, 1))
            share = 0.0 if not w.any() else shares[name] if i in items else 1.0
            row = data.offsets[name] + i
            start = data.offsets[other]
            P[row, start : start + len(w)] += mass * share * w / max(w.sum(), 1e-300)
            start = data.offsets[name]
            P[row, start : start + data.sizes[name]] += mass * (1 - share) * near[i]
    P += P.T
    return np.asarray(P / P.sum())


def test_joint_affinities_are_what_every_item_gives_to_links_and_neighbours() -> None:
    data = made_data()
    P = mrsne.joint_affinities(data, perplexity=6, weights="auto", relation_norm="auto").toarray()
    shares = {name: share_of_links(agreement(data, name, "euclidean")) for name in data.sizes}
    np.testing.assert_allclose(P, by_definition(data, shares, 6), atol=1e-7)


def test_weights_are_reported_and_are_the_masses_of_the_blocks() -> None:
    data = made_data()
    model = mrsne.MRSNE(perplexity=5, max_iter=50, random_state=0).fit(data)
    P, n = model.affinities_, data.sizes["picture"]
    assert model.relation_norm_ == "conditional"
    assert model.weights_["picture"] == pytest.approx(P[:n, :n].sum(), abs=1e-6)
    assert model.weights_["tag"] == pytest.approx(P[n:, n:].sum(), abs=1e-6)
    assert model.weights_["picture", "tag"] == pytest.approx(2 * P[:n, n:].sum(), abs=1e-6)


def test_what_the_caller_chose_is_reported_as_it_is() -> None:
    data = made_data()
    model = mrsne.MRSNE(perplexity=5, max_iter=20, weights="equal", relation_norm="norm").fit(data)
    assert model.relation_norm_ == "norm"
    assert model.weights_ == pytest.approx({"picture": 1 / 3, "tag": 1 / 3, ("picture", "tag"): 1 / 3})


def test_one_array_is_ordinary_tsne_to_the_last_bit() -> None:
    X = np.random.default_rng(0).normal(size=(50, 4))
    data = RelationalData({"items": X})
    ours, paper = (mrsne.joint_affinities(data, 10, weights=w, relation_norm="auto") for w in ("auto", "size"))
    assert (ours != paper).nnz == 0
    assert mrsne.MRSNE(perplexity=10, max_iter=20).fit(X).weights_ == {"items": 1.0}


def test_a_rare_tag_weighs_less_than_a_frequent_one() -> None:
    links = [(i, "common") for i in range(30)] + [(0, "rare"), (1, "rare as well")]
    names = {"tag": ["common", "rare", "rare as well"]}
    data = RelationalData({"photo": 30, "tag": 3}, {("photo", "tag"): links}, names=names)
    P = mrsne.joint_affinities(data, weights="auto", relation_norm="auto")
    mass = np.asarray(P.sum(axis=1)).ravel()[30:]
    assert mass[0] > 5 * mass[1]
    assert mass[1] == pytest.approx(mass[2])


def test_the_size_of_weights_does_not_matter_and_tiny_ones_hardly_count_as_links() -> None:
    data = made_data()
    W = data.relation("picture", "tag")
    P = mrsne.joint_affinities(data, 5, "auto", "auto")
    larger = RelationalData(dict(data.vectors), {("picture", "tag"): W * 1e90}, missing={"tag": data.missing["tag"]})
    np.testing.assert_allclose(mrsne.joint_affinities(larger, 5, "auto", "auto").toarray(), P.toarray(), rtol=1e-5)
    noise = np.where(W.toarray() > 0, W.toarray(), 1e-9)
    noise[0], noise[:, 0] = 0, 0  # who has no link still has none
    noisy = RelationalData(
        dict(data.vectors), {("picture", "tag"): sparse.csr_matrix(noise)}, missing={"tag": data.missing["tag"]}
    )
    links = mrsne.joint_affinities(noisy, 5, "auto", "size").toarray()[1:60, 61:]
    expected = mrsne.joint_affinities(data, 5, "auto", "size").toarray()[1:60, 61:]
    np.testing.assert_allclose(links, expected, atol=1e-6)


def test_vectors_that_say_nothing_about_links_leave_them_the_largest_share() -> None:
    rng = np.random.default_rng(0)
    kind = np.arange(300) % 6
    links = {("photo", "tag"): np.eye(6)[kind]}
    good = RelationalData({"photo": np.eye(6)[kind] + 0.1 * rng.normal(size=(300, 6)), "tag": 6}, links)
    poor = RelationalData({"photo": rng.normal(size=(300, 6)), "tag": 6}, links)
    assert agreement(good, "photo", "euclidean") > 0.95
    assert abs(agreement(poor, "photo", "euclidean")) < 0.1
    share_of_neighbors = [mrsne.MRSNE(max_iter=10, random_state=0).fit(data).weights_["photo"] for data in (good, poor)]
    assert share_of_neighbors[0] / share_of_neighbors[1] == pytest.approx(
        (1 - SMALLEST_SHARE) / (1 - LARGEST_SHARE), rel=0.15
    )


def test_domains_without_vectors_have_neighbours_by_shared_links() -> None:
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(5), 30)
    tag_of_kind = rng.random((5, 40)) < 0.3
    W = (rng.random((150, 40)) < 0.5) & tag_of_kind[kind]
    W[np.arange(150), rng.integers(0, 40, 150)] = True
    data = RelationalData({"work": 150, "subject": 40}, {("work", "subject"): W.astype(float)})
    model = mrsne.MRSNE(perplexity=10, max_iter=10, random_state=0).fit(data)
    within = model.affinities_[:150, :150].tocoo()
    assert set(model.weights_) == {"work", "subject", ("work", "subject")}
    same = within.data[kind[within.row] == kind[within.col]].sum() / within.data.sum()
    assert same > 0.8
    assert model.neighbor_recall_ == {}
    assert mrsne.MRSNE(max_iter=10, weights=0.5).fit(data).weights_ == {("work", "subject"): 1.0}


def test_vectors_from_links_do_not_depend_on_the_order_of_items_and_leave_out_who_has_none() -> None:
    data = made_data(picture=60)
    links = shared_links(data, "picture")
    assert (np.diff(links.indptr) == 0).tolist() == [True] + 59 * [False]
    vectors = link_vectors(links[1:])
    order = np.random.default_rng(1).permutation(60)
    shuffled = RelationalData({"picture": 60, "tag": 24}, {("picture", "tag"): data.relation("picture", "tag")[order]})
    again = link_vectors(shared_links(shuffled, "picture")[order != 0])
    assert vectors is not None
    assert again is not None
    one, other = vectors[order[order != 0] - 1], again
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=1e-4)


def test_too_few_items_have_no_neighbours_by_links() -> None:
    data = RelationalData({"photo": 9, "tag": 2}, {("photo", "tag"): [(i, i % 2) for i in range(9)]})
    assert set(mrsne.MRSNE(max_iter=10).fit(data).weights_) == {("photo", "tag")}


def test_a_graph_inside_a_domain_is_shared_out_both_ways() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    data = RelationalData({"paper": X}, {("paper", "paper"): [(i, (i + 1) % 40) for i in range(40)]})
    model = mrsne.MRSNE(perplexity=5, max_iter=10).fit(data)
    P = model.affinities_
    assert abs(P - P.T).max() < 1e-9
    assert sum(model.weights_.values()) == pytest.approx(1)
    assert SMALLEST_SHARE - 1e-6 <= model.weights_["paper", "paper"] <= LARGEST_SHARE + 1e-6


@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_the_links_have_their_share_of_the_mass(share: float) -> None:
    random = np.random.default_rng(0)
    data = RelationalData(
        {"image": random.normal(size=(40, 3)), "tag": random.normal(size=(20, 2))},
        {("image", "tag"): random.random((40, 20)) < 0.3},
    )
    P = mrsne.joint_affinities(data, perplexity=5, weights=share).toarray()
    assert P[:40, 40:].sum() + P[40:, :40].sum() == pytest.approx(share, abs=1e-6)
    assert P[:40, :40].sum() == pytest.approx((1 - share) * 1600 / 2000, abs=1e-6)  # domains by n²


def test_where_there_is_nothing_to_share_it_is_all_of_one_kind() -> None:
    assert block_weights(0.3, ["image"], {"image": 5}) == {"image": 1.0}
    assert block_weights(0.3, [("image", "tag")], {"image": 5, "tag": 2}) == {("image", "tag"): 1.0}


def test_weights_follow_the_number_of_pairs() -> None:
    blocks: list[Any] = ["image", ("image", "tag")]
    assert block_weights("size", blocks, {"image": 3, "tag": 1}) == {"image": 0.75, ("image", "tag"): 0.25}
    assert block_weights(0.6, blocks, {"image": 3, "tag": 1}) == {"image": 0.4, ("image", "tag"): 0.6}


def test_links_get_more_where_vectors_agree_with_them_less() -> None:
    assert [round(share_of_links(agreement), 2) for agreement in (0.9, 0.3, 0.2, 0.0)] == [0.67, 0.7, 0.8, 0.9]


def test_every_item_shares_out_its_mass() -> None:
    two = LinkTotals(np.array([2.0, 0.0]), np.array([2.0, 0.0]))
    one = LinkTotals(np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    found = share_out({"a": 2, "b": 2}, {"a": np.array([True, True])}, {("a", "b"): (two, one)}, {"a": 0.7})
    assert {block: round(value, 3) for block, value in found.beta.items()} == {"a": 0.322, ("a", "b"): 0.678}
    assert found.neighbors["a"].round(3).tolist() == [0.475, 1.0]
