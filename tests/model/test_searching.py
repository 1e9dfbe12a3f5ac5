"""Search by meaning: names that are near words, and what belongs to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mrsne
from mrsne.parameters import ParameterError

TAGS = ["dog", "sea", "ship", "doctor"]
LINKS = [(0, "dog"), (1, "sea"), (1, "ship"), (2, "ship"), (3, "sea"), (4, "doctor")]


def photos(links: list[tuple[int, str]] = LINKS) -> mrsne.RelationalData:
    """Eight photos in pairs of the same look: 0 and 5, 1 and 6, 2 and 7."""
    vectors = np.repeat(np.eye(5), 2, axis=0)[[0, 2, 4, 6, 8, 1, 3, 5]] * 3
    names = {"tag": TAGS, "photo": [f"p{i}" for i in range(8)]}
    return mrsne.RelationalData({"photo": vectors, "tag": 4}, {("photo", "tag"): links}, names=names)


def neighbours() -> sparse.csr_matrix:
    """P̃ in which photos of the same look are all that is near each other."""
    P = np.zeros((12, 12))
    for a, b in ((0, 5), (1, 6), (2, 7)):
        P[a, b] = P[b, a] = 1
    return sparse.csr_matrix(P / P.sum())


def test_a_word_finds_the_name_its_items_and_what_is_similar_to_these() -> None:
    found = mrsne.search(photos(), "puppy", affinities=neighbours())
    assert found["label"].tolist() == ["dog", "p0", "p5"] or found["label"].tolist() == ["p0", "dog", "p5"]
    by = dict(zip(found["label"], found["by"], strict=True))
    assert by == {"dog": "name", "p0": "links", "p5": "similar items"}
    closeness = dict(zip(found["label"], found["closeness"], strict=True))
    assert closeness["p5"] == pytest.approx(closeness["p0"] / 2, abs=1e-3)
    assert found.set_index("label").loc["p0", "names"] == "dog"


def test_what_has_all_the_words_comes_before_what_has_some() -> None:
    found = mrsne.search(photos(), "ships on the ocean", kind="photo", affinities=neighbours())
    assert found["label"].tolist()[0] == "p1"
    assert found["names"][0] in ("sea; ship", "ship; sea")
    assert set(found["label"][1:3]) == {"p2", "p3"} or found["label"][1] in ("p2", "p3", "p6")


def test_a_name_that_no_word_vector_knows_is_found_by_itself() -> None:
    assert mrsne.search(photos(), "P3", affinities=neighbours())["label"].tolist() == ["p3", "sea"]


def test_at_most_k_items_of_the_kind_are_found_and_none_for_words_near_nothing() -> None:
    assert mrsne.search(photos(), "puppy", kind="tag", affinities=neighbours())["label"].tolist() == ["dog"]
    assert len(mrsne.search(photos(), "puppy", k=2, affinities=neighbours())) == 2
    assert mrsne.search(photos(), "xqzy", affinities=neighbours()).empty


def test_affinities_are_computed_where_none_are_given() -> None:
    found = mrsne.search(photos(), "physician")
    assert found["label"].tolist()[:2] in (["doctor", "p4"], ["p4", "doctor"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": " … "}, "text must be one or more words"),
        ({"text": 3}, "text must be one or more words, got 3"),
        ({"text": "dog", "kind": "word"}, "kind must be one of 'photo', 'tag', got 'word'"),
        ({"text": "dog", "k": 0}, "k must be"),
        ({"text": "dog", "affinities": sparse.eye(3).tocsr()}, "affinities must be of the 12 items"),
    ],
)
def test_what_cannot_be_searched_for_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mrsne.search(photos(), **arguments)


def test_data_without_names_has_nothing_to_search() -> None:
    data = mrsne.RelationalData({"photo": np.eye(3)})
    with pytest.raises(ParameterError, match="data has names of no kind"):
        mrsne.search(data, "dog")
