"""A map that continues another: where its items start, what holds the old ones, and the descent that follows.

What is minimised is KL(P̃‖Q̃) + Σ_i λ_i ‖y_i − y_i⁰‖² over the places of all items, with λ_i = 2 a s_i / n. The y⁰ are
the old places, a is the strength of the anchor, and s_i the share of its affinities that item i has kept, 0 for a new
one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from mrsne.arrays import Bool, Float32, Int64
from mrsne.backends.base import STAYS, Anchor, Backend, Matrix
from mrsne.backends.cpu.settling import settle
from mrsne.backends.kernel import StudentKernel
from mrsne.layout.descent import descend
from mrsne.layout.schedule import Callback, Run, Stopping
from mrsne.layout.settings import CheckedLayoutSettings
from mrsne.parameters import ParameterError, check_number, describe

STRENGTHS = {"keep": 0.003, "follow": 0.0003, "free": 0.0}  # a; "stay" is none of these: nothing old moves
STRONGEST = 10.0  # beyond, an item would only swing around its old place
SHARE = 0.1, 0.5  # of the iterations of a fresh map where nothing is new, and at most
FEW = 0.4  # times the median s_i: a kept item below that is placed as a new one is
FREED = 1 / 8  # of these again, without the anchor, to see what it costs
ROUNDS = 10  # in which new items are placed beside those that are placed already
NOISE = 0.01  # of new items: those on one spot would stay together for ever
GAP = 1.1  # radii of the map at which new items start that nothing links to old ones


@dataclass(frozen=True)
class OldMap:
    """The places that a map starts from, for the items of its own."""

    places: Float32  # y⁰; NaN where an item is new
    anchor: str | float
    unchanged: Float32  # s_i, from 0 to 1

    def starts(self) -> Float32:
        """Return the places at which items start; NaN for new ones and those whose affinities are other ones."""
        usual = np.median(self.unchanged[~np.isnan(self.places[:, 0])])
        moved = (self.anchor != "stay") & (self.unchanged < FEW * usual)
        return np.where(moved[:, None], np.float32(np.nan), self.places)

    def pull(self, kept: Bool) -> Float32:
        """Return c_i = a s_i / n of all items, half of λ_i, or STAYS; 0 for items that are not kept."""
        if self.anchor == "stay":
            return np.where(kept, STAYS, 0).astype(np.float32)
        strength = STRENGTHS[self.anchor] if isinstance(self.anchor, str) else self.anchor
        return np.where(kept, strength / len(self.places) * self.unchanged, 0).astype(np.float32)


class Continued(NamedTuple):
    """A map that continues another."""

    Y: Float32
    kl_divergence: float
    n_iter: int
    kl_freed: float  # after some more iterations without the anchor


def check_anchor(anchor: Any) -> str | float:
    """Return how strongly old places hold, if it is one of the words or a number."""
    words = ("stay", *STRENGTHS)
    if isinstance(anchor, str) and anchor not in words:
        accepted = f"one of {', '.join(map(repr, words))} or a number from 0 to {STRONGEST:g}"
        raise ParameterError(f"anchor must be {accepted}, got {describe(anchor)}")
    if isinstance(anchor, str):
        return anchor
    if check_number("anchor", anchor, minimum=0) > STRONGEST:
        raise ParameterError(f"anchor must be at most {STRONGEST:g}, got {describe(anchor)}; 'stay' moves nothing")
    return float(anchor)


def continue_layout(P: Matrix, settings: CheckedLayoutSettings, old: OldMap, backend: Backend) -> Continued:
    """Embed affinities from the places of another map; items without any affinity stay, new ones beside the map."""
    n, K = P.shape[0], settings.given.n_components
    linked = np.flatnonzero(P.row_lengths() > 0)
    known = old.starts()
    kept = ~np.isnan(known[:, 0])
    start = with_new_items(P, known, linked, settings.run.kernel)
    pull = old.pull(kept)[linked]
    anchor = Anchor(np.nan_to_num(known[linked]), pull) if pull.any() else None
    last = settings.given.phases(len(linked))[-1]
    share = min(SHARE[0] + 1 - float(kept.mean()), SHARE[1])
    phase = replace(last, end=math.ceil(share * settings.given.max_iter))

    def of_all_items(callback: Callback) -> Callback:
        return lambda iteration, kl, Y: callback(iteration, kl, within(start, linked, Y))

    callbacks = [of_all_items(callback) for callback in settings.run.callbacks]
    run = replace(settings.run, schedule=(phase,), anchor=anchor, callbacks=callbacks, origin=start.tobytes())
    moving = P if len(linked) == n else P.restricted_to(linked)
    Y, kl, n_iter = descend(moving, start[linked], run, backend)
    kl_freed = kl
    if anchor is not None:
        end = math.ceil(FREED * phase.end)
        rest = Run((replace(phase, end=end),), run.method, run.kernel, Stopping(run.stopping.min_grad_norm))
        kl_freed = min(kl, descend(moving, Y, rest, backend)[1])
    whole = within(start, linked, Y)
    if len(linked) < n:
        freed = kl_freed - kl
        kl = backend.forces(P, K, run.method, run.kernel).divergence(whole)
        kl_freed = kl + freed
    return Continued(whole, kl, n_iter, kl_freed)


def within(start: Float32, linked: Int64, Y: Float32) -> Float32:
    """Return a map of all items, those that are linked at other places."""
    whole = start.copy()
    whole[linked] = Y
    return whole


def with_new_items(P: Matrix, places: Float32, linked: Int64, kernel: StudentKernel) -> Float32:
    """Return places of all items: new ones settle among those that they have affinities to, the others beside the map.

    A new item moves to a minimum of KL(p_{·|i} ‖ q_{·|i}) over the items that are placed already.
    """
    Y, random = places.copy(), np.random.RandomState(0)
    for _ in range(ROUNDS):
        placed = ~np.isnan(Y[:, 0])
        waiting = np.setdiff1d(linked, np.flatnonzero(placed), assume_unique=True)
        if not len(waiting):
            break
        rows = P.rows_of(waiting)[:, np.flatnonzero(placed)]
        reached = np.flatnonzero(np.diff(rows.indptr))
        if not len(reached):
            break
        found = settle(_shares(rows[reached]), Y[placed], kernel)
        Y[waiting[reached]] = found + NOISE * random.standard_normal(found.shape)
    return _beside(Y, P, random)


def _shares(rows: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return rows that sum to 1."""
    totals = np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
    return sparse.csr_matrix(sparse.diags_array(1 / np.maximum(totals, 1e-300)) @ rows)


def _beside(Y: Float32, P: Matrix, random: np.random.RandomState) -> Float32:
    """Put items that nothing places on a circle around the map, those with affinities to each other on one spot."""
    alone = np.flatnonzero(np.isnan(Y[:, 0]))
    if not len(alone):
        return Y
    count, label = connected_components(P.rows_of(alone)[:, alone], directed=False)
    low, high = np.nanmin(Y, axis=0), np.nanmax(Y, axis=0)
    radius = GAP * float(np.nanmax(np.linalg.norm(Y - (low + high) / 2, axis=1))) + 1
    angle = 2 * np.pi * label / count
    Y[alone] = (low + high) / 2 + NOISE * random.standard_normal((len(alone), Y.shape[1]))
    Y[alone, 0] += radius * np.cos(angle)
    if Y.shape[1] > 1:
        Y[alone, 1] += radius * np.sin(angle)
    return Y
