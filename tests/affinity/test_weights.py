"""A number as weights is the share of the links in P̃."""

from __future__ import annotations

import numpy as np
import pytest

import mrsne
from mrsne import RelationalData
from mrsne.affinity.weights import block_weights


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
