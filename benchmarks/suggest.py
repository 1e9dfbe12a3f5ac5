"""Missing links found, beside recommenders of which each is tuned: quality, items without links, calibration, speed.

    python -m benchmarks.suggest emoji icons debian movielens=ml-100k openclipart=openclipart.npz
    python -m benchmarks.suggest --scale

A tenth of the links between items and tags is held out (of MovieLens, a random fifth of all ratings); recall among ten
is the share of held-out links among the ten best that are not known, NDCG@10 and recall@10 are means over items with
held-out links. A recommender has the settings that are best for a tenth of the links that are left, in recall, or for
MovieLens in NDCG; LinkPredictor has none. movielens is a folder with the files of recbole's ``ml-100k``, openclipart
what ``RelationalData.save`` wrote of the case of benchmarks.regions.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.measure import PeakMemory
from benchmarks.recommenders import RECOMMENDERS, Scores, neighbour_tags
from benchmarks.shared_links import movielens
from mrsne import LinkPredictor, RelationalData, datasets
from mrsne.data.relational import arguments_of
from mrsne.metrics import hold_out

Pair = tuple[str, str]
TOP = 10
LIKELY = 0.2  # most suggestions have a score near 0, which is easily right
PAIRS: dict[str, Pair] = {
    "emoji": ("image", "tag"),
    "icons": ("icon", "alias"),
    "debian": ("package", "tag"),
    "openclipart": ("item", "tag"),
    "movielens": ("person", "film"),
}
NEIGHBOURS = (3, 5, 10, 20, 40, 80)


def load(name: str, path: str) -> RelationalData:
    """Return a set by name; some are read from a file."""
    if name == "movielens":
        return movielens(Path(path))[0]
    if name == "openclipart":
        return RelationalData.load(path)
    found: RelationalData = getattr(datasets, f"load_{name}")()
    return found


def with_links(data: RelationalData, pair: Pair, W: sparse.csr_matrix) -> RelationalData:
    """Return data with other links between two kinds."""
    return RelationalData(**{**arguments_of(data), "relations": {**data.relations, pair: W}})


def split(data: RelationalData, pair: Pair, seed: int, everywhere: float | None) -> tuple[Any, Any]:
    """Return links between two kinds, and those held out: a share of all, or a tenth as ``hold_out`` chooses it."""
    W = sparse.csr_matrix(data.relation(*pair) > 0, dtype=np.float64)
    if everywhere is not None:
        return random_split(W, everywhere, seed)
    rest, _ = hold_out(RelationalData(dict(data.sizes), {pair: W}), 0.1, random_state=seed)
    return rest.relations[pair], sparse.csr_matrix(W - rest.relations[pair])


def random_split(W: sparse.csr_matrix, share: float, seed: int) -> tuple[Any, Any]:
    links = W.tocoo()
    order = np.random.RandomState(seed).permutation(links.nnz)
    count = round(share * links.nnz)
    return tuple(
        sparse.csr_matrix((links.data[own], (links.row[own], links.col[own])), shape=W.shape)
        for own in (order[count:], order[:count])
    )


def ten_best(scores: Scores, known: sparse.csr_matrix) -> Any:
    """Return the columns of the ten best scores of each row that are not known, ties in random order."""
    noisy = scores + 1e-9 * np.abs(scores).max() * np.random.RandomState(0).random(scores.shape)
    noisy[known.nonzero()] = -np.inf
    return np.argsort(-noisy, axis=1)[:, :TOP]


def quality(places: Any, held_out: sparse.csr_matrix) -> dict[str, float]:
    """Return recall among ten of all held-out links, and NDCG@10 and recall@10 as means over items."""
    truth = held_out.toarray() > 0
    hits = np.take_along_axis(truth, np.maximum(places, 0), axis=1) & (places >= 0)
    counts = truth.sum(axis=1)
    rows = counts > 0
    discount = 1 / np.log2(np.arange(2, TOP + 2))
    ideal = np.cumsum(discount)[np.minimum(counts[rows], TOP) - 1]
    return {
        "recall among ten": float(hits.sum() / counts.sum()),
        "NDCG@10": float(((hits[rows] * discount).sum(axis=1) / ideal).mean()),
        "recall@10": float((hits[rows].sum(axis=1) / counts[rows]).mean()),
    }


def calibration_error(places: Any, scores: Any, held_out: sparse.csr_matrix, least: float = 0) -> float:
    """Return the expected calibration error of suggestions with at least this score, in ten bins."""
    shown = (places >= 0) & (scores >= least)
    real = np.take_along_axis(held_out.toarray() > 0, np.maximum(places, 0), axis=1)[shown]
    score = scores[shown]
    bins = np.minimum((10 * score).astype(int), 9)
    return float(sum(abs(real[bins == b].mean() - score[bins == b].mean()) * (bins == b).mean() for b in set(bins)))


def tuned(name: str, W: sparse.csr_matrix, measure: str, seed: int) -> tuple[str, Scores]:
    """Return the scores of a recommender with the settings that are best for links held out once more."""
    rest, held_out = random_split(W, 0.1, seed + 100)
    candidates = list(RECOMMENDERS[name]())
    if len(candidates) > 1:
        candidates = [max(candidates, key=lambda own: quality(ten_best(own[1](rest), rest), held_out)[measure])]
    settings, scorer = candidates[0]
    return settings, scorer(W)


def compare(name: str, path: str, seed: int) -> None:
    """Print how well every method predicts held-out links, and the calibration error."""
    data, pair, is_movielens = load(name, path), PAIRS[name], name == "movielens"
    measure = "NDCG@10" if is_movielens else "recall among ten"
    W, held_out = split(data, pair, seed, 0.2 if is_movielens else None)
    rows = {}
    for method in RECOMMENDERS:
        settings, scores = tuned(method, W, measure, seed)
        rows[f"{method} {settings}"] = quality(ten_best(scores, W), held_out)
    start = time.perf_counter()
    places, scores = LinkPredictor(random_state=seed).fit(with_links(data, pair, W)).suggest(*pair)
    seconds = time.perf_counter() - start
    rows["LinkPredictor"] = quality(places, held_out)
    if any(data.count_vectors(kind) for kind in data.sizes):
        bare = RelationalData(dict(data.sizes), {**data.relations, pair: W})
        rows["… without vectors"] = quality(LinkPredictor(random_state=seed).fit(bare).suggest(*pair)[0], held_out)
    for method, found in rows.items():
        print(f"| {name} | {seed} | {method} | {' | '.join(f'{value:.3f}' for value in found.values())} |", flush=True)
    if is_movielens:  # scores are for a tenth missing
        W, held_out = random_split(sparse.csr_matrix(data.relation(*pair) > 0, dtype=np.float64), 0.1, seed)
        places, scores = LinkPredictor(random_state=seed).fit(with_links(data, pair, W)).suggest(*pair)
    errors = [calibration_error(places, scores, held_out, least) for least in (0, LIKELY)]
    print(f"| {name} | {seed} | calibration error {errors[0]:.3f}, of scores from {LIKELY} on {errors[1]:.3f} |")
    print(f"| {name} | {seed} | {seconds:.0f} s |", flush=True)


def without_any_link(name: str, path: str, seed: int) -> None:
    """Print how well the links of items without any are predicted, beside the tags of neighbours by vector."""
    data, pair = load(name, path), PAIRS[name]
    W = sparse.csr_matrix(data.relation(*pair) > 0, dtype=np.float64)
    can = np.flatnonzero((np.diff(W.indptr) > 0) & ~data.missing[pair[0]])
    chosen = np.random.RandomState(seed).permutation(can)
    hidden, validation = np.sort(chosen[: len(can) // 10]), np.sort(chosen[len(can) // 10 : len(can) // 5])

    def hide(links: sparse.csr_matrix, rows: Any) -> tuple[Any, Any]:
        own = np.isin(np.arange(links.shape[0]), rows).astype(float)
        return tuple(sparse.csr_matrix(sparse.diags_array(kept) @ links) for kept in (1 - own, own))

    rest, held_out = (part for part in hide(W, hidden))
    for part in (rest, held_out):
        part.eliminate_zeros()
    known, wanted = hide(rest, validation)
    known.eliminate_zeros()
    X, measure = data.vectors[pair[0]], "recall among ten"
    k = max(NEIGHBOURS, key=lambda k: quality(ten_best(neighbour_tags(X, known, k), known), wanted)[measure])
    places, scores = LinkPredictor(random_state=seed).fit(with_links(data, pair, rest)).suggest(*pair, hidden)
    truth = held_out[hidden]
    by_neighbours = quality(ten_best(neighbour_tags(X, rest, k)[hidden], rest[hidden]), truth)
    for method, found in ((f"kNN tags k={k}", by_neighbours), ("LinkPredictor", quality(places, truth))):
        print(f"| {name}, no link | {seed} | {method} | {' | '.join(f'{v:.3f}' for v in found.values())} |")
    print(
        f"| {name}, no link | {seed} | calibration error {calibration_error(places, scores, truth):.3f} |", flush=True
    )


def scale(n_items: int = 100_000, n_tags: int = 10_000, links: int = 53) -> None:
    """Print seconds and memory of a fit and of all suggestions, of items with vectors and five million links."""
    random = np.random.default_rng(0)
    subject = random.integers(0, 200, n_items)
    X = random.normal(size=(200, 64))[subject] + random.normal(size=(n_items, 64))
    order = random.permuted(np.tile(np.arange(n_tags), (200, 1)), axis=1)  # of each subject, its own frequent tags
    rank = np.minimum(random.exponential(300, n_items * links).astype(int), n_tags - 1)
    chosen = order[np.repeat(subject, links), rank]
    spread = random.integers(0, n_tags, n_items * links)
    tags = np.where(random.random(len(chosen)) < 0.8, chosen, spread)
    W = sparse.csr_matrix((np.ones(len(tags)), (np.repeat(np.arange(n_items), links), tags)), shape=(n_items, n_tags))
    data = RelationalData({"item": X.astype(np.float32), "tag": n_tags}, {("item", "tag"): W})
    print(data, flush=True)
    for step in ("fit", "suggest"):
        with PeakMemory() as memory:
            start, busy = time.perf_counter(), time.process_time()
            if step == "fit":
                predictor = LinkPredictor(random_state=0).fit(data)
            else:
                predictor.suggest("item", "tag")
            seconds, busy = time.perf_counter() - start, time.process_time() - busy
        added = f"{memory.mebibytes / 1024:.2f} GiB more than before"
        print(f"{step}: {seconds:.1f} s ({busy:.1f} s of processor time), {added}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="NAME[=PATH]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--scale", action="store_true", help="measure speed and memory with 100,000 items")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    if arguments.sets:
        print("| data | seed | method | recall among ten | NDCG@10 | recall@10 |\n|---|---|---|---|---|---|")
    for given in arguments.sets:
        name, _, path = given.partition("=")
        for seed in range(arguments.seeds):
            compare(name, path, seed)
            if name != "movielens":
                without_any_link(name, path, seed)
    if arguments.scale:
        scale()


if __name__ == "__main__":
    main()
