"""Blocks into one matrix."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mrsne.backends.cpu.matrix import assemble, embedded


def test_links_stand_on_both_sides_of_the_diagonal() -> None:
    R = sparse.csr_matrix(np.array([[1.0], [0.0]]))
    P = assemble({("a", "b"): R}, {("a", "b"): 1.0}, {"a": 2, "b": 1})
    assert P.dtype == np.float32
    assert P.toarray().tolist() == [[0, 0, 0.5], [0, 0, 0], [0.5, 0, 0]]


def test_a_graph_of_some_items_becomes_one_of_all() -> None:
    P = sparse.csr_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert embedded(P, np.array([0, 2]), 3).toarray().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
