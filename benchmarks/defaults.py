"""Which weights and normalisation serve best, over several data sets: `python -m benchmarks.defaults [awa.npz ...]`."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mrsne import MRSNE, metrics
from mrsne.experiments import Study, load_study

WEIGHTS: tuple[Any, ...] = ("size", "equal", "balanced", 0.3, 0.5, 0.7)
NORMS = ("pmi", "norm")


def scores(study: Study, weights: Any, norm: str, seeds: int) -> list[float]:
    """The scores of the default schedule, over the seeds."""
    data, query, target = study.data, study.query, study.target
    found = []
    for seed in range(seeds):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            Y = MRSNE(weights=weights, relation_norm=norm, random_state=seed).fit_transform(data)
        nearest = metrics.hit_rate(Y, data, [1, min(10, data.sizes[target])], query, target)
        found.append([
            *nearest,
            metrics.hit_rate(Y, data, 1, query, query, study.within),
            metrics.reconstruction_auc(Y, data, query, study.within),
            metrics.link_auc(Y, data, (query, target)),
            metrics.variance_ratio(Y, query, target),
            metrics.neighborhood_preservation(Y, data, query),
        ])  # fmt: skip
    return [float(value) for value in np.mean(found, axis=0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="npz files as for mrsne.datasets.load_arrays")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    studies = [load_study("awa2", file) for file in arguments.files]
    studies += [load_study(name) for name in ("emoji", "groups", "shapes")]
    print(
        "| data | weights | norm | (I) across, k = 1 | k = 10 | (I) within, k = 1 | AUC | link AUC | variances | kept |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for study in studies:
        for weights in WEIGHTS:
            for norm in NORMS:
                cells = [f"{value:.3f}" for value in scores(study, weights, norm, arguments.seeds)]
                print(f"| {study.title} | {weights} | {norm} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
