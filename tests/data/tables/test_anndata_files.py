"""AnnData files as tables: cells with what is known of them, one matrix of vectors, and damaged or malicious files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anndata
import h5py
import numpy as np
import pytest

from mrsne.data.files.problems import Problems
from mrsne.data.tables.known_items import columns_from_table
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import Coded, TableError
from tests.cli.conftest import run, summary_of
from tests.data.interchange.test_anndata import cells


def cell_file(path: Path, **matrices: Any) -> Path:
    """Write 60 cells of three groups, given as numbers, from three donors."""
    adata = cells()
    adata.obs["cluster"] = adata.obs["group"].cat.rename_categories(["0", "1", "2"])
    adata.obs["donor"] = [f"donor {i % 7}" for i in range(60)]
    adata.obs["total"] = np.asarray(adata.X.sum(axis=1)).ravel()
    adata.obsm.update(matrices)
    with anndata.settings.override(allow_write_nullable_strings=True):
        adata.write_h5ad(path)
    return path


def points() -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)


@contextmanager
def changed(path: Path) -> Iterator[h5py.File]:
    with h5py.File(path, "r+") as file:
        yield file


def test_words_are_categories_and_kinds_where_that_is_asked_for(tmp_path: Path) -> None:
    path = cell_file(tmp_path / "pbmc.h5ad", X_pca=points(), X_umap=points()[:, :2])
    found = summary_of("map", path, "--dry-run")["columns"]["pbmc.h5ad"]
    roles = {"index": "id", "group": "category", "cluster": "category", "donor": "category", "total": "number"}
    assert {heading: column["role"] for heading, column in found.items()} == {**roles, "X_pca": "vector"}
    map_of_cells = summary_of(
        "map", path, "--kind", "sample=donor", "-o", tmp_path / "map.png", "--perplexity", "5", "--no-cache"
    )
    assert map_of_cells["items"] == {"cell": 60, "sample": 7}
    assert map_of_cells["links"] == {"cell": {"sample": 60}}


def test_cells_are_compared_by_principal_components_or_what_is_named_or_the_matrix(tmp_path: Path) -> None:
    path = cell_file(tmp_path / "cells.h5ad", X_pca=points(), X_scvi=points()[:, :3])
    np.testing.assert_array_equal(open_table(path).columns["X_pca"], points())
    assert open_table(path, table="X_scvi").columns["X_scvi"].shape == (60, 3)  # type: ignore[union-attr]
    framed = cell_file(tmp_path / "framed.h5ad", scores=cells().obs[[]].assign(s=1.0), X_scvi=points()[:, :3])
    with pytest.raises(TableError, match=r"has no table 'scores'; it has X_scvi, X"):
        open_table(framed, table="scores")
    with pytest.raises(TableError, match=r"cells.h5ad' has no table 'X_umap'; it has X_pca, X_scvi, X"):
        open_table(path, table="X_umap")
    plain = open_table(cell_file(tmp_path / "plain.h5ad"))
    np.testing.assert_array_equal(plain.columns["X"], cells().X.toarray())


def test_what_is_known_of_cells_colours_another_map_of_them(tmp_path: Path) -> None:
    path = cell_file(tmp_path / "cells.h5ad", X_pca=points())
    problems = Problems()
    found = columns_from_table(path, 60, problems, list(cells().obs_names))
    assert found["group"][:2] == ["group 0", "group 1"]
    np.testing.assert_array_equal(found["total"], cells().X.sum(axis=1).A1)
    assert problems.counts() == {"column that is not used": 1}


def test_a_file_of_an_old_version_is_read(tmp_path: Path) -> None:
    """That of scanpy's package was written by anndata 0.6, with obs as one array."""
    scanpy_datasets = pytest.importorskip("scanpy", reason="the file is part of scanpy: pip install scanpy").datasets
    path = Path(scanpy_datasets.__file__).with_name("10x_pbmc68k_reduced.h5ad")
    table = open_table(path)
    labels, vectors = table.columns["bulk_labels"], table.columns["X_pca"]
    assert isinstance(labels, Coded)
    assert isinstance(vectors, np.ndarray)
    assert (table.size, vectors.shape, len(labels.values)) == (700, (700, 50), 10)
    assert "louvain" in table.categories  # whose names are numbers


