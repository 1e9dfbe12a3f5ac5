"""Fuzzing sees what it is to see: crashes, hangs, wrong exceptions, changes to what belongs to the caller."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz import calls
from tests.fuzz.worker import Worker


def test_a_crash_is_seen_and_the_next_call_is_made(worker: Worker) -> None:
    outcome = worker.call(calls.crash)
    assert outcome.kind == "crash"
    assert outcome.fault is not None
    assert "Segmentation fault" in outcome.message
    assert "in crash" in outcome.message
    assert worker.call(calls.build, {"vectors": {"a": 3, "b": 2}, "relations": {("a", "b"): [(0, 1)]}}).fault is None


def test_a_hang_is_seen() -> None:
    impatient = Worker()
    try:
        assert impatient.call(calls.build, {"vectors": {"a": np.eye(3)}}).kind == "returned"
        impatient.patience = 1
        outcome = impatient.call(calls.hang)
    finally:
        impatient.stop()
    assert outcome.kind == "hang"
    assert outcome.fault is not None
    assert "in hang" in outcome.message


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (KeyError("a"), "none of the exceptions"),
        (OverflowError("too large"), "none of the exceptions"),
        (SystemError("x"), "none of the exceptions"),
        (ValueError(""), "says nothing"),
        (ValueError("x" * 10_000), "10000 characters"),
        (ValueError("from outside of mrsne"), "from deeper down"),
    ],
)
def test_wrong_exceptions_are_seen(error: Exception, fault: str, worker: Worker) -> None:
    outcome = worker.call(calls.raise_error, error)
    assert outcome.kind == type(error).__name__
    assert fault in (outcome.fault or "")


def test_messages_of_mrsne_are_accepted(worker: Worker) -> None:
    outcome = worker.call(calls.build, {"vectors": {"a": "no vectors"}})
    assert outcome.fault is None
    assert "a" in outcome.message


def test_a_change_to_what_belongs_to_the_caller_is_seen(worker: Worker) -> None:
    assert worker.call(calls.change, np.zeros(3)).fault == "the call changed what it was given"
    assert worker.call(calls.change, np.full(3, np.nan)).fault is None
