"""Any settings: used, or refused with a message."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import calls
from tests.fuzz.amounts import few, many
from tests.fuzz.setting_strategies import AFFINITY, LAYOUT, settings
from tests.fuzz.worker import Worker

ITEMS = np.random.default_rng(3).normal(size=(20, 4))
DATA = st.sampled_from([
    {"vectors": {"a": ITEMS, "b": 4}, "relations": {("a", "b"): np.eye(20, 4)}},
    {"vectors": {"a": ITEMS, "b": ITEMS[:5, :2]}, "relations": {("a", "b"): np.eye(20, 5), ("a", "a"): [(0, 1), (2,
    3)]}},
    {"vectors": {"a": ITEMS}},
    {"vectors": {"a": 6, "b": 3}, "relations": {("a", "b"): np.eye(6, 3)}},
])  # fmt: skip
P = np.abs(ITEMS @ ITEMS.T)

CALLS = st.one_of(
    st.tuples(DATA, settings()).map(lambda both: (calls.fit, *both)),
    st.tuples(DATA, settings()).map(lambda both: (calls.fit, *both)),
    settings().map(lambda given: (calls.fit_array, ITEMS, given)),
    settings(LAYOUT).map(lambda given: (calls.embed, P, given)),
    st.tuples(DATA, settings(AFFINITY)).map(lambda both: (calls.affinities, *both)),
)


def check(worker: Worker, call: tuple[Any, ...]) -> None:
    outcome = worker.call(*call)
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"


@few(40)
@given(call=CALLS)
def test_any_settings_are_used_or_refused(worker: Worker, call: tuple[Any, ...]) -> None:
    check(worker, call)


@many(0.25)
@given(call=CALLS)
def test_any_settings_are_used_or_refused_in_a_long_run(worker: Worker, call: tuple[Any, ...]) -> None:
    check(worker, call)
