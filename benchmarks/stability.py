"""Whether the same data give the same map: another seed, another order, vectors changed a little, another engine.

    python -m benchmarks.stability emoji icons debian openclipart=usr/share/openclipart movielens=ml-100k \\
        photos13=awa_photos13.npz awa1_bow=awa1_bow.npz

Data sets are given as for :mod:`benchmarks.weights`; openclipart as for :mod:`benchmarks.regions` and movielens as for
:mod:`benchmarks.shared_links`. The first table compares a map of the data with maps of the data changed: the Procrustes
disparity of the items that both have, and the share of an item's ten nearest that stay, the worst of three draws. The
second has the divergence and the report card over three seeds, a tenth of the links held out, beside those of
``schedule="stages"``, the default of earlier versions.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree, procrustes

from benchmarks import region_cases, shared_links, weights
from mrsne import MRSNE, Embedding, RelationalData, metrics

NEAREST = 10
LEFT_OUT = 1_000  # one item in so many
NOISE = 1e-6  # of every number of a vector
SCHEDULES: dict[str, dict[str, Any]] = {"stages": {"schedule": "stages", "early_exaggeration": 12}, "default": {}}
Items = Mapping[str, NDArray[np.int64]]  # of each kind, in the order of the rows
Change = Callable[[RelationalData, np.random.Generator], tuple[RelationalData, Items]]


def load(name: str, path: Path | None, cache: str | None) -> RelationalData:
    if name == "openclipart":
        return region_cases.openclipart(str(path), cache).data
    return shared_links.movielens(Path(str(path)))[0] if name == "movielens" else weights.load(name, path)


def rebuilt(data: RelationalData, kinds: list[str], change: Callable[[Any], Any]) -> RelationalData:
    """Return the same items and links with vectors changed and the kinds in another order."""
    vectors = {kind: data.sizes[kind] if data.vectors[kind] is None else change(data.vectors[kind]) for kind in kinds}
    missing = {kind: data.missing[kind] for kind in kinds if data.missing[kind].any() and data.count_vectors(kind)}
    return RelationalData(vectors, dict(data.relations), missing=missing)


def every(data: RelationalData) -> Items:
    return {kind: np.arange(size) for kind, size in data.sizes.items()}


def other_rows(data: RelationalData, random: np.random.Generator) -> tuple[RelationalData, Items]:
    items = {kind: random.permutation(size) for kind, size in data.sizes.items()}
    return data.subset(items), items


def other_kinds(data: RelationalData, random: np.random.Generator) -> tuple[RelationalData, Items]:
    return rebuilt(data, list(data.sizes)[::-1], lambda X: X), every(data)


def other_digits(data: RelationalData, random: np.random.Generator) -> tuple[RelationalData, Items]:
    def noisy(X: Any) -> Any:
        changed = X.astype(np.float64)
        numbers = changed if isinstance(changed, np.ndarray) else changed.data
        numbers *= 1 + NOISE * random.standard_normal(numbers.shape)
        return changed

    return rebuilt(data, list(data.sizes), noisy), every(data)


def left_out(data: RelationalData, random: np.random.Generator) -> tuple[RelationalData, Items]:
    gone = random.choice(data.n_items, -(-data.n_items // LEFT_OUT), replace=False)
    items = {kind: np.setdiff1d(every(data)[kind], gone - data.offsets[kind]) for kind in data.sizes}
    return data.subset(items), items


CHANGES: dict[str, Change] = {
    "order of rows": other_rows,
    "order of kinds": other_kinds,
    "sixth digit": other_digits,
    "0.1 % left out": left_out,
}


def compared(reference: Embedding, other: Embedding, items: Items) -> tuple[float, float]:
    """Return the disparity of the items of both maps, and the share of the ten nearest of each that stay."""
    A = np.concatenate([reference[kind][rows] for kind, rows in items.items()]).astype(np.float64)
    B = np.concatenate([other[kind] for kind in items]).astype(np.float64)
    near, still = (KDTree(Y).query(Y, NEAREST + 1)[1][:, 1:] for Y in (A, B))
    return float(procrustes(A, B)[2]), float((near[:, :, None] == still[:, None, :]).sum() / near.size)


@contextmanager
def other_transforms() -> Iterator[None]:
    """Let the mesh use scipy's transforms, whose rounding is another."""
    os.environ["MRSNE_WITHOUT"] = "transforms"
    try:
        yield
    finally:
        del os.environ["MRSNE_WITHOUT"]


def perturbed(data: RelationalData, seeds: int, settings: dict[str, Any]) -> dict[str, list[tuple[float, float]]]:
    """Return what :func:`compared` says of each change, once for each seed."""

    def fit(data: RelationalData, seed: int = 0, **others: Any) -> Embedding:
        return MRSNE(random_state=seed, **settings, **others).fit_transform(data)

    reference, same = fit(data), every(data)
    found = {"seed": [compared(reference, fit(data, seed), same) for seed in range(1, seeds + 1)]}
    for name, change in CHANGES.items():
        if change is other_digits and not any(data.count_vectors(kind) for kind in data.sizes):
            continue
        changed = [change(data, np.random.default_rng(seed)) for seed in range(1 if change is other_kinds else seeds)]
        found[name] = [compared(reference, fit(other), items) for other, items in changed]
    with other_transforms():
        found["engine"] = [compared(reference, fit(data), same)]
    found["one thread"] = [compared(reference, fit(data, n_jobs=1), same)]
    return found


def quality(data: RelationalData, seeds: int, settings: dict[str, Any]) -> dict[str, list[float]]:
    """Return divergence, the scores of the report card, means over kinds or relations, and seconds of all threads."""
    rest, links = metrics.hold_out(data, random_state=0)
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        start = time.process_time()
        model = MRSNE(random_state=seed, **settings)
        embedding = model.fit_transform(rest)
        scores = {"KL": model.kl_divergence_, "seconds": time.process_time() - start}
        card = metrics.report(embedding, rest, held_out=links)
        scores |= {name: float(np.mean(list(values.values()))) for name, values in card.items() if values}
        for name, score in scores.items():
            found.setdefault(name, []).append(score)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="NAME[=FILE]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--schedules", nargs="*", default=["default"], help="stages, default: of the first table")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cache", help="folder that keeps the vectors of pictures")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    for given in arguments.sets:
        name, _, path = given.partition("=")
        data = load(name, Path(path) if path else None, arguments.cache)
        for schedule in arguments.schedules:
            settings = {**SCHEDULES[schedule], "device": arguments.device}
            for change, pairs in perturbed(data, arguments.seeds, settings).items():
                disparity, kept = max(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
                what = f"{name} | {data.n_items:,} | {schedule} | {change}"
                print(f"| {what} | {disparity:.3f} | {kept:.2f} |", flush=True)
        for schedule, settings in SCHEDULES.items():
            found = quality(data, arguments.seeds, {**settings, "device": arguments.device})
            scores = (f"{score} {np.mean(values):.4f} ± {np.ptp(values):.4f}" for score, values in found.items())
            print(f"| {name} | {schedule} | {' | '.join(scores)} |", flush=True)


if __name__ == "__main__":
    main()
