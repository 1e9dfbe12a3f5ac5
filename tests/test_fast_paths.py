"""Every fast path can be switched off, alone and together with others, and the answer stays."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mrsne.backends.grid import STEP

Results = dict[str, NDArray[np.float64]]
SWITCHES = ("instructions", "cache", "transforms")  # what MRSNE_WITHOUT names
COMBINATIONS = [
    (tuple(name for name, off in zip(SWITCHES, chosen, strict=True) if off), n_jobs)
    for chosen in product((False, True), repeat=3)
    for n_jobs in (1, 3)
]
FAST: tuple[tuple[str, ...], int] = ((), 3)
QUICK = [((), 1), (("transforms",), 3)]  # whose code is on disk
FORCE_ERROR = 3e-3  # of the mesh at the step of an unfolded map: mrsne.backends.grid.STEP
ROUNDING = 2e-5  # of two transforms: 1e-6 of the largest potential, as their own tests have it, over steps of STEP
RECALL = 0.95  # that an approximate search reaches at least
COMPUTE = """
import sys, warnings
import numpy as np
import mrsne
from mrsne import MRSNE, RelationalData, joint_affinities, kl_gradient
n_jobs = int(sys.argv[2])
random = np.random.default_rng(0)
X = random.normal(size=(1300, 6)) + 4 * random.normal(size=(13, 6))[np.arange(1300) % 13]
links = [(i, i % 13) for i in range(1300)]
data = RelationalData({"photo": X, "tag": 13}, {("photo", "tag"): links})
Y = 5 * random.normal(size=(1313, 2))
found = {}
for neighbors in ("exact", "approximate"):
    P = joint_affinities(data, neighbors=neighbors, n_jobs=n_jobs)
    found[f"{neighbors} indices"], found[f"{neighbors} values"] = P.indices, P.data
    found[f"{neighbors} starts"] = P.indptr
    for method in ("exact", "fft"):
        KL, gradient = kl_gradient(P, Y, method, n_jobs=n_jobs)
        found[f"{neighbors} {method} KL"], found[f"{neighbors} {method} gradient"] = np.array(KL), gradient
        model = MRSNE(neighbors=neighbors, method=method, n_jobs=n_jobs, max_iter=40, random_state=0).fit(data)
        found[f"{neighbors} {method} map"] = np.vstack(list(model.embedding_.values()))
np.savez(sys.argv[1], **found)
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fast_paths")


@cache
def results(without: tuple[str, ...], n_jobs: int, folder: Path) -> Results:
    """Compute everything in a process of its own without some fast paths."""
    path = folder / f"{'-'.join(without)}-{n_jobs}.npz"
    environment = {**os.environ, "MRSNE_WITHOUT": ",".join(without), "LOKY_MAX_CPU_COUNT": "4"}
    command = [sys.executable, "-W", "ignore", "-c", COMPUTE, str(path), str(n_jobs)]
    subprocess.run(command, check=True, env=environment)
    with np.load(path) as file:
        return dict(file)


def check(without: tuple[str, ...], n_jobs: int, folder: Path) -> None:
    """Compare with everything that is fast on three threads."""
    found, fast = results(without, n_jobs, folder), results(*FAST, folder)
    for name, values in fast.items():
        if "instructions" in without and not name.endswith(("indices", "starts", "values")):
            continue  # other machine code, which may round in another way
        if "transforms" in without and "fft" in name:
            continue
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    for neighbors in ("exact", "approximate"):
        exact, fast_exact = (each[f"{neighbors} exact gradient"] for each in (found, fast))
        largest = np.abs(exact).max()
        assert np.abs(exact - fast_exact).max() < ROUNDING * largest
        mesh, other = (each[f"{neighbors} fft gradient"] for each in (found, fast))
        assert np.abs(mesh - other).max() < ROUNDING / STEP * largest
        assert np.abs(mesh - exact).max() < FORCE_ERROR * largest
        KL = [each[f"{neighbors} {method} KL"] for each in (found, fast) for method in ("exact", "fft")]
        np.testing.assert_allclose(KL, KL[0], rtol=FORCE_ERROR)


@pytest.mark.parametrize(("without", "n_jobs"), QUICK, ids=str)
def test_some_fast_paths_are_switched_off(without: tuple[str, ...], n_jobs: int, folder: Path) -> None:
    check(without, n_jobs, folder)


@pytest.mark.slow
@pytest.mark.parametrize(("without", "n_jobs"), COMBINATIONS, ids=str)
def test_any_fast_paths_are_switched_off(without: tuple[str, ...], n_jobs: int, folder: Path) -> None:
    check(without, n_jobs, folder)


def test_an_approximate_search_finds_nearly_all_affinities(folder: Path) -> None:
    """A neighbour that is missed takes its affinity along; others get it, so that what both have is the recall."""
    fast = results(*FAST, folder)
    starts, other_starts = fast["exact starts"], fast["approximate starts"]
    shared = sum(
        np.intersect1d(fast["exact indices"][a:b], fast["approximate indices"][c:d]).size
        for a, b, c, d in zip(starts, starts[1:], other_starts, other_starts[1:], strict=False)
    )
    assert shared >= RECALL * other_starts[-1]
