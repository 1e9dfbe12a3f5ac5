"""Cells and genes: from AnnData and back."""

from __future__ import annotations

from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.data.interchange.anndata_objects import AnnDataError


def cells(count: int = 60) -> anndata.AnnData:
    """Three groups of cells, each with genes of its own, one of which no cell has; counts as scanpy keeps them."""
    random = np.random.default_rng(0)
    group = np.arange(count) % 3
    rates = np.where((np.arange(12)[None, :] % 3) == group[:, None], 5.0, 0.3)
    counts = random.poisson(rates).astype(np.float32)
    counts[:, 11] = 0
    obs = pd.DataFrame({"group": pd.Categorical([f"group {g}" for g in group])}, index=[f"c{i}" for i in range(count)])
    var = pd.DataFrame({"chromosome": np.arange(12) % 4}, index=[f"gene{i}" for i in range(12)])
    return anndata.AnnData(sparse.csr_matrix(counts), obs=obs, var=var)


def test_five_lines_from_a_file_to_a_map_and_back(tmp_path: Path) -> None:
    anndata.settings.allow_write_nullable_strings = True
    cells().write_h5ad(tmp_path / "cells.h5ad")
    adata = anndata.read_h5ad(tmp_path / "cells.h5ad")
    data = RelationalData.from_anndata(adata)
    embedding = MRSNE(random_state=0, perplexity=10).fit_transform(data)
    embedding.to_anndata(adata)
    assert data.sizes == {"cell": 60, "gene": 11}
    assert data.columns["cell"]["group"][:2] == ("group 0", "group 1")
    np.testing.assert_array_equal(adata.obsm["X_mrsne"], embedding["cell"])
    np.testing.assert_array_equal(adata.varm["X_mrsne"][:11], embedding["gene"])
    assert np.isnan(adata.varm["X_mrsne"][11]).all()


def test_principal_components_are_what_cells_are_compared_by_where_there_are_any() -> None:
    adata = cells()
    adata.obsm["X_pca"] = np.ones((60, 4), np.float32) * np.arange(60)[:, None]
    adata.obsm["X_other"] = np.eye(60, 3, dtype=np.float32)
    assert RelationalData.from_anndata(adata).vectors["cell"].shape == (60, 4)  # type: ignore[union-attr]
    assert RelationalData.from_anndata(adata, use_rep="X_other").vectors["cell"].shape[1] == 3  # type: ignore[union-attr]
    with pytest.raises(AnnDataError, match=r"adata.obsm has no 'X_umap'; it has 'X_pca', 'X_other'"):
        RelationalData.from_anndata(adata, use_rep="X_umap")


def test_a_scaled_matrix_is_refused_with_the_way_out() -> None:
    adata = cells()
    adata.raw = adata
    adata.layers["counts"] = adata.X.copy()
    adata.X = np.asarray(adata.X.todense()) - 1
    with pytest.raises(AnnDataError, match=r"scaled \(sc.pp.scale\).*with use_raw=True or layer='counts'"):
        RelationalData.from_anndata(adata)
    assert RelationalData.from_anndata(adata, use_raw=True).sizes["gene"] == 11
    assert RelationalData.from_anndata(adata, layer="counts", min_count=30).sizes["gene"] < 11


def test_what_is_no_map_of_these_cells_is_named() -> None:
    adata = cells()
    data = RelationalData({"a": 2, "b": 2}, names={"a": ["x", "y"], "b": ["p", "q"]})
    with pytest.raises(AnnDataError, match="no name of adata is in the map: 'a' has x, y"):
        Embedding({"a": [[0, 0], [1, 1]], "b": [[0, 0], [1, 1]]}, data=data).to_anndata(adata)
    with pytest.raises(ValueError, match="the data of this map is not known"):
        Embedding({"a": [[0, 0]]}).to_anndata(adata)
    with pytest.raises(AnnDataError, match="adata must be an AnnData object, got dict"):
        RelationalData.from_anndata({})


@pytest.mark.parametrize("dense", [True, False])
def test_a_backed_object_gives_the_data_of_one_in_memory(
    dense: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mrsne.data.interchange.anndata_objects.BLOCK_BYTES", 500)  # ten rows at a time
    adata = cells()
    adata.raw = adata
    adata.X = adata.X.toarray() if dense else adata.X
    with anndata.settings.override(allow_write_nullable_strings=True):
        adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    for use_raw in (False, True):
        found, wanted = (RelationalData.from_anndata(one, use_raw=use_raw) for one in (backed, adata))
        assert (found.relations["cell", "gene"] != wanted.relations["cell", "gene"]).nnz == 0
        assert (found.vectors["cell"] != wanted.vectors["cell"]).nnz == 0  # type: ignore[union-attr]
    backed.file.close()


def test_columns_of_obs_become_kinds() -> None:
    adata = cells()
    adata.obs["donor"] = [None if i == 3 else f"donor {i % 5}" for i in range(60)]
    data = RelationalData.from_anndata(adata, kinds={"sample": "donor"})
    assert data.sizes == {"cell": 60, "gene": 11, "sample": 5}
    assert data.names["sample"][:2] == ("donor 0", "donor 1")
    assert data.relations["cell", "sample"].nnz == 59
    assert RelationalData.from_anndata(adata, kinds=["donor", "group"]).sizes["group"] == 3
    with pytest.raises(AnnDataError, match=r"adata.obs has no column 'batch'; it has 'group', 'donor'"):
        RelationalData.from_anndata(adata, kinds={"sample": "batch"})
    with pytest.raises(AnnDataError, match="kinds names 'gene', which the map has already"):
        RelationalData.from_anndata(adata, kinds={"gene": "donor"})
