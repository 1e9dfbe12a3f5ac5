"""Damaged files: read as far as they say something, or refused by name; commands end with a message."""

from __future__ import annotations

import collections
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import calls
from tests.fuzz.amounts import few, many
from tests.fuzz.file_strategies import HEADINGS, damaged, tables
from tests.fuzz.originals import COMMANDS, READERS
from tests.fuzz.worker import Worker


def check_reader(worker: Worker, originals: Path, name: str, content: bytes) -> str:
    """Read a damaged file with the library, and return how that ended."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(name).name)
        path.write_bytes(content)
        if name == "checkpoint.npz":
            outcome = worker.call(calls.continue_run, str(path))
        else:
            if READERS[name] == "picture":
                path.with_name("model.onnx").write_bytes((originals / "model.onnx").read_bytes())
            outcome = worker.call(calls.read, READERS[name], str(path))
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"
    return outcome.kind


def check_command(worker: Worker, originals: Path, name: str, arguments: tuple[str, ...], content: bytes) -> None:
    outcome = worker.call(calls.command, arguments, {name: content}, str(originals))
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"


@pytest.mark.parametrize("name", [*READERS, "checkpoint.npz"])
def test_whole_files_are_read(name: str, worker: Worker, originals: Path) -> None:
    assert check_reader(worker, originals, name, (originals / name).read_bytes()) == "returned"


def draw_and_check_reader(
    worker: Worker, originals: Path, counts: collections.Counter[str], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([*READERS, "checkpoint.npz", "checkpoint.npz", "map.npz", "map.data.npz"]))
    content = data.draw(damaged(name, (originals / name).read_bytes()))
    counts[name] += 1
    check_reader(worker, originals, name, content)


def draw_and_check_command(
    worker: Worker, originals: Path, counts: collections.Counter[str], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([*COMMANDS, *HEADINGS]))
    arguments = data.draw(st.sampled_from(COMMANDS[name]))
    whole = (originals / name).read_bytes()
    content = data.draw(st.one_of(tables(name), damaged(name, whole)) if name in HEADINGS else damaged(name, whole))
    counts[name] += 1
    check_command(worker, originals, name, arguments, content)


@few(60)
@given(data=st.data())
def test_damaged_files_are_refused_by_name(
    worker: Worker, originals: Path, damaged: collections.Counter[str], data: st.DataObject
) -> None:
    draw_and_check_reader(worker, originals, damaged, data)


@many(0.2)
@given(data=st.data())
def test_damaged_files_are_refused_by_name_in_a_long_run(
    worker: Worker, originals: Path, damaged: collections.Counter[str], data: st.DataObject
) -> None:
    draw_and_check_reader(worker, originals, damaged, data)


@few(25)
@given(data=st.data())
def test_commands_end_with_a_message(
    worker: Worker, originals: Path, damaged: collections.Counter[str], data: st.DataObject
) -> None:
    draw_and_check_command(worker, originals, damaged, data)


@many(0.05)
@given(data=st.data())
def test_commands_end_with_a_message_in_a_long_run(
    worker: Worker, originals: Path, damaged: collections.Counter[str], data: st.DataObject
) -> None:
    draw_and_check_command(worker, originals, damaged, data)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_read_whole_files(name: str, worker: Worker, originals: Path) -> None:
    for arguments in COMMANDS[name]:
        outcome = worker.call(calls.command, arguments, {}, str(originals))
        assert outcome.kind == "exit code 0", outcome
