"""The two halves of the gradient of KL(P̃‖Q̃) on a GPU: the pull of P̃, and the push of all pairs or of a mesh."""

from typing import Any, NamedTuple

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor

from mrsne.arrays import Float32, Float64
from mrsne.backends.gpu.entries import LIMIT, Entries, LongRows
from mrsne.backends.gpu.mesh import Mesh
from mrsne.backends.grid import FINE_STEP
from mrsne.backends.kernel import CAUCHY, StudentKernel, divergence

SUMMED = 2**28  # entries at a time
ROWS = 4  # of P̃ that one program works on
LANES = 32  # entries of a row that it reads at a time
TILE = 64  # points that are compared with as many others at a time


class Halves(NamedTuple):
    Z: Tensor  # Σ_{i≠j} w_ij
    repulsive: Tensor
    attractive: Tensor
    scale: float  # what repulsion has to be multiplied with to be a force


class DeviceForces:
    """Attraction and repulsion for one P̃, whose rows are in the order of the map's."""

    def __init__(self, P: Entries, method: str, kernel: StudentKernel = CAUCHY) -> None:
        n, device = len(P.indptr) - 1, P.device
        self.P, self.device, self.kernel = P, device, kernel
        self.mesh = Mesh(n, device, kernel) if method == "fft" else None
        self.dof = torch.tensor([kernel.dof], dtype=torch.float32, device=device)
        self.total, self.negative_entropy = total_and_entropy(P.values)
        self.attractive = torch.empty((n, 2), dtype=torch.float32, device=device)

    def fit(self, low: Float64, high: Float64, step: float) -> bool:
        """Choose a grid for a map within bounds; return whether memory has changed."""
        return self.mesh is not None and self.mesh.fit(low / self.kernel.unit, high / self.kernel.unit, step)

    def at(self, Y: Tensor) -> Halves:
        """Return the forces at some positions, in the same memory at every call; nothing waits for the device."""
        unit = self.kernel.unit
        U = self._scaled(Y)
        attract(self.P, U, self.attractive)
        if not self.kernel.is_cauchy:
            self.attractive *= unit
        if self.mesh is None:
            Z, repulsive = exact_repulsion(U, self.dof, self.kernel.is_cauchy)
            return Halves(Z, repulsive, self.attractive, 1 / unit)
        Z, gradient = self.mesh.repulsion(U)
        return Halves(Z, gradient, self.attractive, -0.5 / unit)

    def _scaled(self, Y: Tensor) -> Tensor:
        return Y if self.kernel.is_cauchy else Y / self.kernel.unit

    def halves(self, Y: Tensor, step: float = FINE_STEP) -> tuple[float, Tensor, Tensor]:
        self.fit(*bounds(Y), step)
        Z, repulsive, attractive, scale = self.at(Y)
        return float(Z), repulsive * scale, attractive

    def kl(self, Y: Tensor, Z: float) -> float:
        pairs = self.kernel.dof * float(cross_entropy(self.P, self._scaled(Y)))
        return divergence(self.negative_entropy, pairs, self.total, Z)

    def divergence(self, Y: Float32) -> float:
        on_device = torch.from_numpy(np.array(Y)).to(self.device)
        return self.kl(on_device, self.halves(on_device)[0])

    def gradient(self, Y: Float32) -> tuple[float, Float32]:
        on_device = torch.from_numpy(np.array(Y)).to(self.device)
        Z, repulsive, attractive = self.halves(on_device)
        return self.kl(on_device, Z), (4 * (attractive - repulsive / Z)).cpu().numpy()


def bounds(Y: Tensor) -> tuple[Float64, Float64]:
    return Y.amin(dim=0).double().cpu().numpy(), Y.amax(dim=0).double().cpu().numpy()


def total_and_entropy(values: Tensor) -> tuple[float, float]:
    """Return Σ p and Σ p log p, in double precision, for a limited number of entries at a time."""
    total, entropy = 0.0, 0.0
    for p in values.split(SUMMED):
        total += float(p.sum(dtype=torch.float64))
        entropy += float(torch.xlogy(p, p).sum(dtype=torch.float64))
    return total, entropy


@triton.jit
def falloff(squared):
    """Return 1/(1+ρ²): what weighs attraction, and the Cauchy kernel itself."""
    return 1.0 / (1.0 + squared)


@triton.jit
def negative_log(squared):
    """Return log(1+ρ²), which is −log w divided by α."""
    return tl.log(1.0 + squared)


@triton.jit
def similarity(weight, dof, CAUCHY: tl.constexpr):
    """Return w = (1+ρ²)^−α from 1/(1+ρ²)."""
    if CAUCHY:
        return weight
    else:
        return tl.exp(dof * tl.log(weight))


@triton.jit
def _both(word):
    """Return both coordinates of an item from one 64-bit word: fetching from scattered places takes the time."""
    x = (word & 0xFFFFFFFF).to(tl.int32).to(tl.float32, bitcast=True)
    return x, (word >> 32).to(tl.int32).to(tl.float32, bitcast=True)


