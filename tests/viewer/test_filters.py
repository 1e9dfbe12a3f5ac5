"""Filters from Python: what is accepted, what passes, and what is refused."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData
from mrsne.viewer.widget import MapWidget

COLUMNS = {
    "photo": {
        "year": [1990.0, 1995.0, np.nan, 2000.0],
        "place": ["Rome", "Rome", "Paris", None],
        "day": np.array(["2001-01-01T12:00", "2001-01-02T23:59", "NaT", "2001-01-05"], "M8[s]"),
    }
}


@pytest.fixture
def made() -> MapWidget:
    links = {("photo", "tag"): [(0, 0), (1, 0), (2, 1)]}
    data = RelationalData({"photo": 4, "tag": 3}, links, names={"tag": ["dog", "cat", "cow"]})
    widget: MapWidget = Embedding({"photo": np.eye(4)[:, :2], "tag": np.eye(3)[:, :2]}).widget(data, columns=COLUMNS)
    return widget


def photos(widget: MapWidget) -> list[int]:
    return [int(position) for position in widget.passing["photo"]]


def test_without_filters_everything_passes(made: MapWidget) -> None:
    assert photos(made) == [0, 1, 2, 3]
    assert list(made.passing["tag"]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("column", "rule", "canonical", "expected"),
    [
        ("year", (1995, 2000), {"from": 1995.0, "to": 2000.0, "missing": False}, [1, 3]),
        ("year", [1995, None], {"from": 1995.0, "missing": False}, [1, 3]),
        ("year", {"to": np.float32(1995)}, {"to": 1995.0, "missing": False}, [0, 1]),
        ("year", {"from": 1996, "missing": True}, {"from": 1996.0, "missing": True}, [2, 3]),
        ("year", {"missing": False}, {"missing": False}, [0, 1, 3]),
        ("place", ["Rome"], {"only": ["Rome"], "missing": False}, [0, 1]),
        ("place", {"Paris", "Rome"}, {"only": ["Rome", "Paris"], "missing": False}, [0, 1, 2]),
        ("place", {"except": ["Rome"]}, {"except": ["Rome"], "missing": True}, [2, 3]),
        ("place", {"only": [], "missing": True}, {"only": [], "missing": True}, [3]),
        ("place", {"missing": False}, {"missing": False}, [0, 1, 2]),
        ("day", ("2001-01-02", "2001-01-05"), {"from": "2001-01-02", "to": "2001-01-05", "missing": False}, [1, 3]),
        ("day", (None, datetime.date(2001, 1, 2)), {"to": "2001-01-02", "missing": False}, [0, 1]),
        ("day", (np.datetime64("2001-01-03"), None), {"from": "2001-01-03", "missing": False}, [3]),
        ("day", (11324.5, None), {"from": "2001-01-02", "missing": False}, [1, 3]),
        ("day", (None, "12000-01-01"), {"to": 3663382.0, "missing": False}, [0, 1, 3]),
        ("day", ("-0300-01-01", None), {"from": -829100.0, "missing": False}, [0, 1, 3]),
    ],
)
def test_what_passes(made: MapWidget, column: str, rule: Any, canonical: Any, expected: list[int]) -> None:
    made.filters = {"photo": {column: rule}}
    assert made.filters == {"photo": {column: canonical}}
    assert json.loads(json.dumps(made.filters)) == made.filters
    assert photos(made) == expected
    assert list(made.passing["tag"]) == [0, 1, 2], "other kinds stay"
    made.filters = json.loads(json.dumps(made.filters))
    assert made.filters == {"photo": {column: canonical}}, "as the map sends it back"


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        ("year", (None, None)),
        ("year", {"missing": True}),
        ("day", {"from": None}),
        ("place", {"except": []}),
        ("place", {"missing": True}),
        ("place", {"only": ["Paris", "Rome"], "missing": True}),
    ],
)
def test_a_rule_that_everything_passes_is_none(made: MapWidget, column: str, rule: Any) -> None:
    made.filters = {"photo": {column: rule}}
    assert made.filters == {}
    made.linked_only = True
    assert list(made.passing["tag"]) == [0, 1, 2], "so nothing has to be linked to what passes it"


def test_texts_have_all_words_whatever_their_case_and_accents() -> None:
    notes = [f"note {i}" for i in range(70)] + ["A Café, with dogs", "dog", None]
    widget = Embedding({"a": np.random.default_rng(0).normal(size=(73, 2))}).widget(columns={"a": {"note": notes}})
    widget.filters = {"a": {"note": "DOG cafe"}}
    assert widget.filters == {"a": {"note": {"contains": "DOG cafe"}}}
    assert list(widget.passing["a"]) == [70]
    widget.filters = {"a": {"note": " "}}
    assert widget.filters == {}


def test_filters_combine_and_can_take_along_what_is_linked(made: MapWidget) -> None:
    made.filters = {"photo": {"year": (1990, 1995), "place": ["Rome"]}}
    made.linked_only = True
    assert photos(made) == [0, 1]
    assert list(made.passing["tag"]) == [0]
    made.filters = {"photo": {"place": ["Paris"]}}
    assert list(made.passing["tag"]) == [1]


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"image": {}}, "filters names the domain 'image', but the domains are 'photo', 'tag'"),
        ({"photo": ["year"]}, r"filters\['photo'\] must be a mapping of columns to rules, got \['year'\]"),
        ({"photo": {"month": (1, 2)}}, r"filters\['photo'\] names 'month', but the columns are 'year', 'place', 'day'"),
        ({"tag": {"year": (1, 2)}}, r"filters\['tag'\] names 'year', but the columns are none"),
        ({"photo": {"year": 1995}}, r"filters\['photo'\]\['year'\] must be \(from, to\) or .*, got 1995"),
        ({"photo": {"year": (1, 2, 3)}}, r"filters\['photo'\]\['year'\] must be \(from, to\)"),
        ({"photo": {"year": {"low": 1}}}, r"filters\['photo'\]\['year'\] must be \(from, to\)"),
        ({"photo": {"year": ("x", None)}}, r"filters\['photo'\]\['year'\]\['from'\] must be a number, got 'x'"),
        ({"photo": {"year": (None, np.nan)}}, r"filters\['photo'\]\['year'\]\['to'\] must be a number, got nan"),
        ({"photo": {"year": (3, 2)}}, r"filters\['photo'\]\['year'\] must run from low to high, got from 3 to 2"),
        ({"photo": {"year": {"missing": 1}}}, r"\['missing'\] must be True or False, got 1"),
        ({"photo": {"place": "Rome"}}, r"filters\['photo'\]\['place'\] must be a list of categories or .*, got 'Rome'"),
        ({"photo": {"place": ["Oslo"]}}, r"\['only'\] names 'Oslo', which is not a category of the column"),
        ({"photo": {"place": {"only": "Rome"}}}, r"\['only'\] must be a list of categories, got 'Rome'"),
        ({"photo": {"place": {"only": [], "except": []}}}, "must have 'only' or 'except', and not both"),
        ({"photo": {"day": ("May", None)}}, r"\['day'\]\['from'\] must be a date such as '2001-05-17', got 'May'"),
        ({"photo": {"day": (True, None)}}, r"\['day'\]\['from'\] must be a date such as '2001-05-17', got True"),
        ({"photo": {"day": (np.nan, None)}}, r"\['day'\]\['from'\] must be a date such as '2001-05-17', got nan"),
        ({"photo": {"day": (1e300, None)}}, r"\['day'\]\['from'\] must be a date such as '2001-05-17', got 1e\+300"),
        (
            {"photo": {"day": ("2002-01-01", "2001-01-01")}},
            "low to high, got from 2002-01-01 to 2001-01-01",
        ),
    ],
)
def test_what_is_refused(made: MapWidget, filters: Any, message: str) -> None:
    made.filters = {"photo": {"year": (1, 2)}}
    with pytest.raises(ValueError, match=message):
        made.filters = filters
    assert made.filters == {"photo": {"year": {"from": 1.0, "to": 2.0, "missing": False}}}
