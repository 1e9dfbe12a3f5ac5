"""Early exaggeration that fades in stages beside one stage of the same length: divergence and time on the same graphs.

    python -m benchmarks.schedules emoji icons debian groups classes photos13=awa_photos13.npz awa1_bow=awa1_bow.npz

Data sets are given as for :mod:`benchmarks.weights`. Each is embedded with the default weights and with the paper's,
from the same starts under both schedules.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.weights import load
from mrsne import RelationalData, embed, joint_affinities, kl_gradient
from mrsne.layout import schedule

ONE_STAGE = ((1.0, 1.0),)


def runs(P: Any, stages: Any, seeds: int, device: str) -> tuple[list[float], float]:
    """Return the divergence for each seed, and the median time of a run."""
    used, schedule.STAGES = schedule.STAGES, stages
    try:
        divergences, times = [], []
        for seed in range(seeds):
            start = time.perf_counter()
            Y = embed(P, random_state=seed, device=device)
            times.append(time.perf_counter() - start)
            divergences.append(kl_gradient(P, Y)[0])
        return divergences, float(np.median(times))
    finally:
        schedule.STAGES = used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="NAME[=FILE]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    graphs: list[tuple[str, RelationalData, dict[str, str]]] = []
    for given in arguments.sets:
        name, _, file = given.partition("=")
        data = load(name, Path(file) if file else None)
        graphs.append((f"{name}, auto", data, {"weights": "auto", "relation_norm": "auto"}))
        graphs.append((f"{name}, size, PMI", data, {}))
    print("| graph | items | one stage | three stages | change | spread over seeds | time, of one stage |")
    print("|---|---|---|---|---|---|---|")
    for title, data, settings in graphs:
        P = joint_affinities(data, device=arguments.device, **settings)  # type: ignore[arg-type]
        embed(P, random_state=0, max_iter=10, device=arguments.device)  # compiles what it needs
        (before, slow), (after, fast) = (
            runs(P, stages, arguments.seeds, arguments.device) for stages in (ONE_STAGE, schedule.STAGES)
        )
        change = 100 * (np.mean(after) / np.mean(before) - 1)
        spread = f"{np.ptp(before):.4f}, {np.ptp(after):.4f}"
        print(
            f"| {title} | {P.shape[0]:,} | {np.mean(before):.4f} | {np.mean(after):.4f} | {change:+.1f} % | {spread} | "
            f"{fast / slow:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
