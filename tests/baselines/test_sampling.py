"""Linked pairs by weight, unlinked pairs beside them, and held-out links in neither."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mrsne.baselines.sampling import PairSampler


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
