"""Gradient descent on KL(P̃‖Q̃): forces, step, and every so often a look around."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.forces.locality import WORTH_FROM, spatial_order
from mrsne.backends.cpu.mesh.splines import CHUNKS
from mrsne.compilation import WORTH_SHARING, Array, kernel, threads
from mrsne.layout.checkpoint import CheckpointError, State, fingerprint, load_checkpoint, save_checkpoint
from mrsne.layout.gradient import FARTHEST, Forces
from mrsne.layout.progress import progress_bar
from mrsne.layout.schedule import Phase
from mrsne.layout.stopping import NEVER, Stopping, Stopwatch
from mrsne.parameters import ParameterError

LOOK_EVERY = 50  # iterations between callbacks, checkpoints and recentring
LONGEST_STEP = 5.0
SMALLEST_GAIN = 0.01

Callback = Callable[[int, float, NDArray[np.float32]], object]
logger = logging.getLogger("mrsne")


@kernel("f4[:,:]! f4[:,:]! f4[:,:]! f4[:,:] f4[:,:] f4 f4 f4 f4 b1 f8[:]!")
def take_step(
    start: int,
    stop: int,
    Y: Array,
    velocity: Array,
    gains: Array,
    attractive: Array,
    repulsive: Array,
    exaggeration: np.float32,
    inverse_Z: np.float32,
    learning_rate: np.float32,
    momentum: np.float32,
    adaptive: bool,
    squares: Array,
) -> None:
    """Move every item against its gradient g = 4 (e·F_attractive − F_repulsive / Z): v ← α v − η g, y ← y + v.

    An adaptive step multiplies η with a gain per coordinate, raised while the gradient opposes the velocity and lowered
    otherwise (Jacobs 1988, as in every t-SNE), and is never longer than 5. ``squares`` receives the squared norm of g,
    chunk by chunk.
    """
    n, K = Y.shape
    for chunk in range(start, stop):
        total = 0.0
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            length = 0.0
            for k in range(K):
                g = np.float32(4) * (exaggeration * attractive[i, k] - repulsive[i, k] * inverse_Z)
                total += g * g
                rate = learning_rate
                if adaptive:
                    against = (velocity[i, k] > 0) != (g > 0) or velocity[i, k] == 0
                    gain = (
                        gains[i, k] + np.float32(0.2)
                        if against
                        else gains[i, k] * np.float32(0.8) + np.float32(SMALLEST_GAIN)
                    )
                    gains[i, k] = gain
                    rate = learning_rate * gain
                v = momentum * velocity[i, k] - rate * g
                velocity[i, k] = v
                length += v * v
            if adaptive and length > LONGEST_STEP * LONGEST_STEP:
                shrink = np.float32(LONGEST_STEP / math.sqrt(length))
                for k in range(K):
                    velocity[i, k] *= shrink
            for k in range(K):
                Y[i, k] += velocity[i, k]
                if not abs(Y[i, k]) < FARTHEST:
                    total = np.inf
        squares[chunk] = total


def descend(
    P: Any,
    Y: NDArray[np.float32],
    schedule: Sequence[Phase],
    method: str,
    *,
    stopping: Stopping = NEVER,
    callbacks: Sequence[Callback] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    origin: object = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    device: str = "cpu",
) -> tuple[NDArray[np.float32], float, int]:
    """Run a schedule from a given start.

    Parameters
    ----------
    P : CSR matrix with float32 values, or DeviceMatrix
        P̃, symmetric. It is only read: exaggeration is a factor of the force, never of the matrix.
    Y : array of shape (n, K), float32
        The start; it is only read.
    schedule : sequence of Phase
    method : {"exact", "fft"}
    stopping : Stopping
    callbacks : sequence of callables
        Each is called every 50 iterations with the iteration, the divergence and a copy of the map; a true answer ends
        the run.
    checkpoint : path, optional
        File to save the state to every 50 iterations, and to go on from if it exists.
    origin : object
        What the start was made from; a checkpoint with another origin is one of another run.
    device : {"cpu", "cuda", "cluster"}

    Returns
    -------
    Y : array of shape (n, K), float32
    kl : float
    n_iter : int
        Iterations done.
    """
    rules = replace(stopping, max_seconds=None)  # a run may be given more time
    settings = (method, schedule[:-1], replace(schedule[-1], end=0), rules, origin)
    run = fingerprint(P, *settings) if checkpoint is not None else ""
    state = load_checkpoint(checkpoint, run, Y.shape) if checkpoint is not None else None
    if state is None:
        state = State(0, Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.arange(len(Y)))
        if len(Y) >= WORTH_FROM and device == "cpu":
            _sort(state)
    elif state.place > schedule[-1].end:
        raise CheckpointError(
            f"checkpoint {str(checkpoint)!r} is at iteration {state.iteration}, beyond max_iter={schedule[-1].end}; "
            "raise max_iter, delete it or give another checkpoint path"
        )
    else:
        logger.info("resuming from %s at iteration %d", checkpoint, state.iteration)
    with threads(n_jobs) as workers:
        watch = Stopwatch(stopping.max_seconds)
        loop = _loop(P, state, method, workers, device)
        with progress_bar(schedule[-1].end, state.iteration, verbose) as report:
            for phase in schedule:
                if loop.run(phase, stopping, watch, callbacks, checkpoint, run, report if verbose else None):
                    break
                if len(Y) >= WORTH_FROM and phase.exaggeration != 1 and state.place == phase.end:
                    loop.sort(P)
        if checkpoint is not None:
            save_checkpoint(checkpoint, loop.snapshot(), run)
        return loop.items(), loop.divergence(), state.iteration


def _loop(P: Any, state: State, method: str, workers: int, device: str) -> Loop:
    if device == "cluster":
        from mrsne.backends.dask.step.motion import ClusterLoop

        return ClusterLoop(P, state)
    if device == "cpu":
        return Loop(P, state, method, workers)
    from mrsne.backends.gpu.matrix.matrix import DeviceMatrix
    from mrsne.backends.gpu.step.motion import DeviceLoop

    return DeviceLoop(DeviceMatrix.of(P, device), state, method)


def _sort(state: State) -> None:
    """Bring the rows of the state into spatial order."""
    order = spatial_order(state.Y)
    state.Y, state.velocity, state.gains = state.Y[order], state.velocity[order], state.gains[order]
    state.order = state.order[order]


class Loop:
    """A state with the forces that act on it."""

    def __init__(self, P: sparse.csr_matrix, state: State, method: str, workers: int) -> None:
        in_order = bool((state.order[1:] > state.order[:-1]).all())
        self.forces: Any = Forces(P, state.Y.shape[1], method, workers, None if in_order else state.order)
        self.state = state
        self._settings = method, workers

    def sort(self, P: Any) -> None:
        """Bring the rows into spatial order."""
        _sort(self.state)
        self.forces = None  # its entries are as large as P̃
        self.forces = Forces(P, self.state.Y.shape[1], *self._settings, self.state.order)

    def run(
        self,
        phase: Phase,
        stopping: Stopping,
        watch: Stopwatch,
        callbacks: Sequence[Callback],
        checkpoint: str | os.PathLike[str] | None,
        run: str,
        report: Callable[[int, float | None], None] | None,
    ) -> bool:
        """Iterate to the end of a phase; return whether the whole run is over before its time."""
        state = self.state
        exploring = phase.exaggeration != 1
        while state.place < phase.end and not state.converged:
            if watch.is_up(exploring):
                state.skipped += phase.end - state.place if exploring else 0
                return not exploring
            norm = self.step(phase)
            watch.start()
            state.iteration += 1
            # relative to the size of the map, since the gradient also vanishes where all items are on one spot
            limit = stopping.min_grad_norm
            state.converged = norm < limit and not exploring and norm < limit * self.extent()
            if state.iteration % LOOK_EVERY and not state.converged:
                if report is not None:
                    report(state.iteration, None)
                continue
            if phase.adaptive:
                self.recentre()
            patience = None if exploring else stopping.n_iter_without_progress
            wanted = callbacks or report is not None or patience is not None or logger.isEnabledFor(logging.DEBUG)
            kl = self.divergence() if wanted else math.nan
            if patience is not None:
                state.note(kl, patience)
            if checkpoint is not None:
                save_checkpoint(checkpoint, self.snapshot(), run)
            if wanted and self.tell(kl, callbacks, report):
                return True
        return state.converged

    def step(self, phase: Phase) -> float:
        """Do one iteration and return the norm of the gradient."""
        Z, repulsive, attractive = self.forces(self.state.Y, phase.step)
        return self.move(phase, attractive, repulsive, phase.exaggeration, 1 / Z if Z > 0 else math.nan)

    def move(
        self,
        phase: Phase,
        attractive: NDArray[np.float32],
        repulsive: NDArray[np.float32],
        exaggeration: float,
        inverse_Z: float,
    ) -> float:
        """Move all items by their forces and return the norm of the gradient."""
        state = self.state
        squares = np.empty(CHUNKS)
        with np.errstate(over="ignore"):
            learning_rate = np.float32(phase.learning_rate)
        run = take_step.over if len(state.Y) >= WORTH_SHARING else take_step.alone
        run(
            CHUNKS,
            state.Y,
            state.velocity,
            state.gains,
            attractive,
            repulsive,
            np.float32(exaggeration),
            np.float32(inverse_Z),
            learning_rate,
            np.float32(phase.momentum),
            phase.adaptive,
            squares,
        )
        norm = math.sqrt(squares.sum())
        if not math.isfinite(norm):
            raise ParameterError(f"the layout diverged at iteration {state.iteration + 1}: learning_rate is too large")
        return norm

    def extent(self) -> float:
        """Return the standard deviation of all coordinates."""
        return float(self.state.Y.std())

    def recentre(self) -> None:
        """Move the middle of the map to the origin."""
        self.state.Y -= self.state.Y.mean(axis=0, dtype=np.float64).astype(np.float32)

    def divergence(self) -> float:
        """Return KL(P̃‖Q̃), with repulsion as fine as it gets."""
        return float(self.forces.kl(self.state.Y, self.forces(self.state.Y)[0]))

    def snapshot(self) -> State:
        """Return the state, up to date."""
        return self.state

    def tell(
        self, kl: float, callbacks: Sequence[Callback], report: Callable[[int, float | None], None] | None
    ) -> bool:
        """Tell progress bar and callbacks how things stand; return whether one of them wants to stop."""
        if report is not None:
            report(self.state.iteration, kl)
        logger.debug("iteration %d: KL %.4f", self.state.iteration, kl)
        answers = [bool(callback(self.state.iteration, kl, self.items())) for callback in callbacks]
        return any(answers)

    def items(self) -> NDArray[np.float32]:
        """Return a copy of the map with its rows in the order of the items."""
        Y = np.empty_like(self.state.Y)
        Y[self.state.order] = self.state.Y
        return Y
