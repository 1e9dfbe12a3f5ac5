"""The figures show the methods they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne.experiments.figures import metric_figure, one_panel_roc, roc_figure
from mrsne.experiments.methods import methods_for
from tests.experiments.conftest import Comparison


@pytest.mark.parametrize(
    ("patterns", "shown"),
    [
        (["mrsne-*-size"], {"PMI, size"}),  # of MR-SNE's variants those with PMI
        (["mrsne-unnorm-size", "mrsne-norm-size"], {"unnorm, size", "norm, size"}),  # if there are any
        (["mrsne-unnorm-size", "cdmca-2"], {"K = 2"}),
    ],
)
def test_the_curves_over_k_are_those_of_the_variants_with_pmi(
    comparison: Comparison, patterns: list[str], shown: set[str]
) -> None:
    study = comparison.study
    methods = methods_for(study.data, study.paper, patterns, 30)
    run: dict[str, Any] = {
        f"{metric}_{where}": np.linspace(0, 1, len(ks)).tolist()
        for metric in ("hit_rate", "hit_count")
        for where, ks in (("across", study.ks_across("tag")), ("within", study.ks_within))
    }
    figure = metric_figure({method.key: [run] for method in methods}, study, methods)
    for axes in figure.axes:
        assert {str(line.get_label()).split(": ")[1] for line in axes.lines} == shown


def test_every_family_has_a_panel_with_all_other_roc_curves_behind(comparison: Comparison) -> None:
    figure = roc_figure(comparison.scores, comparison.methods)
    assert [axes.get_title() for axes in figure.axes] == [
        "CDMCA",
        "K-CDMCA",
        "MR-SNE, Algorithm 1",
        "MR-SNE, default schedule",
    ]
    for axes in figure.axes:
        assert len(axes.lines) == 5 + (2 if axes.get_title() == "MR-SNE, Algorithm 1" else 1)


def test_one_panel_has_the_curves_of_all_methods_of_the_paper(comparison: Comparison) -> None:
    figure = one_panel_roc(comparison.scores, comparison.methods)
    (axes,) = figure.axes
    names = [str(line.get_label()).rsplit(" (", 1)[0] for line in axes.lines[:-1]]  # the last is the diagonal
    assert names == [method.name for method in comparison.methods if method.in_paper]
