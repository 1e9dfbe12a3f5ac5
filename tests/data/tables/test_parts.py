"""What becomes of a table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import PIL.Image
import polars
import pyarrow
import pytest
from scipy import sparse

from mrsne import RelationalData
from mrsne.data.tables.joining import parts_from_tables, plan_tables
from mrsne.data.tables.parts import Recipe
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import TableError
from tests.data.tables.made_tables import museum_rows

WORKS: dict[str, Any] = {
    "id": ["a", "b", "c", "d"],
    "subjects": ["sea; Ship", "sea; SHIP", "lake; ship", "lake"],
    "artist": ["T", "T", "B", "B"],
}


def test_values_become_items_with_links_in_one_spelling() -> None:
    data = RelationalData.from_frame(WORKS, item="work", kinds={"artist": "artist"})
    assert data.names["subject"] == ("lake", "sea", "Ship")
    assert data.relations["work", "subject"].toarray().tolist() == [[0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 0]]
    assert data.columns["work"]["artist"] == ("T", "T", "B", "B")


def test_two_columns_may_hold_one_kind() -> None:
    frame = {"id": list("abc"), "author": ["Ann", "Bob", "Ann"], "editor": ["Bob", "Cid", "Cid"]}
    data = RelationalData.from_frame(frame, kinds={"person": ["author", "editor"]})
    assert data.names["person"] == ("Ann", "Bob", "Cid")
    assert data.relations["item", "person"].toarray().tolist() == [[1, 1, 0], [0, 1, 1], [1, 0, 1]]


def test_rare_values_are_left_out_and_counted() -> None:
    with pytest.warns(UserWarning, match="1 × value of fewer than 2 items, first subject: castle: 1 items"):
        data = RelationalData.from_frame(
            {**WORKS, "subjects": ["sea; ship", "sea; ship", "lake", "lake; castle"]}, min_count=2
        )
    assert data.names["subject"] == ("lake", "sea", "ship")


def test_rows_of_one_id_are_one_item() -> None:
    with pytest.warns(UserWarning, match="second row with the same id"):
        data = RelationalData.from_frame({"id": ["a", "b", "a", "c"], "tag": ["x", "y", "y", "x"]}, kinds=["tag"])
    assert data.names["item"] == ("a", "b", "c")
    assert data.relations["item", "tag"].toarray().tolist() == [[1, 1], [0, 1], [1, 0]]


def test_cells_that_are_no_numbers_are_named_by_row_and_column() -> None:
    frame = pd.DataFrame(museum_rows())
    frame["height"] = [f"{30 + i} cm" if i != 7 else "about 30" for i in range(len(frame))]
    with pytest.warns(UserWarning, match=r"1 × cell that is no number, first frame, row 8, column height: about 30"):
        data = RelationalData.from_frame(frame)
    heights = data.columns["item"]["height"]
    assert isinstance(heights, np.ndarray)
    assert np.flatnonzero(np.isnan(heights.astype(float))).tolist() == [7]


def test_pandas_polars_pyarrow_and_a_mapping_give_the_same() -> None:
    frame = pd.DataFrame(museum_rows())
    plain = {name: frame[name].tolist() for name in frame}
    found = [
        RelationalData.from_frame(given)
        for given in (frame, polars.DataFrame(plain), polars.DataFrame(plain).lazy(), pyarrow.table(plain), plain)
    ]
    for data in found[1:]:
        assert (data.names, data.labels) == (found[0].names, found[0].labels)
        assert (data.relations["item", "subject"] != found[0].relations["item", "subject"]).nnz == 0
        np.testing.assert_array_equal(data.columns["item"]["acquired"], found[0].columns["item"]["acquired"])


def test_sentences_are_compared_by_their_words_and_short_texts_by_meaning() -> None:
    sentences = [
        "a stormy sea with many ships in it",
        "ships on a stormy sea at night",
        "a calm lake among the trees",
        "",
    ]
    data = RelationalData.from_frame({"id": list("abcd"), "text": sentences})
    X: Any = data.vectors["item"]
    assert sparse.issparse(X)
    similar = (X @ X.T).toarray()
    assert similar[0, 1] > 2 * similar[0, 2]
    assert data.missing["item"].tolist() == [False, False, False, True]
    words = RelationalData.from_frame({"id": list("abc"), "t": ["sea", "ocean", "tax"]}, texts=["t"])
    assert words.vectors["item"].shape == (3, 100)  # type: ignore[union-attr]


def test_numbers_are_scaled_and_a_missing_one_is_the_mean() -> None:
    data = RelationalData.from_frame({"id": list("abcd"), "x": [1.0, 3.0, None, 2.0], "y": [10, 30, 20, 20]})
    X: Any = data.vectors["item"]
    np.testing.assert_allclose(X.std(axis=0), [np.sqrt(0.75), 1.0])
    assert X[2].tolist() == [0, 0]
    np.testing.assert_array_equal(data.columns["item"]["y"], [10, 30, 20, 20])  # to colour by, too


def test_a_category_weighs_as_much_as_a_number() -> None:
    frame = {
        "id": list("abcd"),
        "size": [1.0, 3.0, 3.0, 1.0],
        "sex": ["f", "m", "f", "f"],
        "port": ["x", "y", None, "z"],
    }
    data = RelationalData.from_frame(frame, vectors=["size", "sex", "port"])
    X: Any = data.vectors["item"]
    assert X.shape == (4, 1 + 2 + 3)
    spread = (X**2).mean(axis=0)
    np.testing.assert_allclose([spread[0], spread[1:3].sum(), spread[3:].sum()], [1, 1, 0.75])
    assert not X[2, 3:].any()  # nothing is known of its port
    assert data.columns["item"]["sex"] == ("f", "m", "f", "f")


def test_dates_with_words_become_years_and_dates_remain_dates() -> None:
    frame = {"id": list("abc"), "made": ["c.1915–20", "n.d.", "1850s"], "seen": ["2020-01-05", None, "2021"]}
    data = RelationalData.from_frame(frame | {"tags": [["x"], ["x", "y"], ["y"]]})
    np.testing.assert_array_equal(data.columns["item"]["made"], [1915, np.nan, 1850])
    assert data.columns["item"]["seen"].dtype.kind == "M"  # type: ignore[union-attr]


def test_a_column_of_paths_becomes_pictures(tmp_path: Path) -> None:
    paths = []
    for index, colour in enumerate(["red", "blue", "green"]):
        PIL.Image.new("RGB", (40, 40), colour).save(tmp_path / f"{index}.png")
        paths.append(str(tmp_path / f"{index}.png"))
    frame = {"id": list("abcd"), "picture": [*paths, str(tmp_path / "none.png")]}
    with pytest.warns(UserWarning, match="1 × picture that is not there, first d"):
        data = RelationalData.from_frame(frame)
    assert data.pictures["item"].shape[0] == 4
    assert data.missing["item"].tolist() == [False, False, False, True]


def test_another_table_tells_more_about_a_kind() -> None:
    artists = {
        "name": ["T", "B", "X"],
        "full name": ["Turner", "Blake", "Nobody"],
        "born": [1775, 1757, 0],
        "schools": [["r"], ["r", "v"], ["c"]],
    }
    with pytest.warns(UserWarning, match="row of a second table that no row of the first names"):
        data = RelationalData.from_frame(WORKS, item="work", also={"artist": artists})
    assert data.names["artist"] == ("B", "T")
    assert data.labels["artist"] == ("Blake", "Turner")
    np.testing.assert_array_equal(data.columns["artist"]["born"], [1757, 1775])
    assert data.names["school"] == ("r", "v")
    assert data.relations["artist", "school"].toarray().tolist() == [[1, 1], [1, 0]]


def test_a_table_that_has_nothing_to_do_with_the_first_is_refused() -> None:
    with pytest.raises(
        TableError, match=r"no row of also\['artist'\] is named in the column 'artist': its ids are P, Q"
    ):
        RelationalData.from_frame(WORKS, also={"artist": {"name": ["P", "Q"], "born": [1, 2]}})


def test_what_is_given_is_not_changed() -> None:
    frame = pd.DataFrame(WORKS)
    before = frame.copy(deep=True)
    RelationalData.from_frame(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (5, "frame must be a DataFrame of pandas or polars, a table of pyarrow, or a mapping"),
        ({}, "must have columns of one length with at least one row"),
        ({"a": [1, 2], "b": [1]}, "must have columns of one length with at least one row"),
        ({"a": 5}, "a column must be a list of values, got 5"),
    ],
)
def test_what_is_no_table_is_named(frame: Any, message: str) -> None:
    with pytest.raises(TableError, match=message):
        RelationalData.from_frame(frame)


def test_a_label_may_be_compared_by_too() -> None:
    titles = ["a storm at sea with ships", "ships in a storm on the sea", "a calm lake in the evening sun"]
    data = RelationalData.from_frame({"id": list("abc"), "title": titles}, label="title", texts=["title"])
    assert data.labels["item"] == tuple(titles)
    X: Any = data.vectors["item"]
    similar = (X @ X.T).toarray()
    assert similar[0, 1] > similar[0, 2]


def test_labels_that_nobody_shares_are_ids() -> None:
    frame = {"tag": ["a", "a", "b", "b"], "x": [1.0, 2.0, 4.0, 3.0], "title": ["Sea", "Air", "Fog", "Ice"]}
    data = RelationalData.from_frame(frame, label="title", kinds=["tag"])
    assert data.names["item"] == ("Sea", "Air", "Fog", "Ice")
    assert "item" not in data.labels
    shared = RelationalData.from_frame({**frame, "title": ["Sea", "Air", "Fog", "Sea"]}, label="title", kinds=["tag"])
    assert shared.names["item"] == ("1", "2", "3", "4")
    assert shared.labels["item"] == ("Sea", "Air", "Fog", "Sea")


def test_all_cells_that_are_no_numbers_are_counted_and_a_thousand_listed() -> None:
    frame = {"x": np.arange(1200.0), "size": ["large"] * 1150 + ["7"] * 50, "tag": ["a", "b"] * 600}
    with pytest.warns(UserWarning, match="1150 × cell that is no number"):
        RelationalData.from_frame(frame, numbers=["size"], kinds=["tag"])


@pytest.mark.parametrize("ids", [[], 3, "nowhere"])
def test_ids_of_a_damaged_recipe_are_refused(ids: object) -> None:
    plan, _ = plan_tables(open_table({"id": ["a", "b", "c"], "tags": ["x; y", "y; z", "z; x"]}))
    parts = parts_from_tables(plan)
    assert parts.recipe is not None
    record = asdict(parts.recipe)
    assert Recipe.from_record(record).ids == "id"
    with pytest.raises(ValueError, match="the ids must be one of its columns"):
        Recipe.from_record({**record, "ids": ids})
