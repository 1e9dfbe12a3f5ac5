"""Two large domains and the links between them, end to end: time by stage, and peak memory.

python -m benchmarks.two_domains --pictures 1000000 --tags 100000 --links 5000000
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from rich.console import Console

import mrsne
from benchmarks.data import clustered
from benchmarks.measure import PeakMemory, resident, watching
from benchmarks.tools import TOOLS


def linked(pictures: int, tags: int, links: int, seed: int = 0) -> mrsne.RelationalData:
    """Pictures and tags of the same thirty clusters; a picture has tags of its cluster, some of them far more often."""
    random = np.random.default_rng(seed)
    X, T = clustered(pictures, seed=seed), clustered(tags, dimension=32, seed=seed + 1)
    cluster = np.random.default_rng(seed).integers(0, 30, pictures)
    tag_cluster = np.random.default_rng(seed + 1).integers(0, 30, tags)
    members = [np.flatnonzero(tag_cluster == c) for c in range(30)]
    picture = random.integers(0, pictures, links)
    place = random.random(links) ** 3  # popular tags first
    tag = np.empty(links, np.int64)
    for c, choice in enumerate(members):
        here = cluster[picture] == c
        tag[here] = choice[(place[here] * len(choice)).astype(np.int64)]
    return mrsne.RelationalData({"picture": X, "tag": T}, {("picture", "tag"): {"picture": picture, "tag": tag}})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=1_000_000)
    parser.add_argument("--tags", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=5_000_000)
    options = parser.parse_args()
    console = Console()
    mrsne.MRSNE(max_iter=60).fit(linked(25_000, 11_000, 50_000))
    start = time.perf_counter()
    data = linked(options.pictures, options.tags, options.links)
    console.print(f"{data}, made and checked in {time.perf_counter() - start:.1f} s, {resident():,.0f} MiB")
    with watching(TOOLS["mrsne"].hooks) as stages, PeakMemory() as memory:
        start = time.perf_counter()
        model = mrsne.MRSNE(random_state=0).fit(data)
        total = time.perf_counter() - start
    for stage, seconds in stages.seconds.items():
        console.print(f"{stage}: {seconds:.1f} s")
    console.print(f"total: {total:.1f} s; KL {model.kl_divergence_:.3f}; recall {model.neighbor_recall_}")
    console.print(f"peak memory: {memory.mebibytes:,.0f} MiB above the {memory.start:,.0f} MiB of data and Python")


if __name__ == "__main__":
    main()
