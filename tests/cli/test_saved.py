"""`fit`, and what can be done with a map afterwards: `evaluate`, `plot`, `place`, `info`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
import torch
from scipy import sparse

from mrsne import MRSNE, Embedding, RelationalData, datasets, metrics
from mrsne.data.storage import DataFileError, load_data, save_data
from tests.cli.conftest import Invoke


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mrsne", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RelationalData]:
    """A map of made-up groups, from an array, a table with names, and a table of links by position and name."""
    folder = tmp_path_factory.mktemp("fit")
    data, _ = datasets.make_groups({"image": 120, "tag": 20}, random_state=0)
    vectors: Any = data.vectors
    np.save(folder / "images.npy", vectors["image"])
    lines = ["name," + ",".join(f"x{i}" for i in range(32))]
    lines += [f"word {i}," + ",".join(map(str, row)) for i, row in enumerate(vectors["tag"].astype(float))]
    (folder / "tags.csv").write_text("\n".join(lines))
    W = data.relations["image", "tag"].tocoo()
    links = ["image;tag;weight", *(f"{i};word {j};{w}" for i, j, w in zip(W.row, W.col, W.data, strict=True))]
    (folder / "links.csv").write_text("\n".join(links))
    domains = ["--domain", f"image={folder / 'images.npy'}", "--domain", f"tag={folder / 'tags.csv'}"]
    settings = ["--relation", f"image:tag={folder / 'links.csv'}", "--weights", "0.5", "--perplexity", "10"]
    result = run("fit", *domains, *settings, "-o", folder / "map.npz", "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["items_of_image"], summary["items_of_tag"], summary["links_image_tag"]) == (120, 20, W.nnz)
    embedding = Embedding.load(folder / "map.npz")
    near = summary["image_with_a_tag_of_theirs_among_the_10_nearest"]
    assert near == pytest.approx(metrics.hit_rate(embedding, data, 10, "image", "tag"), abs=1e-3)
    trust = metrics.trustworthiness(embedding, data, "image", 10)
    assert summary["trustworthiness_of_image"] == pytest.approx(trust, abs=1e-3)
    return folder / "map.npz", data


def test_the_map_is_pythons(fitted: tuple[Path, RelationalData]) -> None:
    path, data = fitted
    expected = MRSNE(weights=0.5, perplexity=10, random_state=0).fit_transform(data)
    np.testing.assert_allclose(Embedding.load(path).stacked, expected.stacked, atol=1e-3)


def test_evaluate_gives_the_scores(fitted: tuple[Path, RelationalData]) -> None:
    path, data = fitted
    result = run("evaluate", path, "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    embedding = Embedding.load(path)
    assert found["reconstruction_auc"] == pytest.approx(metrics.reconstruction_auc(embedding, data), abs=1e-4)
    assert found["hit_rate_image_tag_10"] == pytest.approx(metrics.hit_rate(embedding, data, 10), abs=1e-4)
    assert found["trustworthiness"] > 0.7


def test_plot_draws_the_map(fitted: tuple[Path, RelationalData], tmp_path: Path) -> None:
    result = run(
        "plot", fitted[0], "-o", tmp_path / "map.png", "--links", "tag=word 3", "--links", "image=5", "--dpi", "100"
    )
    assert result.returncode == 0, result.stderr
    assert matplotlib.image.imread(tmp_path / "map.png").shape[:2] == (1000, 1000)


def test_place_puts_a_known_item_on_its_place(fitted: tuple[Path, RelationalData], tmp_path: Path) -> None:
    path, data = fitted
    vectors: Any = data.vectors["image"]
    np.save(tmp_path / "new.npy", vectors[:3])
    result = run("place", path, "--domain", f"image={tmp_path / 'new.npy'}", "-o", tmp_path / "placed.npz", "--json")
    assert result.returncode == 0, result.stderr
    placed = Embedding.load(tmp_path / "placed.npz")["image"]
    np.testing.assert_allclose(placed, Embedding.load(path)["image"][:3], atol=1e-3)
    (tmp_path / "links.csv").write_text("image,tag\n0,word 2\n0,word 4\n1,word 0\n")
    result = run(
        "place", path, "--relation", f"image:tag={tmp_path / 'links.csv'}", "-o", tmp_path / "placed.npz", "--json"
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["placed_image"] == 2


def test_info(fitted: tuple[Path, RelationalData]) -> None:
    found = json.loads(run("info", fitted[0], "--json").stdout)
    assert (found["items_of_tag"], found["setting_weights"]) == (20, 0.5)
    assert json.loads(run("info", "--json").stdout)["numpy"] == np.__version__


def test_data_survives_saving(tmp_path: Path) -> None:
    data = RelationalData(
        {"a": np.eye(3, dtype=np.float32), "b": sparse.csr_matrix(np.eye(4)), "c": 2},
        {("a", "b"): np.ones((3, 4)), ("c", "c"): [[0, 1], [1, 0]]},
        names={"c": ["x\n\u05d0", "\U0001f415"]},
        missing={"a": [True, False, False]},
        pictures={"a": np.zeros((3, 2, 2, 3), np.uint8)},
    )
    save_data(data, tmp_path / "data.npz", {"settings": {"weights": "size"}})
    again, about = load_data(tmp_path / "data.npz")
    assert (repr(again), again.names, about) == (repr(data), data.names, {"settings": {"weights": "size"}})
    assert again.missing["a"].tolist() == [True, False, False]
    assert again.pictures["a"].shape == (3, 2, 2, 3)
    (tmp_path / "data.npz").write_text("damaged")
    with pytest.raises(DataFileError, match="is not saved data, or is damaged"):
        load_data(tmp_path / "data.npz")


ERRORS: list[tuple[list[str], str]] = [
    (["fit", "--domain", "image"], "--domain must be NAME=FILE, got 'image'"),
    (["fit", "--domain", "a=nowhere.npy"], "there is no file 'nowhere.npy'"),
    (["fit", "--domain", "a=x.npy"], "'x.npy' is not a file of numpy, or is damaged"),
    (["fit", "--domain", "a=3", "--domain", "a=4"], "--domain 'a' is given twice"),
    (["fit", "--domain", "a=bad.csv"], "'bad.csv', line 3: expected 2 numbers"),
    (["fit", "--domain", "a=3", "--relation", "a=l.csv"], "--relation must be DOMAIN:DOMAIN=FILE, got 'a=l.csv'"),
    (
        ["fit", "--domain", "a=3", "--domain", "b=2", "--relation", "a:b=l.csv"],
        "links of 'a' must be positions 0, 1, 2",
    ),
    (["fit", "--domain", "a=3", "--names", "z=names.txt"], "--names names the domain 'z'"),
    (["fit", "--domain", "a=3", "-o", "map.html"], "--output must end in .npz, got 'map.html'"),
    (
        ["fit", "--domain", "a=good.csv", "--weights", "7"],
        "weights must be one of 'size', 'equal', 'balanced', a number",
    ),
    (["evaluate", "nowhere.npz"], "nowhere.npz"),
    (["evaluate", "alone.npz"], "the data of 'alone.npz' is not beside it"),
    (["plot", "alone.npz", "-o", "x.gif"], "--output must end in .png, .svg, .pdf"),
    (["place", "alone.npz"], "give new items: --domain NAME=FILE"),
    (["info", "x.npy"], "is not a saved embedding, or is damaged"),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=[message[:40] for _, message in ERRORS])
def test_errors_are_messages(
    arguments: list[str], message: str, tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.npy").write_text("no array")
    (tmp_path / "bad.csv").write_text("1,2\n3,4\n5,six\n")
    (tmp_path / "good.csv").write_text("1,2\n3,4\n5,6\n")
    (tmp_path / "l.csv").write_text("one,0\n")
    (tmp_path / "names.txt").write_text("a\n")
    Embedding({"a": [[0, 0]]}).save(tmp_path / "alone.npz")
    monkeypatch.chdir(tmp_path)
    code, _, errors = invoke(*arguments)
    assert code == 1
    assert errors.startswith("mrsne: ")
    assert message in errors


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a graphics card")
def test_a_device_that_is_not_there_is_a_message(tmp_path: Path, invoke: Invoke) -> None:
    np.save(tmp_path / "a.npy", np.eye(12))
    code, _, errors = invoke("fit", "--domain", f"a={tmp_path / 'a.npy'}", "--device", "cuda", "-o", tmp_path / "m.npz")
    assert code == 1
    assert errors.startswith("mrsne: device='cuda' cannot be used: torch finds no CUDA device")
    assert not (tmp_path / "m.npz").exists()
