"""Compiled loops on the threads of a team, and what threads leave behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from mrsne.loops import Array, handover, kernel
from mrsne.threads import ThreadTeam, _team, current_team, one_blas_thread, share, threads


@kernel("i8[:]!")
def visit(start: int, stop: int, visits: Array) -> None:
    for i in range(start, stop):
        visits[i] += 1


@kernel("i8 i8[:]!")
def stumble(start: int, stop: int, stone: int, visits: Array) -> None:
    for i in range(start, stop):
        if i == stone:
            raise ValueError("a stone")
        visits[i] += 1


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 7, 16])
def test_every_index_is_visited_once(n_jobs: int) -> None:
    with threads(n_jobs):
        for count in (0, 1, 2, 5, 64, 1000, 12_345):
            visits = np.zeros(count, np.int64)
            for _ in range(20):
                visit.over(count, visits)
            assert (visits == 20).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.lists(st.integers(0, 300), min_size=1, max_size=20))
def test_jobs_of_all_sizes_follow_each_other(n_jobs: int, counts: list[int]) -> None:
    with threads(n_jobs):
        for count in counts:
            visits = np.zeros(count, np.int64)
            visit.over(count, visits)
            assert (visits == 1).all()


def test_threads_without_work_wait_in_python_and_come_back() -> None:
    with threads(3):
        team = current_team()
        assert isinstance(team, ThreadTeam)
        for _ in range(3):
            visits = np.zeros(1000, np.int64)
            visit.over(1000, visits)
            assert (visits == 1).all()
            for _ in range(1000):
                if len(team._asleep) == 2:
                    break
                time.sleep(0.01)
            assert len(team._asleep) == 2


def test_a_helper_that_falls_asleep_while_a_job_is_offered_comes_back() -> None:
    with threads(2):
        team = current_team()
        assert team is not None
        visit.over(1000, np.zeros(1000, np.int64))
        with team.gathered(handover("serve")):
            time.sleep(0.1)  # far longer than a helper waits at the board
            assert not team._asleep
        for _ in range(1000):
            if team._asleep:
                break
            time.sleep(0.01)
        assert team._asleep


def test_loops_are_compiled_before_helpers_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel("i8[:]!")
    def fresh(start: int, stop: int, visits: Array) -> None:
        for i in range(start, stop):
            visits[i] += 1

    compiled: list[bool] = []
    wake_up = ThreadTeam._wake_up

    def looking(team: ThreadTeam, serve: Any) -> None:
        compiled.append(fresh.machine_code is not None)
        wake_up(team, serve)

    monkeypatch.setattr(ThreadTeam, "_wake_up", looking)
    with threads(2):
        fresh.over(1000, np.zeros(1000, np.int64))
    assert compiled == [True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system starts processes in another way")
def test_a_process_that_is_forked_inside_has_no_team() -> None:
    with threads(3):
        share(3, lambda number: None)
        child = os.fork()
        if child == 0:
            done: list[int] = []
            share(3, done.append)  # on threads that are not there it would wait for ever
            os._exit(0 if current_team() is None and done == [0, 1, 2] else 1)
        for _ in range(500):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            time.sleep(0.01)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the process hangs")
        assert status == 0


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_an_error_in_a_loop_is_raised_and_the_team_goes_on(n_jobs: int) -> None:
    with threads(n_jobs):
        with pytest.raises(ValueError, match="a stone"):
            stumble.over(1000, 700, np.zeros(1000, np.int64))
        visits = np.zeros(1000, np.int64)
        stumble.over(1000, -1, visits)
        assert (visits == 1).all()


def test_no_thread_is_left_behind() -> None:
    before = set(threading.enumerate())
    with threads(5):
        visit.over(1000, np.zeros(1000, np.int64))
        share(10, lambda number: None)
        assert len(set(threading.enumerate()) - before) >= 4
    assert not set(threading.enumerate()) - before


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), KeyboardInterrupt()])
def test_what_keeps_threads_from_starting_is_what_is_raised(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(threading.enumerate())
    start = threading.Thread.start
    started: list[threading.Thread] = []

    def scarce(self: threading.Thread) -> None:
        if len(started) == 2:
            raise error
        started.append(self)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    with pytest.raises(type(error)) as caught, threads(5):
        visit.over(1000, np.zeros(1000, np.int64))
    assert caught.value is error
    assert not set(threading.enumerate()) - before


def test_loops_inside_a_task_run_on_its_own_thread() -> None:
    visits = np.zeros((8, 100), np.int64)

    def task(number: int) -> None:
        assert current_team() is None
        visit.over(100, visits[number])

    with threads(4):
        share(8, task)
    assert (visits == 1).all()


def test_a_thread_in_a_copy_of_the_context_has_no_team() -> None:
    """Two threads that offer jobs on one board would take each other's place there."""
    n_runs, n_items = 200, 5000
    visits = np.zeros((2, n_items), np.int64)
    teams: list[ThreadTeam | None] = []

    def other() -> None:
        teams.append(current_team())
        share(3, lambda number: teams.append(current_team()))
        for _ in range(n_runs):
            visit.over(n_items, visits[1])

    with threads(3), ThreadPoolExecutor(1) as pool:
        running = pool.submit(copy_context().run, other)
        for _ in range(n_runs):
            visit.over(n_items, visits[0])
        running.result()
    assert teams == [None] * 4
    assert (visits == n_runs).all()


def test_tasks_are_handed_over_without_the_team(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where threads inherit the context of whoever starts them, as new Pythons can have it."""
    with threads(3):
        team = current_team()
        assert team is not None
        submit = team.pool.submit
        monkeypatch.setattr(team.pool, "submit", lambda work: submit(copy_context().run, work))
        found: list[ThreadTeam | None] = []
        together = threading.Barrier(3)

        def task(number: int) -> None:
            together.wait(60)  # each on a thread of its own
            found.append(_team.get())

        share(3, task)
        assert found == [None] * 3
        assert current_team() is team


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_limits_that_overlap_are_lifted() -> None:
    """The second comes while the first is there, and stays longer; its thread goes on."""
    first_is_in, second_is_in, first_is_out, end = (threading.Event() for _ in range(4))

    def first() -> None:
        with one_blas_thread():
            first_is_in.set()
            assert second_is_in.wait(10)
        first_is_out.set()
        assert end.wait(10)

    before = blas_threads()
    if before == {1}:
        pytest.skip("BLAS has one thread here")
    other = threading.Thread(target=first)
    other.start()
    assert first_is_in.wait(10)
    assert 1 in blas_threads()
    with one_blas_thread():
        second_is_in.set()
        assert first_is_out.wait(10)
    assert blas_threads() == before
    end.set()
    other.join()
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == before
