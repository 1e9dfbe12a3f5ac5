"""What other perplexities would give."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from mrsne import MRSNE, metrics
from mrsne.experiments.sweep import SCORES, matches, measured_range, published_range, sweep_figure, verdict
from tests.experiments.conftest import Comparison, small_study

AUC, RATIO = SCORES


def runs(auc: float, ratio: float) -> list[dict[str, Any]]:
    return [{AUC.key: auc + shift, RATIO.key: ratio} for shift in (-0.01, 0.01)]


AS_PUBLISHED = {
    **{f"mrsne-{norm}-equal": runs(0.712, 30) for norm in ("unnorm", "norm", "pmi")},
    **{f"mrsne-{norm}-size": runs(0.81, 1.1) for norm in ("unnorm", "norm", "pmi")},
}


def test_a_range_is_that_of_the_normalisations_and_wider_by_the_spread_of_the_seeds() -> None:
    scores = {**AS_PUBLISHED, "mrsne-pmi-size": runs(0.9, 1.1)}
    found = measured_range(scores, AUC, "size")
    assert found is not None
    assert found == pytest.approx((0.81 - 0.0141421, 0.9 + 0.0141421), abs=1e-6)
    assert measured_range({}, AUC, "size") is None
    assert published_range("flickr", RATIO, "equal") == (1.151, 1.706)
    assert published_range(None, RATIO, "equal") is None


@pytest.mark.parametrize("changed", [None, ("mrsne-{}-equal", 0.8, 30.0), ("mrsne-{}-size", 0.81, 2.0)])
def test_a_perplexity_fits_if_both_scores_do_for_both_weightings(changed: tuple[str, float, float] | None) -> None:
    scores = dict(AS_PUBLISHED)
    if changed is not None:
        scores |= {changed[0].format(norm): runs(*changed[1:]) for norm in ("unnorm", "norm", "pmi")}
    assert matches({5: scores}, "awa2") == ([5] if changed is None else [])


def test_the_verdict_says_which_fit_and_how_sure_that_makes_us() -> None:
    study = small_study()
    far = {key: runs(0.3, 500) for key in AS_PUBLISHED}
    text = verdict({5: AS_PUBLISHED, 30: far}, study)
    assert "Of 5, 30 these do: 5." in text
    assert "Not very: this is other data than the paper's" in text
    assert "None of 30 does." in verdict({30: far}, study)
    study.paper = None
    assert "does not state" in verdict({30: far}, study)


def test_the_table_holds_the_scores_of_algorithm_1_at_each_perplexity(comparison: Comparison) -> None:
    with open(comparison.folder / "tables" / "perplexity.csv") as file:
        rows = list(csv.DictReader(file))
    assert {(row["perplexity"], row["method"]) for row in rows} == {
        (perplexity, method) for perplexity in ("4", "10") for method in ("mrsne-pmi-equal", "mrsne-pmi-size")
    }
    data = comparison.study.data
    embedding = MRSNE.paper(perplexity=4, relation_norm="pmi", weights="size", random_state=1).fit_transform(data)
    row = next(row for row in rows if (row["perplexity"], row["method"], row["run"]) == ("4", "mrsne-pmi-size", "1"))
    assert float(row[RATIO.key]) == pytest.approx(metrics.variance_ratio(embedding, "image", "tag"), rel=1e-6)
    page = (comparison.folder / "README.md").read_text()
    assert "| score | MR-SNE | 4 | 10 | paper |" in page


def test_the_figure_has_a_line_for_each_variant_and_a_band_for_each_weighting(comparison: Comparison) -> None:
    scores = dict.fromkeys((4.0, 10.0), comparison.scores)
    variants = [method for method in comparison.methods if method.key in ("mrsne-pmi-equal", "mrsne-pmi-size")]
    figure = sweep_figure(scores, variants, comparison.study)
    for axes in figure.axes:
        assert len(axes.lines) == 2
        assert len(axes.patches) == 2
