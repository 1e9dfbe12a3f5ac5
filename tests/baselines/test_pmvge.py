"""PMvGE learns to tell links from nearness."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch

from mrsne import RelationalData, datasets, metrics
from mrsne.baselines import flatten
from mrsne.baselines.inputs import GRAPHS
from mrsne.baselines.pmvge import PMvGE
from tests.conftest import tagged

PAIR = ("image", "tag")
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("similarity", ["euclidean", "inner"])
def test_training_brings_linked_items_together(groups: RelationalData, similarity: str) -> None:
    trained, untrained = (
        PMvGE(similarity=similarity, max_iter=max_iter, random_state=0).fit(groups) for max_iter in (300, 1)
    )
    assert metrics.link_auc(trained.embedding_, groups, PAIR) > 0.85
    assert metrics.link_auc(untrained.embedding_, groups, PAIR) < 0.7
    assert len(trained.validation_losses_) == 6  # one for every 50 minibatches


def test_as_the_paper_describes_it_it_learns_too(groups: RelationalData) -> None:
    model = PMvGE.paper(max_iter=300, random_state=0).fit(groups)
    assert metrics.link_auc(model.embedding_, groups, PAIR) > 0.75
    assert (model.n_iter_, model.validation_losses_) == (300, [])


def test_it_predicts_links_it_has_not_seen(groups: RelationalData) -> None:
    rest, held_out = metrics.hold_out_links(groups, PAIR, 0.1, random_state=0)
    embedding = PMvGE(max_iter=300, random_state=0).fit_transform(rest)
    assert metrics.link_auc(embedding, rest, PAIR, held_out=held_out) > 0.8


def test_every_graph_gives_another_map_on_which_similar_images_are_near(groups: RelationalData) -> None:
    maps = [PMvGE(graph=graph, max_iter=100, n_edges=5000, random_state=0).fit_transform(groups) for graph in GRAPHS]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not np.allclose(maps[one].stacked, maps[other].stacked)
    untrained = PMvGE(max_iter=1, random_state=0).fit_transform(groups)
    chance = metrics.hit_rate(untrained, groups, 5, "image", "image")
    assert min(metrics.hit_rate(embedding, groups, 5, "image", "image") for embedding in maps) > chance + 0.05


def test_a_hundred_dimensions_predict_links_better_than_their_plane(groups: RelationalData) -> None:
    wide = PMvGE(100, max_iter=150, random_state=0).fit_transform(groups)
    flat = flatten(wide, random_state=0)
    assert (wide.n_components, flat.n_components) == (100, 2)
    assert metrics.link_auc(wide, groups, PAIR) > metrics.link_auc(flat, groups, PAIR) > 0.7


def test_the_same_seed_gives_the_same_map_on_several_threads_too(groups: RelationalData) -> None:
    torch.set_num_threads(2)  # the fixture sets it back
    first, again, other = (PMvGE(max_iter=5, random_state=seed).fit_transform(groups) for seed in (1, 1, 2))
    assert again == first
    assert other != first


def test_torchs_own_random_numbers_are_left_alone(groups: RelationalData) -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    PMvGE(max_iter=1, random_state=1).fit(groups)
    assert torch.rand(1) == expected


def test_training_stops_when_held_out_links_are_no_longer_predicted_better(groups: RelationalData) -> None:
    model = PMvGE(n_iter_no_change=2, tol=10.0, random_state=0).fit(groups)  # nothing gets better by 10
    assert (model.n_iter_, len(model.validation_losses_)) == (150, 3)


def test_training_on_all_links_runs_to_the_end(groups: RelationalData) -> None:
    model = PMvGE(max_iter=120, validation_fraction=0, random_state=0).fit(groups)
    assert (model.n_iter_, model.validation_losses_) == (120, [])


def test_the_map_is_the_one_that_predicted_held_out_links_best(groups: RelationalData) -> None:
    model = PMvGE(max_iter=300, tol=0, random_state=0).fit(groups)
    best = 50 * (1 + int(np.argmin(model.validation_losses_)))
    assert best < model.n_iter_
    assert PMvGE(max_iter=best, tol=0, random_state=0).fit_transform(groups) == model.embedding_


def test_domains_without_vectors_are_mapped_by_their_links() -> None:
    embedding = PMvGE(max_iter=200, random_state=0).fit_transform(tagged())
    assert metrics.link_auc(embedding, tagged(), ("photo", "tag")) > 0.9


def test_an_item_without_a_vector_is_mapped_like_the_mean_of_the_others() -> None:
    data = tagged()
    photos: Any = data.vectors["photo"]
    missing = np.arange(60) == 3
    filled = np.where(missing[:, None], photos[~missing].mean(axis=0), photos)
    unknown = RelationalData({"photo": photos, "tag": 4}, data.relations, missing={"photo": missing})
    known = RelationalData({"photo": filled, "tag": 4}, data.relations)
    first, second = (PMvGE(max_iter=20, random_state=0).fit_transform(given) for given in (unknown, known))
    np.testing.assert_allclose(first.stacked, second.stacked, atol=1e-5)


def test_all_items_of_three_domains_with_a_graph_inside_one_are_mapped() -> None:
    data, _ = datasets.make_groups(
        {"cell": 60, "gene": 30, "drug": 12},
        pairs=[("cell", "gene"), ("drug", "cell"), ("gene", "gene")],
        random_state=0,
    )
    for graph in GRAPHS:
        embedding = PMvGE(graph=graph, max_iter=20, n_edges=1000, random_state=0).fit_transform(data)
        assert {name: len(Y) for name, Y in embedding.items()} == data.sizes


def test_vectors_that_do_not_vary_are_zero_when_standardised() -> None:
    from mrsne.baselines.pmvge import _standardised

    standardised = _standardised(np.full((10, 2), 0.1))
    assert standardised is not None
    np.testing.assert_array_equal(standardised, 0)


def test_without_torch_it_says_what_to_install(groups: RelationalData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"PMvGE needs torch.*pip install 'mrsne\[neural\]'"):
        PMvGE().fit(groups)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"similarity": "cosine"}, "similarity must be one of 'euclidean', 'inner', got 'cosine'"),
    ({"graph": "ignored"}, "graph must be one of 'across', 'second-order', 'neighbors', got 'ignored'"),
    ({"optimizer": "lbfgs"}, "optimizer must be one of 'adam', 'sgd', got 'lbfgs'"),
    ({"negatives": "none"}, "negatives must be one of 'equal', 'likelihood', got 'none'"),
    ({"edges": "some"}, "edges must be one of 'each', 'all', got 'some'"),
    ({"intercept": 0}, "intercept must be True or False, got 0"),
    ({"n_components": 0}, "n_components must be a whole number of at least 1, got 0"),
    ({"hidden": 1.5}, "hidden must be a whole number of at least 1, got 1.5"),
    ({"learning_rate": 0}, "learning_rate must be a finite number greater than 0, got 0"),
    ({"validation_fraction": 1}, "validation_fraction must be at least 0 and less than 1, got 1"),
    ({"perplexity": 1}, "perplexity must be a finite number greater than 1, got 1"),
    ({"tol": -1}, "tol must be a finite number of at least 0, got -1"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_settings_are_named(groups: RelationalData, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PMvGE(**settings).fit(groups)


def test_a_progress_bar_is_shown_on_request(groups: RelationalData, capsys: pytest.CaptureFixture[str]) -> None:
    PMvGE(max_iter=50, random_state=0, verbose=True).fit(groups)
    assert "PMvGE" in capsys.readouterr().err
