"""A map and the data beside it belong together, or nothing is made of the two."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.data.archive import DataFileError, write_archive
from mrsne.model.saved_map import SavedMap
from tests.cli.conftest import Invoke


def some_data(seed: int) -> RelationalData:
    random = np.random.default_rng(seed)
    links = np.maximum(random.random((12, 3)) > 0.6, np.eye(12, 3))
    return RelationalData({"photo": random.normal(size=(12, 4)), "tag": 3}, {("photo", "tag"): links})


def write_map(path: Path, seed: int, **about: Any) -> Path:
    data = some_data(seed)
    MRSNE(perplexity=3, max_iter=20, random_state=0).fit_transform(data).save(path)
    write_archive(data, path.with_suffix(".data.npz"), {"settings": {"perplexity": 3}, **about})
    return path


@pytest.mark.parametrize(
    "command", [["evaluate"], ["plot", "-o", "x.png"], ["view", "-o", "x.html"], ["place", "--domain", "photo=new.npy"]]
)
def test_a_map_beside_older_data_of_the_same_size_is_refused(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, invoke: Invoke
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("new.npy", np.ones((2, 4)))
    new, older = write_map(tmp_path / "map.npz", 0), write_map(tmp_path / "older.npz", 1)
    name, *options = command
    assert invoke(name, new, *options)[0] == 0
    shutil.copy(older.with_suffix(".data.npz"), new.with_suffix(".data.npz"))
    code, _, errors = invoke(name, new, *options)
    assert (code, "map.npz' was made from other data than" in errors) == (1, True), errors


def test_a_map_of_an_older_version_is_opened_with_data_of_its_size(tmp_path: Path) -> None:
    path = write_map(tmp_path / "map.npz", 0)
    arrays = dict(np.load(path))
    assert str(arrays.pop("data_identity")) == SavedMap.load(path).embedding.data_identity
    np.savez(path, **arrays)
    assert SavedMap.load(path).embedding.data_identity is None
    Embedding({"photo": np.ones((5, 2)), "tag": np.ones((3, 2))}).save(path)
    with pytest.raises(ValueError, match="was made from other data than"):
        SavedMap.load(path)


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"settings": 5}, "settings must be among weights"),
        ({"settings": {"checkpoint": "/important"}}, "settings must be among weights"),
        ({"folder": 5}, "folder must be a path"),
        ({"folder": "a\0b"}, "folder must be a path"),
    ],
)
def test_what_a_stranger_keeps_with_the_data_is_checked(about: dict[str, Any], reason: str, tmp_path: Path) -> None:
    path = write_map(tmp_path / "map.npz", 0, **about)
    with pytest.raises(DataFileError, match=f"map.data.npz' is damaged: its {reason}"):
        SavedMap.load(path)
