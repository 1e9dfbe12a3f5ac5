"""Which data this is: the same after saving, another for whatever changes the map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mrsne import Embedding, RelationalData
from mrsne.data.archive import write_archive
from mrsne.data.identity import identity

PARTS: dict[str, Any] = {
    "vectors": {"a": np.arange(12.0).reshape(4, 3), "b": 2},
    "relations": {("a", "b"): np.eye(4, 2)},
    "names": {"b": ["x\udce9", "y"]},
    "missing": {"a": [True, False, False, False]},
}


@pytest.mark.parametrize(
    "vectors",
    [
        np.asfortranarray(np.arange(12, dtype=np.float16).reshape(4, 3)),
        np.arange(24.0).reshape(4, 6)[:, ::2],
        np.arange(12, dtype=">f8").reshape(4, 3),
        sparse.csr_matrix(np.eye(4, 3, dtype=np.float32)),
        sparse.csr_matrix(np.eye(4, 3)).astype(np.float64)[::-1],
        np.full((4, 3), 7),
    ],
)
def test_saving_and_reading_keep_it(vectors: Any, tmp_path: Path) -> None:
    data = RelationalData({"a": vectors, "b": 2}, PARTS["relations"], PARTS["names"], PARTS["missing"])
    if sparse.issparse(vectors):  # as wide as scipy makes them for many entries
        matrix: Any = data.vectors["a"]
        matrix.indices = matrix.indices.astype(np.int64)
    write_archive(data, tmp_path / "data.npz")
    assert identity(RelationalData.load(tmp_path / "data.npz")) == identity(data)


@pytest.mark.parametrize(
    "changed",
    [
        {"vectors": {"a": np.arange(12.0).reshape(4, 3) + 1e-15, "b": 2}},
        {"vectors": {"a": np.arange(12, dtype=np.float32).reshape(4, 3), "b": 2}},
        {"vectors": {"b": 2, "a": np.arange(12.0).reshape(4, 3)}},
        {"relations": {("a", "b"): 2 * np.eye(4, 2)}},
        {"relations": {("b", "a"): np.eye(2, 4)}},
        {"relations": None},
        {"names": {"b": ["x", "y"]}},
        {"names": None},
        {"missing": None},
    ],
)
def test_other_data_has_another(changed: dict[str, Any]) -> None:
    assert identity(RelationalData(**{**PARTS, **changed})) != identity(RelationalData(**PARTS))


def test_a_map_keeps_it(tmp_path: Path) -> None:
    data = RelationalData(**PARTS)
    Embedding({"a": np.eye(4, 2), "b": np.eye(2)}, data=data).save(tmp_path / "map.npz")
    found = Embedding.load(tmp_path / "map.npz")
    assert found.data_identity == identity(data)
    found.save(tmp_path / "again.npz")
    assert Embedding.load(tmp_path / "again.npz").data_identity == identity(data)
    assert Embedding({"a": np.eye(4, 2)}).data_identity is None
