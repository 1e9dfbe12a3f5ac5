"""Machine code is the same in every process, is found again on disk, and does without private parts of numba."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mrsne
from mrsne.loops import SOURCES, Array, Kernel, _Entered, _Shared, kernel
from tests.data.files.hostile_files import in_another_process

PAIRS = """
import hashlib
import numpy as np
from mrsne.backends.cpu.forces import all_pairs, exact_repulsion

random = np.random.default_rng(0)
Y = random.normal(0, 10, (300, 2)).astype(np.float32)
Z, force = exact_repulsion(Y)
print(sum(all_pairs(2, False, True).compiled().code.stats.cache_hits.values()))
print(Z.hex(), hashlib.sha256(force.tobytes()).hexdigest())
"""


def test_the_bits_do_not_depend_on_who_compiled(tmp_path: Path) -> None:
    """The loop over all pairs is the one in which optimising it twice once made a difference."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PAIRS], capture_output=True, text=True, check=True, env=environment
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert [hits for hits, _ in outputs] == ["0", "1"]
    assert outputs[0][1] == outputs[1][1]


SCRIPT = """
import numpy as np
from mrsne.loops import kernel

def times(factor, also):
    @kernel("f4[:] f4[:]!")
    def multiply(start, stop, x, y):
        for i in range(start, stop):
            y[i] = factor * x[i] if also else x[i]
    return multiply

x = np.ones(1, np.float32)
for factor in (2, 3):
    for also in (True, False):
        y = np.empty_like(x)
        multiply = times(factor, also)
        multiply.alone(1, x, y)
        print(y[0], sum(multiply.compiled().code.stats.cache_hits.values()))
"""


