"""Gradient descent on KL(P̃‖Q̃): an engine moves the items, and every so often there is a look around."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Backend, Matrix, Motion, Phase, State
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.layout.checkpoint import CheckpointError, fingerprint, load_checkpoint, save_checkpoint
from mrsne.layout.progress import progress_bar
from mrsne.layout.stopping import NEVER, Stopping, Stopwatch
from mrsne.parameters import ParameterError

LOOK_EVERY = 50  # iterations between callbacks, checkpoints and recentring

Callback = Callable[[int, float, NDArray[np.float32]], object]
logger = logging.getLogger("mrsne")


def descend(
    P: Matrix,
    Y: NDArray[np.float32],
    schedule: Sequence[Phase],
    method: str,
    backend: Backend,
    kernel: StudentKernel = CAUCHY,
    *,
    stopping: Stopping = NEVER,
    callbacks: Sequence[Callback] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    origin: object = None,
    verbose: bool = False,
) -> tuple[NDArray[np.float32], float, int]:
    """Run a schedule from a given start.

    Parameters
    ----------
    P : Matrix
        P̃ in the engine's memory. It is only read: exaggeration is a factor of the force, never of the matrix.
    Y : array of shape (n, K), float32
        The start; it is only read.
    schedule : sequence of Phase
    method : {"exact", "fft"}
    backend : Backend
        In a session.
    kernel : StudentKernel
    stopping : Stopping
    callbacks : sequence of callables
        Each is called every 50 iterations with the iteration, the divergence and a copy of the map; a true answer ends
        the run.
    checkpoint : path, optional
        File to save the state to every 50 iterations, and to go on from if it exists.
    origin : object
        What the start was made from; a checkpoint with another origin is one of another run.

    Returns
    -------
    Y : array of shape (n, K), float32
    kl : float
    n_iter : int
        Iterations done.
    """
    rules = replace(stopping, max_seconds=None)  # a run may be given more time
    settings = (method, kernel, schedule[:-1], replace(schedule[-1], end=0), rules, origin)
    run = fingerprint(P, *settings) if checkpoint is not None else ""
    state = load_checkpoint(checkpoint, run, Y.shape) if checkpoint is not None else None
    if state is None:
        state = State(0, Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.arange(len(Y)))
    elif state.place > schedule[-1].end:
        raise CheckpointError(
            f"checkpoint {str(checkpoint)!r} is at iteration {state.iteration}, beyond max_iter={schedule[-1].end}; "
            "raise max_iter, delete it or give another checkpoint path"
        )
    else:
        logger.info("resuming from %s at iteration %d", checkpoint, state.iteration)
    watch = Stopwatch(stopping.max_seconds)
    motion = backend.motion(P, state, method, kernel)
    with progress_bar(schedule[-1].end, state.iteration, verbose) as report:
        observers = Observers(callbacks, checkpoint, run, report if verbose else None)
        for phase in schedule:
            if iterate(motion, phase, stopping, watch, observers):
                break
            if phase.exaggeration != 1 and state.place == phase.end:
                motion.sort()
    if checkpoint is not None:
        save_checkpoint(checkpoint, motion.snapshot(), run)
    return motion.positions(), motion.divergence(), state.iteration


class Observers(NamedTuple):
    """What happens every 50 iterations."""

    callbacks: Sequence[Callback]
    checkpoint: str | os.PathLike[str] | None
    run: str  # fingerprint, for the checkpoint
    report: Callable[[int, float | None], None] | None

    def needs_divergence(self, patience: int | None) -> bool:
        """Return whether somebody wants to know the divergence."""
        asked = self.callbacks or self.report is not None or patience is not None
        return bool(asked) or logger.isEnabledFor(logging.DEBUG)

    def notify(self, motion: Motion, kl: float) -> bool:
        """Tell progress bar and callbacks how things stand; return whether one of them wants to stop."""
        iteration = motion.state.iteration
        if self.report is not None:
            self.report(iteration, kl)
        logger.debug("iteration %d: KL %.4f", iteration, kl)
        answers = [bool(callback(iteration, kl, motion.positions())) for callback in self.callbacks]
        return any(answers)


def iterate(motion: Motion, phase: Phase, stopping: Stopping, watch: Stopwatch, observers: Observers) -> bool:
    """Iterate to the end of a phase; return whether the whole run is over before its time."""
    state = motion.state
    exploring = phase.exaggeration != 1
    while state.place < phase.end and not state.converged:
        if watch.is_up(exploring):
            state.skipped += phase.end - state.place if exploring else 0
            return not exploring
        norm = motion.step(phase)
        if not math.isfinite(norm):
            raise ParameterError(f"the layout diverged at iteration {state.iteration + 1}: learning_rate is too large")
        watch.start()
        state.iteration += 1
        # relative to the size of the map, since the gradient also vanishes where all items are on one spot
        limit = stopping.min_grad_norm
        state.converged = norm < limit and not exploring and norm < limit * motion.extent()
        if state.iteration % LOOK_EVERY and not state.converged:
            if observers.report is not None:
                observers.report(state.iteration, None)
            continue
        if phase.adaptive:
            motion.recentre()
        patience = None if exploring else stopping.n_iter_without_progress
        wanted = observers.needs_divergence(patience)
        kl = motion.divergence() if wanted else math.nan
        if patience is not None:
            state.note(kl, patience)
        if observers.checkpoint is not None:
            save_checkpoint(observers.checkpoint, motion.snapshot(), observers.run)
        if wanted and observers.notify(motion, kl):
            return True
    return state.converged