def test_without_anndata_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cell_file(tmp_path / "cells.h5ad")
    (tmp_path / "anndata.py").write_text("raise ImportError('it is not here')")
    monkeypatch.syspath_prepend(tmp_path)
    code, _, words = run("map", path, "--dry-run")
    assert code == 1
    assert "cells.h5ad' needs anndata" in words
    assert "pip install 'mrsne[anndata]'" in words


def huge_shape(file: h5py.File) -> None:
    del file["obsm/X_pca"]
    file["obsm"].create_dataset("X_pca", (60, 10**9), "f4", chunks=(60, 10**4))


def compressed_zeros(file: h5py.File) -> None:
    del file["obs/total"]
    file["obs"].create_dataset("total", data=np.zeros(10**8, np.float32), chunks=(10**7,), compression="gzip")


def huge_matrix(file: h5py.File) -> None:
    del file["obsm/X_pca"]
    file["X"].attrs["shape"] = (60, 10**7)


def many_entries(file: h5py.File) -> None:
    del file["obsm/X_pca"]
    del file["X/data"]
    file["X"].create_dataset("data", (10**10,), "f4", chunks=(10**6,))


def one_text_often(file: h5py.File) -> None:
    """A hundred thousand references to one text of a megabyte."""
    text = file["obs"].create_dataset("note", (10**5,), h5py.string_dtype(), chunks=(10**5,))
    text[0] = "x" * 10**6
    once = text.id.read_direct_chunk((0,))[1][:16]
    text.id.write_direct_chunk((0,), once * 10**5)


def elsewhere(file: h5py.File) -> None:
    del file["obsm/X_pca"]
    file["obsm/X_pca"] = h5py.ExternalLink("/etc/hosts", "/X")


ATTACKS: dict[str, tuple[Callable[[h5py.File], None], str]] = {
    "a shape of 60 billion numbers": (huge_shape, "MRSNE_UNPACKED_BYTES"),
    "400 MB of zeros in a column": (compressed_zeros, "MRSNE_UNPACKED_BYTES"),
    "a sparse matrix of 600 million cells": (huge_matrix, "MRSNE_CELLS"),
    "a sparse matrix of 10 billion entries": (many_entries, "MRSNE_UNPACKED_BYTES"),
    "one text 100,000 times": (one_text_often, "MRSNE_UNPACKED_BYTES"),
    "vectors in another file": (elsewhere, "'obsm/X_pca' in another place"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_and_the_file_named(attack: str, tmp_path: Path) -> None:
    spoil, words = ATTACKS[attack]
    path = cell_file(tmp_path / "cells.h5ad", X_pca=points())
    with changed(path) as file:
        spoil(file)
    assert path.stat().st_size < 3_000_000
    with pytest.raises(TableError, match=rf"cells\.h5ad.*{words}"):
        open_table(path)


def test_what_is_no_such_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cells.h5ad"
    whole = cell_file(path, X_pca=points()).read_bytes()
    for content, words in (
        (b"id,title\n1,Storm\n", "cells.h5ad' is not an AnnData file, or is damaged"),
        (whole[: len(whole) // 2], "cells.h5ad' is not an AnnData file, or is damaged"),
        (b"", "cells.h5ad' is empty"),
    ):
        path.write_bytes(content)
        with pytest.raises(TableError, match=words):
            open_table(path)
    path.unlink()
    with h5py.File(path, "w") as file:
        file["matrix"] = np.eye(3)
    with pytest.raises(TableError, match=r"cells.h5ad' has no obs, as an AnnData file has; it has matrix"):
        open_table(path)
    cell_file(path, X_pca=points())
    with changed(path) as file:
        del file["obsm/X_pca"]
        file["obsm/X_pca"] = points()[:50]
    with pytest.raises(TableError, match=r"cells.h5ad' has 60 cells, but its X_pca has the shape \(50, 4\)"):
        open_table(path)
    (tmp_path / "cells.csv").write_bytes(whole)
    with pytest.raises(TableError, match=r"cells.csv' is an AnnData file; let its name end in .h5ad"):
        open_table(tmp_path / "cells.csv")


def test_a_file_that_is_cut_off_anywhere_is_named(tmp_path: Path) -> None:
    path = cell_file(tmp_path / "cells.h5ad", X_pca=points())
    whole = path.read_bytes()
    for length in range(1, len(whole), len(whole) // 4):
        path.write_bytes(whole[:length])
        with pytest.raises(TableError, match=r"cells\.h5ad' is not an AnnData file, or is damaged"):
            open_table(path)
