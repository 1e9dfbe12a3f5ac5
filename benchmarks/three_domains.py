"""Three domains and the links between them, from vectors to map: on a GPU, on the processor, or on both.

    python -m benchmarks.three_domains --devices cuda
    python -m benchmarks.three_domains --pictures 100000 --devices cpu

Pictures have tags, some of them far more often than others, and one author each: a tenth and a two-hundredth as many as
there are pictures, with five links a picture in all. Prints seconds by stage, medians of repeats, warm, the longest row
of P̃ (a frequent tag's or author's, which no single program of a GPU may have to read alone), and whether every run
gives the same bits.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np
from rich.console import Console

import mrsne
from benchmarks.data import clustered
from benchmarks.measure import watching
from benchmarks.two_domains import linked

STAGES = {
    "links counted": ["mrsne.affinity.joint:shares_of"],
    "neighbours and P̃": ["mrsne.model.fit:compute_affinities"],
    "start": ["mrsne.layout.embed:initial_layout"],
    "iterations": ["mrsne.layout.embed:descend"],
}


def with_authors(pictures: int, seed: int = 0) -> mrsne.RelationalData:
    """Pictures, tags and authors; an author's place among all decides how many pictures are his."""
    data = linked(pictures, pictures // 10, 4 * pictures, seed)
    authors = max(2, pictures // 200)
    random = np.random.default_rng(seed + 2)
    author = (random.random(pictures) ** 3 * authors).astype(np.int64)
    vectors = {**data.vectors, "author": clustered(authors, dimension=16, seed=seed + 2)}
    by = {"picture": np.arange(pictures), "author": author}
    return mrsne.RelationalData(vectors, {**data.relations, ("picture", "author"): by})


def measure(data: mrsne.RelationalData, device: str, repeats: int, console: Console) -> None:
    """Print the stages of a fit on a device."""
    times: dict[str, list[float]] = defaultdict(list)
    maps = []
    for repeat in range(repeats + 1):
        with watching(STAGES) as stages:
            start = time.perf_counter()
            model = mrsne.MRSNE(device=device, random_state=0).fit(data)
            whole = time.perf_counter() - start
        maps.append(model.embedding_.stacked)
        if repeat:  # the first compiles
            times["data to map"].append(whole)
            for stage, seconds in stages.seconds.items():
                times[stage].append(seconds)
    longest = int(np.diff(model.affinities_.indptr).max())
    shown = ", ".join(f"{stage} {np.median(found):.2f} s" for stage, found in times.items())
    same = all(np.array_equal(maps[0], other) for other in maps)
    console.print(f"{device}: {shown}; KL {model.kl_divergence_:.4f}, longest row {longest:,}, same bits: {same}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=1_000_000)
    parser.add_argument("--devices", nargs="+", default=["cuda"], choices=["cpu", "cuda"])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    console = Console(width=200)
    data = with_authors(options.pictures)
    console.print(f"{data}: {sum(W.nnz for W in data.relations.values()):,} links")
    for device in options.devices:
        measure(data, device, options.repeats, console)


if __name__ == "__main__":
    main()
