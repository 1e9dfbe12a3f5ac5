"""Benchmarks time functions by their names, which must still be there."""

from __future__ import annotations

import sys

import pytest
from benchmarks import serial, threads, three_domains
from benchmarks.data import clustered
from benchmarks.measure import watching
from benchmarks.tools import TOOLS, measure
from rich.console import Console

import mrsne
from mrsne.loops import Kernel
from mrsne.threads import share

STAGES = {"tools": TOOLS["mrsne"].hooks, "threads": threads.STAGES, "serial": serial.STAGES}


@pytest.mark.parametrize("name", [*STAGES])
def test_stages_are_functions_that_there_are(name: str) -> None:
    with watching(STAGES[name]) as watched:
        mrsne.MRSNE(max_iter=1, neighbors="approximate", random_state=0).fit(clustered(1_200))
    assert watched.seconds


def test_a_fit_is_measured_by_stage() -> None:
    found = measure(TOOLS["mrsne"], clustered(1_200))
    assert all(seconds > 0 for seconds in found.stages.values())


@pytest.mark.filterwarnings("ignore:.*nothing determines")  # some pictures have no tag
def test_what_threads_share_is_told_from_what_one_does_alone() -> None:
    over = Kernel.over
    data = serial.links_alone(3_000)
    with serial.timed_sharing() as shared:
        mrsne.MRSNE(max_iter=2, random_state=0, n_jobs=2).fit(data)
    assert len(shared) > 10
    assert Kernel.over is over
    left = [name for name, module in sys.modules.items() if name.startswith("mrsne") and hasattr(module, "share")]
    assert all(sys.modules[name].share is share for name in left)
    assert len(left) > 5


@pytest.mark.filterwarnings("ignore:.*nothing determines")
def test_three_domains_are_measured_on_the_processor(capsys: pytest.CaptureFixture[str]) -> None:
    data = three_domains.with_authors(3_000)
    assert list(data.sizes) == ["picture", "tag", "author"]
    three_domains.measure(data, "cpu", 1, Console())
    told = capsys.readouterr().out
    assert all(stage in told for stage in three_domains.STAGES)
    assert "same bits: True" in told