def test_machine_code_on_disk_is_that_of_the_same_loop(tmp_path: Path) -> None:
    """Loops that differ only in the variables around them have the same name, line and types."""
    script = tmp_path / "loops.py"
    script.write_text(SCRIPT)
    outputs = [
        subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert outputs[0][::2] == outputs[1][::2] == ["2.0", "1.0", "3.0", "1.0"]
    assert outputs[0][1::2] == ["0"] * 4
    assert outputs[1][1::2] == ["1"] * 4
    script.write_text(SCRIPT.replace("factor * x[i]", "10 * factor * x[i]"))
    changed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout.split()
    assert changed[::2] == ["20.0", "1.0", "30.0", "1.0"]


HITS = """
import numpy as np
from mrsne.loops import handover, kernel
from mrsne.threads import threads

@kernel("i8[:]!")
def visit(start, stop, visits):
    for i in range(start, stop):
        visits[i] += 1

visits = np.zeros(1000, np.int64)
with threads(2):
    visit.over(1000, visits)
assert (visits == 1).all()
print(*(sum(each.stats.cache_hits.values()) for each in (visit.compiled().code, handover("serve"))))
"""
CHANGES = {
    "numba_internals.py": ("board[PIECES] = pieces", "board[PIECES] = pieces + 0"),
    "loops.py": ('"contract", ', ""),
    "threads.py": ("SIZE = 80", "SIZE = 96"),
}


def test_machine_code_of_another_board_is_not_used(tmp_path: Path) -> None:
    """Whichever side changes, loops and the threads that wait for them are compiled together."""
    package = tmp_path / "mrsne"
    package.mkdir()
    for name in ("__init__", "arrays", "parameters", *(name.removesuffix(".py") for name in SOURCES)):
        shutil.copy(Path(mrsne.__file__).parent / f"{name}.py", package)
    script = tmp_path / "script.py"
    script.write_text(HITS)

    def hits() -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command: list[str | Path] = [sys.executable, script]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return result.stdout.split()

    assert hits() == ["0", "0"]
    assert hits() == ["1", "1"]
    assert set(CHANGES) == set(SOURCES)
    for name, (old, new) in CHANGES.items():
        file = package / name
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
        assert hits() == ["0", "0"], name
    assert hits() == ["1", "1"]


FIT = """
import hashlib, os, warnings
os.environ["NUMBA_CACHE_DIR"] = {cache!r}
import numpy as np
{damage}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import mrsne
    X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    P = mrsne.joint_affinities(mrsne.RelationalData({{"a": X}}), perplexity=5)
    Y = mrsne.embed(P, max_iter=40, random_state=0, n_jobs=2)
said = [str(each.message) for each in caught if "prange" in str(each.message)]
print(len(said), hashlib.sha256(P.data.tobytes()).hexdigest(), hashlib.sha256(np.asarray(Y).tobytes()).hexdigest())
"""
DAMAGE = {  # what a future numba may lack, and when that is found
    "at import": "from llvmlite import ir; del ir.IRBuilder.load_atomic",
    "of its files": "import numba.core.caching; del numba.core.caching.IndexDataCacheFile",
    "when a loop is compiled": "import mrsne.numba_internals; del mrsne.numba_internals.populate_array",
}


@pytest.mark.parametrize(
    "when",
    [
        pytest.param("at import", marks=pytest.mark.slow),
        pytest.param("of its files", marks=pytest.mark.slow),
        "when a loop is compiled",
    ],
)
def test_without_private_parts_of_numba_maps_are_the_same(when: str, tmp_path: Path) -> None:
    outputs = []
    for damage in ("", DAMAGE[when]):
        command = [sys.executable, "-c", FIT.format(damage=damage, cache=str(tmp_path / damage[-4:]))]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        outputs.append(result.stdout.split())
    assert [said for said, *_ in outputs] == ["0", "1"]
    assert outputs[0][1:] == outputs[1][1:]


def test_an_error_in_a_shared_loop_is_raised() -> None:
    script = """
import warnings
from llvmlite import ir
del ir.IRBuilder.load_atomic
import numpy as np
warnings.simplefilter("ignore")
from mrsne.loops import kernel
from mrsne.threads import threads

@kernel("i8 i8[:]!")
def stumble(start, stop, stone, visits):
    for i in range(start, stop):
        if i == stone:
            raise ValueError("a stone")
        visits[i] += 1

visits = np.zeros(1000, np.int64)
for n_jobs in (1, 2):
    with threads(n_jobs):
        stumble.over(1000, -1, visits)
        try:
            stumble.over(1000, 700, visits.copy())
        except ValueError as error:
            print(error)
print((visits == 2).all())
"""
    assert in_another_process(script).stdout.split("\n")[:3] == ["a stone", "a stone", "True"]


@kernel("i4[:] f8 f4[:]!", exact=True)
def scale(start: int, stop: int, numbers: Array, factor: float, result: Array) -> None:
    for i in range(start, stop):
        result[i] = numbers[i] * factor


def test_small_exact_loops_are_not_compiled_and_large_ones_are() -> None:
    loop = Kernel(scale.function, "f4[:] f8 f4[:]!", exact=True)
    for count, is_compiled in ((100, False), (100_000, True)):
        numbers = np.random.default_rng(0).random(count).astype(np.float32)
        result = np.empty_like(numbers)
        loop.over(count, numbers, 0.1, result)
        np.testing.assert_array_equal(result, (numbers.astype(np.float64) * 0.1).astype(np.float32))
        assert (loop.machine_code is not None) == is_compiled


@pytest.mark.parametrize(
    "wrong", [np.zeros(3), np.zeros((3, 1), np.float32), np.zeros(6, np.float32)[::2], [1.0], np.zeros(3, ">f4")]
)
def test_arrays_of_other_types_are_refused(wrong: Array) -> None:
    loop = Kernel(scale.function, "f4[:] f8 f4[:]!")
    with pytest.raises(TypeError, match="argument 0 of the compiled loop scale"):
        loop.over(3, wrong, 1.0, np.zeros(3, np.float32))
    result = np.zeros(3, np.float32)
    result.flags.writeable = False
    with pytest.raises(TypeError, match="argument 2 of the compiled loop scale"):
        loop.over(3, np.zeros(3, np.float32), 1.0, result)


@pytest.mark.parametrize("machine_code", [_Entered, _Shared])
def test_arrays_that_are_not_aligned_are_read_as_others_are(machine_code: Any) -> None:
    """Those that came over a network are not."""
    numbers = np.frombuffer(b"." + np.arange(3, dtype=np.float32).tobytes(), np.float32, offset=1)
    assert not numbers.flags.aligned
    loop = Kernel(scale.function, "f4[:] f8 f4[:]!")
    loop.machine_code = machine_code(loop.function, loop.kinds)
    result = np.zeros(3, np.float32)
    loop.over(3, numbers, 2.0, result)
    assert result.tolist() == [0, 2, 4]


def test_a_loop_has_as_many_arguments_as_types() -> None:
    def fill(start: int, stop: int, values: Array) -> None: ...

    with pytest.raises(TypeError, match="fill takes a range and 2 arguments"):
        kernel("f4[:]! i8")(fill)


def test_only_loops_lack_annotations() -> None:
    """Their types stand in the decorator, and mypy is told not to ask for them twice."""
    loops = re.compile(r"@kernel\(.*\)\n *def (\w+)|@inlined\n *def (\w+)|kernel\(.*\)\((\w+)\)$", re.MULTILINE)
    package = Path(mrsne.__file__).parent
    for path in [*package.glob("backends/cpu/**/*.py"), package / "matrices.py"]:
        text = path.read_text()
        names = {name for found in loops.findall(text) for name in found}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.returns is None:
                assert node.name in names, f"{path.name}: {node.name}"
