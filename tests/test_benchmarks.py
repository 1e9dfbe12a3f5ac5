"""Benchmarks time functions by their names, which must still be there."""

from __future__ import annotations

import pytest
from benchmarks import serial, threads
from benchmarks.data import clustered
from benchmarks.measure import watching
from benchmarks.tools import TOOLS, measure

import mrsne
from mrsne.compilation import Kernel, share, team


@pytest.mark.parametrize(
    "stages", [TOOLS["mrsne"].hooks, threads.STAGES, serial.STAGES], ids=["tools", "threads", "serial"]
)
def test_stages_are_functions_that_there_are(stages: dict[str, list[str]]) -> None:
    with watching(stages) as watched:
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
    assert team.share is share
