"""How rows are cut into blocks and put in order, and results joined, without a cluster."""

from __future__ import annotations

import numpy as np

from mrsne.backends.dask.connection import Capacity
from mrsne.backends.dask.graph import row_starts
from mrsne.backends.dask.lists import Found, merge
from mrsne.backends.dask.shards import in_order
from mrsne.backends.dask.tasks import reduced
from mrsne.backends.dask.vectors import cut, grouped


def test_chunks_that_are_too_long_are_cut_evenly() -> None:
    assert cut((10, 4), 4) == (4, 3, 3, 4)


def test_blocks_are_grouped_up_to_a_number_of_rows() -> None:
    assert grouped(np.array([0, 10, 20, 30, 40]), most=25, fewest=1) == [0, 2, 4]


def test_every_worker_gets_several_blocks_of_rows() -> None:
    capacity = Capacity(workers=1, slots=2, block_bytes=2**20)
    assert row_starts(100, capacity, 10).tolist() == [0, 25, 50, 75, 100]


def test_an_order_keeps_near_points_together() -> None:
    assert in_order(np.array([[0, 0], [9, 0], [1, 0], [8, 1]], np.float32)) == [0, 2, 3, 1]


def test_a_row_is_not_its_own_neighbour_when_sets_are_merged() -> None:
    number = np.array([0])
    one = Found(number, np.array([[0, 3]]), np.array([[0.0, 4.0]]))
    two = Found(number, np.array([[7]]), np.array([[1.0]]))
    assert merge([one, two], 2).indices.tolist() == [[7, 3]]


def test_parts_are_joined_in_their_order() -> None:
    assert reduced(list("abcde"), "".join, 2) == "abcde"
    assert reduced(["a"], "".join, 2) == "a"
