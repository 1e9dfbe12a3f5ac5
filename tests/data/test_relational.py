from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import mrsne
from mrsne import RelationalData
from mrsne.data.outline import Outline
from mrsne.data.relational import in_memory, require_in_memory
from mrsne.data.vectors import DataError

PHOTOS = np.arange(12.0).reshape(4, 3)
LINKS = np.array([[1, 0], [0, 2], [0, 0], [3, 1]])


def small(**changes: Any) -> RelationalData:
    given: dict[str, Any] = {
        "vectors": {"photo": PHOTOS, "tag": 2},
        "relations": {("photo", "tag"): LINKS},
        "names": {"photo": ["a", "b", "c", "d"], "tag": ["dog", "cat"]},
    }
    return RelationalData(**{**given, **changes})


def test_sizes_offsets_and_both_directions() -> None:
    data = small()
    assert dict(data.sizes) == {"photo": 4, "tag": 2}
    assert dict(data.offsets) == {"photo": 0, "tag": 4}
    assert data.n_items == 6
    np.testing.assert_array_equal(data.relation("photo", "tag").toarray(), LINKS)
    np.testing.assert_array_equal(data.relation("tag", "photo").toarray(), LINKS.T)
    with pytest.raises(KeyError, match="no relation between 'photo' and 'photo'"):
        data.relation("photo", "photo")


EDGES = [("a", "dog", 1.0), ("b", "cat", 2.0), ("d", "dog", 3.0), ("d", "cat", 1.0)]


@pytest.mark.parametrize(
    "given",
    [
        LINKS,
        LINKS.tolist(),
        LINKS.astype(np.int8),
        sparse.coo_matrix(LINKS),
        sparse.csc_array(LINKS.astype(float)),
        EDGES,
        pd.DataFrame(EDGES, columns=["photo", "tag", "weight"]),
        [("a", "dog"), ("b", "cat", 2.0), ("d", "dog", 3.0), ("d", "cat")],
        pd.DataFrame({"tag": [0, 1, 0, 1], "weight": [1, 2, 3, 1], "other": 0, "photo": [0, 1, 3, 3]}),
        {"photo": ["a", "b", "b", "d", "d"], "tag": ["dog", "cat", "cat", "dog", "cat"], "weight": [1, 1, 1, 3, 1]},
        pd.DataFrame(LINKS[[2, 3, 0, 1]][:, [1, 0]], index=list("cdab"), columns=["cat", "dog"]),
    ],
    ids=["array", "lists", "int8", "coo", "csc", "tuples", "frame", "mixed tuples", "indices", "repeated", "crosstab"],
)
def test_every_form_of_a_relation_is_the_same_relation(given: Any) -> None:
    W = small(relations={("photo", "tag"): given}).relations["photo", "tag"]
    np.testing.assert_array_equal(W.toarray(), LINKS)
    assert W.has_canonical_format
    assert W.data.all()


def test_boolean_weights_and_unsorted_indices() -> None:
    shuffled = sparse.csr_matrix(([1.0, 3.0, 2.0, 0.0], [1, 0, 1, 0], [0, 0, 1, 1, 4]), shape=(4, 2))
    shuffled.has_sorted_indices = False
    W = small(relations={("photo", "tag"): shuffled}).relations["photo", "tag"]
    np.testing.assert_array_equal(W.toarray(), [[0, 0], [0, 1], [0, 0], [3, 2]])
    assert shuffled.nnz == 4  # the explicit zero is still the caller's
    W = small(relations={("photo", "tag"): LINKS > 0}).relations["photo", "tag"]
    np.testing.assert_array_equal(W.toarray(), LINKS > 0)


def test_a_graph_inside_a_domain() -> None:
    data = small(relations={("photo", "photo"): {"source": ["a", "c"], "target": ["b", "a"]}})
    assert data.relation("photo", "photo").toarray()[[0, 2], [1, 0]].tolist() == [1, 1]


