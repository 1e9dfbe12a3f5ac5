"""Iterations on a GPU: the state stays there, and one iteration is recorded once and replayed.

Per iteration the processor sends nothing but the place of the grid and reads five numbers: the norm of the gradient and
the bounds of the map, from which it chooses the next grid.
"""

import math

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor

from mrsne.arrays import Float32
from mrsne.backends.base import FARTHEST, LONGEST_STEP, SMALLEST_GAIN, Anchor, Phase, State
from mrsne.backends.cpu.orders import WORTH_FROM
from mrsne.backends.gpu.entries import Entries
from mrsne.backends.gpu.forces import DeviceForces, Halves, bounds
from mrsne.backends.kernel import CAUCHY, StudentKernel

RECORD_AFTER = 4  # iterations in the same memory, from which on one is recorded: a growing map has soon another grid
POINTS = 256  # that one program works on


class DeviceMotion:
    """A state on a device, with the forces that act on it; see :class:`mrsne.backends.base.Motion`."""

    def __init__(
        self, P: Entries, state: State, method: str, kernel: StudentKernel = CAUCHY, anchor: Anchor | None = None
    ) -> None:
        n, device = len(state.Y), P.device
        self.P, self.state = P, state
        self.Y, self.velocity, self.gains = (
            torch.from_numpy(np.array(array)).to(device) for array in (state.Y, state.velocity, state.gains)
        )
        self.order = torch.from_numpy(state.order.copy()).to(device)
        self.anchor = None if anchor is None else _on_device(anchor, self.order)
        self.forces = DeviceForces(P if state.in_order else P.reordered(self.order), method, kernel)
        self.settings = torch.zeros(5, dtype=torch.float32, device=device)
        self.parts = torch.empty((triton.cdiv(n, POINTS), 5), dtype=torch.float64, device=device)
        self.report = torch.zeros(5, dtype=torch.float64, device=device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._same = 0  # iterations in the same memory
        self._phase: Phase | None = None
        if state.in_order:
            self.sort()
        self.low, self.high = bounds(self.Y)

    def sort(self) -> None:
        """Bring the rows into spatial order, on the device, where there are many."""
        if len(self.Y) < WORTH_FROM:
            return
        order = spatial_order(self.Y)
        self.Y, self.velocity, self.gains = self.Y[order], self.velocity[order], self.gains[order]
        self.order = self.order[order]
        if self.anchor is not None:
            self.anchor = tuple(tensor[order] for tensor in self.anchor)
        self._forget()
        self.forces.P = self.P  # what was there is as large as P̃
        self.forces.P = self.P.reordered(self.order)

    def step(self, phase: Phase) -> float:
        if phase is not self._phase:
            self._phase = phase
            rate = min(phase.learning_rate, float(np.finfo(np.float32).max))
            values = [phase.exaggeration, rate, phase.momentum, float(phase.adaptive), float(phase.limited)]
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
        moved, forces = (self.Y, self.velocity, self.gains), self.forces.at(self.Y)
        if self.anchor is not None:
            places, pull, moves = self.anchor
            forces.attractive.addcmul_(pull, self.Y - places).mul_(moves)
            forces.repulsive.mul_(moves)
        take_step(moved, forces, self.settings, self.parts, self.report)

    def _record(self) -> None:
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._iterate()
        self._graph = graph

    def _forget(self) -> None:
        self._graph, self._same = None, 0

    def extent(self) -> float:
        return float(self.Y.double().std(unbiased=False))

    def recentre(self) -> None:
        if self.anchor is not None:
            return
        self.Y -= self.Y.double().mean(dim=0).float()
        self.low, self.high = bounds(self.Y)

    def shift(self, steps: Float32) -> None:
        self.Y += torch.from_numpy(steps).to(self.Y.device)[self.order]
        self.low, self.high = bounds(self.Y)

    def divergence(self) -> float:
        self._forget()
        return float(self.forces.kl(self.Y, self.forces.halves(self.Y)[0]))

    def snapshot(self) -> State:
        state = self.state
        state.Y, state.velocity, state.gains, state.order = (
            tensor.cpu().numpy() for tensor in (self.Y, self.velocity, self.gains, self.order)
        )
        return state

    def positions(self) -> Float32:
        Y = torch.empty_like(self.Y)
        Y[self.order] = self.Y
        return Y.cpu().numpy()


def _on_device(anchor: Anchor, order: Tensor) -> tuple[Tensor, ...]:
    """Return the places of rows in an order, how strongly each is pulled there, and 0 for those that stay, else 1."""
    places, pull = (torch.from_numpy(np.array(array)).to(order.device)[order] for array in (anchor.places, anchor.pull))
    return places, pull.clamp(min=0)[:, None], (pull >= 0).float()[:, None]


@triton.jit
def _take_step(
    Y, velocity, gains, attractive, repulsive, Z, settings, parts, n,
    SCALE: tl.constexpr, LONGEST: tl.constexpr, SMALLEST: tl.constexpr, FARTHEST: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """Move every item against its gradient; ``parts`` receives the squared gradient and the bounds of each run."""
    i = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    here = i < n
    exaggeration, rate = tl.load(settings), tl.load(settings + 1)
    momentum, adaptive, limited = tl.load(settings + 2), tl.load(settings + 3) > 0, tl.load(settings + 4) > 0
    inverse_Z = (SCALE / tl.load(Z)).to(tl.float32)
    squares = tl.zeros((POINTS,), tl.float64)
    length = tl.zeros((POINTS,), tl.float64)
    for k in tl.static_range(2):
        at = 2 * i + k
        pull = tl.load(attractive + at, mask=here, other=0.0)
        push = tl.load(repulsive + at, mask=here, other=0.0)
        g = 4.0 * (exaggeration * pull - push * inverse_Z)
        squares += (g * g).to(tl.float64)
        v = tl.load(velocity + at, mask=here, other=0.0)
        gain = tl.load(gains + at, mask=here, other=0.0)
        along = tl.where(v > 0, g > 0, (v < 0) & (g <= 0))
        raised = tl.where(along, gain * 0.8 + SMALLEST, gain + 0.2)
        gain = tl.where(adaptive, raised, gain)
        v = momentum * v - rate * gain * g
        length += v.to(tl.float64) * v.to(tl.float64)
        tl.store(gains + at, gain, mask=here)
        tl.store(velocity + at, v, mask=here)
    shrink = tl.where(length > LONGEST * LONGEST, LONGEST / tl.sqrt(length), 1.0)
    shrink = tl.where(limited, shrink, 1.0)
    far = tl.zeros((POINTS,), tl.int32)
    for k in tl.static_range(2):
        at = 2 * i + k
        v = (tl.load(velocity + at, mask=here, other=0.0) * shrink).to(tl.float32)
        moved = tl.load(Y + at, mask=here, other=0.0) + v
        tl.store(velocity + at, v, mask=here)
        tl.store(Y + at, moved, mask=here)
        far += tl.where(tl.abs(moved) < FARTHEST, 0, 1)  # NaN is far too
        low = tl.min(tl.where(here, moved, float("inf")), 0)
        high = tl.max(tl.where(here, moved, float("-inf")), 0)
        tl.store(parts + 5 * tl.program_id(0) + 1 + k, low.to(tl.float64))
        tl.store(parts + 5 * tl.program_id(0) + 3 + k, high.to(tl.float64))
    total = tl.where(tl.max(tl.where(here, far, 0), 0) > 0, float("inf"), tl.sum(tl.where(here, squares, 0.0), 0))
    tl.store(parts + 5 * tl.program_id(0), total)


def take_step(moved: tuple[Tensor, ...], forces: Halves, settings: Tensor, parts: Tensor, report: Tensor) -> None:
    """Do a step in place, of positions, velocities and gains; ``report`` receives ‖g‖² and the bounds of the map.

    ``settings`` are exaggeration, learning rate, momentum, and whether steps are adaptive and limited.
    """
    _take_step[(len(parts),)](
        *moved, forces.attractive, forces.repulsive, forces.Z, settings, parts, len(moved[0]),
        SCALE=forces.scale, LONGEST=LONGEST_STEP, SMALLEST=SMALLEST_GAIN, FARTHEST=FARTHEST, POINTS=POINTS,
    )  # fmt: skip
    report[0] = parts[:, 0].sum()
    torch.amin(parts[:, 1:3], dim=0, out=report[1:3])
    torch.amax(parts[:, 3:5], dim=0, out=report[3:5])


def spatial_order(Y: Tensor) -> Tensor:
    low = Y.amin(dim=0)
    scale = (2**16 - 1) / torch.clamp((Y.amax(dim=0) - low).max(), min=1e-30)
    columns = ((Y - low) * scale).long()
    return torch.argsort(_spread_bits(columns[:, 0]) << 1 | _spread_bits(columns[:, 1]), stable=True)


def _spread_bits(numbers: Tensor) -> Tensor:
    """Move bit b of 16-bit numbers to bit 2b."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        numbers = (numbers | (numbers << shift)) & mask
    return numbers
