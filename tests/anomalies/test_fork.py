"""A process that is forked while another thread is at work has no such thread, and waits for none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.data.files.hostile_files import in_another_process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system starts processes in another way")
FORKED = """
import os, signal, threading, warnings
warnings.simplefilter("ignore")
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
import numpy as np
busy = threading.Event()

def forked(work, other):
    "Fork once another thread is in the middle of its work, and return how the same work ended in the child."
    threading.Thread(target=other, daemon=True).start()
    assert busy.wait(30)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        work()
        os._exit(0)
    return os.waitpid(child, 0)[1]
"""
COMPILING = """
from mrsne.loops import kernel, notify_of_compiling

@kernel("i8[:]!")
def count(start, stop, visits):
    for i in range(start, stop):
        visits[i] += 1

@kernel("f8[:] f8[:]!")
def double(start, stop, x, result):
    for i in range(start, stop):
        result[i] = 2 * x[i]

def work():
    visits, result = np.zeros(9, np.int64), np.zeros(9)
    count.over(9, visits)
    double.over(9, np.ones(9), result)
    assert visits.tolist() == [1] * 9 and result.tolist() == [2] * 9

def other():
    with notify_of_compiling(lambda begins: busy.set()):
        work()

print(forked(work, other))
"""
DECODING = """
import PIL.Image
from mrsne.encoders.decoding import decoded_picture
PIL.Image.new("RGB", (50, 40)).save(sys.argv[2])
os.environ["MRSNE_DECODED_BYTES"] = "1"  # so that each picture is decoded alone

def work():
    with decoded_picture(sys.argv[2]) as picture:
        assert picture.size == (50, 40)

def other():
    with decoded_picture(sys.argv[2]):
        busy.set()
        threading.Event().wait()

print(forked(work, other))
"""
REMEMBERING = """
from mrsne import RelationalData
from mrsne.metrics.memory import Memory
memory, data = Memory(), RelationalData({"a": 3})

def other():
    memory.get("affinities", data, {}, lambda: (busy.set(), threading.Event().wait()))

def work():
    assert memory.get("affinities", data, {}, lambda: 5) == 5

print(forked(work, other))
"""


@pytest.mark.parametrize("script", [COMPILING, DECODING, REMEMBERING], ids=["compiling", "decoding", "remembering"])
def test_a_forked_process_waits_for_no_thread_of_its_parent(script: str, tmp_path: Path) -> None:
    result = in_another_process(FORKED + script, tmp_path, tmp_path / "x.png")
    assert result.stdout == "0\n", result.stderr
