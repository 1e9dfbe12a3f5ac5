"""Gradient descent on KL(P̃‖Q̃): an engine moves the items, and every 50 iterations callbacks and checkpoints follow.

A checkpoint is the state of a run on disk, from which the run continues after its process was killed.
"""

import hashlib
import logging
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from mrsne.arrays import Array, Float32
from mrsne.backends.base import FARTHEST, Backend, Matrix, Motion, Phase, State
from mrsne.data.files.damage import check_format, open_arrays
from mrsne.data.files.writing import write_atomically
from mrsne.layout.progress import Report, progress_bar
from mrsne.layout.schedule import Run, Stopwatch
from mrsne.parameters import FileContentError, ParameterError

SORT_EVERY = 100  # iterations of falling exaggeration between two orders of the rows
REPORT_EVERY = 50  # iterations between callbacks, checkpoints and recentring
PARTING = 1e-5  # of the map's deviation: a hundred times the rounding of a position, and nothing to its arrangement
FORMAT = 3  # of checkpoints
ADVICE = "delete it or give another checkpoint path to start anew"

logger = logging.getLogger("mrsne")


def descend(P: Matrix, Y: Float32, run: Run, backend: Backend) -> tuple[Float32, float, int]:
    """Run a schedule from a start Y; return the map, its divergence and the number of iterations done."""
    end = run.schedule[-1].end
    name = fingerprint(P, *run.identity) if run.checkpoint is not None else ""
    state = load_checkpoint(run.checkpoint, name, Y.shape) if run.checkpoint is not None else None
    if state is None:
        state = State(0, Y.copy(), np.zeros_like(Y), first_gains(P, Y.shape, run.schedule[0]), np.arange(len(Y)))
    elif state.place > end:
        raise CheckpointError(
            f"checkpoint {str(run.checkpoint)!r} is at iteration {state.iteration}, beyond max_iter={end}; "
            "raise max_iter, delete it or give another checkpoint path"
        )
    else:
        logger.info("resuming from %s at iteration %d", run.checkpoint, state.iteration)
    watch = Stopwatch(run.stopping.max_seconds)
    motion = backend.motion(P, state, run.method, run.kernel, run.anchor)
    with progress_bar(end, state.iteration, run.verbose) as report:
        observers = Observers(run, name, report)
        for phase in run.schedule:
            if iterate(motion, phase, watch, observers):
                break
            if phase.exaggeration != 1 and state.place == phase.end:
                if phase.conditioned and state.place == run.explored:
                    motion.shift(small_steps(Y.shape, motion.extent()))
                if not phase.conditioned or state.place % SORT_EVERY == 0:
                    motion.sort()
    observers.save(motion)
    return motion.positions(), motion.divergence(), state.iteration


def first_gains(P: Matrix, shape: tuple[int, int], phase: Phase) -> Float32:
    """Return what the learning rate of each coordinate is multiplied with: 1/max(1, n p_i), or 1 in older schedules.

    The attraction of an item at its strongest has the second derivative 4 e p_i. With one rate for all, the steps of an
    item of many links, the tag of every other picture perhaps, would overshoot a hundredfold and come back, and what it
    pulls at would go with it; with this, an item is as far from overshooting as any other.
    """
    gains = 1 / np.maximum(1, shape[0] * P.row_sums()) if phase.conditioned else np.ones(shape[0])
    return np.tile(gains.astype(np.float32)[:, None], (1, shape[1]))


def small_steps(shape: tuple[int, int], extent: float) -> Float32:
    """Return a step for each item, by which those that exaggeration has drawn onto one spot part again."""
    steps = np.random.RandomState(0).standard_normal(shape)
    return (PARTING * extent * steps).astype(np.float32)


@dataclass(frozen=True)
class Observers:
    """What follows the progress of a run: callbacks, a progress bar, and a checkpoint under its name."""

    run: Run
    name: str
    report: Report

    def save(self, motion: Motion) -> None:
        """Save the state, if there is a checkpoint."""
        if self.run.checkpoint is not None:
            save_checkpoint(self.run.checkpoint, motion.snapshot(), self.name)

    def notify(self, motion: Motion, kl: float) -> bool:
        """Inform the progress bar and the callbacks; return whether a callback wants to stop."""
        iteration = motion.state.iteration
        self.report(iteration, kl)
        logger.debug("iteration %d: KL %.4f", iteration, kl)
        answers = [bool(callback(iteration, kl, motion.positions())) for callback in self.run.callbacks]
        return any(answers)


def iterate(motion: Motion, phase: Phase, watch: Stopwatch, observers: Observers) -> bool:
    """Iterate to the end of a phase; return whether the whole run is over before its time."""
    state, run = motion.state, observers.run
    exploring = phase.exaggeration != 1
    while state.place < phase.end and not state.converged:
        if watch.is_up(exploring):
            state.skipped += run.explored - state.place if exploring else 0
            return not exploring
        norm = motion.step(phase)
        if not math.isfinite(norm):
            raise ParameterError(f"the layout diverged at iteration {state.iteration + 1}: learning_rate is too large")
        watch.start()
        state.iteration += 1
        # relative to the size of the map, since the gradient also vanishes where all items are on one spot
        limit = run.stopping.min_grad_norm
        state.converged = norm < limit and not exploring and norm < limit * motion.extent()
        if state.iteration % REPORT_EVERY and not state.converged:
            observers.report(state.iteration, None)
            continue
        if phase.limited:
            motion.recentre()
        patience = None if exploring else run.stopping.n_iter_without_progress
        wanted = run.callbacks or run.verbose or patience is not None or logger.isEnabledFor(logging.DEBUG)
        kl = motion.divergence() if wanted else math.nan
        if patience is not None:
            state.note(kl, patience)
        observers.save(motion)
        if wanted and observers.notify(motion, kl):
            return True
    return state.converged


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
    """Return the state that was saved for this run, checked in full: loops trust it; None where there is no file."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return None
    except OSError:  # a link in a circle, perhaps; open_arrays says what it is
        pass
    with open_arrays(path, "a checkpoint", CheckpointError, ADVICE) as file:
        arrays = dict(file)
        check_format(path, int(arrays["format"]), FORMAT, CheckpointError, FORMAT, ADVICE)
        if str(arrays.pop("digest")) != _digest(arrays):
            raise ParameterError("its digest is that of another content")
        Y = _numbers(arrays, "Y", arrays["Y"].shape)
        if str(arrays["run"]) != run or Y.shape != shape:
            raise CheckpointError(
                f"checkpoint {str(path)!r} belongs to another run: it holds a map of {len(Y)} items "
                f"made from other data, other settings or another random_state, this run has {shape[0]} items; {ADVICE}"
            )
        return _state(arrays, Y)


def _digest(arrays: Mapping[str, Array]) -> str:
    """Return a fingerprint of arrays with their names, types and shapes."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(repr((name, array.dtype.str, arrays[name].shape)).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _state(arrays: Mapping[str, Array], Y: Float32) -> State:
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


def _numbers(arrays: Mapping[str, Array], name: str, shape: tuple[int, ...]) -> Float32:
    array = arrays[name]
    if array.dtype != np.float32 or array.ndim != 2 or array.shape != shape or not np.isfinite(array).all():
        raise ParameterError(f"{name} must hold finite float32 numbers, as many as Y")
    return np.ascontiguousarray(array)


def _count(arrays: Mapping[str, Array], name: str) -> int:
    if arrays[name].dtype.kind != "i" or arrays[name].shape or arrays[name] < 0:
        raise ParameterError(f"{name} must be a whole number of at least 0")
    return int(arrays[name])
