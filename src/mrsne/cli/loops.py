"""All compiled loops that maps in the plane are made with, by name, to be compiled before anybody waits for them."""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any, NamedTuple

# every module with loops of its own; those of a cluster are compiled where they run
MODULES = (
    "mrsne.backends.cpu.search.lists",  # from the longest to compile to the shortest, so that none is waited for
    "mrsne.backends.cpu.search.shortlist",
    "mrsne.backends.cpu.mesh.plane",
    "mrsne.backends.cpu.mesh.convolution",
    "mrsne.backends.cpu.search.centres",
    "mrsne.backends.cpu.probabilities",
    "mrsne.backends.cpu.attraction",
    "mrsne.backends.cpu.operator",
    "mrsne.backends.cpu.singular",
    "mrsne.backends.cpu.step",
    "mrsne.backends.cpu.orders",
    "mrsne.backends.cpu.assembly",
    "mrsne.backends.cpu.matrix",
    "mrsne.backends.cpu.mesh.mesh",
    "mrsne.backends.cpu.mesh.charges",
    "mrsne.backends.cpu.mesh.splines",
    "mrsne.backends.cpu.search.ranking",
    "mrsne.backends.cpu.search.duplicates",
    "mrsne.backends.cpu.search.exact",
    "mrsne.matrices",
    "mrsne.model.settling",
    "mrsne.viewer.spacing",
)
NUMBERS = ("f4", "f8")  # of vectors
SERVE = "mrsne.compilation.team._serve"


class Compiled(NamedTuple):
    """What became of the loops of one name.

    Attributes
    ----------
    loops : int
        How many there are, for different types of numbers.
    new : int
        How many of them were compiled now; the others were on disk.
    seconds : float
    folder : str or None
        Where their machine code is kept, if it can be kept at all.
    """

    loops: int
    new: int
    seconds: float
    folder: str | None


def loops() -> dict[str, list[Any]]:
    """Return all loops by name; those of one name share a file of numba's cache, so one process compiles them.

    Examples
    --------
    >>> len(loops()["mrsne.backends.cpu.search.duplicates._hash_rows"])
    2
    """
    from mrsne.backends.cpu.repulsion import all_pairs
    from mrsne.backends.cpu.search.duplicates import hash_rows
    from mrsne.backends.cpu.search.ranking import dense_distances, sparse_distances
    from mrsne.compilation.kernels import Kernel

    found: list[Any] = [
        *(all_pairs(2, with_affinities, True) for with_affinities in (False, True)),
        *(make(kind, kind) for make in (dense_distances, sparse_distances) for kind in NUMBERS),
        *(hash_rows(kind) for kind in NUMBERS),
    ]
    for name in MODULES:
        found += [value for value in vars(import_module(name)).values() if isinstance(value, Kernel)]
    by_name: dict[str, list[Any]] = {}
    for loop in dict.fromkeys(found):  # a module also has those that it imports
        by_name.setdefault(f"{loop.function.__module__}.{loop.function.__qualname__}", []).append(loop)
    return by_name


def names() -> list[str]:
    """Return the names of all loops, those that take longest to compile first."""
    own = [name.rpartition(".")[0] for name in loops()]
    order = {module: place for place, module in enumerate(MODULES)}
    ranked = sorted(zip(own, loops(), strict=True), key=lambda pair: order.get(pair[0], 0))
    return [*(name for _, name in ranked), SERVE]


def compile_loops(name: str) -> Compiled:
    """Compile the loops of a name, or find them on disk."""
    from mrsne.compilation.team import _compiled_serve

    start = time.perf_counter()
    compiled: list[Any] = [_compiled_serve()] if name == SERVE else [loop.compiled for loop in loops()[name]]
    stats = [each.stats for each in compiled]
    # without a folder to keep it in, numba counts neither
    new = sum(not sum(each.cache_hits.values()) for each in stats)
    return Compiled(len(compiled), new, time.perf_counter() - start, stats[0].cache_path)


def serve() -> None:
    """Compile what is named on standard input, line by line, and answer each line with one of JSON."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(compile_loops(line.strip())) + "\n")
        sys.stdout.flush()
