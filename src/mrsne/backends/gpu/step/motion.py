"""Iterations on a GPU: the state stays there, and one iteration is recorded once and replayed.

Per iteration the processor sends nothing but the place of the grid and reads five numbers: the norm of the gradient and
the bounds of the map, from which it chooses the next grid.
"""

from __future__ import annotations

import math

import numpy as np
import torch
import triton
from numpy.typing import NDArray

from mrsne.backends.base import Phase, State
from mrsne.backends.cpu.orders import WORTH_FROM
from mrsne.backends.gpu.forces.forces import DeviceForces
from mrsne.backends.gpu.forces.locality import spatial_order
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix
from mrsne.backends.gpu.step.step import POINTS, take_step
from mrsne.backends.kernel import CAUCHY, StudentKernel

RECORD_AFTER = 4  # iterations in the same memory, from which on one is recorded: a growing map has soon another grid


class DeviceMotion:
    """A state on a device, with the forces that act on it; see :class:`mrsne.backends.base.Motion`."""

    def __init__(self, P: DeviceMatrix, state: State, method: str, kernel: StudentKernel = CAUCHY) -> None:
        n, device = len(state.Y), P.device
        self.P, self.state = P, state
        self.Y, self.velocity, self.gains = (
            torch.from_numpy(np.array(array)).to(device) for array in (state.Y, state.velocity, state.gains)
        )
        self.order = torch.from_numpy(state.order.copy()).to(device)
        self.forces = DeviceForces(P if state.in_order else P.reordered(self.order), method, kernel)
        self.settings = torch.zeros(4, dtype=torch.float32, device=device)
        self.parts = torch.empty((triton.cdiv(n, POINTS), 5), dtype=torch.float64, device=device)
        self.report = torch.zeros(5, dtype=torch.float64, device=device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._same = 0  # iterations in the same memory
        self._phase: Phase | None = None
        self.low, self.high = np.zeros(2), np.zeros(2)  # the bounds of the map
        if state.in_order:
            self.sort()
        self._look()

    def sort(self) -> None:
        """Bring the rows into spatial order, on the device, where there are many."""
        if len(self.Y) < WORTH_FROM:
            return
        order = spatial_order(self.Y)
        self.Y, self.velocity, self.gains = self.Y[order], self.velocity[order], self.gains[order]
        self.order = self.order[order]
        self._forget()
        self.forces.P = self.P  # what was there is as large as P̃
        self.forces.P = self.P.reordered(self.order)

    def step(self, phase: Phase) -> float:
        """Do one iteration and return the norm of the gradient."""
        if phase is not self._phase:
            self._phase = phase
            rate = min(phase.learning_rate, float(np.finfo(np.float32).max))
            values = [phase.exaggeration, rate, phase.momentum, float(phase.adaptive)]
            self.settings.copy_(torch.tensor(values, dtype=torch.float32))
        if self.forces.fit(self.low, self.high, phase.step):
            self._forget()
        if self._graph is not None:
            self._graph.replay()
        else:
            self._iterate()
            self._same += 1
            if self._same == RECORD_AFTER and self.Y.is_cuda:
                self._record()
        squares, *bounds = self.report.tolist()
        self.low, self.high = np.array(bounds[:2]), np.array(bounds[2:])
        return math.sqrt(squares)

    def _iterate(self) -> None:
        Z, repulsive, attractive, scale = self.forces.at(self.Y)
        moved = (self.Y, self.velocity, self.gains)
        take_step(*moved, attractive, repulsive, Z, scale, self.settings, self.parts, self.report)

    def _record(self) -> None:
        """Record an iteration, without doing it."""
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._iterate()
        self._graph = graph

    def _forget(self) -> None:
        self._graph, self._same = None, 0

    def _look(self) -> None:
        """Read the bounds of the map."""
        self.low, self.high = (bound.double().cpu().numpy() for bound in (self.Y.amin(dim=0), self.Y.amax(dim=0)))

    def extent(self) -> float:
        """Return the standard deviation of all coordinates."""
        return float(self.Y.double().std(unbiased=False))

    def recentre(self) -> None:
        """Move the mean of all positions to the origin."""
        self.Y -= self.Y.double().mean(dim=0).float()
        self._look()

    def divergence(self) -> float:
        """Return KL(P̃‖Q̃), with repulsion as exact as it gets."""
        self._forget()
        return float(self.forces.kl(self.Y, self.forces.halves(self.Y)[0]))

    def snapshot(self) -> State:
        """Return the state, up to date."""
        state = self.state
        state.Y, state.velocity, state.gains, state.order = (
            tensor.cpu().numpy() for tensor in (self.Y, self.velocity, self.gains, self.order)
        )
        return state

    def positions(self) -> NDArray[np.float32]:
        """Bring back a copy of the map, its rows in the order of the items."""
        Y = torch.empty_like(self.Y)
        Y[self.order] = self.Y
        return Y.cpu().numpy()
