"""The paper's comparison, small: it runs, goes on where it was, and its tables say what was measured."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from mrsne import Embedding, RelationalData, datasets, experiments, metrics
from mrsne.experiments.methods import Method
from mrsne.experiments.published import published
from mrsne.experiments.tables import Score, column, single_table

FEW = "cdmca-2,kcdmca-2,mrsne-pmi-size,mrsne-pmi-balanced-default"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mrsne", *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduce") / "report"
    result = run("reproduce", "awa2", "--methods", FEW, "--seeds", "2", "-o", str(folder))
    assert result.returncode == 0, result.stderr
    assert "methods: 4\nseeds: 2\n" in result.stdout
    return folder


def test_the_report_has_every_table_and_figure(report: Path) -> None:
    page = (report / "README.md").read_text()
    for name in ("maps.png", "roc.png", "metrics.png"):
        assert name in page
        assert matplotlib.image.imread(report / name).std() > 0.05
    assert {file.stem for file in (report / "maps").iterdir()} == set(FEW.split(","))
    assert {file.name for file in (report / "tables").iterdir()} == {
        "scores.csv",
        "hit_rate_across.csv",
        "hit_rate_within.csv",
        "hit_count_across.csv",
        "hit_count_within.csv",
    }
    assert "compare the order of the methods, not the numbers" in page


def test_the_tables_hold_the_scores_of_the_maps(report: Path) -> None:
    study = experiments.load_study("awa2")
    maps = [Embedding.load(report / "runs" / f"mrsne-pmi-size-{seed}.npz") for seed in range(2)]
    expected = [metrics.reconstruction_auc(Y, study.data, "image", "identical") for Y in maps]
    with open(report / "tables" / "scores.csv") as file:
        rows = {(row["method"], row["score"]): row for row in csv.DictReader(file)}
    row = rows["mrsne-pmi-size", "reconstruction_auc"]
    assert float(row["mean"]) == pytest.approx(np.mean(expected), abs=1e-12)
    assert float(row["spread"]) == pytest.approx(np.std(expected, ddof=1), abs=1e-12)
    assert (row["published"], row["seeds"]) == ("0.8134", "2")
    with open(report / "tables" / "hit_rate_within.csv") as file:
        found = {(row["method"], int(row["k"])): float(row["mean"]) for row in csv.DictReader(file)}
    expected = [metrics.hit_rate(Y, study.data, 5, "image", "image", "identical") for Y in maps]
    assert found["mrsne-pmi-size", 5] == pytest.approx(np.mean(expected), abs=1e-12)


def test_a_stopped_comparison_goes_on_where_it_was(report: Path) -> None:
    kept, lost = report / "runs" / "cdmca-2-0.json", report / "runs" / "mrsne-pmi-size-1.json"
    before, when = lost.read_text(), kept.stat().st_mtime_ns
    lost.write_text('{"half": ')
    (report / "runs" / "kcdmca-2-0.json").write_text('{"half": 1}')
    (report / "runs" / "kcdmca-2-1.npz").write_text("damaged")
    result = run("reproduce", "awa2", "--methods", FEW, "--seeds", "2", "-o", str(report), "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["methods"] == 4
    assert kept.stat().st_mtime_ns == when
    again, first = json.loads(lost.read_text()), json.loads(before)
    assert {**again, "seconds": 0} == {**first, "seconds": 0}


@pytest.mark.slow
def test_every_method_runs(tmp_path: Path) -> None:
    result = run("reproduce", "groups", "--seeds", "1", "-o", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "methods: 37\n" in result.stdout
    with open(tmp_path / "tables" / "scores.csv") as file:
        found = {row["method"]: float(row["mean"]) for row in csv.DictReader(file) if row["score"] == "link_auc"}
    assert min(found["pmvge-across-2"], found["pmvge-inner-across-2"], found["mrsne-pmi-size"]) > 0.85


def test_runs_of_other_data_are_not_mixed(report: Path) -> None:
    result = run("reproduce", "groups", "--methods", "cdmca-2", "-o", str(report))
    assert result.returncode == 1
    assert "holds the runs of other data or other questions" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["awa3"], "study must be one of 'awa2', 'flickr', 'emoji', 'shapes', 'groups', got 'awa3'"),
        (["awa2", "--data", "nowhere"], "there is no file or folder 'nowhere'"),
        (["awa2", "--data", "."], "there is no classes.txt"),
        (["awa2", "--methods", "tsne"], "--methods 'tsne' fits none of the methods; --list shows them"),
        (["awa2", "--methods", ","], "--methods ',' fits none of the methods"),
        (["shapes", "--data", "x.npz"], "'shapes' is bundled, so it takes no data"),
        (["groups", "--within", "same"], "within must be one of 'shared', 'identical', got 'same'"),
    ],
)
def test_errors_are_messages(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = run("reproduce", *arguments, "-o", str(tmp_path / "report"))
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "report").exists()


def test_data_that_does_not_vary_leaves_cdmca_out(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    np.savez(tmp_path / "two.npz", image_vectors=random.normal(size=(40, 3)), relation=np.eye(2)[np.arange(40) % 2])
    result = run(
        "reproduce",
        "awa2",
        "--data",
        str(tmp_path / "two.npz"),
        "--methods",
        "cdmca-*,mrsne-unnorm-size",
        "-o",
        str(tmp_path / "out"),
    )
    assert result.returncode == 1
    assert "--methods 'cdmca-*' fits none" in result.stderr
    result = run(
        "reproduce",
        "awa2",
        "--data",
        str(tmp_path / "two.npz"),
        "--methods",
        "mrsne-unnorm-*",
        "--seeds",
        "1",
        "-o",
        str(tmp_path / "out"),
    )
    assert result.returncode == 0, result.stderr
    assert matplotlib.image.imread(tmp_path / "out" / "metrics.png").std() > 0.02


def test_other_links_have_another_fingerprint() -> None:
    def study(W: list[list[int]], missing: list[bool]) -> experiments.Study:
        data = RelationalData({"image": np.eye(4), "tag": 2}, {("image", "tag"): W}, missing={"image": missing})
        return experiments.Study("awa2", "", data, "image", "tag", "shared")

    none = [False] * 4
    prints = {
        study([[1, 0], [0, 1], [1, 1], [0, 0]], none).fingerprint(),
        study([[1, 1], [1, 0], [0, 1], [0, 0]], none).fingerprint(),
        study([[1, 1], [1, 0], [0, 1], [0, 0]], [True, False, False, False]).fingerprint(),
    }
    assert len(prints) == 3


def test_methods_are_listed() -> None:
    result = run("reproduce", "shapes", "--list")
    assert result.returncode == 0
    keys = [line.split()[0] for line in result.stdout.splitlines()]
    assert len(keys) == len(set(keys)) == 37
    assert "pmvge-inner-neighbors-100" in keys


def test_the_papers_numbers_are_there() -> None:
    awa2, flickr = published("awa2"), published("flickr")
    assert awa2["mrsne-norm-size", "reconstruction_auc", None] == 0.8124
    assert awa2["mrsne-unnorm-equal", "variance_ratio", None] == 56.563
    assert awa2["pmvge-neighbors-100", "reconstruction_auc", None] == 0.8863
    assert awa2["mrsne-norm-size", "hit_count_within", 50] == 27.998
    assert flickr["cdmca-613", "hit_rate_across", 1] == 0.806
    assert flickr["pmvge-across-2", "link_auc", None] == 0.884
    assert len(awa2) == 18 + 12 + 2 * 16 * 8 + 2 * 16 * 10
    assert len(flickr) == 18 + 12 + 3 + 4 * 16 * 9
    assert published(None) == {}
    known = {method for method, _, _ in (*awa2, *flickr)}
    data = datasets.make_groups({"image": 700, "tag": 700}, dimensions=0, random_state=0)[0]  # rank 699
    wanted = {method.published for paper in ("awa2", "flickr") for method in experiments.methods_for(data, paper)}
    assert known <= wanted
    ours = ("balanced", "half", "pmvge-inner")
    assert all(any(part in name for part in ours) for name in wanted - known)


def test_best_is_bold_second_underlined_and_ties_share() -> None:
    methods = [Method(name, "family", name, 2, lambda seed: None, name) for name in "abcd"]
    runs: dict[str, list[dict[str, Any]]] = {
        name: [{"auc": value, "ratio": ratio}]
        for name, value, ratio in zip("abcd", (0.5, 0.7001, 0.9, 0.9), (2, 0.4, 1.1, 9), strict=True)
    }
    high = column(runs, methods, Score("auc", "AUC", 2), {("b", "auc", None): 0.66}, None, None)
    assert [cell.markdown() for cell in high] == ["0.50", "<u>0.70</u>", "**0.90**", "**0.90**"]
    ratio = column(runs, methods, Score("ratio", "ratio", 1, "one"), {}, None, None)
    assert [cell.rank for cell in ratio] == [2, None, 1, None]
    table = single_table([high, ratio], comparable=True)
    assert "| family: b | <u>0.70</u> | 0.66 | 0.4 |" in table


def test_spread_is_shown_where_there_are_several_seeds() -> None:
    method = Method("a", "family", "a", 2, lambda seed: None, "a")
    cells = column({"a": [{"auc": 0.5}, {"auc": 0.6}]}, [method], Score("auc", "AUC", 2), {}, None, None)
    assert cells[0].markdown() == "**0.55** ± 0.07"


def test_awa2s_pictures_become_thumbnails(tmp_path: Path) -> None:
    from PIL import Image

    from mrsne.experiments.studies import _awa2_thumbnails

    data = datasets.load_arrays(_saved(tmp_path / "data.npz"))
    assert _awa2_thumbnails(tmp_path, data) == {}
    for name in data.names["image"]:
        folder = tmp_path / "JPEGImages" / name.split("_")[0]
        folder.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (120, 60), (200, 30, 30)).save(folder / name)
    thumbnails = _awa2_thumbnails(tmp_path, data)["image"]
    assert thumbnails.shape == (3, 48, 48, 4)
    assert thumbnails[0, 24, 24, 0] > 180
    assert thumbnails[0, 2, 24, 3] == 0  # a wide picture leaves the top free


def _saved(path: Path) -> Path:
    names = ["fox_1.jpg", "fox_2.jpg", "cow_1.jpg"]
    np.savez(path, image_vectors=np.eye(3), relation=np.eye(3, 2), image_names=names)
    return path
