from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mrsne import RelationalData
from mrsne.data.archive import DataFileError, read_archive, write_archive
from tests.data.files.hostile_files import flipped_bits, hostile_files, in_another_process


def test_data_survives_saving(tmp_path: Path) -> None:
    data = RelationalData(
        {"a": np.eye(3, dtype=np.float32), "b": sparse.csr_matrix(np.eye(4)), "c": 2},
        {("a", "b"): np.ones((3, 4)), ("c", "c"): [[0, 1], [1, 0]]},
        names={"c": ["x\n\u05d0", "\U0001f415"]},
        missing={"a": [True, False, False]},
        pictures={"a": np.zeros((3, 2, 2, 3), np.uint8)},
    )
    write_archive(data, tmp_path / "data.npz", {"settings": {"weights": "size"}})
    again, about = read_archive(tmp_path / "data.npz", RelationalData)
    assert (repr(again), again.names, about) == (repr(data), data.names, {"settings": {"weights": "size"}})
    assert again.missing["a"].tolist() == [True, False, False]
    assert again.pictures["a"].shape == (3, 2, 2, 3)
    (tmp_path / "data.npz").write_text("damaged")
    with pytest.raises(DataFileError, match="is not saved data, or is damaged"):
        read_archive(tmp_path / "data.npz", RelationalData)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    data = RelationalData(
        {"a": np.eye(3, dtype=np.float32), "b": sparse.csr_matrix(np.eye(4)), "c": 2},
        {("a", "b"): np.ones((3, 4))},
        names={"c": ["x", "y"]},
    )
    write_archive(data, tmp_path / "map.data.npz", {"settings": {"weights": "size"}})
    return tmp_path / "map.data.npz"


def test_damaged_data_is_one_kind_of_error(saved: Path) -> None:
    messages = []
    for _ in flipped_bits(saved, 500):
        try:
            assert RelationalData.load(saved).n_items == 9  # a bit that nothing hangs on
        except (DataFileError, MemoryError) as error:
            messages.append(str(error))
    assert len(messages) > 250
    assert all("map.data.npz'" in message for message in messages)


@pytest.mark.parametrize(
    "changed",
    [
        {"format": [1]},
        {"about": 5},
        {"domains": {"a": {"kind": "none", "size": float("inf")}}},
        {"domains": {"a": {"kind": "none", "size": -3}}},
        {"domains": {"a": {"kind": "none", "size": 10**30}}},
        {"domains": {"a": {"kind": "dense"}, "b": {"kind": "dense"}, "c": {"kind": "sparse"}}},
        {"domains": [1, 2]},
        {"names": {"c": 5}},
        {"names": {"nobody": ["x"]}},
        {"relations": [["a"]]},
        {"relations": [["a", "b"], ["a", "c"]]},
        {"relations": 7},
    ],
)
def test_a_header_that_says_something_else_is_refused(changed: dict[str, Any], saved: Path) -> None:
    arrays = dict(np.load(saved))
    header = {**json.loads(arrays["header"].tobytes()), **changed}
    np.savez(saved, **{**arrays, "header": np.frombuffer(json.dumps(header).encode(), np.uint8)})
    with pytest.raises(DataFileError, match=r"map.data.npz' (is not saved data|was written by another)"):
        read_archive(saved, RelationalData)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("header", np.frombuffer(b"[" * 100_000, np.uint8)),
        ("header", np.array(7.5)),
        ("header", np.array(["text"])),
        ("relation_0_shape", np.array(3)),
        ("relation_0_shape", np.array([np.inf, 4])),
        ("relation_0_shape", np.array([-3, 4])),
        ("relation_0_shape", np.array([3, 2**62])),
        ("relation_0_indptr", np.array([0.5, 4, 8, 12])),
        ("relation_0_indptr", np.array([], np.int32)),
        ("relation_0_data", np.full(12, np.nan)),
        ("relation_0_data", np.array(list("abcdefghijkl"))),
        ("vectors_0", np.array(["x", "y", "z"])),
        ("vectors_0", np.full((3, 3), np.nan)),
        ("missing_0", np.zeros(77, bool)),
    ],
)
def test_arrays_of_another_kind_are_refused(name: str, array: Any, saved: Path) -> None:
    np.savez(saved, **{**dict(np.load(saved)), name: array})
    with pytest.raises(DataFileError, match=r"map.data.npz' is not saved data, or is damaged"):
        read_archive(saved, RelationalData)


@pytest.mark.parametrize("loader", ["mrsne.Embedding.load", "mrsne.RelationalData.load", "mrsne.datasets.load_arrays"])
def test_pipes_devices_and_links_in_a_circle_are_not_waited_for(loader: str, tmp_path: Path) -> None:
    expected = hostile_files(tmp_path, ".npz")
    script = f"""
import mrsne
for path in sys.argv[1:]:
    try:
        print({loader}(path))
    except ValueError as error:
        print(error)
"""
    result = in_another_process(script, *(tmp_path / name for name in expected))
    said = [f"{str(tmp_path / name)!r} is {reason}" for name, reason in expected.items()]
    assert result.stdout.splitlines() == said, result.stderr
