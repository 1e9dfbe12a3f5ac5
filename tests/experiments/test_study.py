"""What tells studies apart, and the numbers of the paper's tables."""

from __future__ import annotations

import numpy as np

from mrsne import RelationalData
from mrsne.experiments.study import Study, published


def test_the_papers_numbers_are_there() -> None:
    awa2, flickr = published("awa2"), published("flickr")
    assert awa2["mrsne-norm-size", "reconstruction_auc", None] == 0.8124
    assert awa2["mrsne-unnorm-equal", "variance_ratio", None] == 56.563
    assert awa2["pmvge-neighbors-100", "reconstruction_auc", None] == 0.8863
    assert awa2["mrsne-norm-size", "hit_count_within", 50] == 27.998
    assert flickr["cdmca-613", "hit_rate_across", 1] == 0.806
    assert flickr["pmvge-across-2", "link_auc", None] == 0.884
    assert len(awa2) == 18 + 12 + 2 * 16 * 8 + 2 * 16 * 10
    assert len(flickr) == 18 + 12 + 3 + 4 * 16 * 9


def test_other_data_has_no_published_numbers() -> None:
    assert published(None) == {}


def test_other_links_or_missing_vectors_have_another_fingerprint() -> None:
    def study(W: list[list[int]], missing: list[bool]) -> Study:
        data = RelationalData({"image": np.eye(4), "tag": 2}, {("image", "tag"): W}, missing={"image": missing})
        return Study("awa2", "", data, "image", "tag", "shared")

    none = [False] * 4
    prints = {
        study([[1, 0], [0, 1], [1, 1], [0, 0]], none).fingerprint(),
        study([[1, 1], [1, 0], [0, 1], [0, 0]], none).fingerprint(),
        study([[1, 1], [1, 0], [0, 1], [0, 0]], [True, False, False, False]).fingerprint(),
    }
    assert len(prints) == 3
