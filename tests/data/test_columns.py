"""What else is known of items: columns beside vectors and links."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.data.archive import write_archive
from mrsne.data.identity import identity
from mrsne.data.vectors import DataError

COLUMNS = {
    "year": [2001, None, 2003],
    "place": ["Oslo", None, "Rome"],
    "day": np.array(["2020-01-01", "NaT", "1890-12-31"], "datetime64[D]"),
}


def works() -> RelationalData:
    return RelationalData(
        {"work": np.eye(3), "artist": 2},
        {("work", "artist"): [("A1", 0), ("A2", 1), ("A3", 1)]},
        names={"work": ["A1", "A2", "A3"]},
        labels={"work": ["[title not known]", "[title not known]", "Storm"]},
        columns={"work": COLUMNS},
    )


def check(data: RelationalData) -> None:
    columns = data.columns["work"]
    assert data.labels["work"] == ("[title not known]", "[title not known]", "Storm")
    np.testing.assert_array_equal(columns["year"], np.array([2001, np.nan, 2003]))
    assert columns["place"] == ("Oslo", None, "Rome")
    np.testing.assert_array_equal(columns["day"], np.array(["2020-01-01", "NaT", "1890-12-31"], "datetime64[s]"))


def test_links_use_names_and_labels_may_repeat() -> None:
    data = works()
    check(data)
    assert data.relations["work", "artist"].toarray().tolist() == [[1, 0], [0, 1], [0, 1]]
    assert data.shown_names("work") == data.labels["work"]
    assert data.shown_names("artist") is None


def test_labels_and_columns_survive_saving_pickling_and_choosing(tmp_path: Path) -> None:
    data = works()
    write_archive(data, tmp_path / "works.npz")
    check(RelationalData.load(tmp_path / "works.npz"))
    check(pickle.loads(pickle.dumps(data)))
    part = data.subset({"work": [2, 0]})
    assert part.labels["work"] == ("Storm", "[title not known]")
    assert part.columns["work"]["place"] == ("Rome", "Oslo")
    np.testing.assert_array_equal(part.columns["work"]["year"], np.array([2003.0, 2001.0]))


def test_the_map_does_not_depend_on_labels_and_columns() -> None:
    plain = RelationalData(
        {"work": np.eye(3), "artist": 2},
        {("work", "artist"): [("A1", 0), ("A2", 1), ("A3", 1)]},
        names={"work": ["A1", "A2", "A3"]},
    )
    assert identity(plain) == identity(works())


def test_what_is_given_is_not_changed_and_cannot_be() -> None:
    years = np.array([1.0, np.inf])
    data = RelationalData({"work": 2}, columns={"work": {"year": years}})
    assert np.isinf(years[1])
    with pytest.raises(ValueError, match="read-only"):
        data.columns["work"]["year"][0] = 5  # type: ignore[index]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"names": {"work": ["a", "a"]}}, r"got 'a' more than once; what need not be unique goes into labels="),
        ({"labels": {"work": ["a"]}}, r"labels\['work'\] has 1 labels, but 'work' has 2 items"),
        ({"labels": {"work": [1, 2]}}, r"labels\['work'\] must be strings, got 1"),
        ({"labels": {"tag": ["a", "b"]}}, r"labels names the domain 'tag', but the domains are 'work'"),
        ({"columns": {"tag": {}}}, r"columns names the domain 'tag', but the domains are 'work'"),
        ({"columns": {"work": {"year": [1]}}}, r"columns\['work'\]\['year'\] has 1 values"),
    ],
)
def test_labels_and_columns_that_do_not_fit_are_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        RelationalData({"work": 2}, **given)  # type: ignore[arg-type]


def test_what_is_masked_is_missing() -> None:
    numbers = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
    data = RelationalData(
        {"work": 3}, columns={"work": {"size": numbers, "place": np.ma.masked_equal(["a", "b", "c"], "b")}}
    )
    np.testing.assert_array_equal(data.columns["work"]["size"], [1, np.nan, 3])
    assert data.columns["work"]["place"] == ("a", None, "c")
    framed = RelationalData.from_frame({"id": ["a", "b", "c"], "tags": ["x; y", "x", "y"], "size": numbers})
    np.testing.assert_array_equal(framed.columns["item"]["size"], [1, np.nan, 3])


@pytest.mark.parametrize("given", [np.ma.zeros((3, 2)), np.zeros((3, 2), "datetime64[s]")])
def test_no_array_or_map_is_made_of_masks_or_dates(given: object) -> None:
    for make in (Embedding, lambda coordinates: MRSNE(perplexity=2).fit(coordinates["work"])):
        with pytest.raises(ValueError, match=r"must not be a masked array|got dates or durations"):
            make({"work": given})
