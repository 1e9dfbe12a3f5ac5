"""What cells and headings stand for, one at a time: the rules that everything about tables rests on."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

import mrsne
from mrsne.data.interchange.rows import link_rows
from mrsne.data.table_plan import item_name
from mrsne.data.tables.cells import numbers_of, read_cell, separator_of, split_cell
from mrsne.data.tables.dates import dates_of
from mrsne.data.tables.frames import column_from_arrow
from mrsne.data.tables.items import numbered_items
from mrsne.data.tables.table import Coded, Facts, facts_of
from mrsne.data.tables.text import name_vectors
from mrsne.data.tables.vocabulary import is_id_heading, is_plural, singular


@pytest.mark.parametrize(
    ("value", "cell"),
    [(" a ", "a"), ("N/A", "N/A"), (3.0, "3"), (True, "true"), ([1, None, {"name": "x"}], ("1", "x")), ("", None)],
)
def test_a_value_of_any_type_is_a_text_or_a_list_of_texts(value: Any, cell: Any) -> None:
    assert read_cell(value) == cell


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1,234", "2,500", "7"], [1234, 2500, 7]),
        (["3,14", "2"], [3.14, 2]),
        (["00501", "1e3", "c. 1890", "$5"], [np.nan, 1000, np.nan, 5]),
    ],
)
def test_whether_a_comma_separates_thousands_is_decided_for_a_column(texts: list[str], numbers: list[float]) -> None:
    np.testing.assert_array_equal(numbers_of(texts), numbers)


@pytest.mark.parametrize(
    ("values", "counts", "heading", "separator"),
    [
        (["a; b", "b; c", "a"], [1, 1, 1], "x", ";"),
        (["Turner, Joseph", "Blake, William", "Blake, Robert"], [9, 8, 7], "artist", None),
        (["red, blue", "blue", "red, green, blue", "green, red"], [1, 1, 1, 1], "colours", ","),
        ([*"abcde", "a b", "b c", "a c d", "d e", "e a", "c e"], [1] * 11, "genre", " "),
        (["New York", "Paris", "Rome", "San Francisco", "San Diego", "York"], [1] * 6, "town", None),
    ],
)
def test_a_separator_of_lists_is_none_of_names(
    values: list[str], counts: list[int], heading: str, separator: str | None
) -> None:
    assert separator_of(values, np.array(counts), heading) == separator


def test_the_parts_of_a_cell_are_each_there_once() -> None:
    assert split_cell("a; b;; a", ";") == ("a", "b")
    assert split_cell("['x', 'y']", "[]") == ("x", "y")
    assert split_cell("a; b", None) == ("a; b",)
    assert split_cell(("p",), ";") == ("p",)
    assert split_cell("en,na", ",") == ("en", "na")  # the language of Nauru
    assert split_cell("sea,na", ",") == ("sea",)


def test_dates_in_many_spellings() -> None:
    same = ["2021-03-04", "4 March 2021", "March 4, 2021", "4.3.2021", "3/4/2021"]
    assert set(dates_of(same).astype("datetime64[D]").tolist()) == {datetime.date(2021, 3, 4)}
    found = dates_of(["13/4/2021", "soon"])
    np.testing.assert_array_equal(found, np.array(["2021-04-13", "NaT"], "datetime64[s]"))


def test_headings_say_what_a_column_is() -> None:
    assert [is_plural(heading) for heading in ("Subjects", "tag_list", "status", "artist")] == [
        True,
        True,
        False,
        False,
    ]
    headings = ("ID", "Accession_Number", "objectID", "artist")
    assert [is_id_heading(heading) for heading in headings] == [True, True, True, False]
    names = ("Subjects", "categories", "artist_id", "artist.name", "genus", "Movies", "alias", "species", "starwars")
    assert [singular(heading) for heading in names] == [
        *("Subject", "category", "artist", "artist", "genus", "Movie", "alias", "species", "starwars"),
    ]
    assert (item_name(Path("works.csv")), item_name(Path("museum-2024.csv"))) == ("work", "item")


def test_what_can_be_seen_of_a_column() -> None:
    column = Coded(np.array([0, 1, 0, -1, 0], np.int32), ["blue sky", "sea"])
    assert facts_of(column) == Facts(
        present=4, different=2, repeated=0.75, largest=0.75, words=1.5, shared=0.5, others=1.5, lists=False
    )


def test_names_of_things_have_a_meaning_and_names_of_people_have_none() -> None:
    found = name_vectors(["sea", "storm", "xqzy"])
    assert found is not None
    assert (found[0].shape, found[1].tolist()) == ((3, 100), [False, False, True])
    assert name_vectors(["Turner, Joseph", "William Blake"]) is None


def test_columns_of_arrow() -> None:
    words: Any = column_from_arrow(pyarrow.chunked_array([["a", None, "a"]]))
    assert words.codes.tolist() == [0, -1, 0]
    np.testing.assert_array_equal(column_from_arrow(pyarrow.chunked_array([[1, None]])), [1, np.nan])


def test_rows_without_ids_are_counted_on_from_those_of_the_map() -> None:
    assert numbered_items(2).names == ["1", "2"]
    assert numbered_items(2, ["1", "2", "3"]).names == ["4", "5"]


def test_links_of_some_items_are_those_of_which_they_are_an_end() -> None:
    links = {("photo", "tag"): [(0, 0), (1, 0)]}
    data = mrsne.RelationalData({"photo": 2, "tag": 1}, links, names={"tag": ["dog"]})
    rows = {"kind": ["photo"], "id": ["1"], "linked_kind": ["tag"], "linked_id": ["dog"], "weight": [1.0]}
    assert link_rows(data, {"photo": np.array([1])}) == rows
