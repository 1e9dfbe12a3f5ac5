"""The report: every table and figure is there, and the tables hold the scores of the maps."""

from __future__ import annotations

import csv
import re

import matplotlib.image
import numpy as np
import pytest

from mrsne import Embedding, metrics
from mrsne.experiments.methods import settings_of
from mrsne.experiments.report import _settings_section
from tests.experiments.conftest import FEW, SEEDS, Comparison


def test_the_report_has_every_table_and_figure(comparison: Comparison) -> None:
    page = (comparison.folder / "README.md").read_text()
    numbered = [f"figure-{number:02}.png" for number in (1, 2, 3, 4, 5, 6, 8, 9, 11)]  # 10 is PMvGE, which is not run
    for name in ("maps.png", "roc.png", "metrics.png", "perplexity.png", *numbered):
        assert name in page
        assert matplotlib.image.imread(comparison.folder / name).std() > 0.03
    assert {file.stem for file in (comparison.folder / "maps").iterdir()} == set(FEW)
    assert {file.name for file in (comparison.folder / "tables").iterdir()} == {
        "scores.csv",
        "hit_rate_across.csv",
        "hit_rate_within.csv",
        "hit_count_across.csv",
        "hit_count_within.csv",
        "perplexity.csv",
    }


def test_every_figure_and_table_of_the_paper_has_its_place(comparison: Comparison) -> None:
    lines = (comparison.folder / "README.md").read_text().splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith(("| Figure ", "| Table ", "| Algorithm "))]
    names = [row[0].removeprefix("| ") for row in rows]
    assert names == [*(f"Figure {n}" for n in range(1, 12)), *(f"Table {n}" for n in range(1, 8)), "Algorithm 1"]
    for row in rows:
        assert row[1].startswith(("Section ", "Supplement "))
        for linked in re.findall(r"\]\(([^)]*)\)", row[3]):
            assert (comparison.folder / linked).exists()
    assert "not drawn: its methods were not run" in rows[9][3]


def test_all_settings_and_warnings_are_printed(comparison: Comparison) -> None:
    page = (comparison.folder / "README.md").read_text()
    settings = page.split("## Settings")[1]
    assert "Perplexity 10: 10 for `image`, 10 for `tag`" in settings
    for method in comparison.methods:
        line = next(line for line in settings.splitlines() if line.startswith(f"| `{method.key}` |"))
        for name, value in settings_of(method).items():
            assert f"{name}={value!r}" in line
    scores = {
        **comparison.scores,
        "cdmca-2": [{**run, "warnings": ["a lost item"]} for run in comparison.scores["cdmca-2"]],
    }
    assert "- a lost item (`cdmca-2`)" in "\n".join(_settings_section(comparison.study, comparison.methods, scores))


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
