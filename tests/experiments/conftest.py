"""A small study with the structure of AwA2, and a comparison of four methods on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from mrsne import RelationalData, datasets
from mrsne.experiments.methods import methods_for
from mrsne.experiments.report import write_report
from mrsne.experiments.runs import run_study, run_sweep
from mrsne.experiments.study import Method, Scores, Study

FEW = ("cdmca-2", "kcdmca-2", "mrsne-pmi-equal", "mrsne-pmi-size", "mrsne-pmi-balanced-default")
SEEDS = (0, 1)


@dataclass
class Comparison:
    """A folder that holds a report, and what it was made from."""

    folder: Path
    study: Study
    methods: list[Method]
    scores: Scores


def small_study(random_state: int = 0) -> Study:
    made, _ = datasets.make_classes(6, 15, 24, random_state=random_state)
    names = {"tag": [f"attribute {index}" for index in range(24)]}
    data = RelationalData(dict(made.vectors), dict(made.relations), names=names)
    return Study("awa2", "six made-up classes", data, "image", "tag", "identical", paper="awa2", perplexity=10)


@pytest.fixture(scope="session")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder, study = tmp_path_factory.mktemp("comparison") / "report", small_study()
    methods = methods_for(study.data, study.paper, FEW, study.perplexity)
    scores = run_study(study, methods, SEEDS, folder)
    sweep = run_sweep(study, methods, (4, 10), SEEDS, folder)
    write_report(study, methods, SEEDS, scores, folder, sweep=sweep)
    return Comparison(folder, study, methods, scores)
