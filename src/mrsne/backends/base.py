"""What the stages ask of an engine, and what they hand to it.

A stage decides: :mod:`mrsne.affinity` how many neighbours and which weights, :mod:`mrsne.layout` where items start, how
they move and when to stop. An engine computes, in whatever memory its numbers are. Another engine is another folder
beside ``cpu``, ``gpu`` and ``dask`` with a class that has the methods of :class:`Backend`, and a line in ``choice.py``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, Int64
from mrsne.backends.kernel import StudentKernel
from mrsne.backends.projection import Projection
from mrsne.backends.recall import RecallGoal

Block = str | tuple[str, str]  # of P̃: a domain with a neighbour graph, or a pair of domains with links
Graphs = dict[Block, Any]  # of blocks, as an engine has them
Weights = Mapping[Block, float]  # β
Masks = Mapping[str, Bool]  # which items of a domain have neighbours
FARTHEST = 1e15  # coordinate beyond which a layout has diverged
LONGEST_STEP = 5.0  # but in the paper's schedule
SMALLEST_GAIN = 0.01
STAYS = np.float32(-1)  # in place of the strength of a pull
PROGRESS = 1e-4  # share of the divergence that it must fall by to count: parts without a link drift apart for ever
Exponents = tuple[float, float]  # a and b of R_ij ∝ w_ij / (r_i^a c_j^b)


class LinkFactors(NamedTuple):
    """u and v of R_ij ∝ w_ij (u_i + v_j), for the first and the second domain of a relation."""

    rows: Float64
    columns: Float64


class LinkTotals(NamedTuple):
    """What the links of a relation add up to at each item of one of its domains."""

    sums: Float64  # Σ_j w_ij, where the largest weight of all is 1
    effective: Float64  # (Σ_j w_ij)² / Σ_j w_ij², the number of links where all weigh the same


LinkNorm = Exponents | LinkFactors


@dataclass(frozen=True)
class GraphPlan:
    """How the neighbour graph of a domain is made."""

    k: int  # neighbours of an item
    perplexity: float | None  # of its probabilities; None: all k neighbours have the same
    all_pairs: bool  # k is all others, and the graph is dense
    exhaustive: bool  # compare all vectors with all, however many there are
    goal: RecallGoal


@dataclass(frozen=True)
class Phase:
    """How items move up to, and not including, iteration ``end``."""

    end: int
    exaggeration: float
    learning_rate: float
    momentum: float
    adaptive: bool  # gains for each coordinate follow its gradient, and steps have limited length
    step: float  # cell width of the mesh
    conditioned: bool = False  # gains stay what they are from the start, 1/max(1, n p_i), and steps have limited length

    @property
    def limited(self) -> bool:
        """Whether no step is longer than ``LONGEST_STEP``, and the map stays around the origin."""
        return self.adaptive or self.conditioned


@dataclass(frozen=True)
class Anchor:
    """Old places y⁰ of items: the term Σ_i 2 c_i ‖y_i − y_i⁰‖², which a continued descent adds to the divergence.

    A quarter of its gradient is c_i (y_i − y_i⁰). It is added to the attraction, which a continued descent does not
    exaggerate.
    """

    places: Float32  # y⁰, with the rows in the order of the items
    pull: Float32  # c_i; 0 where nothing pulls, STAYS where an item does not move at all

    @property
    def identity(self) -> str:
        """A fingerprint, by which a checkpoint knows its run."""
        return hashlib.blake2b(self.places.tobytes() + self.pull.tobytes(), digest_size=16).hexdigest()


@dataclass
class State:
    """Everything that an iteration needs from the one before it."""

    iteration: int
    Y: Float32
    velocity: Float32
    gains: Float32
    order: Int64  # row r of the arrays above is item order[r]
    converged: bool = False
    skipped: int = 0  # iterations of early exaggeration that there was no time for
    best_kl: float = math.inf
    best_iteration: int = 0

    @property
    def place(self) -> int:
        """Where in the schedule the run is."""
        return self.iteration + self.skipped

    @property
    def in_order(self) -> bool:
        """Whether row r is item r."""
        return bool((self.order[1:] > self.order[:-1]).all())

    def note(self, kl: float, patience: int) -> None:
        """Take note of the divergence; the run has converged if it has not fallen for ``patience`` iterations."""
        if kl < (1 - PROGRESS) * self.best_kl:
            self.best_kl, self.best_iteration = kl, self.iteration
        self.converged |= self.iteration - self.best_iteration >= patience


class Operator(Protocol):
    """A = D^-½ P D^-½, D the row sums of P, component by component, without its known eigenvector √D 1 of each."""

    def start(self, width: int, random: np.random.RandomState) -> Any:
        """Return random vectors X."""

    def deflated(self, X: Any) -> Any:
        """Return X without its part along √D 1, its columns scaled to length 1, in each component."""

    def recurrence(self, coefficients: Float64, X: Any, before: Any) -> Any:
        """Return a A X + b X + c Z for vectors Z = ``before``; a row (a, b, c) of coefficients for each component."""

    def products(self, X: Any, Z: Any) -> Float64:
        """Return Xᵀ Z of each component, of shape (components, columns, columns); XᵀZ is symmetric."""

    def combined(self, X: Any, coefficients: Float64) -> Any:
        """Return X C for a matrix C of each component, of shape (components, columns, columns)."""

    def gather(self, X: Any, count: int) -> Float64:
        """Return the first columns of D^-½ X."""


class Matrix(Protocol):
    """P̃, symmetric and sparse, in an engine's memory."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""

    def row_lengths(self) -> Int64:
        """Return how many entries each row has."""

    def row_sums(self) -> Float64:
        """Return p_i = Σ_j p̃_ij of each row."""

    def digest(self) -> str:
        """Return a fingerprint of all entries."""

    def restricted_to(self, items: Int64) -> Matrix:
        """Return the rows and columns of some items, which are sorted and have no entry in another column."""

    def subgraph(self, items: Int64) -> sparse.csr_matrix:
        """Bring back the rows and columns of some items, in the order in which they are listed."""

    def rows_of(self, items: Int64) -> sparse.csr_matrix:
        """Bring back the rows of some items, which are sorted, with all their columns."""

    def components(self) -> tuple[Int64, Int64]:
        """Return all items, component by component, and where each connected component begins; and n."""

    def operator(self, items: Int64, starts: Int64) -> Operator:
        """Return D^-½ P D^-½ of some components, whose items are listed one component after the other."""


