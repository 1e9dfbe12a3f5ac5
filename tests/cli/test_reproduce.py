"""``mrsne reproduce``: the paper's comparison from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Invoke


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """40 images with two tags."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    np.savez(tmp_path / "two.npz", image_vectors=X, relation=np.eye(2)[np.arange(40) % 2])
    return tmp_path / "two.npz"


def test_a_report_is_written_and_summarised(invoke: Invoke, archive: Path, tmp_path: Path) -> None:
    report = tmp_path / "report"
    options = ("--methods", "mrsne-unnorm-size", "--seeds", "1", "--perplexity", "8", "--sweep", "5,50")
    command = ("reproduce", "awa2", "--data", archive, *options, "-o", report)
    code, printed, errors = invoke(*command)
    assert code == 0, errors
    assert "methods: 1\nseeds: 1\n" in printed
    assert "from 50 on" in errors  # 40 images cannot have that perplexity
    code, printed, errors = invoke(*command, "--json")
    assert code == 0, errors
    summary = json.loads(printed)
    assert (summary["methods"], summary["seeds"], Path(summary["report"])) == (1, 1, report / "README.md")
    assert summary["perplexity"] == 8.0
    page = (report / "README.md").read_text()
    assert "Perplexity 8: 8 for `image`" in page
    assert "| score | MR-SNE | 5 | paper |" in page
    code, _, errors = invoke("reproduce", "groups", "--methods", "cdmca-2", "-o", report)
    assert code == 1
    assert "holds the runs of other data or other questions" in errors


def test_methods_are_listed(invoke: Invoke, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 8))
    np.savez(tmp_path / "six.npz", image_vectors=X, relation=np.eye(6)[np.arange(40) % 6])
    code, printed, _ = invoke("reproduce", "awa2", "--data", tmp_path / "six.npz", "--list")
    assert code == 0
    keys = [line.split()[0] for line in printed.splitlines()]
    assert len(keys) == len(set(keys)) == 48
    assert "pmvge-inner-across-2-improved" in keys


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["awa3"], "study must be one of 'awa2', 'flickr', 'debian', 'icons', 'emoji', 'shapes', 'groups', got 'awa3'"),
        (["awa2", "--data", "nowhere"], "there is no file or folder 'nowhere'"),
        (["awa2", "--data", "."], "there is no classes.txt"),
        (["awa2", "--methods", "tsne"], "--methods 'tsne' fits none of the methods; --list shows them"),
        (["awa2", "--methods", ","], "--methods ',' fits none of the methods"),
        (["awa2", "--perplexity", "1"], "perplexity must be a finite number greater than 1, got 1"),
        (["awa2", "--sweep", "5,x"], "--sweep must be numbers greater than 1, separated by commas, or none, got '5,x'"),
        (["shapes", "--data", "x.npz"], "'shapes' is bundled, so it takes no data"),
        (["groups", "--within", "same"], "within must be one of 'shared', 'identical', got 'same'"),
    ],
)
def test_errors_are_messages(
    invoke: Invoke, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, errors = invoke("reproduce", *arguments, "-o", "report")
    assert code == 1
    assert message in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "report").exists()


def test_a_pattern_that_fits_only_methods_the_data_does_not_allow_is_named(invoke: Invoke, tmp_path: Path) -> None:
    archive = tmp_path / "narrow.npz"
    X = np.random.default_rng(0).normal(size=(40, 1))
    np.savez(archive, image_vectors=X, relation=np.eye(2)[np.arange(40) % 2])
    patterns = "cdmca-*,mrsne-unnorm-size"
    code, _, errors = invoke("reproduce", "awa2", "--data", archive, "--methods", patterns, "-o", tmp_path / "report")
    assert code == 1
    assert "--methods 'cdmca-*' fits none" in errors
