"""The state of a run on disk, so that a killed process can go on where it stopped."""

from __future__ import annotations

import hashlib
import math
import os
import zipfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.io import write_atomically

FORMAT = 2


class CheckpointError(ValueError):
    """A checkpoint cannot be read, or belongs to another run."""


@dataclass
class State:
    """Everything that an iteration needs from the one before it."""

    iteration: int
    Y: NDArray[np.float32]
    velocity: NDArray[np.float32]
    gains: NDArray[np.float32]
    order: NDArray[np.int64]  # row r of the arrays above is item order[r]
    converged: bool = False
    skipped: int = 0  # iterations of early exaggeration that there was no time for
    best_kl: float = math.inf
    best_iteration: int = 0

    @property
    def place(self) -> int:
        """Where in the schedule the run is."""
        return self.iteration + self.skipped

    def note(self, kl: float, patience: int) -> None:
        """Take note of the divergence; the run has converged if it has not fallen for so many iterations."""
        if kl < self.best_kl:
            self.best_kl, self.best_iteration = kl, self.iteration
        self.converged |= self.iteration - self.best_iteration >= patience


def fingerprint(P: Any, *settings: object) -> str:
    """Return a digest of the affinities and of every setting that shapes the run.

    Examples
    --------
    >>> P = sparse.eye(3, format="csr")
    >>> fingerprint(P, "fft") == fingerprint(P, "fft"), fingerprint(P, "fft") == fingerprint(P, "exact")
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    if isinstance(P, sparse.csr_matrix):
        for array in (P.indptr.astype(np.int64), P.indices.astype(np.int32), P.data):
            digest.update(np.ascontiguousarray(array).data)
    else:
        digest.update(P.digest().encode())
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
