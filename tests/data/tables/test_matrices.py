"""Vectors and links from files: what is in them, or which file and which line is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mrsne.data.collection.files import read_links
from mrsne.data.tables.matrices import read_matrix
from mrsne.data.tables.table import TableError
from tests.data.files.hostile_files import hostile_files, in_another_process


def write_table(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_arrays_and_sparse_matrices_as_numpy_and_scipy_save_them(tmp_path: Path) -> None:
    array = np.random.default_rng(0).normal(size=(5, 3))
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "b.npz", vectors=array)
    np.testing.assert_array_equal(read_matrix(tmp_path / "a.npy")[0], array)
    np.testing.assert_array_equal(read_matrix(tmp_path / "b.npz")[0], array)
    for kind in ("csr", "csc", "coo", "bsr", "dia"):
        matrix = sparse.random(6, 4, 0.4, random_state=0, format=kind)
        sparse.save_npz(tmp_path / "c.npz", matrix)
        found, names = read_matrix(tmp_path / "c.npz")
        assert (found.format, names) == ("csr", None)
        np.testing.assert_array_equal(found.toarray(), matrix.toarray())


def test_tables_with_and_without_headings_and_names(tmp_path: Path) -> None:
    for text, names in (
        ("1,2\n3,4\n", None),
        ("x,y\n1,2\n3,4\n", None),
        ("a,1,2\nb,3,4\n", ["a", "b"]),
        ("name,x,y\na,1,2\nb,3,4\n", ["a", "b"]),
    ):
        vectors, found = read_matrix(write_table(tmp_path / "vectors.csv", text))
        assert (vectors.tolist(), found) == ([[1, 2], [3, 4]], names)


@pytest.mark.parametrize("cell", ["nan", "inf", "-Infinity", "1e999", "1" + "0" * 400])
def test_a_number_that_is_not_finite_is_found_in_its_line(cell: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"^vectors.csv, line 3: expected 2 finite numbers, got \['b', '3'"):
        read_matrix(write_table(tmp_path / "vectors.csv", f"name,x,y\na,1,2\nb,3,{cell}\n"))
    with pytest.raises(TableError, match=r"^links.csv, line 2: expected a finite number as weight, got '"):
        read_links(write_table(tmp_path / "links.csv", f"a,b,weight\n0,1,{cell}\n"), "a", "b")


def test_rows_that_do_not_fit_are_found_in_their_line(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"^vectors.csv, line 2: expected 2 finite numbers, got \['3'\]"):
        read_matrix(write_table(tmp_path / "vectors.csv", "1,2\n3\n"))
    with pytest.raises(TableError, match=r"^links.csv, line 2: expected a, b and perhaps a weight, got \['0'\]"):
        read_links(write_table(tmp_path / "links.csv", "a,b\n0\n"), "a", "b")
    with pytest.raises(TableError, match=r"vectors.csv' has headings \(x, y\) and no rows below them"):
        read_matrix(write_table(tmp_path / "vectors.csv", "x,y\n"))


def outside(matrix: Any) -> None:
    matrix.indices[0] = 900_000


def negative(matrix: Any) -> None:
    matrix.indices[0] = -5


def falling(matrix: Any) -> None:
    matrix.indptr[1] = 7
    matrix.indptr[2] = 1


@pytest.mark.parametrize("damage", [outside, negative, falling])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
def test_an_index_outside_of_a_matrix_is_an_error_and_no_crash(
    kind: str, damage: Callable[[Any], None], tmp_path: Path
) -> None:
    ones = np.ones((3, 3))
    matrix = sparse.bsr_matrix(ones, blocksize=(1, 1)) if kind == "bsr" else sparse.csr_matrix(ones).asformat(kind)
    damage(matrix)
    sparse.save_npz(tmp_path / "links.npz", matrix)
    script = """
from pathlib import Path
from mrsne.data.tables.matrices import read_matrix
try:
    read_matrix(Path(sys.argv[1]))
except ValueError as error:
    print(error)
"""
    result = in_another_process(script, tmp_path / "links.npz")
    assert "links.npz' is not a file of numpy, or is damaged (" in result.stdout, (result.returncode, result.stderr)


@pytest.mark.parametrize("ending", [".npy", ".npz", ".parquet", ".csv"])
def test_only_files_are_read(ending: str, tmp_path: Path) -> None:
    for name, reason in hostile_files(tmp_path, ending).items():
        with pytest.raises(ValueError, match=f"{name}' is {reason}"):
            read_matrix(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"there is no (file|table) '.*nowhere"):
        read_matrix(tmp_path / f"nowhere{ending}")


@pytest.mark.parametrize("ending", [".npy", ".npz", ".parquet"])
def test_any_damage_names_the_file(ending: str, tmp_path: Path) -> None:
    import pandas as pd

    random = np.random.default_rng(0)
    path = tmp_path / f"vectors{ending}"
    if ending == ".parquet":
        pd.DataFrame({"name": [f"n{i}" for i in range(20)], "x": random.normal(size=20)}).to_parquet(path)
    elif ending == ".npz":
        sparse.save_npz(path, sparse.random(20, 10, 0.3, format="csr", random_state=0))
    else:
        np.save(path, random.normal(size=(20, 3)))
    content = path.read_bytes()
    messages = []
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(random.integers(1, 4)):
            damaged[random.integers(len(content))] ^= 1 << random.integers(8)
        path.unlink()
        path.write_bytes(damaged[: random.integers(1, 2 * len(content))])
        try:
            read_matrix(path)
        except TableError as error:
            messages.append(str(error))
    assert len(messages) > 100
    assert all(path.name in message and len(message) < 500 for message in messages)
