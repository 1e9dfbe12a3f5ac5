"""The state of a run on disk, so that a killed process can go on where it stopped."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import FARTHEST, Matrix, State
from mrsne.data.files.damage import FileContentError, open_arrays
from mrsne.data.files.writing import write_atomically
from mrsne.parameters import ParameterError

FORMAT = 3
ADVICE = "delete it or give another checkpoint path to start anew"


class CheckpointError(FileContentError):
    """A checkpoint cannot be read, or belongs to another run."""


def fingerprint(P: Matrix, *settings: object) -> str:
    """Return a digest of the affinities and of every setting that shapes the run."""
    digest = hashlib.blake2b(P.digest().encode(), digest_size=16)
    digest.update(repr(settings).encode())
    return digest.hexdigest()


def save_checkpoint(path: str | os.PathLike[str], state: State, run: str) -> None:
    """Write the state under its digest, replacing an older one in one step."""
    arrays = {field.name: np.asarray(getattr(state, field.name)) for field in fields(State)}
    arrays |= {"format": np.array(FORMAT), "run": np.array(run)}
    arrays["digest"] = np.array(_digest(arrays))
    write_atomically(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]


def load_checkpoint(path: str | os.PathLike[str], run: str, shape: tuple[int, int]) -> State | None:
    """Return the state that was saved for this run, or None where there is no file yet.

    All of it is checked: loops use ``order`` without bounds checks, and a file may have been changed with its digest.
    """
    try:
        os.stat(path)
    except FileNotFoundError:
        return None
    except OSError:  # a link in a circle, perhaps; open_arrays says what it is
        pass
    with open_arrays(path, "a checkpoint", CheckpointError, ADVICE) as file:
        arrays = dict(file)
        if int(arrays["format"]) != FORMAT:
            raise CheckpointError(f"checkpoint {str(path)!r} was written by another version of mrsne; {ADVICE}")
        if str(arrays.pop("digest")) != _digest(arrays):
            raise ParameterError("its digest is that of another content")
        Y = _numbers(arrays, "Y", arrays["Y"].shape)
        if str(arrays["run"]) != run or Y.shape != shape:
            raise CheckpointError(
                f"checkpoint {str(path)!r} belongs to another run: it holds a map of {len(Y)} items "
                f"made from other data, other settings or another random_state, this run has {shape[0]} items; {ADVICE}"
            )
        return _state(arrays, Y)


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a fingerprint of arrays with their names, types and shapes."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(repr((name, array.dtype.str, arrays[name].shape)).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _state(arrays: Mapping[str, NDArray[Any]], Y: NDArray[np.float32]) -> State:
    """Return a state in which nothing is out of bounds, or raise an error that names what is."""
    velocity, gains = (_numbers(arrays, name, Y.shape) for name in ("velocity", "gains"))
    if np.abs(Y).max(initial=0) >= FARTHEST or (gains <= 0).any():
        raise ParameterError("Y must hold coordinates of a map, and gains numbers above 0")
    order = arrays["order"]
    if order.dtype.kind != "i" or order.shape != Y.shape[:1] or not np.array_equal(np.sort(order), np.arange(len(Y))):
        raise ParameterError(f"order must hold each of 0 … {len(Y) - 1} once")
    iteration, skipped, best_iteration = (_count(arrays, name) for name in ("iteration", "skipped", "best_iteration"))
    best_kl, converged = arrays["best_kl"], arrays["converged"]
    if best_kl.dtype.kind != "f" or best_kl.shape or not float(best_kl) > -math.inf or best_iteration > iteration:
        raise ParameterError("best_kl must be a divergence, of an iteration that has been")
    if converged.dtype != bool or converged.shape:
        raise ParameterError("converged must be true or false")
    return State(
        iteration, Y, velocity, gains, order.astype(np.int64), bool(converged), skipped, float(best_kl), best_iteration
    )


def _numbers(arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    array = arrays[name]
    if array.dtype != np.float32 or array.ndim != 2 or array.shape != shape or not np.isfinite(array).all():
        raise ParameterError(f"{name} must hold finite float32 numbers, as many as Y")
    return np.ascontiguousarray(array)


def _count(arrays: Mapping[str, NDArray[Any]], name: str) -> int:
    if arrays[name].dtype.kind != "i" or arrays[name].shape or arrays[name] < 0:
        raise ParameterError(f"{name} must be a whole number of at least 0")
    return int(arrays[name])
