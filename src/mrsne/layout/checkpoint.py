"""The state of a run on disk, so that a killed process can go on where it stopped."""

from __future__ import annotations

import hashlib
import os
import zipfile
from dataclasses import fields
from pathlib import Path

import numpy as np

from mrsne.backends.base import Matrix, State
from mrsne.io import write_atomically

FORMAT = 3


class CheckpointError(ValueError):
    """A checkpoint cannot be read, or belongs to another run."""


def fingerprint(P: Matrix, *settings: object) -> str:
    """Return a digest of the affinities and of every setting that shapes the run.

    Examples
    --------
    >>> from scipy import sparse
    >>> from mrsne.backends.cpu.matrix.matrix import CpuMatrix
    >>> P = CpuMatrix(sparse.eye(3, format="csr"))
    >>> fingerprint(P, "fft") == fingerprint(P, "fft"), fingerprint(P, "fft") == fingerprint(P, "exact")
    (True, False)
    """
    digest = hashlib.blake2b(P.digest().encode(), digest_size=16)
    digest.update(repr(settings).encode())
    return digest.hexdigest()


def save_checkpoint(path: str | os.PathLike[str], state: State, run: str) -> None:
    """Write the state, replacing an older one in one step."""
    arrays = {field.name: np.asarray(getattr(state, field.name)) for field in fields(State)}
    write_atomically(path, lambda file: np.savez(file, format=FORMAT, run=run, **arrays))  # type: ignore[arg-type]


def load_checkpoint(path: str | os.PathLike[str], run: str, shape: tuple[int, int]) -> State | None:
    """Return the state that was saved for this run, or None where there is no file yet."""
    if not Path(path).exists():
        return None
    advice = "delete it or give another checkpoint path to start anew"
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if int(arrays["format"]) != FORMAT:
            raise CheckpointError(f"checkpoint {str(path)!r} was written by another version of mrsne; {advice}")
        state = State(**{field.name: arrays[field.name] for field in fields(State)})
        state.iteration, state.skipped = int(state.iteration), int(state.skipped)
        state.converged = bool(state.converged)
        state.best_kl, state.best_iteration = float(state.best_kl), int(state.best_iteration)
        found = str(arrays["run"])
    except CheckpointError:
        raise
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"checkpoint {str(path)!r} is damaged or not a checkpoint ({error}); {advice}") from error
    if found != run or state.Y.shape != shape:
        raise CheckpointError(
            f"checkpoint {str(path)!r} belongs to another run: it holds a map of {state.Y.shape[0]} items "
            f"made from other data, other settings or another random_state, this run has {shape[0]} items; {advice}"
        )
    return state
