"""Gradient descent on KL(P̃‖Q̃): an engine moves the items, and every 50 iterations callbacks and checkpoints follow."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Backend, Matrix, Motion, Phase, State
from mrsne.layout.checkpoint import CheckpointError, fingerprint, load_checkpoint, save_checkpoint
from mrsne.layout.progress import Report, progress_bar
from mrsne.layout.schedule import Run, Stopwatch
from mrsne.parameters import ParameterError

LOOK_EVERY = 50  # iterations between callbacks, checkpoints and recentring

logger = logging.getLogger("mrsne")


def descend(P: Matrix, Y: NDArray[np.float32], run: Run, backend: Backend) -> tuple[NDArray[np.float32], float, int]:
    """Run a schedule from a start Y; return the map, its divergence and the number of iterations done.

    The engine is in a session, and P̃ in its memory. P̃ is only read: exaggeration is a factor of the force, never of
    the matrix.
    """
    end = run.schedule[-1].end
    name = fingerprint(P, *run.identity) if run.checkpoint is not None else ""
    state = load_checkpoint(run.checkpoint, name, Y.shape) if run.checkpoint is not None else None
    if state is None:
        state = State(0, Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.arange(len(Y)))
    elif state.place > end:
        raise CheckpointError(
            f"checkpoint {str(run.checkpoint)!r} is at iteration {state.iteration}, beyond max_iter={end}; "
            "raise max_iter, delete it or give another checkpoint path"
        )
    else:
        logger.info("resuming from %s at iteration %d", run.checkpoint, state.iteration)
    watch = Stopwatch(run.stopping.max_seconds)
    motion = backend.motion(P, state, run.method, run.kernel)
    with progress_bar(end, state.iteration, run.verbose) as report:
        observers = Observers(run, name, report)
        for phase in run.schedule:
            if iterate(motion, phase, watch, observers):
                break
            if phase.exaggeration != 1 and state.place == phase.end:
                motion.sort()
    observers.save(motion)
    return motion.positions(), motion.divergence(), state.iteration


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
        """Tell progress bar and callbacks; return whether one of the callbacks wants to stop."""
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
            state.skipped += phase.end - state.place if exploring else 0
            return not exploring
        norm = motion.step(phase)
        if not math.isfinite(norm):
            raise ParameterError(f"the layout diverged at iteration {state.iteration + 1}: learning_rate is too large")
        watch.start()
        state.iteration += 1
        # relative to the size of the map, since the gradient also vanishes where all items are on one spot
        limit = run.stopping.min_grad_norm
        state.converged = norm < limit and not exploring and norm < limit * motion.extent()
        if state.iteration % LOOK_EVERY and not state.converged:
            observers.report(state.iteration, None)
            continue
        if phase.adaptive:
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
