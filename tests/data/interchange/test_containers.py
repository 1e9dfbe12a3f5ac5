"""Results as DataFrames, and tables that other tools hand over."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
from sklearn.base import clone

from mrsne import MRSNE, RelationalData

DATA = RelationalData({"a": np.random.default_rng(0).normal(size=(30, 3)), "b": 4}, {("a", "b"): np.eye(30, 4)})


def test_a_map_comes_out_as_a_frame_of_pandas_or_polars() -> None:
    model = MRSNE(perplexity=5, max_iter=10, random_state=0).set_output(transform="pandas")
    frame = model.fit_transform(DATA)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["kind", "id", "label", "x", "y"]
    np.testing.assert_array_equal(frame[["x", "y"]].to_numpy(), model.embedding_.stacked)
    placed = model.transform({"a": np.zeros((2, 3))})
    assert isinstance(placed, pd.DataFrame)
    assert len(placed) == 2
    other = clone(model).set_output(transform="polars").fit_transform(DATA)
    assert isinstance(other, polars.DataFrame)
    assert other["kind"].to_list() == frame["kind"].tolist()


def test_the_frame_of_an_array_keeps_its_index() -> None:
    given = pd.DataFrame(DATA.vectors["a"], index=[f"i{i}" for i in range(30)], columns=list("xyz"))
    frame = MRSNE(perplexity=5, max_iter=10, random_state=0).set_output(transform="pandas").fit_transform(given)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.index) == list(given.index)


def test_an_unknown_container_is_named() -> None:
    with pytest.raises(ValueError, match="transform must be"):
        MRSNE().set_output(transform="excel")


def test_vectors_and_links_from_pyarrow_and_polars() -> None:
    vectors = {"x": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 0.0]}
    links = {"a": [0, 1, 2], "b": ["p", "q", "q"], "weight": [1.0, 2.0, 3.0]}
    names = {"b": ["p", "q"]}
    for tables in (pyarrow.table, polars.DataFrame):
        data = RelationalData({"a": tables(vectors), "b": 2}, {("a", "b"): tables(links)}, names=names)
        assert data.vectors["a"].tolist() == [[1, 0], [2, 1], [3, 0]]  # type: ignore[union-attr]
        assert data.relations["a", "b"].toarray().tolist() == [[1, 0], [0, 2], [0, 3]]
