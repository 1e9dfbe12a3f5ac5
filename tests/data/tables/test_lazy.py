"""Files that are read block by block: damaged ones are named, and nothing in them is run."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne.data.collection.files import lazy_links
from mrsne.data.tables.matrices import lazy_matrix
from mrsne.data.tables.table import TableError
from tests.data.files.hostile_files import hostile_files, in_another_process


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mknod, (str(self.path),)


@pytest.mark.parametrize(
    "codecs",
    [
        {"compressor": None, "filters": [{"id": "pickle", "protocol": 5}]},
        {"compressor": {"id": "pickle", "protocol": 5}, "filters": None},
    ],
    ids=["filter", "compressor"],
)
@pytest.mark.parametrize("dtype", ["<f8", "|O"])
def test_a_zarr_array_of_pickles_is_refused(dtype: str, codecs: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "vectors.zarr"
    folder.mkdir()
    about = {"zarr_format": 2, "shape": [4, 3], "chunks": [4, 3], "dtype": dtype, "fill_value": 0, "order": "C"}
    (folder / ".zarray").write_text(json.dumps(about | codecs).replace("pickle", "\\u0070ickle"))
    (folder / "0.0").write_bytes(pickle.dumps(Touch(tmp_path / "started")))
    with pytest.raises(TableError, match=r"vectors.zarr' is not a Zarr array.* \(its blocks are pickled\)"):
        lazy_matrix(folder)[0].compute(scheduler="sync")
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("version", [2, 3])
def test_a_zarr_array_is_read_and_a_damaged_one_named(version: Any, tmp_path: Path) -> None:
    import zarr

    array: Any = np.arange(12.0).reshape(4, 3)
    zarr.save_array(str(tmp_path / "vectors.zarr"), array, zarr_format=version)
    np.testing.assert_array_equal(lazy_matrix(tmp_path / "vectors.zarr")[0].compute(scheduler="sync"), array)
    for name in (".zarray", "zarr.json"):
        if (tmp_path / "vectors.zarr" / name).exists():
            (tmp_path / "vectors.zarr" / name).write_text("[" * 100_000)
    with pytest.raises(TableError, match=r"vectors.zarr' is not a Zarr array, or is damaged \(it is nested too deeply"):
        lazy_matrix(tmp_path / "vectors.zarr")


def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "links.parquet").write_text("no parquet")
    with pytest.raises(TableError, match=r"links.parquet' is not a Parquet file or a folder of them"):
        lazy_matrix(tmp_path / "links.parquet")
    with pytest.raises(TableError, match=r"links.parquet' is not a Parquet file or a folder of them"):
        lazy_links(tmp_path / "links.parquet", "a", "b")


@pytest.mark.parametrize("ending", [".npy", ".parquet", ".zarr"])
def test_pipes_and_endless_links_are_not_waited_for(ending: str, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in hostile_files(tmp_path, ending)]
    script = """
from pathlib import Path
from mrsne.data.collection.files import lazy_links
from mrsne.data.tables.matrices import lazy_matrix
for name in sys.argv[1:]:
    for read in (lazy_matrix, lambda path: lazy_links(path, "a", "b")):
        try:
            read(Path(name))
        except ValueError as error:
            print(name in str(error))
"""
    result = in_another_process(script, *names)
    assert result.stdout.split() == ["True"] * 2 * len(names), result.stderr
