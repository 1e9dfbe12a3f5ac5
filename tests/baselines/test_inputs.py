"""The graphs that PMvGE learns from."""

from __future__ import annotations

import numpy as np

from mrsne import RelationalData
from mrsne.baselines.inputs import training_graph


def test_the_second_order_graph_counts_common_neighbours() -> None:
    W = np.random.default_rng(0).integers(0, 3, (6, 4))
    graph = training_graph(
        RelationalData({"a": 6, "b": 4}, {("a", "b"): W}), "second-order", 30, 1, np.random.RandomState(0)
    )
    np.testing.assert_array_equal(graph["a", "b"].toarray(), W)
    np.testing.assert_array_equal(graph["a", "a"].toarray(), W @ W.T - np.diag(np.diag(W @ W.T)))
    np.testing.assert_array_equal(graph["b", "b"].toarray(), W.T @ W - np.diag(np.diag(W.T @ W)))


def test_the_neighbour_graph_is_drawn_edge_by_edge(groups: RelationalData) -> None:
    graph = training_graph(groups, "neighbors", 30, 1234, np.random.RandomState(0))
    for pair in (("image", "image"), ("tag", "tag")):
        drawn = graph[pair]
        assert drawn.sum() == 2 * 1234  # both directions of every edge
        assert (drawn != drawn.T).nnz == 0
        assert drawn.diagonal().sum() == 0


def test_edges_may_be_counted_over_all_domains_together(groups: RelationalData) -> None:
    graph = training_graph(groups, "neighbors", 30, 4600, np.random.RandomState(0), edges="all")
    assert groups.sizes == {"image": 400, "tag": 60}
    assert graph["image", "image"].sum() == 2 * 4000
    assert graph["tag", "tag"].sum() == 2 * 600
