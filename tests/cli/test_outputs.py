"""Outputs are tried before the work, and what was computed is never lost."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE, Embedding
from mrsne.cli.outputs import write_outputs
from mrsne.data.files.generation import data_beside
from mrsne.data.files.writing import OutputError, check_outputs
from tests.cli.conftest import Fitted, Invoke


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return everything below a folder, with the content of files."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def commands(fitted: Fitted, tmp_path: Path) -> dict[str, list[str | Path]]:
    """Every command that writes, with inputs that are there but cannot be used: whoever reads them first says so."""
    (tmp_path / "x.npy").write_text("no array")
    (tmp_path / "map.npz").write_bytes(fitted.path.read_bytes())
    (tmp_path / "map.data.npz").write_text("no data")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").write_text("no picture")
    return {
        "fit": ["fit", "--domain", f"a={tmp_path / 'x.npy'}"],
        "map": ["map", tmp_path / "photos", "--no-cache"],
        "demo": ["demo"],
        "place": ["place", tmp_path / "map.npz", "--domain", f"image={tmp_path / 'x.npy'}"],
        "plot": ["plot", tmp_path / "map.npz"],
        "view": ["view", tmp_path / "map.npz"],
        "reproduce": ["reproduce", "groups", "--methods", "cdmca-2", "--seeds", "1"],
    }


NAMES = {
    "fit": "new.npz",
    "map": "new.html",
    "demo": "new.html",
    "place": "new.npz",
    "plot": "new.png",
    "view": "new.html",
    "reproduce": "new",
}


@pytest.mark.parametrize("command", NAMES)
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("a file as parent", "is not a folder)"),
        ("a file above the parent", "is not a folder)"),
        ("/proc", "cannot be written ("),
        ("a name too long", "File name too long"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_anything_is_read(
    command: str, place: str, reason: str, commands: dict[str, list[str | Path]], tmp_path: Path, invoke: Invoke
) -> None:
    (tmp_path / "file").write_text("in the way")
    where = {
        "a file as parent": tmp_path / "file" / NAMES[command],
        "a file above the parent": tmp_path / "file" / "more" / "and more" / NAMES[command],
        "/proc": Path("/proc") / NAMES[command],
        "a name too long": tmp_path / "new" / ("x" * 260 + NAMES[command]),
    }[place]
    if place == "/proc" and not where.parent.is_dir():
        pytest.skip("there is no /proc, in which nobody can write")
    before = contents(tmp_path)
    code, printed, errors = invoke(*commands[command], "-o", where)
    assert (code, printed) == (1, ""), errors
    assert errors.startswith(("mrsne: --output: ", f"mrsne: {str(where)!r}: ")), errors
    assert reason in errors
    assert contents(tmp_path) == before


@pytest.mark.parametrize("command", ["fit", "map", "place", "plot", "view"])
def test_a_folder_of_the_files_name_is_refused(
    command: str, commands: dict[str, list[str | Path]], tmp_path: Path, invoke: Invoke
) -> None:
    where = tmp_path / NAMES[command]
    where.mkdir()
    code, _, errors = invoke(*commands[command], "-o", where)
    assert (code, errors) == (
        1,
        f"mrsne: --output: {str(where)!r} cannot be written (there is something else than a file in its place)\n",
    )


@pytest.mark.parametrize("ending", [".data.npz", ".coordinates.csv", ".left-out.csv", ".npz"])
def test_what_lies_beside_the_map_is_tried_too(
    ending: str, commands: dict[str, list[str | Path]], tmp_path: Path, invoke: Invoke
) -> None:
    beside = (tmp_path / "new.html").with_suffix(ending)
    beside.mkdir()
    code, _, errors = invoke(*commands["map"], "-o", tmp_path / "new.html")
    assert (code, f"{str(beside)!r} cannot be written" in errors) == (1, True), errors


def test_a_pipe_is_not_waited_for(commands: dict[str, list[str | Path]], tmp_path: Path, invoke: Invoke) -> None:
    os.mkfifo(tmp_path / "new.png")
    code, _, errors = invoke(*commands["plot"], "-o", tmp_path / "new.png")
    assert (code, "something else than a file" in errors) == (1, True)


def test_a_checkpoint_is_tried_too(commands: dict[str, list[str | Path]], tmp_path: Path, invoke: Invoke) -> None:
    (tmp_path / "state.npz").mkdir()
    code, _, errors = invoke(*commands["fit"], "-o", tmp_path / "new.npz", "--checkpoint", tmp_path / "state.npz")
    assert (code, errors.startswith("mrsne: --checkpoint: ")) == (1, True)
    code, _, errors = invoke(*commands["fit"], "-o", tmp_path / "new.npz", "--checkpoint", tmp_path / "new.npz")
    assert (code, "would overwrite what the command reads" in errors) == (1, True)


def test_nothing_that_is_read_is_overwritten(fitted: Fitted, tmp_path: Path, invoke: Invoke) -> None:
    table = tmp_path / "map.coordinates.csv"
    table.write_text("".join(f"{i},{i * i % 7}\n" for i in range(12)))
    os.symlink(table.name, tmp_path / "link.csv")
    new = tmp_path / "new.npy"
    np.save(new, np.asarray(fitted.data.vectors["image"])[:3])
    copy = tmp_path / "copy.npz"
    copy.write_bytes(fitted.path.read_bytes())
    data_beside(copy).write_bytes(data_beside(fitted.path).read_bytes())
    before = contents(tmp_path)
    for arguments in (
        ["fit", "--domain", f"a={tmp_path / 'link.csv'}", "-o", tmp_path / "map.npz"],
        ["place", copy, "--domain", f"image={new}", "-o", copy],
        ["place", copy, "--domain", f"image={new}", "-o", data_beside(copy)],
    ):
        code, _, errors = invoke(*arguments)
        assert (code, contents(tmp_path)) == (1, before), errors
    code, _, errors = invoke("fit", "--domain", "a=12", "-o", data_beside(copy))
    assert (code, "which is something else or damaged" in errors) == (1, True)
    assert contents(tmp_path) == before


def test_a_trial_leaves_nothing_behind(tmp_path: Path) -> None:
    check_outputs([tmp_path / "a" / "b" / "map.npz", tmp_path / "map.npz"])
    assert list(tmp_path.iterdir()) == []


def in_the_way(path: Path) -> Callable[..., Any]:
    """Return a fit that, when it is done, has a folder where the map should be: another program has made it."""
    fit = MRSNE.fit

    def then_a_folder(model: MRSNE, *given: Any, **options: Any) -> Any:
        result = fit(model, *given, **options)
        path.mkdir()
        return result

    return then_a_folder


@pytest.mark.parametrize("ending", [".npz", ".coordinates.csv"])
def test_a_map_that_cannot_be_written_at_the_end_is_kept_elsewhere(
    ending: str, tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(30, 3)))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "elsewhere"))
    lost = (tmp_path / "map.npz").with_suffix(ending)
    monkeypatch.setattr(MRSNE, "fit", in_the_way(lost))
    code, printed, errors = invoke(
        "fit", "--domain", f"a={tmp_path / 'a.npy'}", "--max-iter", "3", "-o", tmp_path / "map.npz"
    )
    assert (code, printed) == (1, "")
    said = re.search(r"cannot be written \((.*)\); everything is in '(.*)' instead", errors)
    assert said is not None, errors
    assert str(lost) in errors
    folder = Path(said[2])
    assert folder.parent == tmp_path / "elsewhere"
    assert sorted(file.name for file in folder.iterdir()) == ["map.coordinates.csv", "map.data.npz", "map.npz"]
    assert Embedding.load(folder / "map.npz")["a"].shape == (30, 2)


def test_where_one_place_is_full_another_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "map.npz").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(OutputError, match=r"everything is in '.*/here/mrsne-.*' instead"):
        write_outputs({tmp_path / "map.npz": lambda path: path.write_text("map")})
    (folder,) = (tmp_path / "here").iterdir()
    assert (folder / "map.npz").read_text() == "map"


def test_what_can_be_kept_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(OutputError, match=r"No space left on device\); of 2 files, map\.npz could be written to"):
        write_outputs({tmp_path / "new" / "map.npz": lambda path: path.write_text("map"), tmp_path / "map.html": full})
    assert (tmp_path / "new" / "map.npz").read_text() == "map"


def test_an_error_of_what_is_written_is_not_one_of_the_place(tmp_path: Path) -> None:
    def wrong(path: Path) -> None:
        raise ValueError("three dimensions")

    with pytest.raises(ValueError, match=r"^three dimensions$"):
        write_outputs({tmp_path / "map.html": wrong})
