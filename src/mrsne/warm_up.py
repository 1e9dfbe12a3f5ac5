"""All compiled loops that maps in the plane are made with, to be compiled before they are needed."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from multiprocessing import get_context
from pkgutil import walk_packages
from typing import NamedTuple

from mrsne.loops import Kernel, handover, numba_internals

OTHERS = ("mrsne.matrices", "mrsne.viewer.spacing")  # modules with loops beside the engine
NUMBERS = ("f4", "f8")  # of vectors
HANDOVER = ("run_job", "serve")


class Compiled(NamedTuple):
    """What became of the loops of one name: how many there are, how many were compiled now, where they are kept."""

    loops: int
    new: int  # the others were on disk
    folder: str | None  # None where machine code cannot be kept


def loops() -> dict[str, list[Kernel]]:
    """Return all loops by name, one for each type of number, those that take longest to compile first."""
    from mrsne.backends.cpu.forces import all_pairs
    from mrsne.backends.cpu.search.duplicates import hash_rows
    from mrsne.backends.cpu.search.ranking import dense_distances, sparse_distances

    engine = walk_packages(import_module("mrsne.backends.cpu").__path__, "mrsne.backends.cpu.")
    modules = sorted((each.name for each in engine), reverse=True)  # so the search, which takes longest, begins
    values = (value for name in [*modules, *OTHERS] for value in vars(import_module(name)).values())
    found = [value for value in values if isinstance(value, Kernel)]
    found += [all_pairs(2, with_affinities, True) for with_affinities in (False, True)]
    found += [make(kind, kind) for make in (dense_distances, sparse_distances) for kind in NUMBERS]
    found += [hash_rows(kind) for kind in NUMBERS]
    by_name: dict[str, list[Kernel]] = {}
    for loop in dict.fromkeys(found):  # a module also has those that it imports
        by_name.setdefault(f"{loop.function.__module__}.{loop.function.__qualname__}", []).append(loop)
    return by_name


def names() -> list[str]:
    """Return the names of all loops, after those of what hands them to threads, which every process needs."""
    return [*(HANDOVER if numba_internals is not None else ()), *loops()]


def compile_loops(name: str) -> Compiled:
    """Compile the loops of a name, or find them on disk."""
    code = [handover(name)] if name in HANDOVER else [each.compiled().code for each in loops()[name]]
    # without a folder to keep it in, numba counts neither
    new = sum(not sum(each.stats.cache_hits.values()) for each in code)
    return Compiled(len(code), new, code[0].stats.cache_path)


def compile_all(wanted: Sequence[str], processes: int, advance: Callable[[int], object]) -> list[Compiled]:
    """Compile loops in several processes, each taking the next when it is done: numba compiles one at a time."""
    results: list[Compiled] = []
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        names_of = {pool.submit(compile_loops, name): name for name in wanted}
        for each in as_completed(names_of):
            try:
                results.append(each.result())
            except Exception as reason:
                pool.shutdown(cancel_futures=True)
                why = str(reason).strip().splitlines()
                what = f"{type(reason).__name__}: {why[-1]}" if why else type(reason).__name__
                raise OSError(f"{names_of[each]} could not be compiled ({what})") from reason
            advance(len(results))
    return results
