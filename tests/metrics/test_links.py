"""What counts as a true link within a domain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne.metrics.links import within_truth
from tests.conftest import tagged


@pytest.mark.parametrize("within", ["shared", "identical", np.ones((60, 60))], ids=["shared", "identical", "matrix"])
def test_an_item_is_never_its_own_neighbour(within: Any) -> None:
    belongs = within_truth(tagged(), "photo", within)(np.array([3, 30]))
    assert not belongs[[0, 1], [3, 30]].any()
    assert belongs.any(axis=1).all()
