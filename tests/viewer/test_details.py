"""What a map shows besides places, from data in memory and on a cluster, and the columns to colour by."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import pytest

from mrsne import Embedding, RelationalData
from mrsne.parameters import ParameterError
from mrsne.viewer.details import MISSING, read_columns, read_details

NAMES = {"tag": ["sun", "rain"]}
LINKS = {("photo", "tag"): [(0, "sun", 2.0), (1, "sun", 0.5), (3, "rain", 1.0)]}
MAP = Embedding({"photo": np.eye(6, 2), "tag": [[3, 0], [0, 3]]})


@pytest.fixture
def on_a_cluster() -> RelationalData:
    return RelationalData({"photo": da.from_array(np.eye(6), chunks=(3, -1)), "tag": 2}, LINKS, NAMES)


def test_data_in_memory_gives_names_pictures_and_links() -> None:
    pictures = {"photo": np.zeros((6, 4, 4, 3), np.uint8)}
    data = RelationalData({"photo": np.eye(6), "tag": 2}, LINKS, NAMES, pictures=pictures)
    details = read_details(data)
    assert details.names["tag"] == ("sun", "rain")
    assert details.pictures["photo"].shape == (6, 4, 4, 3)
    assert details.relations["photo", "tag"].nnz == 3
    assert details.strength("photo", 6).tolist() == [2.0, 0.5, 0.0, 1.0, 0.0, 0.0]
    assert details.strength("tag", 2).tolist() == [2.5, 1.0]


def test_data_on_a_cluster_gives_names(on_a_cluster: RelationalData) -> None:
    details = read_details(on_a_cluster)
    assert dict(details.names) == {"tag": ("sun", "rain")}
    assert (dict(details.pictures), dict(details.relations)) == ({}, {})
    assert details.strength("tag", 2).tolist() == [0.0, 0.0]


def test_no_data_gives_nothing() -> None:
    details = read_details(None)
    assert (details.names, details.pictures, details.relations) == ({}, {}, {})
    assert details.strength("photo", 2).tolist() == [0.0, 0.0]


def test_what_is_no_data_is_named() -> None:
    with pytest.raises(ParameterError, match=r"data must be a RelationalData, got {'a': 1}"):
        read_details({"a": 1})  # type: ignore[arg-type]


def test_a_page_of_data_on_a_cluster_has_names_and_no_links(on_a_cluster: RelationalData, tmp_path: Path) -> None:
    MAP.to_html(tmp_path / "map.html", on_a_cluster)
    parts = re.findall(r'data-part="([\w-]+)"', (tmp_path / "map.html").read_text("utf-8"))
    assert parts == ["places", "sharing", "names-1", "tree-1"]


def test_a_widget_of_data_on_a_cluster_has_names_and_no_links(on_a_cluster: RelationalData) -> None:
    made = MAP.widget(on_a_cluster)
    assert list(made.initial_parts) == ["places", "sharing", "names-1", "tree-1"]
    assert made.about["relations"] == []
    assert "<iframe" in made._repr_mimebundle_()[0]["text/html"]


def test_an_embedding_that_knows_its_data_on_a_cluster_shows_itself(on_a_cluster: RelationalData) -> None:
    shown = Embedding(MAP, data=on_a_cluster)._repr_mimebundle_()
    assert shown is not None
    assert "data-part=&quot;names-1&quot;" in shown["text/html"]


def test_data_of_another_map_is_refused_wherever_it_is(on_a_cluster: RelationalData, tmp_path: Path) -> None:
    other = Embedding({"photo": np.eye(5, 2), "tag": [[3, 0], [0, 3]]})
    with pytest.raises(ParameterError, match=r"data must have the items of the embedding, .*, got RelationalData on"):
        other.to_html(tmp_path / "map.html", on_a_cluster)


def test_numbers_stay_numbers_and_what_is_not_finite_is_missing() -> None:
    (column,) = read_columns("photo", {"size": [1, np.inf, np.nan, -2]}, 4)
    assert column.categories is None
    np.testing.assert_array_equal(column.values, np.array([1, np.nan, np.nan, -2], np.float32))


def test_categories_are_ranked_by_how_often_they_occur() -> None:
    (column,) = read_columns("photo", {"kind": ["b", "a", None, "a", "c", "a", "c"]}, 7)
    assert column.categories == ("a", "c", "b")
    assert column.values.tolist() == [2, 0, MISSING, 0, 1, 0, 1]


def test_a_missing_value_is_not_the_empty_category() -> None:
    (column,) = read_columns("photo", {"kind": ["", None, "x"]}, 3)
    assert column.categories == ("", "x")
    assert column.values.tolist() == [0, MISSING, 1]


def test_a_frame_with_text_categories_truth_and_dates() -> None:
    frame = pd.DataFrame(
        {
            "text": ["x", None, "y"],
            "kind": pd.Categorical(["u", "v", "v"]),
            "truth": [True, False, True],
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "day": pd.to_datetime(["2020-01-01", "", "2021-05-05"]),
        }
    )
    text, kind, truth, whole, day = read_columns("photo", frame, 3)
    assert text.values.tolist() == [0, MISSING, 1]
    assert kind.categories == ("v", "u")
    assert truth.categories == ("True", "False")
    np.testing.assert_array_equal(whole.values, np.array([1, np.nan, 3], np.float32))
    assert day.kind == "date"
    days = np.array(["2020-01-01", "2021-05-05"], "datetime64[D]").astype(np.float32)
    np.testing.assert_array_equal(day.values, np.array([days[0], np.nan, days[1]], np.float32))


@pytest.mark.parametrize("day", ["1969-12-31", "1901-02-03", "2024-12-31", "9999-12-31"])
@pytest.mark.parametrize("time", ["00:00:00", "12:00:00", "23:59:59"])
def test_no_time_of_day_is_rounded_to_the_next_day(day: str, time: str) -> None:
    (column,) = read_columns("photo", {"day": np.array([f"{day}T{time}", "NaT"], "datetime64[s]")}, 2)
    assert column.kind == "date"
    assert np.floor(column.values[0]) == np.datetime64(day, "D").astype(np.int64)
    assert np.isnan(column.values[1])


@pytest.mark.parametrize("dtype", ["string", "object", "boolean"])
def test_what_pandas_has_for_missing(dtype: str) -> None:
    values = [True, None, True] if dtype == "boolean" else ["x", None, "x"]
    (column,) = read_columns("photo", pd.DataFrame({"a": pd.Series(values, dtype=dtype)}), 3)
    assert column.values.tolist() == [0, MISSING, 0]


def test_numbers_with_gaps_are_numbers_and_nan_among_words_is_missing() -> None:
    years, words = read_columns("photo", {"year": [2001, None, 2003], "word": ["dog", float("nan"), "cat"]}, 3)
    np.testing.assert_array_equal(years.values, np.array([2001, np.nan, 2003], np.float32))
    assert words.categories == ("cat", "dog")
    assert words.values.tolist() == [1, MISSING, 0]


def test_a_number_too_large_for_single_precision_is_missing() -> None:
    (column,) = read_columns("photo", {"a": [1e300, 2.0]}, 2)
    np.testing.assert_array_equal(column.values, np.array([np.nan, 2], np.float32))
    (column,) = read_columns("photo", {"a": [10**400, 2]}, 2)
    np.testing.assert_array_equal(column.values, np.array([np.nan, 2], np.float32))


@pytest.mark.parametrize("columns", [5, [1, 2], "year", 0])
def test_columns_that_are_no_mapping_are_named(columns: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="columns must be a mapping of domain names, got"):
        Embedding({"tag": [[0, 0], [1, 1]]}).to_html(tmp_path / "map.html", columns=columns)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"columns\['photo'\] must be a mapping of names to values, got list"),
        ({"a": [1]}, r"columns\['photo'\]\['a'\] has 1 values, but its domain has 2 items"),
        ({"a": "xy"}, r"columns\['photo'\]\['a'\] must be a list of values, got str"),
        ({"a": np.array(3)}, r"columns\['photo'\]\['a'\] must be a list of values, got ndarray"),
        ({"a": 3}, r"columns\['photo'\]\['a'\] must be a list of values, got int"),
        ({"a": np.zeros((2, 3), "M8[s]")}, r"must be one value for each item, got an array of shape \(2, 3\)"),
        ({"a": [[1], [2, 3]]}, r"columns\['photo'\]\['a'\] must have numbers or words, got \[1\]"),
        ({"a": np.eye(2)}, r"must be one value for each item, got an array of shape \(2, 2\)"),
        ({"a": [1j, 2]}, r"columns\['photo'\]\['a'\] must have numbers or words, got 1j"),
    ],
)
def test_what_is_no_column_is_named(given: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_columns("photo", given, 2)


def test_too_many_categories() -> None:
    with pytest.raises(ParameterError, match=r"has 70000 categories; at most 65000 can be shown"):
        read_columns("photo", {"id": [str(index // 2) for index in range(140_000)]}, 140_000)


def test_words_that_most_items_have_for_themselves_are_texts() -> None:
    (column,) = read_columns("photo", {"note": [None, *(f"note {index}" for index in range(70))]}, 71)
    assert (column.kind, column.categories) == ("text", None)
    assert column.texts[:2] == (None, "note 0")
