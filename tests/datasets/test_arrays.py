"""Images and tags from one npz file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne.datasets.arrays import load_arrays
from mrsne.datasets.files import DatasetError
from tests.data.files.hostile_files import flipped_bits


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "data.npz"


def test_vectors_links_and_names_are_read(archive: Path) -> None:
    np.savez(archive, image_vectors=np.eye(4), relation=np.eye(4, 3), tag_vectors=np.eye(3), tag_names=["a", "b", "c"])
    data = load_arrays(archive)
    assert repr(data) == "RelationalData(image: 4 items, 4-d; tag: 3 items, 3-d; image-tag: 3 links)"
    assert data.names["tag"] == ("a", "b", "c")


def test_other_arrays_are_left_alone(archive: Path) -> None:
    np.savez(archive, image_vectors=np.eye(4), relation=np.eye(4), others=np.array([{}]))
    assert load_arrays(archive).n_items == 8


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"image_vectors": np.eye(4)}, r"'data.npz' has no 'relation'; it has 'image_vectors'"),
        ({"image_vectors": np.eye(4), "relation": np.ones(4)}, "expected images × tags"),
    ],
)
def test_a_relation_that_is_missing_or_no_matrix_is_named(archive: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(archive, **arrays)
    with pytest.raises(DatasetError, match=message):
        load_arrays(archive)


def test_other_files_are_refused(archive: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.eye(3))
    archive.write_text("text")
    for path in (tmp_path / "one.npy", archive):
        with pytest.raises(DatasetError, match="is not an npz file of arrays"):
            load_arrays(path)


def test_damaged_files_are_one_kind_of_error(archive: Path) -> None:
    np.savez_compressed(archive, image_vectors=np.eye(4), relation=np.eye(4), tag_names=list("abcd"))
    messages = []
    for _ in flipped_bits(archive, 500):
        try:
            assert load_arrays(archive).n_items == 8  # a bit that nothing hangs on
        except (DatasetError, MemoryError) as error:
            messages.append(str(error))
    assert len(messages) > 250
    assert all("data.npz'" in message for message in messages)


def test_pictures_are_read_where_there_are_any(tmp_path: Path) -> None:
    pictures = np.arange(3 * 4 * 4 * 3, dtype=np.uint8).reshape(3, 4, 4, 3)
    np.savez(tmp_path / "data.npz", image_vectors=np.eye(3), relation=np.eye(3), image_pictures=pictures)
    np.testing.assert_array_equal(load_arrays(tmp_path / "data.npz").pictures["image"][..., :3], pictures)


@pytest.mark.parametrize("vectors", [np.zeros((3, 0)), np.full((3, 2), np.nan), np.zeros((2, 2)), np.array(["a"] * 3)])
def test_arrays_that_do_not_fit_are_named_with_their_file(vectors: np.ndarray, tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", image_vectors=vectors, relation=np.eye(3))
    with pytest.raises(
        DatasetError, match=r"data\.npz' is not an npz file of arrays that belong together, .*(image|items)"
    ):
        load_arrays(tmp_path / "data.npz")
