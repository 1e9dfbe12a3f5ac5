"""Whatever operation of a command fails or is its last, the older files are whole, or all new ones are."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from pathlib import Path

import pytest

from mrsne.data.files.generation import current
from tests.anomalies.commands import COMMANDS, contents, succeed, write_inputs
from tests.anomalies.faults import KINDS, Died, failing
from tests.cli.conftest import run

EVERY = int(os.environ.get("MRSNE_ANOMALIES", "1"))  # which operations fail: every one, every second, ...
QUICK = ("update",)


class States:
    """The files before a command and after it."""

    def __init__(self, folder: Path, name: str) -> None:
        before, self.command = COMMANDS[name]
        self.folder = folder
        write_inputs(folder)
        for command in before:
            succeed(command)
        self.old = contents(folder)
        self.check_commands_work()
        succeed(self.command)
        self.new = contents(folder)
        assert self.new != self.old
        # pictures go into place once the tables are there, all at once
        self.between = {name: content for name, content in self.new.items() if not name.startswith("copies/")}
        self.check_commands_work()

    def check_commands_work(self) -> None:
        """Read the map, as every command that shows or changes one does, into another folder."""
        if not (self.folder / "map.npz").exists():
            return
        with tempfile.TemporaryDirectory() as other:
            succeed(("info", "map.npz"))
            succeed(("view", "map.npz", "-o", f"{other}/page.html"))
            succeed(("export", "map.npz", "-o", f"{other}/items.csv"))
            if "work" in run("info", "map.npz")[1]:
                succeed(("place", "map.npz", "other.csv", "-o", f"{other}/placed.csv"))
                succeed(("update", "map.npz", "other.csv", "-o", f"{other}/larger.npz"))

    def restore(self) -> None:
        """Bring back what was there before the command."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            name = path.relative_to(self.folder).as_posix()
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            elif name not in self.old:
                path.unlink()
        for name, content in self.old.items():
            path = self.folder / name
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)

    def fail_at(self, kind: str, at: int) -> str:
        """Run the command with a fault; return what is there: "old", "new", or "done" where it was not reached.

        Inputs that cannot be read may be left out, which the command says: then there is a whole map of "fewer".
        """
        code, said = None, ""
        with failing(self.folder, kind, at) as disk:
            try:
                code, said, errors = run(*self.command)
            except Died:
                errors = ""
        gc.collect()
        if kind != "kill":
            assert "this is a bug" not in errors, (at, errors)
        for ending in ("map.npz", "placed.html", "items.csv"):
            current(self.folder / ending)
        found = contents(self.folder)
        states = {"new": self.new, "old": self.old, "tables": self.between}
        state = next((name for name, files in states.items() if files == found), None)
        if state is None and code == 0 and "left out or incomplete" in said and found.keys() >= self.new.keys():
            self.check_commands_work()
            state = "fewer"
        assert state is not None, (kind, at, differences(found, self.old), differences(found, self.new))
        assert state in ("new", "fewer") or code != 0, (kind, at)
        return "done" if disk.count < at else state

    def run_again(self) -> None:
        """Run the command without a fault, hours later; nothing may be left over."""
        for partial in self.folder.rglob(".*.partial"):
            os.utime(partial, (0, 0))
        if contents(self.folder) == self.new and self.command[0] in ("update", "export"):
            return  # it would add nothing more, or refuse to copy what is there
        succeed(self.command)
        assert contents(self.folder) == self.new
        assert [path.name for path in self.folder.rglob(".*")] == []


def differences(found: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in found.keys() | other.keys() if found.get(name) != other.get(name))


def fail_everywhere(states: States, kind: str, first: int = 1, every: int = 1) -> dict[str, int]:
    """Let one operation after the other fail until the command succeeds; return how often what was there."""
    counts = {"old": 0, "new": 0, "tables": 0, "fewer": 0}
    at = first
    while (state := states.fail_at(kind, at)) != "done":
        counts[state] += 1
        states.run_again()
        states.restore()
        at += every
    states.restore()
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_every_operation_may_fail_or_be_the_last(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = prepared(name, tmp_path, monkeypatch)
    for kind in KINDS:
        counts = fail_everywhere(states, kind, every=EVERY)
        sys.stdout.write(f"{name}, {kind}: {sum(counts.values())} failed, {counts}\n")
        assert counts["old"] > 0


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_some_operations_may_fail_or_be_the_last(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = prepared(name, tmp_path, monkeypatch)
    for number, kind in enumerate(KINDS):
        fail_everywhere(states, kind, first=5 + 7 * number, every=43)


def prepared(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> States:
    folder, elsewhere = tmp_path / "maps", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    return States(folder, name)
