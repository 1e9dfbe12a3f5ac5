"""The links of a domain, and what counts as a true link within it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import RelationalData
from mrsne.metrics.links import has_place, relations_of, within_truth
from tests.conftest import tagged


@pytest.mark.parametrize("within", ["shared", "identical", np.ones((60, 60))], ids=["shared", "identical", "matrix"])
def test_an_item_is_never_its_own_neighbour(within: Any) -> None:
    belongs = within_truth(tagged(), "photo", within)(np.array([3, 30]))
    assert not belongs[[0, 1], [3, 30]].any()
    assert belongs.any(axis=1).all()


def test_links_of_a_domain_are_those_of_both_sides_and_within_it_of_both_directions() -> None:
    data = RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 0), (1, 0)], ("tag", "tag"): [(0, 1)]})
    found = {other: W.toarray().tolist() for other, W in relations_of(data, "tag")}
    assert found == {"photo": [[1, 1, 0], [0, 0, 0]], "tag": [[0, 0.5], [0.5, 0]]}
    assert has_place(data, "photo").tolist() == [True, True, False]
    assert has_place(data, "tag").all()
