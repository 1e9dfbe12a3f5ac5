"""New items in data: what was there stays as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mrsne import RelationalData
from mrsne.data.files.problems import Problems
from mrsne.data.growth import NewItems, grown

DATA = RelationalData(
    {"work": np.eye(3), "subject": 2, "artist": 2},
    {("work", "subject"): np.eye(3, 2), ("artist", "work"): np.eye(2, 3), ("work", "work"): [(0, 1)]},
    names={"work": ["a", "b", "c"], "subject": ["sea", "ship"]},
    labels={"work": ["A", "B", "B"]},
    pictures={"work": np.full((3, 4, 4, 4), 9, np.uint8)},
    columns={
        "work": {"year": [1, 2, 3], "place": ["x", "y", None], "day": np.array(["2020-01-01"] * 3, "datetime64[D]")}
    },
)
NEW = NewItems(
    "work",
    ["d", "e"],
    np.full((2, 3), 0.5),
    np.array([False, True]),
    {"subject": sparse.csr_matrix([[0.0, 1], [1, 1]]), "artist": sparse.csr_matrix([[1.0, 0], [0, 0]])},
    ["D", "E"],
    {"year": np.array([4.0, np.nan]), "place": ("z", None)},
)


def test_old_items_stay_and_new_ones_follow() -> None:
    data = grown(DATA, NEW)
    X: Any = data.vectors["work"]
    np.testing.assert_array_equal(X[:3], np.eye(3))
    assert data.missing["work"].tolist() == [False, False, False, False, True]
    assert (data.names["work"], data.labels["work"]) == (("a", "b", "c", "d", "e"), ("A", "B", "B", "D", "E"))
    assert data.relations["work", "subject"].toarray()[3:].tolist() == [[0, 1], [1, 1]]
    assert data.relations["artist", "work"].toarray()[:, 3:].tolist() == [[1, 0], [0, 0]]
    assert data.relations["work", "work"].shape == (5, 5)
    np.testing.assert_array_equal(data.columns["work"]["year"], [1, 2, 3, 4, np.nan])
    assert data.columns["work"]["place"] == ("x", "y", None, "z", None)
    assert np.isnat(np.asarray(data.columns["work"]["day"])[3:]).all()
    assert data.pictures["work"].shape == (5, 4, 4, 4)


def test_kinds_without_vectors_grow_by_their_links() -> None:
    data = grown(DATA, NewItems("subject", ["tree"], links={"work": sparse.csr_matrix([[0.0, 0, 1]])}))
    assert data.names["subject"] == ("sea", "ship", "tree")
    assert data.relations["work", "subject"].toarray()[:, 2].tolist() == [0, 0, 1]


def test_some_of_the_new_items() -> None:
    data = grown(DATA, NEW.subset(np.array([1]), Problems()))
    assert data.names["work"] == ("a", "b", "c", "e")
    assert data.relations["work", "subject"].toarray()[3].tolist() == [1, 1]
    assert data.columns["work"]["place"][-1] is None
