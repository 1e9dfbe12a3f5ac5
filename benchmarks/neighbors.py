"""Neighbours and affinities of mrsne beside openTSNE's, on data with and without clusters.

    python -m benchmarks.neighbors --size 100000 --repeats 3

The recall is the share of the true 90 nearest neighbours of 500 items that each tool found.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray
from openTSNE.affinity import PerplexityBasedNN
from rich.console import Console
from rich.table import Table

import mrsne
from benchmarks.data import KINDS
from mrsne.affinity.settings import RECALL
from mrsne.backends.cpu.search.neighbors import nearest_neighbors, nearest_to
from mrsne.backends.rows import prepare
from mrsne.threads import threads

K = 90
SAMPLE = 500


def recall(found: NDArray[np.int32], true: NDArray[np.int32], sample: NDArray[np.int64]) -> float:
    hits = [len((set(b) - {i}) & set(a)) for i, a, b in zip(sample, found, true, strict=True)]
    return float(np.sum(hits)) / (K * len(sample))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--data", nargs="+", default=list(KINDS), choices=list(KINDS), metavar="KIND")
    options = parser.parse_args()
    mrsne.joint_affinities(mrsne.RelationalData({"items": KINDS["clustered"](12_000)}))
    table = Table(title=f"seconds from {options.size:,} vectors to affinities, medians")
    for column in ("data", "mrsne", "recall", "openTSNE", "recall", "ratio"):
        table.add_column(column, justify="left" if column == "data" else "right")
    for kind in options.data:
        X = KINDS[kind](options.size)
        sample = np.random.default_rng(0).choice(len(X), SAMPLE, replace=False)
        rows = prepare(X, "euclidean")
        with threads(None):
            true = nearest_to(prepare(X[sample], "euclidean"), rows, K + 1, None, exactly=True).indices
        ours, theirs = [], []
        for _ in range(options.repeats):
            start = time.perf_counter()
            mrsne.joint_affinities(mrsne.RelationalData({"items": X}))
            ours.append(time.perf_counter() - start)
            start = time.perf_counter()
            peer = PerplexityBasedNN(X, perplexity=30, n_jobs=-1, random_state=0)
            theirs.append(time.perf_counter() - start)
        with threads(None):  # the same search once more, to see its result
            found = nearest_neighbors(rows, K, RECALL).indices[sample]
        neighbours = peer._PerplexityBasedNN__neighbors[sample]
        row = (float(np.median(ours)), float(np.median(theirs)))
        table.add_row(
            kind,
            f"{row[0]:.2f}",
            f"{recall(found, true, sample):.3f}",
            f"{row[1]:.2f}",
            f"{recall(neighbours, true, sample):.3f}",
            f"{row[1] / row[0]:.1f}x",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