class Forces(Protocol):
    """The divergence of a map from P̃, and its gradient."""

    def divergence(self, Y: Float32) -> float:
        """Return KL(P̃‖Q̃) = Σ p̃ log p̃ − Σ p̃ log w_ij + log Z, with w_ij = w(‖y_i−y_j‖) and Z = Σ_{i≠j} w_ij."""

    def gradient(self, Y: Float32) -> tuple[float, Float32]:
        """Return KL(P̃‖Q̃) and its gradient; see :mod:`mrsne.backends.kernel`."""


class Motion(Protocol):
    """The state of a descent in an engine's memory, with the forces that act on it."""

    state: State  # its arrays are up to date after snapshot()

    def step(self, phase: Phase) -> float:
        """Do one iteration, v ← α v − η g and y ← y + v; return the norm of the gradient g, infinite if it diverged."""

    def sort(self) -> None:
        """Bring rows that are close on the map close in memory, where that pays."""

    def recentre(self) -> None:
        """Move the mean of all positions to the origin, unless old places say where the map is."""

    def shift(self, steps: Float32) -> None:
        """Move every item by a step of its own, in the order of the items."""

    def extent(self) -> float:
        """Return the standard deviation of all coordinates."""

    def divergence(self) -> float:
        """Return KL(P̃‖Q̃), with repulsion as exact as it gets."""

    def snapshot(self) -> State:
        """Bring back the state."""

    def positions(self) -> Float32:
        """Bring back a copy of the map, its rows in the order of the items."""


class Backend(Protocol):
    def session(self) -> AbstractContextManager[Any]:
        """Hold what computing takes, threads or a connection; everything below is called inside this block."""

    def check_affinities(self, data: Any, settings: Any) -> None:
        """Raise where this engine cannot make P̃ of the data with these settings, which have been checked."""

    def check_layout(self, method: str, n_components: int) -> None:
        """Raise where this engine cannot make a map by this method, in this number of dimensions."""

    def exact_up_to(self, n_components: int) -> int:
        """Return up to how many items all pairs are faster than a mesh, for n_components of 1, 2 or 3."""

    def vectors(self, data: Any, domain: str, metric: str, n_pca: int | None, k: int) -> tuple[Any, Projection | None]:
        """Return the vectors of a domain as the search reads them, and the projection onto principal axes, if any."""

    def neighbor_graph(self, vectors: Any, plan: GraphPlan, masses: Float64 | None = None) -> tuple[Any, float]:
        """Return P^(d) = (m_i p_{j|i} + m_j p_{i|j})/2Σm, p_{j|i} ∝ exp(−‖x_i−x_j‖²/2s_i²), m = 1; and the recall."""

    def link_totals(self, data: Any, pair: tuple[str, str]) -> tuple[LinkTotals, LinkTotals]:
        """Return what the links of a relation add up to at the items of both domains."""

    def link_neighbors(self, data: Any, domain: str, plan_for: Callable[[int], GraphPlan]) -> tuple[Any, Bool] | None:
        """Return neighbours by what items of a domain share, for a graph, and which items have any; None for none."""

    def agreement(self, data: Any, domain: str, metric: str) -> float | None:
        """Return how well vectors agree with links, 0 as by chance, 1 as links themselves; None if that is unknown."""

    def relation_graph(self, data: Any, pair: tuple[str, str], norm: LinkNorm) -> Any:
        """Return R_ij ∝ w_ij / (r_i^a c_j^b), with row sums r and column sums c, or w_ij (u_i + v_j); summing to 1."""

    def assemble(self, blocks: Graphs, beta: Weights, data: Any, items: Masks) -> Any:
        """Return P̃: β_d P^(d) of ``items`` on the diagonal, (β_de/2) R and Rᵀ beside it; ``blocks`` is emptied."""

    def load(self, P: Any, clean: Any = None) -> Any:
        """Return affinities as this engine's matrix; ``clean`` is applied to those that a caller supplies."""

    def gather(self, P: Any) -> Any:
        """Return P̃ as a caller gets it, perhaps long after the session: a CSR matrix, or where it stays."""

    def forces(self, P: Any, n_components: int, method: str, kernel: StudentKernel) -> Forces:
        """Return the forces of P̃."""

    def motion(self, P: Any, state: State, method: str, kernel: StudentKernel, anchor: Anchor | None) -> Motion:
        """Return a descent in its state, perhaps one that is held by old places."""