@triton.jit
def _attract(
    begin, end, owner, indices, values, words, force, sums, n,
    SEGMENTS: tl.constexpr, LIMIT: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr, ENTROPY: tl.constexpr,
):  # fmt: skip
    """Sum p̃_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²), or p̃_ij log(1 + ‖y_i − y_j‖²), over rows or segments."""
    slots = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    here = slots < n
    first = tl.load(begin + slots, mask=here, other=0)
    count = (tl.load(end + slots, mask=here, other=0) - first).to(tl.int32)
    if SEGMENTS:
        rows = tl.load(owner + slots, mask=here, other=0)
    else:
        rows = slots
        count = tl.minimum(count, LIMIT)
    x, y = _both(tl.load(words + rows, mask=here, other=0))
    lanes = tl.arange(0, LANES)
    fx = tl.zeros((ROWS, LANES), tl.float32)
    fy = tl.zeros((ROWS, LANES), tl.float32)
    total = tl.zeros((ROWS, LANES), tl.float64)
    longest = tl.max(count, 0)
    start = 0
    while start < longest:
        inside = (start + lanes)[None, :] < count[:, None]
        at = first[:, None] + start + lanes[None, :]
        j = tl.load(indices + at, mask=inside, other=0, eviction_policy="evict_first")
        p = tl.load(values + at, mask=inside, other=0.0, eviction_policy="evict_first")
        xj, yj = _both(tl.load(words + j, mask=inside, other=0, eviction_policy="evict_last"))
        dx, dy = x[:, None] - xj, y[:, None] - yj
        if ENTROPY:
            dx64, dy64 = dx.to(tl.float64), dy.to(tl.float64)
            total += tl.where(inside, p.to(tl.float64) * negative_log(dx64 * dx64 + dy64 * dy64), 0.0)
        else:
            pull = p * falloff(dx * dx + dy * dy)
            fx += tl.where(inside, pull * dx, 0.0)
            fy += tl.where(inside, pull * dy, 0.0)
        start += LANES
    if ENTROPY:
        tl.store(sums + tl.program_id(0), tl.sum(tl.sum(total, 1), 0))
    else:
        tl.store(force + 2 * slots, tl.sum(fx, 1), mask=here)
        tl.store(force + 2 * slots + 1, tl.sum(fy, 1), mask=here)


def attract(P: Entries, Y: Tensor, force: Tensor) -> None:
    """Compute F_i = Σ_j p̃_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²), the attraction, in units of the kernel."""
    _launch(P, Y, force, force, False)
    if (long := P.long_rows) is not None:
        parts = torch.empty((len(long), 2), dtype=torch.float32, device=Y.device)
        _launch(P, Y, parts, parts, False, long)
        force[long.rows] += long.totals(parts)


def cross_entropy(P: Entries, Y: Tensor) -> Tensor:
    """Return Σ_ij p̃_ij log(1 + ‖y_i − y_j‖²), in double precision."""
    sums = torch.empty(triton.cdiv(len(Y), ROWS), dtype=torch.float64, device=Y.device)
    _launch(P, Y, Y, sums, True)
    total = sums.sum()
    if (long := P.long_rows) is not None:
        sums = torch.empty(triton.cdiv(len(long), ROWS), dtype=torch.float64, device=Y.device)
        _launch(P, Y, Y, sums, True, long)
        total += sums.sum()
    return total


def _launch(P: Entries, Y: Tensor, force: Any, sums: Any, entropy: bool, long: LongRows | None = None) -> None:
    edges = (P.indptr, P.indptr[1:], P.indptr) if long is None else (long.first, long.last, long.owner)
    count = len(Y) if long is None else len(long)
    blocks = {"ROWS": ROWS, "LANES": LANES, "LIMIT": LIMIT, "num_warps": 1}
    _attract[(triton.cdiv(count, ROWS),)](
        *edges, P.indices, P.values, Y.view(torch.int64), force, sums, count,
        SEGMENTS=long is not None, ENTROPY=entropy, **blocks,
    )  # fmt: skip


@triton.jit
def _all_pairs(Y, potentials, force, factor, n, CAUCHY: tl.constexpr, TILE: tl.constexpr):
    """Sum w_ij and α w_ij f_ij (y_i − y_j) over all j, with f_ij = 1/(1+‖y_i−y_j‖²) and w = f^α."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    here = i < n
    x = tl.load(Y + 2 * i, mask=here, other=0.0)
    y = tl.load(Y + 2 * i + 1, mask=here, other=0.0)
    total = tl.zeros((TILE,), tl.float64)
    fx = tl.zeros((TILE,), tl.float64)
    fy = tl.zeros((TILE,), tl.float64)
    dof = tl.load(factor)
    start = 0
    while start < n:
        j = start + tl.arange(0, TILE)
        there = j < n
        dx = x[:, None] - tl.load(Y + 2 * j, mask=there, other=0.0)[None, :]
        dy = y[:, None] - tl.load(Y + 2 * j + 1, mask=there, other=0.0)[None, :]
        f = falloff(dx * dx + dy * dy)
        w = tl.where(there[None, :], similarity(f, dof, CAUCHY), 0.0)
        total += tl.sum(w, 1).to(tl.float64)
        fx += tl.sum(w * f * dx, 1).to(tl.float64)
        fy += tl.sum(w * f * dy, 1).to(tl.float64)
        start += TILE
    tl.store(potentials + tl.program_id(0), tl.sum(tl.where(here, total, 0.0), 0))
    tl.store(force + 2 * i, (dof * fx).to(tl.float32), mask=here)
    tl.store(force + 2 * i + 1, (dof * fy).to(tl.float32), mask=here)


def exact_repulsion(Y: Tensor, dof: Tensor, cauchy: bool) -> tuple[Tensor, Tensor]:
    """Return Z = Σ_{i≠j} w_ij and −½ ∇Φ, the force on every point, in units of the kernel; ``dof`` holds α."""
    count = triton.cdiv(len(Y), TILE)
    potentials = torch.empty(count, dtype=torch.float64, device=Y.device)
    force = torch.empty_like(Y)
    _all_pairs[(count,)](Y, potentials, force, dof, len(Y), CAUCHY=cauchy, TILE=TILE)
    return potentials.sum() - len(Y), force
