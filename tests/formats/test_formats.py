"""Files of every version so far are read, and files of a later one are refused by name."""

from __future__ import annotations

import json
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mrsne
from mrsne import MRSNE, Embedding, RelationalData, SavedMap
from mrsne.backends.base import State
from mrsne.layout.descent import CheckpointError, load_checkpoint
from mrsne.parameters import FileContentError

HERE = Path(__file__).parent
VERSIONS = sorted(folder.name for folder in HERE.iterdir() if (folder / "expected.json").exists())
WRITER = runpy.run_path(str(HERE.parent.parent / "tools" / "write_formats.py"))


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the files of one version, since commands write beside them."""
    return Path(shutil.copytree(HERE / request.param, tmp_path / "kept"))


def expected(kept: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((kept / "expected.json").read_text("utf-8"))
    return found


def as_stored(description: dict[str, Any]) -> Any:
    return json.loads(json.dumps(description))


def arrays_of(path: Path) -> dict[str, NDArray[Any]]:
    with np.load(path) as file:
        return dict(file)


def checkpoint(path: Path) -> State:
    arrays = arrays_of(path)
    state = load_checkpoint(path, str(arrays["run"]), arrays["Y"].shape)
    assert state is not None
    return state


def test_this_version_has_its_files() -> None:
    assert mrsne.__version__ in VERSIONS, "tools/write_formats.py writes them"


@pytest.mark.parametrize("name", ["table", "arrays"])
def test_maps_and_data_are_read_as_they_were_written(kept: Path, name: str) -> None:
    embedding, data = Embedding.load(kept / f"{name}.npz"), RelationalData.load(kept / f"{name}.data.npz")
    found = as_stored(WRITER["described"](embedding, data))
    known = expected(kept)[name]
    assert {key: found[key] for key in known} == known
    assert embedding.data is not None  # the fingerprint of the data is the one that the map keeps


def test_new_rows_are_placed_in_a_map_of_a_table(kept: Path) -> None:
    saved = SavedMap.load(kept / "table.npz")
    new = saved.collection.read_new({"id": ["N13"], "subjects": ["sea; ship"], "year": [1900]})
    places = saved.place(new)
    assert np.isfinite(places["work"]).all()
    assert saved.grown(new).data.sizes["work"] == saved.data.sizes["work"] + 1


def test_reasons_follow_from_the_settings_in_the_file(kept: Path) -> None:
    embedding = Embedding.load(kept / "arrays.npz")
    assert "links" in set(embedding.reasons("photo", "3.jpg")["by"])


def test_a_run_continues_from_its_checkpoint(kept: Path) -> None:
    state = checkpoint(kept / "run.npz")
    assert state.iteration == expected(kept)["iterations"]
    assert np.isfinite(state.Y).all()


def test_an_interrupted_write_is_completed(kept: Path) -> None:
    with pytest.warns(UserWarning, match="was completed"):
        embedding = Embedding.load(kept / "half.npz")
    np.testing.assert_array_equal(embedding["photo"], np.eye(3, 2))


@pytest.mark.parametrize("version", [mrsne.__version__])
def test_what_is_written_changes_only_with_the_number_of_the_format(version: str, tmp_path: Path) -> None:
    """Written anew, every file has arrays of the same names and types, and a header with the same keys."""
    WRITER["main"](tmp_path / "new")
    for path in sorted((HERE / version).glob("*.npz")):
        old, new = arrays_of(path), arrays_of(tmp_path / "new" / path.name)
        assert {name: (a.dtype.kind, a.ndim) for name, a in old.items()} == {
            name: (a.dtype.kind, a.ndim) for name, a in new.items()
        }, f"{path.name}: is that a new format? Then its number must rise, and the readers must know both"
        if "header" in old:
            assert header_of(old).keys() == header_of(new).keys()


def header_of(arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(arrays["header"].tobytes().decode("utf-8", "surrogatepass"))
    return found


def raise_format(path: Path) -> None:
    """Let a file say that it has a format of the future."""
    arrays = arrays_of(path)
    if "header" in arrays:
        text = json.dumps({**header_of(arrays), "format": 99}, ensure_ascii=False)
        arrays["header"] = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    else:
        arrays["format"] = np.array(99)
    np.savez(path, **arrays)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("arrays.npz", Embedding.load),
        ("arrays.data.npz", RelationalData.load),
        ("run.npz", checkpoint),
    ],
)
def test_a_file_of_a_newer_version_is_refused_by_name(kept: Path, name: str, read: Callable[[Path], object]) -> None:
    raise_format(kept / name)
    with pytest.raises(
        FileContentError, match=r"was written by a newer mrsne: it has format 99, .* install a newer"
    ) as e:
        read(kept / name)
    assert name in str(e.value)


def test_a_newer_map_beside_older_data_is_refused_and_stays(kept: Path) -> None:
    raise_format(kept / "table.npz")
    before = (kept / "table.npz").read_bytes()
    with pytest.raises(FileContentError, match="newer mrsne"):
        SavedMap.load(kept / "table.npz")
    assert (kept / "table.npz").read_bytes() == before


def test_a_run_does_not_overwrite_a_checkpoint_of_a_newer_version(kept: Path) -> None:
    raise_format(kept / "run.npz")
    before = (kept / "run.npz").read_bytes()
    with pytest.raises(CheckpointError, match="newer mrsne"):
        MRSNE(perplexity=3, max_iter=10, checkpoint=kept / "run.npz").fit(np.eye(14))
    assert (kept / "run.npz").read_bytes() == before
