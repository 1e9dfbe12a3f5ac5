"""The methods that are compared."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne import RelationalData, datasets
from mrsne.experiments.methods import algorithm_1, methods_for, settings_of
from mrsne.experiments.study import perplexities, published


def test_patterns_choose_methods_in_the_order_of_the_tables() -> None:
    data, _ = datasets.make_classes(4, 5, 6, random_state=0)
    keys = [method.key for method in methods_for(data, None, ["mrsne-pmi-*", "cdmca-2"], 30)]
    assert keys[:3] == ["cdmca-2", "mrsne-pmi-equal", "mrsne-pmi-size"]
    assert all(key == "cdmca-2" or key.startswith("mrsne-pmi-") for key in keys)


def test_cdmca_is_left_out_where_the_rank_is_less_than_two() -> None:
    X = np.random.default_rng(0).normal(size=(40, 1))
    data = RelationalData({"image": X, "tag": 2}, {("image", "tag"): np.eye(2)[np.arange(40) % 2]})
    keys = [method.key for method in methods_for(data, "awa2", ["cdmca-*", "mrsne-unnorm-size"], 30)]
    assert keys == ["mrsne-unnorm-size"]


@pytest.mark.parametrize("paper", ["awa2", "flickr"])
def test_every_published_number_is_shown_beside_a_method_of_the_paper(paper: str) -> None:
    data = datasets.make_groups({"image": 60, "tag": 20}, random_state=0)[0]
    methods = methods_for(data, paper, ["*"], 30)
    published_keys = {method for method, _, _ in published(paper)}
    assert published_keys - {"pmvge-inner-across-2"} == {method.key for method in methods if method.in_paper} - {
        "pmvge-inner-across-2"  # which only Figure 1, of Flickr, has
    }


def test_a_dimension_beyond_the_rank_stays_with_a_note() -> None:
    data, _ = datasets.make_classes(4, 5, 6, random_state=0)
    methods = {method.key: method for method in methods_for(data, "awa2", ["cdmca-*"], 30)}
    assert [key for key in methods if "improved" not in key] == ["cdmca-2", "cdmca-200", "cdmca-300"]
    beyond = methods["cdmca-300"]
    rank = beyond.K
    assert rank < 7
    assert (beyond.label, beyond.make(0).n_components) == ("K = 300", rank)
    assert beyond.note == f"K = 300 is beyond the rank of the problem: {rank} used"
    assert methods["cdmca-2"].note == ""


def test_the_baselines_of_the_paper_are_as_it_describes_them_and_ours_are_named_for_what_they_are() -> None:
    data, _ = datasets.make_classes(4, 5, 6, random_state=0)
    methods = {method.key: method for method in methods_for(data, "awa2", ["*cdmca-2*", "pmvge-across-2*"], 30)}
    settings = {key: settings_of(method) for key, method in methods.items()}
    assert (settings["cdmca-2"]["ridge"], settings["cdmca-2-improved"]["ridge"]) == ("absolute", "relative")
    assert (settings["kcdmca-2"]["bandwidth"], settings["kcdmca-2-improved"]["bandwidth"]) == (1.0, "median")
    assert (settings["pmvge-across-2"]["optimizer"], settings["pmvge-across-2-improved"]["optimizer"]) == (
        "sgd",
        "adam",
    )
    assert methods["pmvge-across-2-improved"].name == "PMvGE with intercept and Adam: ignored, K = 2"


def test_the_perplexity_of_a_study_is_that_of_every_method_that_has_one() -> None:
    data, _ = datasets.make_classes(6, 15, 24, random_state=0)
    methods = methods_for(data, "awa2", ["mrsne-pmi-size*", "pmvge-neighbors-2"], 12.5)
    found = {method.key: settings_of(method)["perplexity"] for method in methods}
    both = {"image": 12.5, "tag": 12.5}
    assert found == {"pmvge-neighbors-2": 12.5, "mrsne-pmi-size": both, "mrsne-pmi-size-default": both}
    assert perplexities(data, 30) == {"image": 30, "tag": 23 / 3}  # 24 tags cannot have 30
    assert [method.key for method in algorithm_1(data, methods, 5)] == ["mrsne-pmi-size"]
