"""From vectors to a map on a GPU: ``python -m benchmarks.gpu --sizes 2585 100000 1000000``.

For each size, warm, medians of repeats: the stages of P̃ and the start; 750 iterations from there, with the divergence,
the same on the processor from the same start, with each of ``--threads``; a whole fit; each stage of an iteration on
the finished map by CUDA events, with the bytes it has to move against the bandwidth of a copy. With ``--torchdr``, an
iteration of TorchDR's TSNE (which has to be installed) beside ours, by the difference of a longer and a shorter run.
``python -m benchmarks.threads`` has the processor's stages, beside openTSNE.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from benchmarks.data import clustered
from mrsne import MRSNE
from mrsne.affinity.settings import RECALL
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.gpu.backend import GpuBackend
from mrsne.backends.gpu.forces import DeviceForces, Halves, attract
from mrsne.backends.gpu.graph import neighbor_probabilities, symmetrized
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.motion import POINTS, take_step
from mrsne.backends.gpu.neighbors import Search
from mrsne.backends.grid import STEP
from mrsne.backends.rows import prepare
from mrsne.layout.descent import descend
from mrsne.layout.schedule import START_DEVIATION, Run, default_schedule
from mrsne.layout.settings import choose_method
from mrsne.layout.start import initial_layout

ITERATIONS = 750
NEIGHBORS, PERPLEXITY = 90, 30.0


def milliseconds(work: Callable[[], object], repeats: int = 50) -> float:
    """Return the median time of something on the GPU, warm."""
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
    """Return bytes per second of a copy on the GPU, read and written."""
    source = torch.empty(2**30, dtype=torch.float32, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * 4 / (milliseconds(lambda: target.copy_(source), 10) / 1000)


def stages(P: DeviceMatrix, Y: np.ndarray, copied: float) -> dict[str, str]:
    """Return the time of each stage of an iteration on a map, and the share of the bandwidth its bytes take."""
    n = len(Y)
    forces = DeviceForces(P, "fft")
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
        spectral = torch.fft.rfft2(mesh.padded)
        spectral *= mesh.spectrum
        torch.fft.irfft2(spectral, s=mesh.shape)

    cells = mesh.shape[0] * mesh.shape[1]
    work: dict[str, tuple[Callable[[], object], int]] = {
        "attraction": (lambda: attract(P, on_card, attractive), P.values.numel() * 8 + n * 24),
        "spread": (lambda: mesh.spread(on_card), n * 8 + 2 * cells * 2),
        "convolution": (convolve, 4 * cells * 6),
        "gather": (
            lambda: mesh.gather(on_card, potential),
            n * 16 + cells,
        ),
        "step": (
            lambda: take_step(
                (Y_moving, velocity, gains), Halves(Z, gradient, attractive, -0.5), settings, parts, report
            ),
            n * 8 * 8,
        ),
    }
    found = {"grid": f"{mesh.shape[0]} x {mesh.shape[1]}"}
    for name, (function, moved) in work.items():
        time_taken = milliseconds(function)
        found[name] = f"{time_taken:.3f} ms ({100 * moved / copied / (time_taken / 1000):.0f} % of the bandwidth)"
    return found


class Clock:
    """Times of stages."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self._began = 0.0

    def start(self) -> None:
        torch.cuda.synchronize()
        self._began = time.perf_counter()

    def stop(self, stage: str) -> None:
        torch.cuda.synchronize()
        self.times.setdefault(stage, []).append(time.perf_counter() - self._began)
        self.start()

    def __str__(self) -> str:
        # the first time compiles
        return ", ".join(f"{stage} {statistics.median(t[1:] or t):.3f} s" for stage, t in self.times.items())


def affinities(X: np.ndarray, clock: Clock) -> tuple[DeviceMatrix, float]:
    """Return P̃ of some vectors, stage by stage, and the recall."""
    clock.start()
    found = Search(NEIGHBORS, "cuda", RECALL).nearest(prepare(X, "euclidean"))
    clock.stop("neighbours")
    probabilities = neighbor_probabilities(found.squared, PERPLEXITY)
    indices, recall = found.indices, found.recall
    del found
    clock.stop("perplexity")
    P = symmetrized(indices, probabilities)
    clock.stop("symmetry")
    return P, recall


