"""The report: every table and figure is there, and the tables hold the scores of the maps."""

from __future__ import annotations

import csv

import matplotlib.image
import numpy as np
import pytest

from mrsne import Embedding, metrics
from tests.experiments.conftest import FEW, SEEDS, Comparison


def test_the_report_has_every_table_and_figure(comparison: Comparison) -> None:
    page = (comparison.folder / "README.md").read_text()
    for name in ("maps.png", "roc.png", "metrics.png"):
        assert name in page
        assert matplotlib.image.imread(comparison.folder / name).std() > 0.05
    assert {file.stem for file in (comparison.folder / "maps").iterdir()} == set(FEW)
    assert {file.name for file in (comparison.folder / "tables").iterdir()} == {
        "scores.csv",
        "hit_rate_across.csv",
        "hit_rate_within.csv",
        "hit_count_across.csv",
        "hit_count_within.csv",
    }


def test_a_stand_in_says_that_the_papers_numbers_are_for_other_data(comparison: Comparison) -> None:
    page = (comparison.folder / "README.md").read_text()
    assert "compare the order of the methods, not the numbers" in page


def test_the_tables_hold_the_scores_of_the_maps(comparison: Comparison) -> None:
    data = comparison.study.data
    maps = [Embedding.load(comparison.folder / "runs" / f"mrsne-pmi-size-{seed}.npz") for seed in SEEDS]
    expected = [metrics.reconstruction_auc(Y, data, "image", "identical") for Y in maps]
    with open(comparison.folder / "tables" / "scores.csv") as file:
        rows = {(row["method"], row["score"]): row for row in csv.DictReader(file)}
    row = rows["mrsne-pmi-size", "reconstruction_auc"]
    assert float(row["mean"]) == pytest.approx(np.mean(expected), abs=1e-12)
    assert float(row["spread"]) == pytest.approx(np.std(expected, ddof=1), abs=1e-12)
    assert (row["published"], row["seeds"]) == ("0.8134", "2")
    with open(comparison.folder / "tables" / "hit_rate_within.csv") as file:
        means = {(row["method"], int(row["k"])): float(row["mean"]) for row in csv.DictReader(file)}
    expected = [metrics.hit_rate(Y, data, 5, "image", "image", "identical") for Y in maps]
    assert means["mrsne-pmi-size", 5] == pytest.approx(np.mean(expected), abs=1e-12)
