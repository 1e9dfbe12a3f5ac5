"""The paper's schematic figures, 2, 4, 9 and 11, drawn from the items and the numbers of a study."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.joint import joint_affinities
from mrsne.data import RelationalData
from mrsne.experiments.labels import GREEN, shortened
from mrsne.experiments.methods import perplexities
from mrsne.experiments.studies import Study
from mrsne.metrics.links import within_truth
from mrsne.model.embedding import Embedding
from mrsne.plot import LIGHT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, GREY, RED = "#2f6fb0", "#b9b9c6", "#c23b3b"
FEW = 5  # items of each domain in Figure 2, and k in Figure 9
NEIGHBOURS = 14  # of the item in the middle of Figure 4


@dataclass(frozen=True)
class Example:
    """A query, some items near and far from it, and some of their tags; and P^(1), if queries have vectors."""

    query: int
    items: NDArray[np.int64]
    tags: NDArray[np.int64]
    P: Any


def example_of(study: Study) -> Example:
    """Return the item with the most links, its nearest and some other items, and tags that tell them apart."""
    data, domain = study.data, study.query
    W = data.relation(domain, study.target).tocsr()
    counts = np.diff(W.indptr)
    query = int(np.argmax(counts))
    P = None
    near = np.zeros(0, np.int64)
    if data.count_vectors(domain) > FEW:
        alone = RelationalData({domain: data.vectors[domain]}, missing={domain: data.missing[domain]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of items without a vector, which the runs have reported
            P = joint_affinities(alone, perplexities(data, study.perplexity)[domain], "pmi", "size").tocsr()
        row = P[query].toarray().ravel()
        near = np.argsort(-row, kind="stable")[:2]
    rest = np.setdiff1d(np.arange(data.sizes[domain]), [query, *near])
    far = np.random.default_rng(1).choice(rest, min(len(rest), FEW - 1 - len(near)), replace=False)
    items = np.array([query, *near, *far], dtype=np.int64)
    shared = np.asarray(W[items].sum(axis=0)).ravel()
    # tags of some of these items, not of all: those tell them apart
    telling = np.where((shared > 0) & (shared < len(items)), shared, shared / 100)
    return Example(query, items, np.argsort(-telling, kind="stable")[:FEW], P)


def proposal_figure(study: Study, embedding: Embedding) -> Figure:
    """Draw Figure 2: links across domains and neighbour graphs inside them become places in one map."""
    from matplotlib.figure import Figure

    example = example_of(study)
    figure = Figure(figsize=(12, 5.2), dpi=130, facecolor="white", layout="constrained")
    left, right = figure.subplots(1, 2)
    x = np.linspace(0.08, 0.92, len(example.items)), np.linspace(0.08, 0.92, len(example.tags))
    W = study.data.relation(study.query, study.target)[example.items][:, example.tags].toarray()
    for i, j in np.argwhere(W > 0):
        left.plot([x[0][i], x[1][j]], [0.66, 0.3], color=GREY, linewidth=1.2, zorder=1)
    if example.P is not None:
        inside = example.P[example.items][:, example.items].toarray()
        for i, j in np.argwhere(np.triu(inside) > 0):
            _arc(left, x[0][i], x[0][j], 0.66, 0.5 + 5 * inside[i, j] / inside.max(), BLUE)
    _items(left, study, example.items, np.stack([x[0], np.full(len(x[0]), 0.66)], axis=1), 0.9)
    for place, tag in zip(x[1], example.tags, strict=True):
        _name(left, study, int(tag), (place, 0.3))
    left.text(0.5, 0.04, "grey: links W; blue: neighbour graph P, wider for larger p", ha="center", fontsize=9)
    left.set(xlim=(0, 1), ylim=(0, 1.1))
    left.set_title(f"links across, neighbour graph inside ({study.query} above, {study.target} below)", fontsize=10)
    Y, T = embedding[study.query], embedding[study.target]
    right.scatter(Y[:, 0], Y[:, 1], s=3, color=GREY, linewidths=0)
    right.scatter(T[:, 0], T[:, 1], s=6, color="#a9d5bb", linewidths=0)
    for i, j in np.argwhere(W > 0):
        a, b = Y[example.items[i]], T[example.tags[j]]
        right.plot([a[0], b[0]], [a[1], b[1]], color=GREY, linewidth=1.0, zorder=1)
    _items(right, study, example.items, Y[example.items], 0.45)
    for tag in example.tags:
        _name(right, study, int(tag), tuple(T[tag]))
    right.set_title("the same items in the map that MR-SNE makes of both", fontsize=10)
    return _bare(figure)


def neighbor_figure(study: Study) -> Figure | None:
    """Draw Figure 4: p_ij falls with the distance between vectors; None for queries without vectors."""
    from matplotlib.figure import Figure

    example = example_of(study)
    if example.P is None:
        return None
    row = example.P[example.query].toarray().ravel()
    near = np.argsort(-row, kind="stable")[: min(NEIGHBOURS, np.count_nonzero(row))]
    vectors: Any = study.data.vectors[study.query]
    X = np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors, dtype=np.float64)
    distances = np.sqrt(((X[near] - X[example.query]) ** 2).sum(axis=1))
    angles = 2.4 * np.arange(len(near))  # the golden angle keeps neighbours of similar distance apart
    radii = distances / max(float(distances.max()), 1e-300)
    places = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)
    figure = Figure(figsize=(11, 5), dpi=130, facecolor="white", layout="constrained")
    left, right = figure.subplots(1, 2)
    for place, item in zip(places, near, strict=True):
        left.plot([0, place[0]], [0, place[1]], color=BLUE, linewidth=0.4 + 6 * row[item] / row.max(), zorder=1)
    _items(left, study, np.array([example.query, *near]), np.concatenate([np.zeros((1, 2)), places]), 0.55)
    left.set_title(f"an item of {study.query} and its neighbours at their true distances", fontsize=10)
    left.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
    _bare(figure)
    others = np.flatnonzero(row)
    spread = np.sqrt(((X[others] - X[example.query]) ** 2).sum(axis=1))
    right.axis("on")
    right.set_aspect("auto")  # it is a diagram
    right.scatter(spread, row[others], s=10, color=BLUE, linewidths=0)
    right.set(xlabel="distance between the vectors", ylabel="p of the pair")
    perplexity = perplexities(study.data, study.perplexity)[study.query]
    right.set_title(f"all its pairs, at perplexity {perplexity:g}", fontsize=10)
    return figure


def metrics_figure(study: Study, embedding: Embedding) -> Figure:
    """Draw Figure 9: the four metrics for one query, k = 5, counted on the map."""
    from matplotlib.figure import Figure

    query = example_of(study).query
    Y = embedding[study.query]
    W = study.data.relation(study.query, study.target)[[query]].toarray().ravel()
    same = within_truth(study.data, study.query, study.within)(np.array([query])).ravel()
    figure = Figure(figsize=(12, 6.2), dpi=130, facecolor="white", layout="constrained")
    cases = ((study.target, embedding[study.target], W > 0, "across"), (study.query, Y, same > 0, "within"))
    for position, (domain, places, true, where) in enumerate(cases, start=1):
        axes = figure.add_subplot(1, 2, position)
        distances = ((places - Y[query]) ** 2).sum(axis=1)
        if domain == study.query:
            distances[query] = np.inf
        nearest = np.argsort(distances, kind="stable")[: min(FEW, len(places) - (domain == study.query))]
        hits = true[nearest]
        for item, hit in zip(nearest, hits, strict=True):
            ends = np.stack([Y[query], places[item]])
            axes.plot(ends[:, 0], ends[:, 1], color=BLUE if hit else RED, linewidth=2, zorder=1)
        reach = 1.35 * max(float(np.sqrt(distances[nearest].max())), 1e-6)
        axes.set(xlim=(Y[query, 0] - reach, Y[query, 0] + reach), ylim=(Y[query, 1] - reach, Y[query, 1] + reach))
        if domain == study.query:
            _items(axes, study, nearest, places[nearest], 0.6)
        else:
            for item in nearest:
                _name(axes, study, int(item), tuple(places[item]), domain)
        _items(axes, study, np.array([query]), Y[[query]], 0.8, edge="#111111")
        title = f"{where}: metric (I) {int(hits.any())}, metric (II) {int(hits.sum())} of k = {len(nearest)}"
        axes.set_title(title, fontsize=11)
    figure.suptitle("one query (framed) and its nearest; blue: a true link, red: none", fontsize=10)
    return _bare(figure)


def duplication_figure(study: Study) -> Figure:
    """Draw Figure 11: many-to-many links become pairs of copies, on which CCA is CDMCA."""
    from matplotlib.figure import Figure

    example = example_of(study)
    items, tags = example.items[[0, 1, -1]], example.tags[:3]  # two alike and one other
    W = study.data.relation(study.query, study.target)[items][:, tags].toarray()
    pairs = np.argwhere(W > 0)
    figure = Figure(figsize=(11, 5), dpi=130, facecolor="white", layout="constrained")
    left, right = figure.subplots(1, 2)
    heights = np.linspace(0.85, 0.15, 3)
    for i, j in pairs:
        left.plot([0.25, 0.7], [heights[i], heights[j]], color=GREY, linewidth=1.5, zorder=1)
    _items(left, study, items, np.stack([np.full(len(items), 0.25), heights[: len(items)]], axis=1), 0.7)
    for j, tag in enumerate(tags):
        _name(left, study, int(tag), (0.75, heights[j]))
    rows = np.linspace(0.92, 0.08, max(len(pairs), 2))
    for row, (i, j) in zip(rows, pairs, strict=False):
        right.plot([0.25, 0.7], [row, row], color=GREY, linewidth=1.5, zorder=1)
        _items(right, study, items[[i]], np.array([[0.25, row]]), min(0.6, 3.4 / len(rows)))
        _name(right, study, int(tags[j]), (0.75, row))
    links = int(study.data.relation(study.query, study.target).nnz)
    left.set_title("many-to-many links", fontsize=10)
    right.set_title(f"one pair for each link ({len(pairs)} here, {links:,} in all)", fontsize=10)
    for axes in (left, right):
        axes.set(xlim=(0, 1), ylim=(0, 1))
    return _bare(figure, equal=False)


def _items(
    axes: Any, study: Study, items: NDArray[np.int64], places: Any, inches: float, edge: str = "#d5d5dc"
) -> None:
    """Draw queries as pictures of this size, or as dots."""
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    if study.query not in study.pictures:
        axes.scatter(places[:, 0], places[:, 1], s=220 * inches, color=LIGHT.colour(0), edgecolors=edge, zorder=3)
        return
    for item, place in zip(items, places, strict=True):
        picture = study.pictures[study.query][item]
        image = OffsetImage(picture, zoom=72 * inches / max(picture.shape[:2]))
        frame = {"edgecolor": edge, "linewidth": 1.2, "facecolor": "white"}
        axes.add_artist(AnnotationBbox(image, place, pad=0.1, bboxprops=frame, zorder=3))


def _name(axes: Any, study: Study, item: int, place: tuple[float, ...], domain: str | None = None) -> None:
    names = study.data.shown_names(domain or study.target)
    text = shortened(names[item]) if names else f"{domain or study.target} {item}"
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
    axes.text(*place, text, ha="center", va="center", fontsize=9, color=GREEN, bbox=box, zorder=4, parse_math=False)


def _arc(axes: Any, start: float, end: float, height: float, width: float, colour: str) -> None:
    """Draw a bow above a row of items."""
    along = np.linspace(0, np.pi, 40)
    x = (start + end) / 2 + (start - end) / 2 * np.cos(along)
    axes.plot(x, height + 0.36 * abs(end - start) * np.sin(along), color=colour, linewidth=width, alpha=0.7, zorder=0)


def _bare(figure: Figure, equal: bool = True) -> Figure:
    for axes in figure.axes:
        axes.axis("off")
        if equal and axes.get_xlim() != (0, 1):
            axes.set_aspect("equal")
    return figure
