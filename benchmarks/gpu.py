"""The layout on a graphics card: ``python -m benchmarks.gpu --sizes 2585 100000 1000000``.

For each size: a whole run of 750 iterations on the card (warm, the median of repeats), the same on the processor from
the same start, the divergence of both, and each stage of an iteration on the finished map by CUDA events, with the
bytes it has to move against the bandwidth of a copy.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from scipy import sparse

from benchmarks.data import clustered
from mrsne import RelationalData, joint_affinities
from mrsne.compilation import threads
from mrsne.layout.descent import descend
from mrsne.layout.gpu.attraction import attract
from mrsne.layout.gpu.forces import Forces
from mrsne.layout.gpu.plane import gather_in_the_plane, spread_in_the_plane
from mrsne.layout.gpu.step import POINTS, take_step
from mrsne.layout.gradient import choose_method
from mrsne.layout.initialization import initial_layout
from mrsne.layout.mesh import STEP
from mrsne.layout.schedule import START_DEVIATION, default_schedule

ITERATIONS = 750


def milliseconds(work: Callable[[], object], repeats: int = 50) -> float:
    """Return the median time of something on the card, warm."""
    for _ in range(5):
        work()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return float(statistics.median(times))


def bandwidth() -> float:
    """Return bytes per second of a copy on the card, read and written."""
    source = torch.empty(2**30, dtype=torch.float32, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * 4 / (milliseconds(lambda: target.copy_(source), 10) / 1000)


def stages(P: sparse.csr_matrix, Y: np.ndarray, copied: float) -> dict[str, str]:
    """Return the time of each stage of an iteration on a map, and the share of the bandwidth its bytes take."""
    n = len(Y)
    forces = Forces(P, "fft", "cuda")
    on_card = torch.from_numpy(Y).cuda()
    forces.fit(Y.min(axis=0).astype(float), Y.max(axis=0).astype(float), STEP)
    mesh = forces.mesh
    assert mesh is not None
    Z, gradient = mesh.repulsion(on_card)
    potential = torch.fft.irfft2(torch.fft.rfft2(mesh.padded) * mesh.spectrum, s=mesh.shape)
    Y_moving, velocity, gains = on_card.clone(), torch.zeros_like(on_card), torch.ones_like(on_card)
    settings = torch.tensor([1.0, 0.0, 0.0, 1.0], device="cuda")
    parts = torch.empty((-(-n // POINTS), 5), dtype=torch.float64, device="cuda")
    report = torch.zeros(5, dtype=torch.float64, device="cuda")
    attractive = torch.empty_like(on_card)

    def convolve() -> None:
        waves = torch.fft.rfft2(mesh.padded)
        waves *= mesh.spectrum
        torch.fft.irfft2(waves, s=mesh.shape)

    cells = mesh.shape[0] * mesh.shape[1]
    work: dict[str, tuple[Callable[[], object], int]] = {
        "attraction": (lambda: attract(forces.entries, on_card, attractive), P.nnz * 8 + n * 24),
        "spread": (lambda: spread_in_the_plane(on_card, mesh.place, mesh.charges), n * 8 + 2 * cells * 2),
        "convolution": (convolve, 4 * cells * 6),
        "gather": (
            lambda: gather_in_the_plane(on_card, mesh.place, None, potential, mesh.potentials, mesh.gradient),
            n * 16 + cells,
        ),
        "step": (
            lambda: take_step(Y_moving, velocity, gains, attractive, gradient, Z, -0.5, settings, parts, report),
            n * 8 * 8,
        ),
    }
    found = {"grid": f"{mesh.shape[0]} x {mesh.shape[1]}"}
    for name, (function, moved) in work.items():
        time_taken = milliseconds(function)
        found[name] = f"{time_taken:.3f} ms ({100 * moved / copied / (time_taken / 1000):.0f} % of the bandwidth)"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[2_585, 20_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cpu-up-to", type=int, default=1_000_000, help="largest size also run on the processor")
    arguments = parser.parse_args()
    copied = bandwidth()
    print(f"{torch.cuda.get_device_name()}: copy {copied / 1e12:.2f} TB/s", flush=True)
    for n in arguments.sizes:
        began = time.perf_counter()
        P = joint_affinities(RelationalData({"a": clustered(n)}))
        made = time.perf_counter() - began
        with threads(None):
            began = time.perf_counter()
            start = initial_layout(P, "spectral", 2, np.random.RandomState(0), START_DEVIATION)
            started = time.perf_counter() - began
        schedule = default_schedule(n, ITERATIONS, 12.0, "auto", 0.8)
        method = choose_method("auto", n, 2, "cuda")
        results, times = [], []
        for _ in range(arguments.repeats + 1):
            torch.cuda.synchronize()
            began = time.perf_counter()
            results.append(descend(P, start, schedule, method, device="cuda"))
            times.append(time.perf_counter() - began)
        same = all(np.array_equal(results[0][0], result[0]) for result in results)
        memory = torch.cuda.max_memory_allocated() / 2**30
        print(
            f"{n:,} items, {P.nnz / n:.0f} entries a row, {method}: {statistics.median(times[1:]):.3f} s for "
            f"{ITERATIONS} iterations (first {times[0]:.2f} s), KL {results[0][1]:.4f}, same bits: {same}, "
            f"{memory:.1f} GiB; on the processor affinities {made:.1f} s, start {started:.1f} s",
            flush=True,
        )
        if n <= arguments.cpu_up_to:
            began = time.perf_counter()
            cpu = descend(P, start, schedule, method)
            print(f"    processor: {time.perf_counter() - began:.1f} s, KL {cpu[1]:.4f}", flush=True)
        if method == "fft":
            for name, text in stages(P, results[0][0], copied).items():
                print(f"    {name}: {text}", flush=True)


if __name__ == "__main__":
    main()
