"""One worker for all fuzzing, how many calls are made, and what came of them."""

from __future__ import annotations

import collections
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.originals import write_originals
from tests.fuzz.worker import Worker

_totals: collections.Counter[tuple[str, str]] = collections.Counter()
_damaged: collections.Counter[str] = collections.Counter()


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.stop()
    _totals.update(worker.outcomes)


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one whole file of each kind."""
    folder = tmp_path_factory.mktemp("originals")
    write_originals(folder)
    return folder


@pytest.fixture(scope="session")
def damaged() -> collections.Counter[str]:
    """How many damaged files were read, by the name of the original."""
    return _damaged


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell what came of a long run."""
    if "MRSNE_FUZZ" not in os.environ or not _totals:
        return
    terminalreporter.section(f"fuzzing: {sum(_totals.values())} calls, {sum(_damaged.values())} damaged files")
    kinds: collections.Counter[str] = collections.Counter()
    for (function, kind), count in sorted(_totals.items()):
        kinds[kind] += count
        terminalreporter.write_line(f"{count:8,} {function}: {kind}")
    for name, count in sorted(_damaged.items()):
        terminalreporter.write_line(f"{count:8,} damaged: {name}")
    terminalreporter.write_line("in all: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common()))
