"""Any data: checked, fitted, laid out, shown and scored, or refused with a message."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import calls
from tests.fuzz.amounts import few, many
from tests.fuzz.data_strategies import (
    ODD_SHAPES,
    SCALARS,
    SHAPES,
    arrays,
    data,
    frames,
    links,
    sparse_matrices,
    vectors,
)
from tests.fuzz.setting_strategies import QUICK
from tests.fuzz.worker import Worker

SQUARES = st.sampled_from([2, 3, 5, 14, 1, 0]).map(lambda n: (n, n))
MATRICES = st.one_of(
    sparse_matrices(SQUARES, non_negative=True), arrays(SQUARES, non_negative=True), sparse_matrices(SHAPES),
    arrays(ODD_SHAPES), st.sampled_from(SCALARS),
)  # fmt: skip
ITEMS = np.random.default_rng(0).normal(size=(14, 3))
GOOD = {"vectors": {"a": ITEMS, "b": 5}, "relations": {("a", "b"): np.eye(14, 5)}, "names": {"b": ["\ud800",
                                                        "</script>", "", "é", "b"]},
        "pictures": {"a": np.zeros((14, 4, 4, 3), np.uint8)}}  # fmt: skip
PLACES = st.one_of(
    *[st.just({"a": ITEMS[:, :2], "b": ITEMS[:5, 1:]})] * 3,
    arrays(st.just((14, 2))).map(lambda Y: {"a": Y, "b": ITEMS[:5, 1:]}),
    st.sampled_from([{"a": ITEMS, "b": ITEMS[:5]}, {"a": ITEMS[:, :1], "b": ITEMS[:5, :1]}, {"a": ITEMS[:0, :2]}]),
)
MAPS = st.one_of(  # coordinates and data
    *[st.tuples(PLACES, st.just(GOOD))] * 3,
    st.tuples(PLACES, st.none()),
    st.tuples(arrays(SHAPES).map(lambda Y: {"a": Y}), data()),
    st.tuples(st.sampled_from(SCALARS), data()),
)

K = [{"k": k} for k in (1, 2, 10**30, 0, -1, "x", 2.5, [1, 2], [], None, np.int64(1), np.array([1, 2]))]
QUERIES: list[dict[str, Any]] = [
    {},
    {},
    {"queries": [0]},
    {"queries": [99]},
    {"queries": []},
    {"queries": "x"},
    {"queries": [[0]]},
]
SCORES: dict[str, list[list[dict[str, Any]]]] = {  # by name, what each can be asked
    "hit_rate": [
        K,
        [{"query": "a", "target": "b"}, {"query": "a", "within": "a"}, {"query": "z", "target": 5}],
        QUERIES,
    ],
    "hit_count": [
        K,
        [{"query": "a", "target": "b"}, {"query": "a", "target": "a"}, {"query": None, "target": "b"}],
        QUERIES,
    ],
    "link_auc": [[{"pair": pair} for pair in (("a", "b"), ("b", "a"), ("a", "a"), "ab", None, 5, ("a", "z"))]],
    "neighborhood_preservation": [
        K,
        [{}, {"domain": "b"}, {"domain": 5}, {"metric": "cosine"}, {"metric": 5}],
        QUERIES,
    ],
    "trustworthiness": [K, [{}, {"domain": "b"}, {"domain": 5}, {"metric": "cosine"}, {"metric": 5}], QUERIES],
    "reconstruction_auc": [[{"query": "a"}, {"query": "b"}, {"query": 5}]],
}


@st.composite
def scores(draw: Any) -> tuple[Any, ...]:
    """Draw a score of a map."""
    name = draw(st.sampled_from(sorted(SCORES)))
    options = {key: value for choice in SCORES[name] for key, value in draw(st.sampled_from(choice)).items()}
    coordinates, parts = draw(MAPS)
    return calls.score, name, coordinates, parts or GOOD, options


SHOWN = st.sampled_from([{}, {}, {"theme": "dark"}, {"theme": 5}, {"title": "\ud800"}, {"title": 5},
                         {"title": "</script>"},
                         {"thumbnail_side": 0}, {"thumbnail_side": 10**30}, {"thumbnail_side": 4}])  # fmt: skip
DRAWN = st.sampled_from([{}, {}, {"theme": "dark"}, {"theme": None}, {"size": 2}, {"size": -1},
                         {"size": float("nan")}, {"size": "x"},
                         {"density": True}, {"links": {"b": [0]}}, {"links": {"b": ["b"]}}, {"links": {"b": [99]}},
                         {"links": {"z": [0]}}, {"links": {"b": "b"}}, {"links": 5}, {"labels": ["b"]},
                         {"labels": ["z"]},
                         {"labels": 5}, {"title": "$\\frac{"}, {"title": "\ud800"}, {"title": 5}])  # fmt: skip
COLUMNS = st.one_of(
    st.none(), st.none(), st.sampled_from(SCALARS),
    arrays(st.sampled_from([(14,), (14,), (14,), (3,), (14, 2)])).map(lambda values: {"a": {"c": values}}),
    st.lists(st.sampled_from([*SCALARS, 10**400]), min_size=14, max_size=14).map(lambda values: {"a": {"c": values}}),
    frames(st.just((14, 2))).map(lambda frame: {"a": frame}),
    st.sampled_from([{"a": {5: range(14)}}, {"a": {"c": ITEMS[:, 0], "d": ["x"] * 14}}, {"b": {"c": [None] * 5}},
    {"z": {}}]),
)  # fmt: skip

CALLS = st.one_of(
    data().map(lambda parts: (calls.fit, parts, QUICK)),
    data().map(lambda parts: (calls.fit, parts, QUICK)),
    data().map(lambda parts: (calls.fit, parts, {**QUICK, "weights": 0.5, "max_iter": 60})),
    data().map(lambda parts: (calls.affinities, parts, {})),
    vectors().map(lambda X: (calls.fit_array, X, QUICK)),
    MATRICES.map(lambda P: (calls.embed, P, QUICK)),
    st.tuples(MATRICES, st.one_of(arrays(SHAPES), st.sampled_from(SCALARS))).map(lambda both: (calls.gradient, *both)),
    st.tuples(vectors(), links(3, 3, ("image", "tag"))).map(
        lambda both: (calls.transform, {"image": both[0]}, {("image", "tag"): both[1]})
    ),
    st.tuples(st.one_of(vectors(), st.none()), st.sampled_from(SCALARS)).map(lambda both: (calls.transform, *both)),
    st.tuples(MAPS, COLUMNS, SHOWN).map(lambda parts: (calls.show, *parts[0], *parts[1:])),
    st.tuples(MAPS, DRAWN).map(lambda parts: (calls.draw, *parts[0], parts[1])),
    scores(),
)


def check(worker: Worker, call: tuple[Any, ...]) -> None:
    outcome = worker.call(*call)
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"


@few(60)
@given(call=CALLS)
def test_any_data_is_taken_or_refused(worker: Worker, call: tuple[Any, ...]) -> None:
    check(worker, call)


@many(0.5)
@given(call=CALLS)
def test_any_data_is_taken_or_refused_in_a_long_run(worker: Worker, call: tuple[Any, ...]) -> None:
    check(worker, call)
