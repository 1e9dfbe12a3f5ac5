"""Commands that are killed at any moment leave every older output as it was, or the whole new one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from mrsne.data.files.generation import current
from tests.anomalies.commands import COMMANDS as WRITERS
from tests.anomalies.commands import contents, write_inputs
from tests.fuzz.originals import MAP

OF_A_TABLE = ("update", "compare", "regions", "export")  # which begin with what the tests of anomalies do
MOMENTS = int(os.environ.get("MRSNE_KILLS", "50"))  # for each command
FIT = (
    "fit",
    "--domain",
    "image=vectors.npy",
    "--domain",
    "tag=3",
    "--relation",
    "image:tag=links.csv",
    "-o",
    "map.npz",
)
COMMANDS: dict[str, list[Sequence[str]]] = {  # commands that write the older outputs, and the one that is killed
    "fit": [(*FIT, "--seed", "1", "--max-iter", "50"), (*FIT, "--seed", "2", "--max-iter", "60")],
    "map": [(*MAP, "--tags", "tags.csv", "--seed", "1"), (*MAP, "--tags", "tags.csv", "--seed", "2")],
    "plot": [("plot", "map.npz", "-o", "map.png", "--theme", theme, "--size", "3") for theme in ("light", "dark")],
    "place": [("place", "map.npz", "--domain", f"image={new}", "-o", "placed.npz") for new in ("new.npy",
    "vectors.npy")],
    "view": [("view", "map.npz", "-o", "map.html", "--theme", theme) for theme in ("light", "dark")],
    "view, serving": [("info", "map.npz"), ("view", "map.npz", "--no-open")],
    **{name: [*WRITERS[name][0], WRITERS[name][1]] for name in OF_A_TABLE},
}  # fmt: skip


def started(command: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "mrsne", *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def run_to_its_end(name: str, command: Sequence[str], folder: Path) -> float:
    """Run a command, or a server until it tells its address, and return the seconds it took."""
    start = time.monotonic()
    process = started(command, folder)
    if name == "view, serving":
        assert process.stdout is not None
        assert process.stdout.readline()
        seconds = time.monotonic() - start
        process.kill()
        process.communicate()
        return seconds
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    return time.monotonic() - start


def kill_at(command: Sequence[str], folder: Path, seconds: float | None, more: float) -> bool:
    """Kill a command after so many seconds or, if None, once it writes, and a little more; return whether it lived."""
    start = time.monotonic()
    process = started(command, folder)
    if seconds is not None:
        time.sleep(seconds)
    else:
        while process.poll() is None and not any(folder.glob(".*.partial")) and time.monotonic() < start + 60:
            time.sleep(0.0005)
        time.sleep(more)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def remove_partial(folder: Path) -> None:
    """Remove what the last kill has left."""
    for partial in folder.rglob(".*.partial"):
        shutil.rmtree(partial) if partial.is_dir() else partial.unlink()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:an interrupted write:UserWarning")
@pytest.mark.parametrize("name", COMMANDS)
def test_older_outputs_survive_a_kill(name: str, originals: Path, tmp_path: Path) -> None:
    *before, command = COMMANDS[name]
    if name in OF_A_TABLE:
        write_inputs(tmp_path)
    else:
        shutil.copytree(originals, tmp_path, dirs_exist_ok=True)
    for earlier in before:
        run_to_its_end("", earlier, tmp_path)
    old = contents(tmp_path)
    seconds = run_to_its_end(name, command, tmp_path)
    new = contents(tmp_path)
    assert name == "view, serving" or new != old
    moments, n_killed, n_with_partial = random.Random(0), 0, 0
    for moment in range(MOMENTS):
        for path, content in old.items():
            (tmp_path / path).write_bytes(content)
        shutil.rmtree(tmp_path / "copies", ignore_errors=True)
        remove_partial(tmp_path)
        # a command writes for a small part of its time: every second kill waits for that
        waits = moment % 2 == 1 and name != "view, serving"
        n_killed += kill_at(command, tmp_path, None if waits else moments.uniform(0, seconds), moments.uniform(0, 0.02))
        n_with_partial += any(tmp_path.rglob(".*.partial"))
        for path in old:
            current(tmp_path / path)  # what opens a file next completes what has been decided
        found = contents(tmp_path)
        assert found.keys() == old.keys() | (found.keys() & new.keys())
        changed = [path for path in found if found[path] not in (old.get(path), new[path])]
        assert not changed, f"{changed} after kill {moment}"
    assert n_killed > MOMENTS // 4
    if name != "view, serving":
        for partial in tmp_path.rglob(".*.partial"):  # of the last kill, and now as if it had been hours ago
            os.utime(partial, (0, 0))
        for path in new.keys() - old.keys():
            (tmp_path / path).unlink(missing_ok=True)
        shutil.rmtree(tmp_path / "copies", ignore_errors=True)
        for path, content in old.items():
            (tmp_path / path).write_bytes(content)
        run_to_its_end(name, command, tmp_path)
        assert contents(tmp_path) == new
        assert not list(tmp_path.rglob(".*.partial"))
    sys.stdout.write(f"{name}: {n_killed} of {MOMENTS} killed, {n_with_partial} of them while writing\n")
