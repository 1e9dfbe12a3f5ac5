"""Linked pairs by weight, unlinked pairs beside them, held-out links in neither; and PMvGE's likelihood."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import sparse

from mrsne.baselines.training import Model, PairSampler, train


def test_linked_pairs_come_by_weight_and_unlinked_ones_are_not_linked() -> None:
    W = sparse.csr_matrix([[1.0, 0, 3], [0, 6, 0]])
    sampler = PairSampler({("a", "b"): W}, 0.0, np.random.RandomState(0))
    drawn = sampler.linked(20_000)["a", "b"]
    counts = np.zeros((2, 3))
    np.add.at(counts, tuple(drawn.T), 1)
    np.testing.assert_allclose(counts / 20_000, W.toarray() / 10, atol=0.015)
    free = sampler.unlinked(("a", "b"), 5_000)
    assert set(map(tuple, free.tolist())) == {(0, 1), (1, 0), (1, 2)}


def test_held_out_links_are_never_drawn() -> None:
    W = sparse.csr_matrix(np.ones((20, 10)))
    sampler = PairSampler({("a", "b"): W}, 0.3, np.random.RandomState(0))
    held_out = sampler.validation["a", "b"]
    assert 30 < len(held_out) < 90
    drawn = sampler.linked(5_000)["a", "b"]
    assert not set(map(tuple, held_out.tolist())) & set(map(tuple, drawn.tolist()))
    assert len(sampler.unlinked(("a", "b"), 1000)) == 0  # everything is linked


def test_held_out_links_inside_a_domain_are_not_drawn_the_other_way_round() -> None:
    random = np.random.default_rng(0)
    upper = np.triu(random.random((30, 30)) < 0.4, 1)
    sampler = PairSampler(
        {("a", "a"): sparse.csr_matrix((upper | upper.T).astype(float))}, 0.3, np.random.RandomState(0)
    )
    pairs = [
        {frozenset(p) for p in s.tolist()}
        for s in (sampler.validation["a", "a"], sampler.linked(5_000)["a", "a"], sampler.unlinked(("a", "a"), 5_000))
    ]
    assert not pairs[0] & pairs[1]
    links = {frozenset((int(i), int(j))) for i, j in zip(*np.nonzero(upper), strict=True)}
    assert pairs[0] | pairs[1] == links
    assert not pairs[2] & links
    assert all(len(pair) == 2 for pair in pairs[2])


def test_the_loss_is_the_negative_log_likelihood() -> None:
    model = Model({"a": np.eye(3, dtype=np.float32), "b": None}, {"a": 3, "b": 2}, [("a", "b")], 4, 2, "euclidean")
    with torch.no_grad():
        model.intercepts[0] = 0.7
    A, B = model.coordinates("a", 3).astype(float), model.coordinates("b", 2).astype(float)
    probability = 1 / (1 + np.exp(-(0.7 - ((A[:, None] - B[None]) ** 2).sum(axis=2))))
    linked, unlinked = np.array([(0, 1), (2, 0), (0, 1)]), np.array([(1, 0)])
    expected = -2 * np.log(probability[0, 1]) - np.log(probability[2, 0]) - np.log(1 - probability[1, 0])
    assert float(model.loss(("a", "b"), linked, unlinked).detach()) == pytest.approx(expected, rel=1e-5)
    model.similarity = "inner"
    probability = 1 / (1 + np.exp(-(0.7 + A @ B.T)))
    log_odds = model.log_odds(("a", "b"), np.array([(0, 1), (1, 1), (2, 1)])).detach().numpy()
    np.testing.assert_allclose(log_odds, np.log(probability / (1 - probability))[:, 1], rtol=1e-4)


def test_weighted_negatives_make_the_expected_loss_the_likelihood_of_all_pairs() -> None:
    """Bernoulli likelihood over all pairs of two domains, and over each pair inside one once."""
    random = np.random.RandomState(0)
    W = (random.random_sample((12, 9)) < 0.2).astype(float)
    inside = np.triu(random.random_sample((12, 12)) < 0.3, 1).astype(float)
    graph = {("a", "b"): sparse.csr_matrix(W), ("a", "a"): sparse.csr_matrix(inside + inside.T)}
    sampler = PairSampler(graph, 0.0, random)
    torch.manual_seed(0)
    model = Model({"a": None, "b": None}, {"a": 12, "b": 9}, list(graph), 4, 2, "euclidean", intercept=False)
    A, B = (model.coordinates(name, size).astype(float) for name, size in (("a", 12), ("b", 9)))
    expected = 0.0
    for left, right, links in ((A, B, W), (A, A, inside)):
        s = -((left[:, None] - right[None]) ** 2).sum(axis=2)
        all_pairs = np.triu(np.ones((12, 12)), 1) if left is right else np.ones_like(links)
        expected += (links * np.log1p(np.exp(-s)) + (all_pairs - links) * np.log1p(np.exp(s))).sum()
    draws, total = 300_000, W.sum() + inside.sum()
    actual = 0.0
    for pair, linked in sampler.linked(draws).items():
        unlinked = sampler.unlinked(pair, 2 * len(linked))
        actual += float(model.loss(pair, linked, unlinked, sampler.weight_of_unlinked(pair, 2)).detach())
    # standard error: the losses have a deviation of about their mean
    assert actual / draws * total == pytest.approx(expected, rel=5e-3)
    assert sampler.pairs_per_link == pytest.approx((12 * 9 + 66) / total)


def test_plain_gradient_descent_moves_against_the_gradient_and_leaves_the_intercept_alone() -> None:
    W = sparse.csr_matrix(np.eye(4))
    settings = {"optimizer": "sgd", "negatives": "likelihood", "learning_rate": 0.2, "n_negatives": 1, "max_iter": 1}
    sampler = PairSampler({("a", "b"): W}, 0.0, np.random.RandomState(0))
    torch.manual_seed(0)
    model = Model({"a": None, "b": None}, {"a": 4, "b": 4}, [("a", "b")], 3, 2, "euclidean", intercept=False)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    train(model, sampler, {**settings, "batch_size": 5, "verbose": False})
    assert model.intercepts.tolist() == [0.0]
    for name, value in model.named_parameters():
        if value.grad is not None:
            torch.testing.assert_close(value.detach(), before[name] - 0.2 * value.grad)
