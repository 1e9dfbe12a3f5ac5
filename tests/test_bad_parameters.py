"""Every setting that is out of range is named, with what was found and what is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import mrsne
from mrsne import MRSNE, RelationalData
from tests.conftest import clusters, tagged

BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"perplexity": 1}, "perplexity must be a finite number greater than 1, got 1"),
    ({"perplexity": {"photo": 0.5}}, r"perplexity\['photo'\] must be a finite number greater than 1, got 0.5"),
    ({"perplexity": {"word": 5}}, "perplexity names the domain 'word'"),
    ({"perplexity": {}}, "perplexity has no value for the domain 'photo'"),
    ({"perplexity": "30"}, "perplexity must be a finite number"),
    (
        {"relation_norm": "PMI"},
        "relation_norm must be one of 'auto', 'conditional', 'unnorm', 'norm', 'pmi', a number .* 'PMI'",
    ),
    ({"relation_norm": 1.5}, "relation_norm must be one of .* a number from 0 to 1 or a pair of them, got 1.5"),
    ({"relation_norm": (0.5, 0.5, 0.5)}, r"relation_norm must be .*, got \(0.5, 0.5, 0.5\)"),
    ({"relation_norm": True}, "relation_norm must be .*, got True"),
    (
        {"weights": "sizes"},
        "weights must be one of 'auto', 'size', 'equal', 'balanced', a number from 0 to 1 or a mapping, got 'sizes'",
    ),
    ({"weights": {"photo": 1}}, r"weights has no value for \('photo', 'tag'\)"),
    ({"weights": {"photo": 0, ("photo", "tag"): 0}}, "weights must have a positive value"),
    (
        {"weights": {"photo": -1, ("photo", "tag"): 1}},
        r"weights\['photo'\] must be a finite number of at least 0, got -1",
    ),
    ({"weights": {"photo": 1, "tag": 1, ("photo", "tag"): 1}}, "weights names 'tag', but it can weight 'photo'"),
    ({"metric": "manhattan"}, "metric must be one of 'euclidean', 'cosine', 'precomputed', got 'manhattan'"),
    ({"neighbors": "annoy"}, "neighbors must be one of 'auto', 'exact', 'approximate', got 'annoy'"),
    ({"method": "bh"}, "method must be one of 'auto', 'exact', 'fft', got 'bh'"),
    ({"method": "fft", "n_components": 4}, "method='fft' needs n_components of 1, 2 or 3, got 4"),
    ({"n_components": 0}, "n_components must be a whole number of at least 1, got 0"),
    ({"n_components": 2.0}, "n_components must be a whole number of at least 1, got 2.0"),
    ({"max_iter": 0}, "max_iter must be a whole number of at least 1, got 0"),
    ({"init": "PCA"}, r"init must be one of 'spectral', 'random', 'pca', or an array of shape \(64, 2\), got 'PCA'"),
    ({"init": "pca", "n_components": 9}, "init='pca' needs a vector of one length, at least 9, for every item"),
    ({"init": np.zeros((3, 2))}, r"init must have shape \(64, K\)"),
    ({"init": np.zeros((64, 3))}, "init has 3 columns, but n_components is 2"),
    ({"init": {"photo": np.zeros((60, 2))}}, "init must have 4 positions for the domain 'tag', got none"),
    ({"early_exaggeration": 0.5}, "early_exaggeration must be a finite number of at least 1, got 0.5"),
    ({"learning_rate": "fast"}, "learning_rate must be 'auto' or a number greater than 0, got 'fast'"),
    ({"learning_rate": -1.0}, "learning_rate must be a finite number greater than 0, got -1.0"),
    ({"learning_rate": 1e300}, "the layout diverged at iteration 1: learning_rate"),
    ({"momentum": 1.0}, "momentum must be at least 0 and less than 1, got 1.0"),
    ({"callbacks": 3}, "callbacks must be a callable or a list of callables, got 3"),
    ({"n_jobs": 0}, "n_jobs must be None or a non-zero integer"),
    ({"schedule": "fast"}, "schedule must be one of 'default', 'stages', 'paper', got 'fast'"),
    ({"schedule": "paper"}, "schedule='paper' needs a number as learning_rate"),
    ({"min_grad_norm": -1}, "min_grad_norm must be a finite number of at least 0"),
    ({"n_iter_without_progress": 0}, "n_iter_without_progress must be a whole number of at least 1, got 0"),
    ({"max_seconds": 0}, "max_seconds must be a finite number greater than 0, got 0"),
    ({"affinity": "linear"}, "affinity must be one of 'gaussian', 'uniform', got 'linear'"),
    ({"n_pca": 0}, "n_pca must be a whole number of at least 1, got 0"),
    ({"n_pca": 2.5}, "n_pca must be a whole number of at least 1, got 2.5"),
    ({"random_state": "seed"}, "random_state must be None, a RandomState or a whole number .*, got 'seed'"),
    ({"random_state": -1}, "random_state must be None, a RandomState or a whole number from 0 to 4294967295, got -1"),
    ({"random_state": 10**400}, "random_state must be None, a RandomState or a whole number from 0 to 4294967295"),
    ({"n_components": 10**30}, "n_components must be a whole number of at most 10000, got 1000000000"),
    ({"max_iter": 10**30}, "max_iter must be a whole number of at most 100000000, got 1000000000"),
    ({"schedule": "paper", "learning_rate": 1.0, "max_iter": 10**30}, "max_iter must be a whole number of at most"),
    ({"perplexity": 10**400}, "perplexity must be a finite number greater than 1, got 1000000000"),
    ({"learning_rate": 10**400}, "learning_rate must be a finite number greater than 0, got 1000000000"),
    ({"weights": 10**400}, "weights must be one of .*, a number from 0 to 1 or a mapping, got 1000000000"),
    ({"init": [[10**400, 0]] * 64}, "init must be an array of numbers"),
    ({"init": np.zeros((64, 2))}, "init puts all items on one spot"),
    ({"init": {"photo": np.zeros((60, 2)), "tag": np.zeros((4, 3))}}, "the same number of columns for every domain"),
    ({"init": {"photo": [], "word": []}}, "init names the domain 'word'"),
    ({"init": [["a", "b"]] * 64}, "init must be an array of numbers"),
    (
        {"weights": np.ones(2)},
        "weights must be one of 'auto', 'size', 'equal', 'balanced', a number from 0 to 1 or a mapping",
    ),
    ({"weights": 1.5}, "weights must be one of .* a number from 0 to 1 .*, got 1.5"),
    ({"weights": True}, "weights must be one of .*, got True"),
    ({"metric": {"photo": "l1"}}, r"metric\['photo'\] must be one of"),
    ({"checkpoint": 3}, "checkpoint must be a path or None, got 3"),
    ({"checkpoint": "run\0.npz"}, "checkpoint must be a path without the character 0"),
    ({"checkpoint": "no/such/folder/run.npz"}, "checkpoint must be in an existing folder"),
]


@pytest.mark.filterwarnings("ignore:1 item has neither a vector nor a link")
@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=[str(p)[:40] for p, _ in BAD_PARAMETERS])
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MRSNE(**{"perplexity": 5, **parameters}).fit(tagged())


@pytest.mark.filterwarnings("error:perplexity is lowered")
@pytest.mark.parametrize("parameters", [{"random_state": -1}, {"n_components": 10**30}, {"max_iter": 10**30}])
def test_a_bad_seed_or_size_is_refused_before_the_affinities(parameters: dict[str, Any]) -> None:
    """Which would warn of the perplexity."""
    with pytest.raises(ValueError, match=next(iter(parameters))):
        MRSNE(perplexity=1000, **parameters).fit(tagged())


def test_a_number_of_thousands_of_digits_is_not_quoted() -> None:
    with pytest.raises(
        ValueError, match=r"n_components must be .* at most 10000, got int of more digits or levels than can be shown"
    ):
        MRSNE(n_components=10**5000).fit(tagged())


DAYS = np.datetime64("2020-01-01") + np.arange(40).reshape(20, 2)


@pytest.mark.parametrize(
    "form", [np.asarray, pd.DataFrame, list, lambda days: days.tolist(), lambda days: days - days[0]]
)
def test_dates_and_durations_are_not_numbers(form: Any) -> None:
    with pytest.raises(
        (ValueError, TypeError), match=r"X must hold numbers, got dates or durations|float\(\) argument"
    ):
        MRSNE(max_iter=5).fit(form(DAYS))


def test_a_frame_with_a_column_of_dates_is_refused() -> None:
    frame = pd.DataFrame({"height": np.arange(20.0), "day": DAYS[:, 0]})
    with pytest.raises(ValueError, match=r"X must hold numbers, got dates or durations \(datetime64"):
        MRSNE(max_iter=5).fit(frame)


def test_coordinates_that_are_dates_are_not_scored() -> None:
    with pytest.raises(ValueError, match=r"embedding\['a'\] must hold numbers, got dates"):
        mrsne.metrics.trustworthiness({"a": DAYS}, RelationalData({"a": np.eye(20)}), k=3)


def test_a_dict_is_refused_with_a_hint_to_relational_data() -> None:
    with pytest.raises(ValueError, match="got a dict; wrap it in RelationalData"):
        MRSNE().fit({"photo": clusters(50)})  # type: ignore[arg-type]


def test_too_many_items_for_more_than_three_dimensions_are_refused() -> None:
    P = sparse.diags_array([np.ones(20_001), np.ones(20_001)], offsets=[-1, 1], shape=(20_002, 20_002), format="csr")
    with pytest.raises(ValueError, match="can only be computed exactly, for at most 20000 items, got 20002"):
        mrsne.embed(P, n_components=4)


def test_a_domain_too_small_for_the_perplexity_of_all_lowers_it_with_one_warning() -> None:
    data = RelationalData(
        {"photo": clusters(200), "tag": clusters(31), "place": clusters(10)},
        {("photo", "tag"): np.ones((200, 31)), ("photo", "place"): np.ones((200, 10))},
    )
    with pytest.warns(UserWarning, match="perplexity is lowered") as caught:
        MRSNE(max_iter=50).fit(data)
    assert [str(warning.message) for warning in caught] == [
        "perplexity is lowered to (n - 1)/3: 10 for 'tag' (31 items), 3 for 'place' (10 items)"
    ]


SMALL_AND_LARGE = RelationalData({"photo": clusters(40), "tag": clusters(12)}, {("photo", "tag"): np.ones((40, 12))})


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MRSNE.paper(perplexity=11), "perplexity must be less than n − 1 = 11 for the 12 items of 'tag'.*, got 11"),
        (MRSNE.paper(), "perplexity must be less than n − 1 = 11 .*, got 30"),
        (MRSNE(perplexity=11, neighbors="exact"), "perplexity must be less than n − 1 = 11"),
        (MRSNE(perplexity={"photo": 5, "tag": 11}), r"perplexity\['tag'\] must be less than n − 1 = 11 .*, got 11"),
        (MRSNE(perplexity=39), "perplexity must be less than n − 1 = 39 for the 40 items of 'photo'"),
    ],
)
def test_a_perplexity_that_cannot_be_had_is_refused(model: MRSNE, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(SMALL_AND_LARGE)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_two_to_five_items_give_a_map(n: int) -> None:
    Y = MRSNE(random_state=0).fit_transform(np.arange(2.0 * n).reshape(n, 2) ** 2)
    assert Y.shape == (n, 2)
    assert np.isfinite(Y).all()


def test_data_without_anything_to_embed_is_refused() -> None:
    with pytest.raises(ValueError, match="data has nothing to embed"):
        MRSNE().fit(RelationalData({"tag": 5}))
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        MRSNE().fit(np.ones((1, 3)))


def test_a_map_too_wide_for_any_affinity_is_refused() -> None:
    with pytest.raises(ValueError, match="so wide that no item is near any other"):
        mrsne.kl_gradient(np.array([[0, 0.5], [0.5, 0]]), [[0.0, 0.0], [1e9, 0.0]])


def test_a_number_is_refused_as_a_start() -> None:
    with pytest.raises(ValueError, match="init must have 60 positions for the domain 'photo', got none"):
        MRSNE(init={"photo": 3, "tag": np.zeros((4, 2))}).fit(tagged())
