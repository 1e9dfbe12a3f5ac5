"""PMvGE learns to tell links from nearness; its graphs and its samples are what they say."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

from mrsne import Embedding, RelationalData, datasets, metrics
from mrsne.baselines import PMvGE, flatten
from mrsne.baselines.graphs import training_graph
from mrsne.baselines.sampling import Pairs, PairSampler
from mrsne.baselines.training import Model
from tests.conftest import tagged

PAIR = ("image", "tag")


@pytest.fixture(scope="module")
def groups() -> RelationalData:
    return datasets.make_groups(random_state=0)[0]


@pytest.mark.parametrize("similarity", ["euclidean", "inner"])
def test_it_learns(groups: RelationalData, similarity: str) -> None:
    model = PMvGE(similarity=similarity, random_state=0)
    embedding = model.fit_transform(groups)
    assert metrics.link_auc(embedding, groups, PAIR) > 0.85
    untrained = PMvGE(similarity=similarity, random_state=0, max_iter=1, validation_fraction=0).fit_transform(groups)
    assert metrics.link_auc(untrained, groups, PAIR) < 0.7
    assert model.n_iter_ <= 2000
    assert model.n_iter_ == 50 * len(model.validation_losses_)


def test_it_predicts_links_it_has_not_seen(groups: RelationalData) -> None:
    rest, held_out = metrics.hold_out_links(groups, PAIR, 0.1, random_state=0)
    embedding = PMvGE(random_state=0).fit_transform(rest)
    assert metrics.link_auc(embedding, rest, PAIR, held_out=held_out) > 0.8


def test_the_graphs_give_different_maps(groups: RelationalData) -> None:
    maps = [
        PMvGE(graph=graph, max_iter=300, n_edges=5000, random_state=0).fit_transform(groups)
        for graph in ("across", "second-order", "neighbors")
    ]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not np.allclose(maps[one].stacked, maps[other].stacked)
    nearby = [metrics.hit_rate(embedding, groups, 5, "image", "image") for embedding in maps]
    assert min(nearby) > 0.7


def test_a_hundred_dimensions_and_the_plane(groups: RelationalData) -> None:
    wide = PMvGE(100, max_iter=400, random_state=0).fit_transform(groups)
    flat = flatten(wide, random_state=0)
    assert (wide.n_components, flat.n_components) == (100, 2)
    assert metrics.link_auc(wide, groups, PAIR) > metrics.link_auc(flat, groups, PAIR) > 0.7


def test_the_same_seed_gives_the_same_map_and_leaves_torchs_own_alone(groups: RelationalData) -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first = PMvGE(max_iter=60, random_state=1).fit_transform(groups)
    assert torch.rand(1) == expected
    assert PMvGE(max_iter=60, random_state=1).fit_transform(groups) == first
    assert PMvGE(max_iter=60, random_state=2).fit_transform(groups) != first


def test_training_stops_when_held_out_links_are_no_longer_predicted_better(groups: RelationalData) -> None:
    model = PMvGE(n_iter_no_change=2, tol=10.0, random_state=0).fit(groups)  # nothing gets better by 10
    assert (model.n_iter_, len(model.validation_losses_)) == (150, 3)
    model = PMvGE(max_iter=120, validation_fraction=0, random_state=0).fit(groups)
    assert (model.n_iter_, model.validation_losses_) == (120, [])


def test_domains_without_vectors_and_items_without_any() -> None:
    embedding = PMvGE(max_iter=400, random_state=0).fit_transform(tagged())
    assert metrics.link_auc(embedding, tagged(), ("photo", "tag")) > 0.9
    data = tagged()
    missing = RelationalData(dict(data.vectors) | {"tag": 4}, data.relations, missing={"photo": np.arange(60) == 3})
    assert np.isfinite(PMvGE(max_iter=20, random_state=0).fit_transform(missing).stacked).all()


def test_three_domains_and_a_graph_inside_one() -> None:
    data, _ = datasets.make_groups(
        {"cell": 60, "gene": 30, "drug": 12},
        pairs=[("cell", "gene"), ("drug", "cell"), ("gene", "gene")],
        random_state=0,
    )
    for graph in ("across", "second-order", "neighbors"):
        embedding = PMvGE(graph=graph, max_iter=50, n_edges=1000, random_state=0).fit_transform(data)
        assert {name: len(Y) for name, Y in embedding.items()} == data.sizes


def test_the_loss_is_the_negative_log_likelihood() -> None:
    model = Model({"a": np.eye(3, dtype=np.float32), "b": None}, {"a": 3, "b": 2}, [("a", "b")], 4, 2, "euclidean")
    with torch.no_grad():
        model.intercepts[0] = 0.7
    A, B = model.coordinates("a", 3).astype(float), model.coordinates("b", 2).astype(float)
    probability = 1 / (1 + np.exp(-(0.7 - ((A[:, None] - B[None]) ** 2).sum(axis=2))))
    linked, unlinked = Pairs(np.array([0, 2, 0]), np.array([1, 0, 1])), Pairs(np.array([1]), np.array([0]))
    expected = -2 * np.log(probability[0, 1]) - np.log(probability[2, 0]) - np.log(1 - probability[1, 0])
    assert float(model.loss(("a", "b"), linked, unlinked).detach()) == pytest.approx(expected, rel=1e-5)
    model.similarity = "inner"
    probability = 1 / (1 + np.exp(-(0.7 + A @ B.T)))
    found = model.log_odds(("a", "b"), Pairs(np.arange(3), np.ones(3, np.int64))).detach().numpy()
    np.testing.assert_allclose(found, np.log(probability / (1 - probability))[:, 1], rtol=1e-4)


def test_the_second_order_graph_counts_common_neighbours() -> None:
    W = np.random.default_rng(0).integers(0, 3, (6, 4))
    found = training_graph(
        RelationalData({"a": 6, "b": 4}, {("a", "b"): W}), "second-order", 30, 1, np.random.RandomState(0)
    )
    np.testing.assert_array_equal(found["a", "b"].toarray(), W)
    np.testing.assert_array_equal(found["a", "a"].toarray(), W @ W.T - np.diag(np.diag(W @ W.T)))
    np.testing.assert_array_equal(found["b", "b"].toarray(), W.T @ W - np.diag(np.diag(W.T @ W)))


def test_the_neighbour_graph_is_drawn_edge_by_edge(groups: RelationalData) -> None:
    found = training_graph(groups, "neighbors", 30, 1234, np.random.RandomState(0))
    for pair in (("image", "image"), ("tag", "tag")):
        drawn = found[pair]
        assert drawn.sum() == 2 * 1234  # both directions of every edge
        assert (drawn != drawn.T).nnz == 0
        assert drawn.diagonal().sum() == 0


def test_linked_pairs_come_by_weight_and_unlinked_ones_are_not_linked() -> None:
    W = sparse.csr_matrix([[1.0, 0, 3], [0, 6, 0]])
    sampler = PairSampler({("a", "b"): W}, 0.0, np.random.RandomState(0))
    drawn = sampler.linked(20_000)["a", "b"]
    counts = np.zeros((2, 3))
    np.add.at(counts, (drawn.left, drawn.right), 1)
    np.testing.assert_allclose(counts / 20_000, W.toarray() / 10, atol=0.015)
    free = sampler.unlinked(("a", "b"), 5_000)
    assert set(zip(free.left.tolist(), free.right.tolist(), strict=True)) == {(0, 1), (1, 0), (1, 2)}


def test_held_out_links_are_never_drawn() -> None:
    W = sparse.csr_matrix(np.ones((20, 10)))
    sampler = PairSampler({("a", "b"): W}, 0.3, np.random.RandomState(0))
    held_out = sampler.validation["a", "b"]
    assert 30 < len(held_out) < 90
    drawn = sampler.linked(5_000)["a", "b"]
    assert not set(zip(held_out.left, held_out.right, strict=True)) & set(zip(drawn.left, drawn.right, strict=True))
    assert len(sampler.unlinked(("a", "b"), 1000)) == 0  # everything is linked


def test_held_out_links_inside_a_domain_are_not_drawn_the_other_way_round() -> None:
    random = np.random.default_rng(0)
    upper = np.triu(random.random((30, 30)) < 0.4, 1)
    sampler = PairSampler(
        {("a", "a"): sparse.csr_matrix((upper | upper.T).astype(float))}, 0.3, np.random.RandomState(0)
    )
    pairs = [
        {frozenset(p) for p in zip(s.left.tolist(), s.right.tolist(), strict=True)}
        for s in (sampler.validation["a", "a"], sampler.linked(5_000)["a", "a"], sampler.unlinked(("a", "a"), 5_000))
    ]
    assert not pairs[0] & pairs[1]
    links = {frozenset((int(i), int(j))) for i, j in zip(*np.nonzero(upper), strict=True)}
    assert pairs[0] | pairs[1] == links
    assert not pairs[2] & links
    assert all(len(pair) == 2 for pair in pairs[2])


def test_constant_vectors_are_no_noise(groups: RelationalData) -> None:
    from mrsne.baselines.pmvge import _standardised

    found = _standardised(np.full((10, 2), 0.1))
    assert found is not None
    np.testing.assert_array_equal(found, 0)


def test_without_torch_it_says_what_to_install(groups: RelationalData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"PMvGE needs torch.*pip install 'mrsne\[neural\]'"):
        PMvGE().fit(groups)


def test_what_an_embedding_was_made_for_survives_saving(tmp_path: Any) -> None:
    Embedding({"a": [[1, 2]]}, similarity="inner").save(tmp_path / "map.npz")
    assert Embedding.load(tmp_path / "map.npz").similarity == "inner"
    with pytest.raises(ValueError, match="similarity must be one of 'euclidean', 'inner', got 'cosine'"):
        Embedding({"a": [[1, 2]]}, similarity="cosine")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"similarity": "cosine"}, "similarity must be one of 'euclidean', 'inner', got 'cosine'"),
    ({"graph": "ignored"}, "graph must be one of 'across', 'second-order', 'neighbors', got 'ignored'"),
    ({"n_components": 0}, "n_components must be a whole number of at least 1, got 0"),
    ({"hidden": 1.5}, "hidden must be a whole number of at least 1, got 1.5"),
    ({"learning_rate": 0}, "learning_rate must be a finite number greater than 0, got 0"),
    ({"validation_fraction": 1}, "validation_fraction must be at least 0 and less than 1, got 1"),
    ({"perplexity": 1}, "perplexity must be a finite number greater than 1, got 1"),
    ({"tol": -1}, "tol must be a finite number of at least 0, got -1"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_settings(groups: RelationalData, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PMvGE(**settings).fit(groups)


def test_a_progress_bar_on_request(groups: RelationalData, capsys: pytest.CaptureFixture[str]) -> None:
    PMvGE(max_iter=50, random_state=0, verbose=True).fit(groups)
    assert "PMvGE" in capsys.readouterr().err