@pytest.mark.parametrize(
    "given",
    [
        PHOTOS,
        PHOTOS.astype(np.float16),
        PHOTOS.astype(int),
        PHOTOS.tolist(),
        sparse.csr_array(PHOTOS),
        pd.DataFrame(PHOTOS),
    ],
    ids=["float64", "float16", "int", "lists", "sparse", "frame"],
)
def test_every_form_of_vectors(given: Any) -> None:
    vectors: Any = small(vectors={"photo": given, "tag": 2}).vectors["photo"]
    np.testing.assert_array_equal(vectors.toarray() if sparse.issparse(vectors) else vectors, PHOTOS)


def test_a_text_index_gives_names() -> None:
    frame = pd.DataFrame(PHOTOS, index=["w", "x", "y", "z"])
    data = RelationalData({"photo": frame, "tag": 2}, {("photo", "tag"): [("y", 1)]})
    assert data.names["photo"] == ("w", "x", "y", "z")
    assert data.relations["photo", "tag"].toarray()[2, 1] == 1


def test_nothing_of_the_callers_changes_or_is_changed() -> None:
    vectors, links, mask = PHOTOS.copy(), sparse.csr_matrix(LINKS.astype(float)), np.array([False, True, False, False])
    data = RelationalData({"photo": vectors, "tag": 2}, {("photo", "tag"): links}, missing={"photo": mask})
    links.data[:] = 9
    mask[:] = True
    vectors[0, 0] = 5  # the caller's array stays writable; only ours is read-only
    np.testing.assert_array_equal(data.relations["photo", "tag"].toarray(), LINKS)
    assert data.missing["photo"].tolist() == [False, True, False, False]
    with pytest.raises(ValueError, match="read-only"):
        data.vectors["photo"][0, 0] = 1  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        data.relations["photo", "tag"].data[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        data.missing["photo"][0] = True
    words = sparse.csr_matrix(np.eye(2))
    with pytest.raises(ValueError, match="read-only"):
        RelationalData({"word": words}).vectors["word"].data[0] = 7  # type: ignore[union-attr]
    words.data[0] = 7
    with pytest.raises(AttributeError, match="does not change"):
        data.n_items = 3
    with pytest.raises(TypeError):
        data.sizes["photo"] = 3  # type: ignore[index]


def test_copies_are_cheap_and_pickles_whole() -> None:
    data = small(missing={"photo": np.array([True, False, False, False])})
    assert copy.copy(data) is data
    assert copy.deepcopy(data) is data
    again = pickle.loads(pickle.dumps(data))
    assert repr(again) == repr(data)
    assert again.names == data.names
    np.testing.assert_array_equal(again.missing["photo"], data.missing["photo"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True), st.permutations([0, 1]))
def test_subset_is_indexing(photos: list[int], tags: list[int]) -> None:
    part = small().subset({"photo": photos, "tag": tags})
    np.testing.assert_array_equal(part.vectors["photo"], PHOTOS[photos])
    np.testing.assert_array_equal(part.relations["photo", "tag"].toarray(), LINKS[photos][:, tags])
    assert part.names["photo"] == tuple("abcd"[i] for i in photos)


def test_a_subset_without_links_is_still_data() -> None:
    part = pickle.loads(pickle.dumps(small().subset({"photo": [2]})))
    assert part.relations["photo", "tag"].nnz == 0
    with pytest.raises(ValueError, match=r"items\['photo'\] keeps no item"):
        small().subset({"photo": []})


def test_subset_by_mask_keeps_missing() -> None:
    data = small(missing={"photo": np.array([True, False, False, False])})
    part = data.subset({"photo": np.array([True, True, False, True])})
    assert part.missing["photo"].tolist() == [True, False, False]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no domain": ({"vectors": {}}, "vectors must be a non-empty mapping"),
    "empty domain": ({"vectors": {"photo": np.empty((0, 3)), "tag": 2}}, r"vectors\['photo'\] has no items"),
    "count of zero": ({"vectors": {"photo": PHOTOS, "tag": 0}}, r"vectors\['tag'\] is a count of 0 items"),
    "one-dimensional": (
        {"vectors": {"photo": np.ones(4), "tag": 2}},
        r"must have shape \(items, dimensions\), got \(4,\)",
    ),
    "text": ({"vectors": {"photo": [["x"]] * 4, "tag": 2}}, r"vectors\['photo'\] must hold real numbers"),
    "ragged": ({"vectors": {"photo": [[1], [1, 2]], "tag": 2}}, r"vectors\['photo'\] must"),
    "complex": ({"vectors": {"photo": PHOTOS * 1j, "tag": 2}}, "must hold real numbers, got complex128"),
    "infinite": ({"vectors": {"photo": PHOTOS + np.inf, "tag": 2}}, "holds NaN or infinity in 4 of 4 rows"),
    "sparse NaN": (
        {"vectors": {"photo": sparse.csr_matrix(np.where(PHOTOS == 7, np.nan, PHOTOS)), "tag": 2}},
        "in 1 of 4 rows, first in row 2",
    ),
    "shape": (
        {"relations": {("photo", "tag"): np.ones((4, 3))}},
        r"relations\[\('photo', 'tag'\)\] has shape \(4, 3\), but 'tag' has 2 items",
    ),
    "unknown domain": (
        {"relations": {("photo", "word"): LINKS}},
        "names the domain 'word', but the domains are 'photo', 'tag'",
    ),
    "not a pair": ({"relations": {"photo": LINKS}}, "must have pairs of domain names as keys"),
    "both directions": ({"relations": {("photo", "tag"): LINKS, ("tag", "photo"): LINKS.T}}, "is given twice"),
    "negative": ({"relations": {("photo", "tag"): -LINKS}}, "must hold non-negative weights, got -3"),
    "negative edge": ({"relations": {("photo", "tag"): [(0, 0, 2), (0, 0, -1)]}}, "non-negative weights, got -1"),
    "NaN": ({"relations": {("photo", "tag"): LINKS * np.nan}}, "holds NaN or infinity in 8 weights"),
    "all zero": ({"relations": {("photo", "tag"): LINKS * 0}}, "has no link: it is empty, or every weight is zero"),
    "other labels": (
        {"relations": {("photo", "tag"): pd.DataFrame(LINKS, index=list("abcd"), columns=["dog", "cow"])}},
        r"has other labels than names\['tag'\], such as \['cat'\]",
    ),
    "other columns": (
        {"relations": {("photo", "tag"): pd.DataFrame({"x": [0], "y": [0]})}},
        "it needs 'photo' and 'tag'",
    ),
    "typo": (
        {"relations": {("photo", "tag"): {"photo": [0], "tag": [0], "weigth": [2]}}},
        "has a column 'weigth'; is that meant to be 'weight'",
    ),
    "empty table": ({"relations": {("photo", "tag"): {"photo": [], "tag": []}}}, "has no link: it is empty"),
    "mixed": ({"relations": {("photo", "tag"): [(0, 0), (1, "cat")]}}, "mixes positions and names of 'tag'"),
    "complex weights": ({"relations": {("photo", "tag"): LINKS * 1j}}, "weights must be real numbers"),
    "links as lists": ({"relations": {("photo", "tag"): [[0, 1], [1, 1]]}}, "links in a list must be tuples"),
    "whole numbers as names": (
        {"names": {"tag": [1, 0]}},
        "must be strings, got 1; whole numbers in links are positions",
    ),
    "names without a length": (
        {"names": {"tag": np.array("ab")}},
        r"names\['tag'\] must be a list of names, got ndarray",
    ),
    "too many items": ({"vectors": {"photo": 10**30, "tag": 2}}, r"vectors\['photo'\] is a count of 1000.*at most"),
    "a number beyond all": ({"vectors": {"photo": [[10**400]] * 4, "tag": 2}}, r"vectors\['photo'\] must hold real"),
    "weights beyond all": ({"relations": {("photo", "tag"): [[10**400, 1]] * 4}}, "must be a matrix of weights"),
    "a weight beyond all": ({"relations": {("photo", "tag"): [(0, 0, 10**400)]}}, "must have numbers as weights"),
    "too heavy": (
        {"relations": {("photo", "tag"): LINKS * 1e305}},
        r"must hold weights of at most 1e\+300, got 3e\+305",
    ),
    "too heavy edge": ({"relations": {("photo", "tag"): [(0, 0, 1e305)]}}, r"weights of at most 1e\+300, got 1e\+305"),
    "too light": ({"relations": {("photo", "tag"): LINKS * 1e-305}}, "beside a heaviest link of 3e-305; that one must"),
    "too light beside another": (
        {"relations": {("photo", "tag"): [(0, 0, 1e80), (1, 1, 1e-80)]}},
        r"has an item whose links weigh 1e-80 together, beside a heaviest link of 1e\+80; that one must",
    ),
    "one string of names": ({"names": {"tag": "ab"}}, "must be a list of names, got str"),
    "no vectors": ({"vectors": {"photo": None, "tag": 2}}, "a DataFrame or a count, got None"),
    "no edge": ({"relations": {("photo", "tag"): []}}, "has no link"),
    "three-dimensional": ({"relations": {("photo", "tag"): np.ones((4, 2, 1))}}, "must be a matrix of weights"),
    "position": ({"relations": {("photo", "tag"): [(4, 0)]}}, "to item 4 of 'photo', which has items 0 … 3"),
    "fractional": ({"relations": {("photo", "tag"): [(0.5, 0)]}}, "by whole numbers or by name"),
    "name": (
        {"relations": {("photo", "tag"): [("a", "cow"), ("b", "dog")]}},
        "1 links to items that are not .* first 'cow'",
    ),
    "columns": ({"relations": {("photo", "tag"): {"photo": [0], "word": [0]}}}, "it needs 'photo' and 'tag'"),
    "lengths": ({"relations": {("photo", "tag"): {"photo": [0], "tag": [0, 1]}}}, "columns of different lengths"),
    "weights": ({"relations": {("photo", "tag"): [("a", "dog", "much")]}}, "must have numbers as weights"),
    "duplicate name": ({"names": {"tag": ["dog", "dog"]}}, r"names\['tag'\] must be unique, got 'dog' more than once"),
    "too few names": ({"names": {"tag": ["dog"]}}, r"names\['tag'\] has 1 names, but 'tag' has 2 items"),
    "names of nobody": ({"names": {"word": ["dog"]}}, "names names the domain 'word'"),
    "masked": ({"vectors": {"photo": np.ma.masked_equal(PHOTOS, 3), "tag": 2}}, "masked arrays are not"),
    "masked mask": ({"missing": {"photo": np.ma.masked_array([True] * 4)}}, r"missing\['photo'\] must not be a masked"),
    "masked pictures": (
        {"pictures": {"tag": np.ma.zeros((2, 8, 8, 3), np.uint8)}},
        r"pictures\['tag'\] must not be a masked array",
    ),
    "masked links": ({"relations": {("photo", "tag"): np.ma.masked_equal(LINKS, 1)}}, "must not be a masked array"),
    "masked positions": (
        {"relations": {("photo", "tag"): {"photo": np.ma.masked_equal([0, 1], 1), "tag": [0, 1]}}},
        "must not be a masked array: what is under its mask would count",
    ),
    "dates as vectors": (
        {"vectors": {"photo": PHOTOS.astype("M8[s]"), "tag": 2}},
        "must hold real numbers, got d",
    ),
    "durations as vectors": ({"vectors": {"photo": PHOTOS.astype("m8[s]"), "tag": 2}}, "real numbers, got timedelta"),
    "dates as links": ({"relations": {("photo", "tag"): LINKS.astype("M8[s]")}}, "got dates or durations .datetime64"),
    "durations as weights": (
        {"relations": {("photo", "tag"): {"photo": [0], "tag": [0], "weight": np.array([5], "m8[s]")}}},
        r"must hold numbers, got dates or durations \(timedelta64\[s\]\)",
    ),
    "a date as weight": ({"relations": {("photo", "tag"): [(0, 0, np.datetime64("2020-01-01"))]}}, "got dates or dur"),
    "numbers whose difference is none": (
        {"vectors": {"photo": [[1.0], [-1.7e308], [1.7e308], [2.0]], "tag": 2}},
        r"vectors\['photo'\] holds a number larger than 4.49e\+307 in row 1; divide",
    ),
    "such numbers, sparse": (
        {"vectors": {"photo": sparse.csr_matrix([[1.0], [2], [-1.7e308], [2]]), "tag": 2}},
        r"vectors\['photo'\] holds a number larger than 4.49e\+307 in row 2; divide",
    ),
    "links to themselves": ({"relations": {("photo", "photo"): np.eye(4)}}, "no link but of items to themselves"),
    "mask": ({"missing": {"photo": [True]}}, r"missing\['photo'\] must be a boolean array of shape \(4,\)"),
    "mask of positions": ({"missing": {"photo": [0, 1, 0, 0]}}, "must be a boolean array"),
    "mask without vectors": ({"missing": {"tag": [True, False]}}, "no item of 'tag' has a vector"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case: str) -> None:
    changes, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        small(**{"names": None, **changes} if "vectors" in changes else changes)


CROSSED = pd.DataFrame([[1.0, 0], [0, 2], [0, 0]], index=["p", "q", "r"], columns=["x", "y"])


@pytest.mark.parametrize(
    ("relations", "sizes", "names"),
    [
        ({("a", "b"): np.eye(3, 4), ("b", "c"): sparse.eye(4, 2)}, {"a": 3, "b": 4, "c": 2}, {}),
        ({("b", "a"): [(0, "x"), (4, "y"), (2, "x")]}, {"b": 5, "a": 2}, {"a": ("x", "y")}),
        ({("a", "b"): [("p", 0)], ("c", "a"): [(0, "q")]}, {"a": 2, "b": 1, "c": 1}, {"a": ("p", "q")}),
        ({("a", "a"): {"source": ["v", "u"], "target": ["w", "v"]}}, {"a": 3}, {"a": ("v", "u", "w")}),
        ({("a", "b"): CROSSED}, {"a": 3, "b": 2}, {"a": ("p", "q", "r"), "b": ("x", "y")}),
        ({("a", "b"): pd.DataFrame({"a": ["p", "q"], "b": [1, 3]})}, {"a": 2, "b": 4}, {"a": ("p", "q")}),
    ],
)
def test_without_vectors_links_say_which_domains_there_are(relations: Any, sizes: Any, names: Any) -> None:
    data = RelationalData(relations=relations)
    assert (list(data.sizes), dict(data.sizes), dict(data.names)) == (list(sizes), sizes, names)
    assert all(vectors is None for vectors in data.vectors.values())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"relations": {("a", "b"): pd.DataFrame({"a": [1], "tag": [1]})}}, "is a table with columns 'a', 'tag'"),
        ({"relations": {("a", "b"): np.eye(3), ("b", "c"): np.eye(4)}}, "has shape (3, 3), but 'b' has 4 items"),
        ({"relations": {("a", "b"): np.ones(3)}}, "must be a matrix of weights or a table of links"),
        ({"relations": {("a", "b"): {"a": [0], "b": 3}}}, "must have a list of items of 'b', got 3"),
        ({"relations": {("a", "b"): np.eye(2)}, "names": {"c": ["x"]}}, "names the domain 'c', but the domains are"),
        ({"relations": {("a", "b"): np.eye(2)}, "names": {"a": 3}}, "names['a'] must be a list of names"),
        ({"relations": 3}, "relations must be a mapping of pairs"),
        ({"relations": {"ab": np.eye(2)}}, "must have pairs of domain names as keys"),
        ({}, "vectors must be a non-empty mapping"),
        (
            {"relations": {("a", "b"): {"a": np.array(["p", None], object), "b": ["x", "y"]}}},
            "has 1 links to items that are not in names['a'], first 'None'",
        ),
    ],
)
def test_links_that_say_no_domains_are_named(given: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        RelationalData(**given)


def test_named_links_need_names() -> None:
    with pytest.raises(ValueError, match="'tag' has no names; give names"):
        small(names={"photo": list("abcd")}, relations={("photo", "tag"): EDGES})


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"photo": [4]}, "has a position outside 0 … 3"),
        ({"photo": [True]}, "is a mask of shape"),
        ({"photo": [0.5]}, "must be a boolean mask or a list of positions"),
        ({"word": [0]}, "names the domain 'word'"),
    ],
)
def test_bad_subsets(items: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small().subset(items)


def test_dask_data_is_a_sibling_that_says_what_it_lacks() -> None:
    import dask.array as da

    vectors = {"photo": da.ones((6, 3), chunks=(3, -1)), "tag": 2}
    data: Any = RelationalData(vectors, {("photo", "tag"): np.eye(6, 2)})
    assert (isinstance(data, RelationalData), isinstance(data, Outline)) == (False, True)
    assert copy.deepcopy(data) is data
    assert (data.n_items, data.pairs, data.count_vectors("photo")) == (8, (("photo", "tag"),), 6)
    assert in_memory(data).sizes == data.sizes
    with pytest.raises(AttributeError, match="data on a cluster has no 'subset': take one of the dask collections"):
        data.subset({})
    with pytest.raises(AttributeError, match="'LazyData' object has no attribute 'photos'"):
        _ = data.photos
    with pytest.raises(DataError, match="data is on a cluster; scores need data in memory"):
        require_in_memory(data, "scores need")


@pytest.mark.filterwarnings("ignore:10 items have neither a vector nor a link that counts")
@pytest.mark.parametrize("norm", ["pmi", "norm", "unnorm"])
def test_weights_as_far_apart_as_they_may_be_make_a_map(norm: str) -> None:
    """And a link may be weaker still, if its items have others: exp(-d²) of far items is such a weight."""
    links = np.where(np.eye(20), 1e100, 0.0)
    links[np.arange(10), np.arange(10)] = 1.1
    links[:10, 0] += 1e-300
    data = RelationalData({"photo": np.arange(60.0).reshape(20, 3) ** 2, "tag": 20}, {("photo", "tag"): links})
    for weights in ("size", "equal"):
        model = mrsne.MRSNE(perplexity=4, max_iter=20, relation_norm=norm, weights=weights, random_state=0)
        assert np.isfinite(model.fit_transform(data).stacked).all()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_links_in_every_format_of_scipy_are_the_same(form: str) -> None:
    W = np.array([[1.0, 0, 2], [0, 3, 0]])
    for matrix in (sparse.csr_matrix(W).asformat(form), sparse.csr_array(W).asformat(form)):
        data = RelationalData({"photo": 2, "tag": 3}, {("photo", "tag"): matrix})
        np.testing.assert_array_equal(data.relations["photo", "tag"].toarray(), W)


@pytest.mark.parametrize("scale", [1e-290, 1e-170, 1e200, 1e290])
def test_only_ratios_of_weights_matter(scale: float) -> None:
    links = sparse.random(20, 6, 0.4, random_state=0) + sparse.eye(20, 6)
    expected, found = (
        mrsne.joint_affinities(RelationalData({"photo": np.eye(20), "tag": 6}, {("photo", "tag"): links * factor}))
        for factor in (1.0, scale)
    )
    np.testing.assert_allclose(found.data, expected.data, rtol=1e-6)
