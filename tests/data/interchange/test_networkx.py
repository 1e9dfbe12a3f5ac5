"""Graphs of networkx."""

from __future__ import annotations

import networkx
import numpy as np
import pytest

from mrsne import RelationalData
from mrsne.data.interchange.networkx_graphs import GraphError


def papers() -> networkx.Graph:
    graph = networkx.Graph()
    graph.add_node("p1", type="paper", year=2001, title="Same")
    graph.add_node("p2", type="paper", year=2003, title="Same")
    graph.add_node("w1", type="word")
    graph.add_edge("p1", "w1", weight=2.5)
    graph.add_edge("w1", "p2")
    graph.add_edge("p1", "p2")
    return graph


def test_kinds_labels_columns_and_weights() -> None:
    data = RelationalData.from_networkx(papers(), kind="type", label="title")
    assert data.sizes == {"paper": 2, "word": 1}
    assert data.relations["paper", "word"].toarray().tolist() == [[2.5], [1]]
    assert data.relations["paper", "paper"].nnz == 1
    assert data.labels["paper"] == ("Same", "Same")
    np.testing.assert_array_equal(data.columns["paper"]["year"], [2001, 2003])


def test_a_graph_of_one_kind_and_directions_that_do_not_count() -> None:
    data = RelationalData.from_networkx(networkx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")]))
    assert data.names["node"] == ("a", "b", "c")
    assert data.relations["node", "node"].sum() == 3


def test_what_cannot_be_taken_is_named() -> None:
    with pytest.raises(GraphError, match="the node 'p1' has no attribute 'kind'"):
        RelationalData.from_networkx(papers(), kind="kind")
    with pytest.raises(GraphError, match="graph must be a graph of networkx, got list"):
        RelationalData.from_networkx([])
    with pytest.raises(GraphError, match="has the weight 'x'; it must be a number"):
        RelationalData.from_networkx(networkx.Graph([("a", "b", {"weight": "x"})]))
