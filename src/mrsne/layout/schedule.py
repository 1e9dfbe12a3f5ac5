"""What changes over a run (exaggeration, learning rate, momentum, resolution of repulsion), and what ends it early."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from mrsne.arrays import Float32
from mrsne.backends.base import Anchor, Phase
from mrsne.backends.grid import FINE_STEP, STEP
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.parameters import ParameterError

ANNEALING = 400  # iterations in which exaggeration falls to 1; of a run that is shorter than the default, 8 of 15
ANNEALING_STEP = 10  # iterations between two changes of exaggeration
EARLY_MOMENTUM, LATE_MOMENTUM = 0.9, 0.97  # while exaggeration falls, and afterwards
RATE = 1.35  # of what undoes attraction at its strongest in one step; 1.9 diverges, and with 1.5 Debian keeps 0.74
FINE_ABOVE = 1.5  # exaggeration above which clusters are so tight that the mesh must be fine
START_DEVIATION = 1e-4  # standard deviation of a start, as in openTSNE: small enough for every item to see every other
EXPLORATION = 250  # iterations of early exaggeration in stages, at most a third of the run
STAGED_MOMENTUM = 0.8
STAGES = ((0.2, 1.0), (0.6, 0.5), (1.0, 0.25))  # where each stage of it ends, and the power of the factor in it
UNFOLDING = 50  # iterations after it in which clusters are still so tight that the mesh must stay fine
PAPER_MOMENTUM = 0.5
PAPER_DECAY_EVERY = 400  # Algorithm 1 divides the learning rate by 10 after this many iterations
EXPLORATION_SHARE = 1 / 2  # of max_seconds, that exaggeration may take

Callback = Callable[[int, float, Float32], object]


def default_schedule(
    n: int, max_iter: int, early_exaggeration: float, learning_rate: Any, momentum: Any
) -> tuple[Phase, ...]:
    """Return exaggeration that falls from e to 1 by the same factor every ten iterations, then plain descent.

    The learning rate is 1.35n / exaggeration unless a number is given; an item's own is this times its gain,
    1/max(1, n p_i) with p_i = Σ_j p̃_ij. It multiplies the gradient without its factor 4; a phase holds the rate for the
    whole gradient.
    """
    annealed = min(ANNEALING, 8 * max_iter // 15) if early_exaggeration != 1 else 0
    stages = [
        (end, early_exaggeration ** (1 - start / annealed), EARLY_MOMENTUM)
        for start, end in pairwise([*range(0, annealed, ANNEALING_STEP), annealed])
    ]
    phases = []
    for end, exaggeration, usual in [*stages, (max_iter, 1.0, LATE_MOMENTUM)]:
        rate = (RATE * n / exaggeration if learning_rate == "auto" else learning_rate) / 4
        step = FINE_STEP if exaggeration > FINE_ABOVE else STEP
        alpha = usual if momentum == "auto" else momentum
        phases.append(Phase(end, exaggeration, rate, alpha, False, step, conditioned=True))
    return tuple(phases)


def staged_schedule(
    n: int, max_iter: int, early_exaggeration: float, learning_rate: Any, momentum: Any
) -> tuple[Phase, ...]:
    """Return early exaggeration e, then √e, then ⁴√e, then plain descent, with gains and clipped steps throughout.

    The learning rate is n / exaggeration unless a number is given (Belkina et al. 2019). As in openTSNE it multiplies
    the gradient without its factor 4; a phase holds the rate for the whole gradient.
    """
    explored = min(EXPLORATION, max_iter // 3) if early_exaggeration != 1 else 0
    alpha = STAGED_MOMENTUM if momentum == "auto" else momentum
    stages = [(round(part * explored), early_exaggeration**power, FINE_STEP) for part, power in STAGES]
    stages += [(min(explored + UNFOLDING, max_iter), 1.0, FINE_STEP), (max_iter, 1.0, STEP)]
    phases: list[Phase] = []
    for end, exaggeration, step in stages:
        rate = (n / exaggeration if learning_rate == "auto" else learning_rate) / 4
        if end > (phases[-1].end if phases else 0):
            phases.append(Phase(end, exaggeration, rate, alpha, True, step))
    return tuple(phases)


def paper_schedule(max_iter: int, learning_rate: Any, momentum: Any) -> tuple[Phase, ...]:
    """Return Algorithm 1: gradient descent with momentum, the learning rate divided by 10 every 400 iterations."""
    if learning_rate == "auto":
        raise ParameterError("schedule='paper' needs a number as learning_rate (the paper's is 100), got 'auto'")
    ends = [*range(PAPER_DECAY_EVERY, max_iter, PAPER_DECAY_EVERY), max_iter]
    alpha = PAPER_MOMENTUM if momentum == "auto" else momentum
    return tuple(Phase(end, 1.0, learning_rate / 10**k, alpha, False, FINE_STEP) for k, end in enumerate(ends))


@dataclass(frozen=True)
class Stopping:
    """What ends a run early, after early exaggeration."""

    min_grad_norm: float = 0.0  # the gradient's norm, and its ratio to the spread of the map, are both below this
    n_iter_without_progress: int | None = None  # the divergence, computed every 50, has not fallen for this many
    max_seconds: float | None = None  # of which exaggeration takes at most half


@dataclass(frozen=True)
class Run:
    """How items move, when they stop, and what is reported or saved."""

    schedule: Sequence[Phase]
    method: str  # "exact" or "fft"
    kernel: StudentKernel = CAUCHY
    stopping: Stopping = Stopping()
    callbacks: Sequence[Callback] = ()  # called with iteration, divergence and a copy of the map; true ends the run
    checkpoint: str | os.PathLike[str] | None = None  # saved to, and continued from if it exists
    origin: object = None  # what the start was made from; a checkpoint with another origin belongs to another run
    verbose: bool = False
    anchor: Anchor | None = None  # old places, in a map that continues another

    @property
    def explored(self) -> int:
        """The iteration at which exaggeration ends."""
        return max((phase.end for phase in self.schedule if phase.exaggeration != 1), default=0)

    @property
    def identity(self) -> tuple[object, ...]:
        """What a checkpoint of this run is known by; a run may be given more iterations and more time."""
        last = replace(self.schedule[-1], end=0)
        rules = replace(self.stopping, max_seconds=None)
        held = () if self.anchor is None else (self.anchor.identity,)
        return self.method, self.kernel, self.schedule[:-1], last, rules, self.origin, *held


class Stopwatch:
    """The time that a run may take; it starts after the first iteration, which may have to wait for the compiler."""

    def __init__(self, max_seconds: float | None) -> None:
        self.max_seconds = max_seconds
        self.started: float | None = None

    def start(self) -> None:
        """Start, unless it is already running."""
        if self.started is None:
            self.started = time.monotonic()

    def is_up(self, exploring: bool) -> bool:
        """Return whether the time for early exaggeration, or for the whole run, is over."""
        if self.max_seconds is None or self.started is None:
            return False
        limit = self.max_seconds * (EXPLORATION_SHARE if exploring else 1)
        return time.monotonic() - self.started >= limit
