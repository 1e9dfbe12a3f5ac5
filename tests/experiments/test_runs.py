"""Runs of a study: what was computed before is kept, what is damaged is computed again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mrsne import Embedding, datasets
from mrsne.experiments.methods import methods_for
from mrsne.experiments.runs import run_study
from mrsne.experiments.studies import load_study
from mrsne.experiments.study import Study
from tests.experiments.conftest import SEEDS, Comparison, small_study


@pytest.fixture
def copied(comparison: Comparison, tmp_path: Path) -> Path:
    """A copy of the finished runs, to damage."""
    shutil.copytree(comparison.folder / "runs", tmp_path / "runs")
    shutil.copy(comparison.folder / "study.json", tmp_path)
    return tmp_path


def test_a_stopped_comparison_goes_on_where_it_was(comparison: Comparison, copied: Path) -> None:
    (copied / "runs" / "mrsne-pmi-size-1.json").write_text('{"half": ')
    (copied / "runs" / "kcdmca-2-0.json").write_text('{"half": 1}')
    (copied / "runs" / "kcdmca-2-1.npz").write_text("damaged")
    (copied / "runs" / "cdmca-2-1.npz").unlink()
    started = []
    scores = run_study(
        comparison.study,
        comparison.methods,
        SEEDS,
        copied,
        lambda method, seed: started.append((method.key, seed)),
    )
    assert set(started) == {("mrsne-pmi-size", 1), ("kcdmca-2", 0), ("kcdmca-2", 1), ("cdmca-2", 1)}
    for key, runs in comparison.scores.items():
        assert [{**run, "seconds": 0} for run in scores[key]] == [{**run, "seconds": 0} for run in runs]


@pytest.mark.parametrize("other", ["data", "questions"])
def test_runs_of_other_data_or_questions_are_not_mixed(comparison: Comparison, copied: Path, other: str) -> None:
    study = small_study(random_state=1) if other == "data" else small_study()
    if other == "questions":
        study.within = "shared"
    with pytest.raises(ValueError, match="holds the runs of other data or other questions"):
        run_study(study, comparison.methods, SEEDS, copied)


def test_a_damaged_description_of_the_study_is_refused(comparison: Comparison, copied: Path) -> None:
    (copied / "study.json").write_text("[]")
    with pytest.raises(ValueError, match=r"study.json' is damaged .*; delete it, or give another folder"):
        run_study(comparison.study, comparison.methods, SEEDS, copied)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_every_method_runs(tmp_path: Path) -> None:
    study = load_study("groups")
    methods = methods_for(study.data, None, ["*"], 30)
    scores = run_study(study, methods, [0], tmp_path)
    assert len(scores) == 44
    for key in ("pmvge-across-2-improved", "pmvge-inner-across-2-improved", "mrsne-pmi-size"):
        assert scores[key][0]["link_auc"] > 0.85


def test_methods_of_many_dimensions_are_brought_into_the_plane(tmp_path: Path) -> None:
    data, _ = datasets.make_classes(6, 10, 12, random_state=0)
    method = next(method for method in methods_for(data, None, ["cdmca-*"], 30) if method.K > 2)
    assert method.make(0).fit_transform(data).n_components == method.K
    run_study(Study("awa2", "", data, "image", "tag", "identical"), [method], [0], tmp_path)
    assert Embedding.load(tmp_path / "runs" / f"{method.key}-0.npz").n_components == 2
