"""Which weights and normalisation serve best, over several data sets.

    python -m benchmarks.weights emoji icons debian groups classes photos13=awa_photos13.npz awa1_bow=awa1_bow.npz

A name alone is a data set of :mod:`mrsne.datasets`; NAME=FILE is what ``RelationalData.save`` wrote, an npz file as for
``load_arrays``, or for debian what ``apt-cache dumpavail`` prints. Writes every score to a table (CSV), prints a
summary and draws the trade-off. A tenth of the links is held out of every map; see ``metrics.hold_out`` and
docs/metrics.md. A single CSV file in place of data sets is summed up and drawn again.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mrsne import Embedding, RelationalData, datasets, embed, joint_affinities, metrics
from mrsne.model.fit import by_domain

NORMS: dict[str, Any] = {"unnorm": "unnorm", "norm": "norm", "pmi": "pmi", "0.5,0.25": (0.5, 0.25)}
WEIGHTS: dict[str, Any] = {"size": "size", "equal": "equal", "balanced": "balanced", "0.3": 0.3, "0.5": 0.5, "0.7": 0.7}
SETTINGS = [("auto", "auto"), *((weights, norm) for norm in NORMS for weights in WEIGHTS)]
SCORES = ("I@1", "AUC", "R@10", "trustworthiness")
SAME_CLASS = ("photos13", "awa1_bow", "classes")  # whose items belong together if they have the same links
QUERIES = 1_500  # items, at most, that the first two scores are the mean of


def load(name: str, file: Path | None) -> RelationalData:
    """Return a data set."""
    if name == "debian" and (file is None or file.suffix != ".npz"):
        return datasets.load_debian(file)
    if file is None:
        if name == "groups":
            return datasets.make_groups(random_state=0)[0]
        if name == "classes":
            return datasets.make_classes(random_state=0)[0]
        return {"emoji": datasets.load_emoji, "icons": datasets.load_icons}[name]()
    with np.load(file) as content:
        arrays = "image_vectors" in content
    return datasets.load_arrays(file) if arrays else RelationalData.load(file)


def scores(name: str, embedding: Embedding, data: RelationalData, rest: RelationalData, held_out: Any) -> list[float]:
    """Return the four scores; the first domain asks, and relations count alike."""
    query = next(iter(data.sizes))
    targets = [b if a == query else a for a, b in data.relations if query in (a, b)]
    asked = np.random.default_rng(0).permutation(data.sizes[query])[:QUERIES]
    within = "identical" if name in SAME_CLASS else "shared"
    card = metrics.report(embedding, rest, held_out=held_out)
    with_vectors = next(name for name in data.sizes if data.count_vectors(name))
    return [
        float(np.mean([metrics.hit_rate(embedding, data, 1, query, target, queries=asked) for target in targets])),
        metrics.reconstruction_auc(embedding, data, query, within, queries=asked),
        float(np.mean(list(card["held_out_recall_10"].values()))),
        metrics.trustworthiness(embedding, rest, with_vectors, 5),
    ]


def rows_of(task: tuple[str, Path | None, tuple[str, str], int, str]) -> list[list[Any]]:
    """Return the scores of one setting on one data set, a row for each seed."""
    name, file, (weights, norm), seeds, device = task
    warnings.simplefilter("ignore", UserWarning)
    data = load(name, file)
    rest, held_out = metrics.hold_out(data, random_state=0)
    P = joint_affinities(rest, 30.0, NORMS.get(norm, norm), WEIGHTS.get(weights, weights), device=device)
    found = []
    for seed in range(seeds):
        Y = embed(P, random_state=seed, device=device)
        embedding = Embedding(by_domain(Y, rest), data=rest)
        found.append([name, weights, norm, seed, *scores(name, embedding, data, rest, held_out)])
    return found


def summary(rows: list[list[Any]]) -> Iterator[list[str]]:
    """Return, for each data set, the default beside the best setting of the grid and the defaults of before."""
    for name in dict.fromkeys(row[0] for row in rows):
        mean = {
            setting: np.mean([row[4:] for row in rows if (row[0], row[1], row[2]) == (name, *setting)], axis=0)
            for setting in SETTINGS
        }
        grid = {setting: value for setting, value in mean.items() if setting != ("auto", "auto")}
        best = np.max(list(grid.values()), axis=0)
        total = {setting: float(np.mean(value / best)) for setting, value in mean.items()}
        winner = max(grid, key=lambda setting: total[setting])
        for setting in (("auto", "auto"), winner, ("size", "pmi"), ("0.5", "pmi")):
            below = int((mean["auto", "auto"] < mean[setting]).sum())
            yield [
                name,
                setting[0] if setting[0] == "auto" else f"{setting[0]}, {setting[1]}",
                *(f"{value:.3f}" for value in mean[setting]),
                f"{total[setting] / total[winner]:.3f}",
                "" if setting[0] == "auto" else str(below),
            ]


def draw(rows: list[list[Any]], path: Path) -> None:
    """Draw held-out recall against trustworthiness: all settings, the best of them as a curve, the default marked."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 6), layout="constrained")
    for number, name in enumerate(dict.fromkeys(row[0] for row in rows)):
        colour = f"C{number}"
        points = {
            setting: np.mean([(row[7], row[6]) for row in rows if (row[0], row[1], row[2]) == (name, *setting)], axis=0)
            for setting in SETTINGS
        }
        grid = np.array([point for setting, point in points.items() if setting[0] != "auto"])
        # a setting is on the curve if no other has more of both
        outer = grid[[not (grid > point).all(axis=1).any() for point in grid]]
        outer = outer[np.argsort(outer[:, 0])]
        axes.scatter(grid[:, 0], grid[:, 1], s=9, color=colour, alpha=0.35, linewidths=0)
        axes.plot(outer[:, 0], outer[:, 1], color=colour, lw=1.2, marker="o", ms=4, label=name)
        x, y = points["auto", "auto"]
        axes.scatter(x, y, s=150, marker="*", color=colour, edgecolors="black", linewidths=0.8, zorder=3)
    axes.set_xlabel("trustworthiness")
    axes.set_ylabel("R@10 of held-out links")
    axes.legend(title="best of 24 settings; ★ the default", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def measured(arguments: argparse.Namespace) -> list[list[Any]]:
    """Return the scores of all settings on all data sets, which are written as they come."""
    named = [given.partition("=") for given in arguments.sets]
    tasks = [
        (name, Path(file) if file else None, setting, arguments.seeds, arguments.device)
        for name, _, file in named
        for setting in SETTINGS
    ]
    rows_of((*tasks[0][:3], 1, arguments.device))  # compiles everything once
    rows: list[list[Any]] = []
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    with (
        multiprocessing.get_context("spawn").Pool(arguments.processes) as pool,
        arguments.output.open("w", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(["data", "weights", "relation_norm", "seed", *SCORES])
        for found in pool.imap_unordered(rows_of, tasks):
            rows += found
            writer.writerows([*row[:4], *(round(value, 4) for value in row[4:])] for row in found)
            file.flush()
    order = {name: number for number, (name, _, _) in enumerate(named)}
    return sorted(rows, key=lambda row: (order[row[0]], SETTINGS.index((row[1], row[2])), row[3]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="NAME[=FILE]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("weights.csv"))
    arguments = parser.parse_args()
    if arguments.sets[0].endswith(".csv"):
        with open(arguments.sets[0], newline="") as file:
            rows = [[*row[:3], int(row[3]), *map(float, row[4:])] for row in list(csv.reader(file))[1:]]
    else:
        rows = measured(arguments)
    print(f"| data | setting | {' | '.join(SCORES)} | mean, of the best | auto is below in |")
    print("|---|---|---|---|---|---|---|---|")
    for line in summary(rows):
        print(f"| {' | '.join(line)} |")
    draw(rows, arguments.output.with_suffix(".png"))


if __name__ == "__main__":
    main()