def on_the_processor(P: Any, start: np.ndarray, schedule: Any, threads: list[int | None]) -> Iterator[str]:
    """Run the same iterations on the processor, with several numbers of threads; None stands for all cores."""
    maps = []
    for count in threads:
        backend = CpuBackend(count)
        method = choose_method("auto", len(start), start.shape[1], backend)
        began = time.perf_counter()
        with backend.session():
            Y, kl, _ = descend(backend.load(P), start, Run(schedule, method), backend)
        seconds = time.perf_counter() - began
        maps.append(Y)
        yield f"processor, {'all cores' if count is None else f'threads: {count}'}: {seconds:.2f} s, KL {kl:.4f}"
    if len(maps) > 1:
        yield f"the same bits with all of these: {all(np.array_equal(maps[0], Y) for Y in maps)}"


def measure(n: int, repeats: int, threads: list[int | None], copied: float) -> None:
    """Print all figures for one size."""
    X = clustered(n)
    torch.cuda.reset_peak_memory_stats()
    clock = Clock()
    schedule = default_schedule(n, ITERATIONS, 12.0, "auto", 0.8)
    method = choose_method("auto", n, 2, GpuBackend())
    results = []
    for _ in range(repeats + 1):
        P: Any = None  # the next one needs the room of the last
        P, recall = affinities(X, clock)
        start = initial_layout(P, "spectral", 2, np.random.RandomState(0), START_DEVIATION)
        clock.stop("start")
        results.append(descend(P, start, Run(schedule, method), GpuBackend()))
        clock.stop(f"{ITERATIONS} iterations")
    same = all(np.array_equal(results[0][0], result[0]) for result in results)
    memory = torch.cuda.max_memory_allocated() / 2**30
    print(
        f"{n:,} items, {P.values.numel() / n:.0f} entries a row, {method}: {clock}\n"
        f"    recall {recall:.3f}, KL {results[0][1]:.4f}, same bits: {same}, at most {memory:.1f} GiB on the GPU",
        flush=True,
    )
    if threads:
        for line in on_the_processor(P.to_csr(), start, schedule, threads):
            print(f"    {line}", flush=True)
    if method == "fft":
        for name, text in stages(P, results[0][0], copied).items():
            print(f"    {name}: {text}", flush=True)
    del P
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        MRSNE(device="cuda", random_state=0).fit(X)
        times.append(time.perf_counter() - began)
    print(f"    vectors to map, as a user calls it: {statistics.median(times):.2f} s", flush=True)


def beside_torchdr(n: int, repeats: int) -> None:
    """Print the time of an iteration of TorchDR's TSNE and of ours."""
    from torchdr import TSNE

    X = clustered(n)
    on_card = torch.from_numpy(X).cuda()
    short, long = 50, 150

    def theirs(iterations: int) -> None:
        TSNE(perplexity=PERPLEXITY, max_iter=iterations, device="cuda", random_state=0).fit_transform(on_card)

    P, _ = affinities(X, Clock())
    start = initial_layout(P, "spectral", 2, np.random.RandomState(0), START_DEVIATION)
    method = choose_method("auto", n, 2, GpuBackend())

    def ours(iterations: int) -> None:
        descend(P, start, Run(default_schedule(n, iterations, 12.0, "auto", 0.8), method), GpuBackend())

    found = []
    for work in (theirs, ours):
        differences = []
        for repeat in range(repeats + 1):
            taken = []
            for iterations in (short, long):
                torch.cuda.synchronize()
                began = time.perf_counter()
                work(iterations)
                torch.cuda.synchronize()
                taken.append(time.perf_counter() - began)
            if repeat:
                differences.append(1000 * (taken[1] - taken[0]) / (long - short))
        found.append(statistics.median(differences))
    ratio = found[0] / found[1]
    print(f"{n:,} items: TorchDR {found[0]:.2f} ms an iteration, ours {found[1]:.3f} ms, {ratio:.1f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[2_585, 20_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="*", default=[None], help="of the processor; all cores by default")
    parser.add_argument("--cpu-up-to", type=int, default=100_000, help="largest size also run on the processor")
    parser.add_argument("--torchdr", type=int, metavar="N", help="compare an iteration with TorchDR's at this size")
    arguments = parser.parse_args()
    copied = bandwidth()
    print(f"{torch.cuda.get_device_name()}: copy {copied / 1e12:.2f} TB/s", flush=True)
    for n in arguments.sizes:
        measure(n, arguments.repeats, arguments.threads if n <= arguments.cpu_up_to else [], copied)
    if arguments.torchdr:
        beside_torchdr(arguments.torchdr, arguments.repeats)


if __name__ == "__main__":
    main()
