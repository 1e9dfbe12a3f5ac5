"""Cases that once crashed, hung, ended in a traceback or went through unseen, each with what comes of it now."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.fuzz import calls
from tests.fuzz.originals import COMMANDS, FIT, IMAGES, MAP
from tests.fuzz.worker import Worker

REFUSED = ("ValueError", "ParameterError", "DataError", "DataFileError", "CheckpointError", "EmbeddingFileError")
TAGGED = {("a", "t"): np.ones((14, 1))}


def damaged_sparse(indices: Any, indptr: Any) -> sparse.csr_matrix:
    """Return a matrix of shape (3, 3) whose indices nobody has looked at."""
    matrix = sparse.csr_matrix(np.eye(3))
    matrix.indices, matrix.indptr = np.array(indices, np.int32), np.array(indptr, np.int32)
    return matrix


FAR = damaged_sparse([900_000, 5, 7], [0, 1, 2, 3])
FALLING = damaged_sparse([0, 1, 2], [0, 3, 1, 3])
PAIR = {"a": 3, "b": 3}

CASES: dict[str, tuple[tuple[Any, ...], tuple[str, ...]]] = {  # a call, and how it may end
    "far indices as affinities": ((calls.embed, FAR, {}), REFUSED),
    "falling pointers as affinities": ((calls.embed, FALLING, {}), REFUSED),
    "far indices as links": ((calls.fit, {"vectors": PAIR, "relations": {("a", "b"): FAR}}, {}), REFUSED),
    "falling pointers as links": ((calls.fit, {"vectors": PAIR, "relations": {("a", "b"): FALLING}}, {}), REFUSED),
    "far indices as vectors": ((calls.build, {"vectors": {"a": FAR}}), REFUSED),
    "falling pointers as vectors": ((calls.build, {"vectors": {"a": FALLING}}), REFUSED),
    "far indices of one array": ((calls.fit_array, FAR, {}), REFUSED),
    "far indices of new items": ((calls.transform, {"image": FAR}, None), REFUSED),
    "14 alike and a tag": (
        (calls.fit, {"vectors": {"a": np.ones((14, 3)), "t": 1}, "relations": TAGGED}, {"weights": 0.5}),
        ("returned",),
    ),
    "unit vectors in one dimension": ((calls.fit_array, np.eye(14), {"n_components": 1}), ("returned",)),
    **{
        f"{n} alike and a tag": (
            (calls.fit, {"vectors": {"a": np.ones((n, 3)), "t": 1}, "relations": {("a", "t"): np.ones((n, 1))}}, {}),
            ("returned",),
        )
        for n in (18, 45)
    },
    "14 alike in four dimensions": ((calls.fit_array, np.ones((14, 3)), {"n_components": 4}), ("returned",)),
    "numbers below 1e-308": ((calls.fit_array, 1e-310 * np.eye(20, 4), {"max_iter": 9}), ("returned", *REFUSED)),
    "links of 1e200 beside 1": (
        (calls.fit, {"vectors": PAIR, "relations": {("a", "b"): np.diag([1e200, 1, 1])}}, {"max_iter": 9}),
        ("returned", *REFUSED),
    ),
    "a seed below zero": ((calls.fit_array, np.eye(9), {"random_state": -1}), REFUSED),
    "10**30 dimensions": ((calls.fit_array, np.eye(9), {"n_components": 10**30}), REFUSED),
    "a name for nothing": ((calls.build, {"vectors": {"a": np.eye(3)}, "names": {"a": np.array("x")}}), REFUSED),
    "a column of rows of dates": (
        (calls.show, {"a": np.eye(3, 2)}, None, {"a": {"day": np.zeros((3, 2), "M8[s]")}}, {}),
        REFUSED,
    ),
    "columns that are a number": ((calls.show, {"a": np.eye(3, 2)}, None, 5, {}), REFUSED),
    "10**400 in a column": ((calls.show, {"a": np.eye(3, 2)}, None, {"a": {"c": [1, 10**400, 3]}}, {}), ("returned",)),
    "10**30 items": ((calls.build, {"vectors": {"a": 10**30}}), REFUSED),
    "a path with the character 0": ((calls.fit_array, np.eye(9), {"checkpoint": "\0"}), REFUSED),
}


@pytest.mark.parametrize("case", CASES)
def test_calls(case: str, worker: Worker) -> None:
    call, endings = CASES[case]
    outcome = worker.call(*call)
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"
    assert outcome.kind in endings, outcome


def exchanged(content: bytes, **arrays: Any) -> bytes:
    """Return an npz file with other arrays in the place of some."""
    with np.load(io.BytesIO(content)) as file:
        parts = {**{name: file[name] for name in file.files}, **arrays}
    changed = io.BytesIO()
    np.savez(changed, **parts)
    return changed.getvalue()


CHECKPOINTS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "velocity of another shape": lambda state: {"velocity": state["velocity"][:-1]},
    "velocity of another type": lambda state: {"velocity": state["velocity"].astype("f8")},
    "order of zeros": lambda state: {"order": np.zeros_like(state["order"])},
    "iteration below zero": lambda state: {"iteration": np.array(-5)},
    "iteration that is no number": lambda state: {"iteration": np.array(np.inf)},
    "NaN in the map": lambda state: {"Y": state["Y"] * np.nan},
    "NaN in the velocity": lambda state: {"velocity": state["velocity"] * np.nan},
    "gains below zero": lambda state: {"gains": -state["gains"]},
}


@pytest.mark.parametrize("case", CHECKPOINTS)
def test_crafted_checkpoints_are_refused(case: str, worker: Worker, originals: Path, tmp_path: Path) -> None:
    content = (originals / "checkpoint.npz").read_bytes()
    with np.load(io.BytesIO(content)) as file:
        state = {name: file[name] for name in file.files}
    (tmp_path / "run.npz").write_bytes(exchanged(content, **CHECKPOINTS[case](state)))
    outcome = worker.call(calls.continue_run, str(tmp_path / "run.npz"))
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"
    assert outcome.kind == "CheckpointError"


def saved(matrix: sparse.csr_matrix) -> bytes:
    file = io.BytesIO()
    np.savez(
        file, format=b"csr", shape=matrix.shape, data=matrix.data, indices=matrix.indices, indptr=matrix.indptr
    )  # fmt: skip
    return file.getvalue()


@pytest.mark.parametrize("matrix", [FAR, FALLING], ids=["far", "falling"])
@pytest.mark.parametrize(
    "command",
    [(*FIT, "image=sparse.npz"), (*FIT, "a=3", "--domain", "b=3", "--relation", "a:b=sparse.npz")],
    ids=["domain", "relation"],
)
def test_files_with_indices_out_of_range(
    command: tuple[str, ...], matrix: sparse.csr_matrix, worker: Worker, originals: Path
) -> None:
    outcome = worker.call(calls.command, command, {"sparse.npz": saved(matrix)}, str(originals))
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"
    assert outcome.kind == "exit code 1"


@pytest.mark.parametrize("command", COMMANDS["map.data.npz"], ids=lambda command: command[0])
def test_data_beside_a_map_with_indices_out_of_range(command: tuple[str, ...], worker: Worker, originals: Path) -> None:
    content = exchanged((originals / "map.data.npz").read_bytes(), relation_0_indices=np.full(12, 900_000, np.int32))
    outcome = worker.call(calls.command, command, {"map.data.npz": content}, str(originals))
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"
    assert outcome.kind == "exit code 1"


@pytest.mark.parametrize("name", ["map.npz", "map.data.npz"])
def test_headers_that_are_nested_deeply_or_of_the_wrong_shape(name: str, worker: Worker, originals: Path) -> None:
    whole = (originals / name).read_bytes()
    keys = {"map.npz": ["format", "n_iter", "kl_divergence", "domains"], "map.data.npz": ["header"]}[name]
    nested = np.frombuffer(b"[" * 100_000, np.uint8)
    for key in keys:
        for value in (nested, np.zeros((2, 2)), np.array(np.inf), np.array([]), np.array("x")):
            outcome = worker.call(
                calls.command, ("info", "map.npz"), {name: exchanged(whole, **{key: value})}, str(originals)
            )
            assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"


@pytest.mark.parametrize("place", [np.nan, np.inf, -3e38])
def test_a_map_with_places_that_are_no_numbers(place: float, worker: Worker, originals: Path) -> None:
    content = (originals / "map.npz").read_bytes()
    with np.load(io.BytesIO(content)) as file:
        Y = file["domain_0"].copy()
    Y[3, 1] = place
    for command in COMMANDS["map.npz"]:
        outcome = worker.call(calls.command, command, {"map.npz": exchanged(content, domain_0=Y)}, str(originals))
        assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"


def test_names_with_half_characters(worker: Worker, originals: Path) -> None:
    files = {"names.txt": "cat\n\ud800dog\nowl".encode("utf-8", "surrogatepass")}
    outcome = worker.call(calls.command, COMMANDS["names.txt"][0], files, str(originals))
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"
    outcome = worker.call(calls.draw, {"a": np.eye(2)}, {"vectors": {"a": 2}, "names": {"a": ["\ud800", "b"]}}, {})
    assert outcome.fault is None, f"{outcome.fault}: {outcome.message}"


def test_postscript_pipes_and_circles_among_pictures(worker: Worker, originals: Path, tmp_path: Path) -> None:
    for name in ("photos", "model.onnx"):
        os.symlink(originals / name, tmp_path / name)
    folder = tmp_path / "strange"
    folder.mkdir()
    for name in ("red.png", "green.jpg"):
        (folder / name).write_bytes((originals / "photos" / name).read_bytes())
    (folder / "holiday.jpg").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n")
    os.mkfifo(folder / "pipe.jpg")
    os.symlink("circle.png", folder / "circle.png")
    os.symlink("/dev/zero", folder / "endless.png")
    command = ("map", str(folder), *MAP[2:])
    outcome = worker.call(calls.command, command, {}, str(originals))
    assert outcome.kind == "exit code 0", outcome


def test_a_line_of_megabytes_is_not_repeated(worker: Worker, originals: Path) -> None:
    files = {"links.csv": b"x" * 5_000_000}
    outcome = worker.call(calls.command, (*IMAGES, "--relation", "image:tag=links.csv"), files, str(originals))
    assert outcome.kind == "exit code 1", outcome
