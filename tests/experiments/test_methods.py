"""The methods that are compared."""

from __future__ import annotations

import numpy as np

from mrsne import RelationalData, datasets
from mrsne.experiments import methods_for
from mrsne.experiments.published import published


def test_patterns_choose_methods_in_the_order_of_the_tables() -> None:
    data, _ = datasets.make_classes(4, 5, 6, random_state=0)
    keys = [method.key for method in methods_for(data, None, ["mrsne-pmi-*", "cdmca-2"])]
    assert keys[:3] == ["cdmca-2", "mrsne-pmi-equal", "mrsne-pmi-size"]
    assert all(key == "cdmca-2" or key.startswith("mrsne-pmi-") for key in keys)


def test_cdmca_is_left_out_where_the_rank_is_less_than_two() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    data = RelationalData({"image": X, "tag": 2}, {("image", "tag"): np.eye(2)[np.arange(40) % 2]})
    keys = [method.key for method in methods_for(data, "awa2", ["cdmca-*", "mrsne-unnorm-size"])]
    assert keys == ["mrsne-unnorm-size"]


def test_every_published_number_is_shown_beside_a_method() -> None:
    published_keys = {method for data in ("awa2", "flickr") for method, _, _ in published(data)}
    # of rank 209: each K of the paper beyond 2, 200 too, has a method of its own
    data = datasets.make_groups({"image": 210, "tag": 210}, dimensions=0, random_state=0)[0]
    shown = {method.published for paper in ("awa2", "flickr") for method in methods_for(data, paper)}
    assert published_keys <= shown
    ours = ("balanced", "half", "pmvge-inner")
    assert all(any(part in key for part in ours) for key in shown - published_keys)
