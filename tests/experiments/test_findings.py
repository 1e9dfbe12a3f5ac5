"""The paper's findings, on animals: made ones, and photographs where MRSNE_DATA names a folder that has them."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne import MRSNE, metrics
from mrsne.baselines.cdmca import CDMCA
from mrsne.experiments.study import NORMS, PAPER_WEIGHTS
from mrsne.experiments.sweep import matches
from tests.conftest import Animals

WITHIN = "identical"


def average(animals: Animals, weights: str, norm: str = "pmi") -> tuple[float, float]:
    """Variance ratio and AUC of Algorithm 1, over three seeds."""
    maps = [
        MRSNE.paper(weights=weights, relation_norm=norm, random_state=seed).fit_transform(animals.data)
        for seed in range(3)
    ]
    ratio = np.mean([metrics.variance_ratio(Y, "image", "tag") for Y in maps])
    return float(ratio), float(np.mean([metrics.reconstruction_auc(Y, animals.data, "image", WITHIN) for Y in maps]))


@pytest.mark.parametrize("norm", ["unnorm", "norm", "pmi"])
def test_equal_weights_crowd_the_tags_and_size_weights_do_not(animals: Animals, norm: str) -> None:
    ratio_equal, auc_equal = average(animals, "equal", norm)
    ratio_size, auc_size = average(animals, "size", norm)
    assert ratio_equal > 20
    # made animals differ less inside a class than photographs do: even crowded tags hardly disturb them
    low, high, gain = (0.7, 1.4, 0.03) if animals.photographed else (0.5, 3.0, 0.005)
    assert low < ratio_size < high
    assert auc_size > auc_equal + gain


@pytest.mark.slow
def test_at_a_perplexity_of_5_photographs_have_the_papers_aucs_and_ratios_for_both_weightings(animals: Animals) -> None:
    if not animals.photographed:
        pytest.skip("made animals say nothing about the paper's numbers; MRSNE_DATA names a folder with photographs")
    scores = {}
    for weights in PAPER_WEIGHTS:
        for norm in NORMS:
            maps = [
                MRSNE.paper(perplexity=5, weights=weights, relation_norm=norm, random_state=seed).fit_transform(
                    animals.data
                )
                for seed in range(3)
            ]
            scores[f"mrsne-{norm}-{weights}"] = [
                {
                    "reconstruction_auc": metrics.reconstruction_auc(Y, animals.data, "image", WITHIN),
                    "variance_ratio": metrics.variance_ratio(Y, "image", "tag"),
                }
                for Y in maps
            ]
    assert matches({5.0: scores}, "awa2") == [5.0]


def test_mrsne_beats_both_kinds_of_cdmca_in_the_plane(animals: Animals) -> None:
    _, auc = average(animals, "size")
    for kernel in ("linear", "rbf"):
        embedding = CDMCA(kernel=kernel).fit_transform(animals.data)
        assert auc > metrics.reconstruction_auc(embedding, animals.data, "image", WITHIN)
