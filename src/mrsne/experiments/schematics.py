"""The paper's schematic figures, 2, 4, 9 and 11, drawn from the items and the numbers of a study."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from numpy.typing import NDArray

from mrsne.affinity.joint import joint_affinities
from mrsne.arrays import Float64, Int64
from mrsne.data.relational import RelationalData
from mrsne.experiments.drawing import GREEN, LONGEST, blank_figure
from mrsne.experiments.study import Study, perplexities
from mrsne.metrics.links import within_truth
from mrsne.model.embedding import Embedding
from mrsne.plot.drawing import LIGHT, writable

BLUE, GREY, RED = "#2f6fb0", "#b9b9c6", "#c23b3b"
N_ITEMS = 5  # items of each domain in Figure 2, and k in Figure 9
N_NEIGHBOURS = 14  # of the item in the middle of Figure 4


@dataclass(frozen=True)
class Example:
    """The query of a study with the most links, its nearest and other items, and tags that distinguish them."""

    study: Study
    W: Any  # links from queries to targets
    P: Any  # the neighbour graph of the queries, if they have vectors
    query: int
    items: Int64  # the query first
    tags: Int64


def schematics(study: Study, embedding: Embedding) -> dict[int, Figure]:
    """Return the schematic figures by number; Figure 4 only if queries have vectors."""
    example = example_of(study)
    figures = {2: proposal_figure(example, embedding), 9: metrics_figure(example, embedding)}
    if example.P is not None:
        figures[4] = neighbor_figure(example)
    return {**figures, 11: duplication_figure(example)}


def example_of(study: Study) -> Example:
    """Choose the items that the schematics show."""
    data, domain = study.data, study.query
    W = data.relation(domain, study.target).tocsr()
    query = int(np.argmax(np.diff(W.indptr)))
    P = None
    near = np.zeros(0, np.int64)
    if data.count_vectors(domain) > N_ITEMS:
        alone = RelationalData({domain: data.vectors[domain]}, missing={domain: data.missing[domain]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of items without a vector, which the runs have reported
            P = joint_affinities(alone, perplexities(data, study.perplexity)[domain], "pmi", "size").tocsr()
        near = np.argsort(-P[query].toarray().ravel(), kind="stable")[:2]
    rest = np.setdiff1d(np.arange(data.sizes[domain]), [query, *near])
    far = np.random.default_rng(1).choice(rest, min(len(rest), N_ITEMS - 1 - len(near)), replace=False)
    items = np.array([query, *near, *far], dtype=np.int64)
    shared = np.asarray(W[items].sum(axis=0)).ravel()
    # tags that all of these items have come last: they distinguish none of them
    merits = np.where((shared > 0) & (shared < len(items)), shared, shared / 100)
    return Example(study, W, P, query, items, np.argsort(-merits, kind="stable")[:N_ITEMS])


def proposal_figure(example: Example, embedding: Embedding) -> Figure:
    """Draw Figure 2: links across domains and neighbour graphs inside them become places in one map."""
    study, items, tags = example.study, example.items, example.tags
    figure, left, right = _two_panels(12, 5.2)
    above, below = _places(np.linspace(0.08, 0.92, len(items)), 0.66), _places(np.linspace(0.08, 0.92, len(tags)), 0.3)
    links = np.argwhere(example.W[items][:, tags].toarray() > 0)
    for i, j in links:
        _line(left, above[i], below[j], color=GREY, linewidth=1.2)
    if example.P is not None:
        inside = example.P[items][:, items].toarray()
        for i, j in np.argwhere(np.triu(inside) > 0):
            _arc(left, above[i], above[j], 0.5 + 5 * inside[i, j] / inside.max())
    _draw_items(left, study, items, above, 0.9)
    _write_names(left, study, study.target, tags, below)
    left.text(0.5, 0.04, "grey: links W; blue: neighbour graph P, wider for larger p", ha="center", fontsize=9)
    left.set(xlim=(0, 1), ylim=(0, 1.1))
    left.set_title(f"links across, neighbour graph inside ({study.query} above, {study.target} below)", fontsize=10)
    Y, T = embedding[study.query], embedding[study.target]
    right.scatter(Y[:, 0], Y[:, 1], s=3, color=GREY, linewidths=0)
    right.scatter(T[:, 0], T[:, 1], s=6, color="#a9d5bb", linewidths=0)
    for i, j in links:
        _line(right, Y[items[i]], T[tags[j]], color=GREY, linewidth=1.0)
    _draw_items(right, study, items, Y[items], 0.45)
    _write_names(right, study, study.target, tags, T[tags])
    right.set_title("the same items in the map that MR-SNE makes of both", fontsize=10)
    return _without_axes(figure)


def neighbor_figure(example: Example) -> Figure:
    """Draw Figure 4: p_ij falls with the distance between vectors."""
    study, query = example.study, example.query
    row = example.P[query].toarray().ravel()
    vectors: Any = study.data.vectors[study.query]
    X = np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors, dtype=np.float64)
    distances = np.sqrt(((X - X[query]) ** 2).sum(axis=1))
    near = np.argsort(-row, kind="stable")[: min(N_NEIGHBOURS, np.count_nonzero(row))]
    angles = 2.4 * np.arange(len(near))  # the golden angle keeps neighbours of similar distance apart
    radii = distances[near] / max(float(distances[near].max()), 1e-300)
    places = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)
    figure, left, right = _two_panels(11, 5)
    for place, item in zip(places, near, strict=True):
        _line(left, (0, 0), place, color=BLUE, linewidth=0.4 + 6 * row[item] / row.max())
    _draw_items(left, study, np.array([query, *near]), np.concatenate([np.zeros((1, 2)), places]), 0.55)
    left.set_title(f"an item of {study.query} and its neighbours at their true distances", fontsize=10)
    left.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
    _without_axes(figure)
    others = np.flatnonzero(row)
    right.axis("on")
    right.set_aspect("auto")  # it is a diagram
    right.scatter(distances[others], row[others], s=10, color=BLUE, linewidths=0)
    right.set(xlabel="distance between the vectors", ylabel="p of the pair")
    perplexity = perplexities(study.data, study.perplexity)[study.query]
    right.set_title(f"all its pairs, at perplexity {perplexity:g}", fontsize=10)
    return figure


def metrics_figure(example: Example, embedding: Embedding) -> Figure:
    """Draw Figure 9: the four metrics for one query, k = 5, counted on the map."""
    study, query = example.study, example.query
    Y = embedding[study.query]
    linked = example.W[[query]].toarray().ravel() > 0
    alike = within_truth(study.data, study.query, study.within)(np.array([query])).ravel() > 0
    figure, left, right = _two_panels(12, 6.2)
    cases = ((left, "across", study.target, linked), (right, "within", study.query, alike))
    for axes, where, domain, true in cases:
        places = embedding[domain]
        distances = ((places - Y[query]) ** 2).sum(axis=1)
        if domain == study.query:
            distances[query] = np.inf
        nearest = np.argsort(distances, kind="stable")[: min(N_ITEMS, len(places) - (domain == study.query))]
        hits = true[nearest]
        for item, hit in zip(nearest, hits, strict=True):
            _line(axes, Y[query], places[item], color=BLUE if hit else RED, linewidth=2)
        reach = 1.35 * max(float(np.sqrt(distances[nearest].max())), 1e-6)
        axes.set(xlim=(Y[query, 0] - reach, Y[query, 0] + reach), ylim=(Y[query, 1] - reach, Y[query, 1] + reach))
        if domain == study.query:
            _draw_items(axes, study, nearest, places[nearest], 0.6)
        else:
            _write_names(axes, study, domain, nearest, places[nearest])
        _draw_items(axes, study, np.array([query]), Y[[query]], 0.8, edge="#111111")
        title = f"{where}: metric (I) {int(hits.any())}, metric (II) {int(hits.sum())} of k = {len(nearest)}"
        axes.set_title(title, fontsize=11)
    figure.suptitle("one query (framed) and its nearest; blue: a true link, red: none", fontsize=10)
    return _without_axes(figure)


def duplication_figure(example: Example) -> Figure:
    """Draw Figure 11: many-to-many links become pairs of copies, on which CCA is CDMCA."""
    study = example.study
    items, tags = example.items[[0, 1, -1]], example.tags[:3]  # two alike and one other
    pairs = np.argwhere(example.W[items][:, tags].toarray() > 0)
    figure, left, right = _two_panels(11, 5)
    heights = np.linspace(0.85, 0.15, 3)
    for i, j in pairs:
        _line(left, (0.25, heights[i]), (0.7, heights[j]), color=GREY, linewidth=1.5)
    _draw_items(left, study, items, _places(0.25, heights), 0.7)
    _write_names(left, study, study.target, tags, _places(0.75, heights[: len(tags)]))
    rows = np.linspace(0.92, 0.08, max(len(pairs), 2))[: len(pairs)]
    for row in rows:
        _line(right, (0.25, row), (0.7, row), color=GREY, linewidth=1.5)
    side = min(0.6, 3.4 / max(len(pairs), 2))
    _draw_items(right, study, items[pairs[:, 0]], _places(0.25, rows), side)
    _write_names(right, study, study.target, tags[pairs[:, 1]], _places(0.75, rows))
    left.set_title("many-to-many links", fontsize=10)
    right.set_title(f"one pair for each link ({len(pairs)} here, {example.W.nnz:,} in all)", fontsize=10)
    for axes in (left, right):
        axes.set(xlim=(0, 1), ylim=(0, 1))
    return _without_axes(figure)


def _two_panels(width: float, height: float) -> tuple[Figure, Any, Any]:
    figure = blank_figure(width, height, dpi=130)
    return (figure, *figure.subplots(1, 2))


def _places(x: Any, y: Any) -> Float64:
    return np.column_stack(np.broadcast_arrays(x, y))


def _line(axes: Any, start: Any, end: Any, **style: Any) -> None:
    axes.plot([start[0], end[0]], [start[1], end[1]], zorder=1, **style)


def _arc(axes: Any, start: Float64, end: Float64, width: float) -> None:
    """Draw a bow above two items of a row."""
    along = np.linspace(0, np.pi, 40)
    x = (start[0] + end[0]) / 2 + (start[0] - end[0]) / 2 * np.cos(along)
    y = start[1] + 0.36 * abs(end[0] - start[0]) * np.sin(along)
    axes.plot(x, y, color=BLUE, linewidth=width, alpha=0.7, zorder=0)


def _draw_items(
    axes: Any, study: Study, items: Int64, places: NDArray[Any], inches: float, edge: str = "#d5d5dc"
) -> None:
    """Draw queries as pictures of this size, or as dots."""
    if study.query not in study.pictures:
        axes.scatter(places[:, 0], places[:, 1], s=220 * inches, color=LIGHT.colour(0), edgecolors=edge, zorder=3)
        return
    for item, place in zip(items, places, strict=True):
        picture = study.pictures[study.query][item]
        image = OffsetImage(picture, zoom=72 * inches / max(picture.shape[:2]))
        frame = {"edgecolor": edge, "linewidth": 1.2, "facecolor": "white"}
        axes.add_artist(AnnotationBbox(image, place, pad=0.1, bboxprops=frame, zorder=3))


def _write_names(axes: Any, study: Study, domain: str, items: Int64, places: NDArray[Any]) -> None:
    names = study.data.shown_names(domain)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9, "color": GREEN, "parse_math": False}
    for item, place in zip(items.tolist(), places, strict=True):
        text = writable(names[item], LONGEST) if names else f"{domain} {item}"
        axes.text(*place, text, bbox=box, zorder=4, **style)


def _without_axes(figure: Figure) -> Figure:
    for axes in figure.axes:
        axes.axis("off")
        if axes.get_xlim() != (0, 1):
            axes.set_aspect("equal")
    return figure
