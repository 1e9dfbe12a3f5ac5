"""The content of a map in parts that a browser reads: one description, and compressed arrays.

Page, server and notebook have the same parts and differ only in how they pass them on. Arrays are little-endian and
compressed with gzip; ``web/src/content.ts`` reads them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import RelationalData
from mrsne.metrics.card import Report
from mrsne.parameters import ParameterError, check_integer, describe
from mrsne.viewer.atlas import GUTTER, SHEET, capacity, sheet, side_for
from mrsne.viewer.columns import Column, read_columns
from mrsne.viewer.compression import compressed
from mrsne.viewer.details import Coordinates, Details, read_details
from mrsne.viewer.prominence import behind, least_prominence, packed_prominence, prominence
from mrsne.viewer.quadtree import Quadtree, quadtree
from mrsne.viewer.reasons import PAGE_ITEMS, reasons_of
from mrsne.viewer.regions import innermost_regions, packed_regions, page_regions
from mrsne.viewer.reporting import COLUMN, described, item_column, page_report
from mrsne.viewer.spacing import LEVELS, PIXELS, STEP, levels_of

FORMAT = 1
SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL = 26.0, 56.0  # pixels at level 0
THUMBNAIL_GROWTH = 1.12  # from one level to the next, up to the picture's own size
THUMBNAIL_ROW = 700.0  # pixels of √n thumbnails at level 0 side by side, so that few pictures are shown larger
SPACING = 0.86  # of thumbnails, as a share of their size: they may overlap a little
LABEL = (64.0, 17.0)  # pixels that a name takes, roughly
LABELS_PER_SQUARE = 512


class Content:
    """A map in parts.

    Parameters
    ----------
    embedding : Embedding, or another mapping of str to array of shape (n, 2)
    data : RelationalData, optional
        Gives names, links and thumbnails; on a cluster, names only.
    columns : mapping of str to mapping of str to values, optional
        For a domain, columns by which it can be coloured.
    title : str
    side : int, optional
        Pixels of a thumbnail; by default depends on how many there are.
    report : Report or bool, default=True
        The report card that the page shows; by default one is computed in a few seconds, or False for none.
    foremost : mapping of str to boolean array, optional
        Items whose thumbnails and names are shown before those of all others of their domain.
    explained : int
        Most items of a map whose strongest affinities are shown: they are computed anew, in seconds.
    settings : mapping of str to object, optional
        Of these affinities; by default those that the embedding keeps.

    Attributes
    ----------
    about : dict
        The description.
    parts : mapping of str to function
        Each returns the bytes of a part: compressed with gzip, or a sheet of thumbnails as WebP.
    columns : dict of str to list of Column
        By domain.
    details : Details
    report : Report or None
    """

    def __init__(
        self,
        embedding: Coordinates,
        data: RelationalData | None = None,
        *,
        columns: Mapping[str, Any] | None = None,
        title: str = "mrsne",
        side: int | None = None,
        report: Report | bool = True,
        foremost: Mapping[str, NDArray[np.bool_]] | None = None,
        explained: int = PAGE_ITEMS,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.details = details = read_details(data)
        check_fit(embedding, data)
        if columns is not None and not isinstance(columns, Mapping):
            raise ParameterError(
                f"columns must be a mapping of domain names to columns of values, got {type(columns).__name__}"
            )
        if side is not None:
            check_integer("thumbnail_side", side, minimum=8)
            side = min(side, SHEET)
        self.report = _read_report(report, embedding, data)
        places, self.about = _normalised(np.concatenate(list(embedding.values())))
        self.parts: dict[str, Callable[[], bytes]] = {"places": lambda: compressed(places.T)}
        self.about |= {"format": FORMAT, "title": str(title), "domains": [], "relations": []}
        self.about |= {"report": described(self.report)}
        self.about |= {"levels": {"count": LEVELS, "pixels": PIXELS, "step": STEP}}
        self._foremost = foremost or {}
        self.columns: dict[str, list[Column]] = {}
        self._add_domains(embedding, details, columns or {}, places, side)
        for index, ((a, b), W) in enumerate(details.relations.items()):
            self._add_relation(index, list(embedding).index(a), list(embedding).index(b), W)
        self._add_shares(getattr(embedding, "weights", None) or {})  # other mappings of coordinates have none
        reasons = reasons_of(embedding, data, explained, settings)
        self.about["reasons"] = None if reasons is None else reasons.about
        self.parts |= {} if reasons is None else reasons.parts
        self._add_regions(embedding, data, bool(details.pictures))

    def colour_by(self, domain: str, column: str) -> None:
        """Let the map be coloured by a column when it is opened, and not by kind."""
        index = [about["name"] for about in self.about["domains"]].index(domain)
        names = [about["name"] for about in self.about["domains"][index]["columns"]]
        self.about["colour"] = f"{index}.{names.index(column)}"

    def _add_domains(
        self,
        embedding: Coordinates,
        details: Details,
        columns: Mapping[str, Any],
        places: NDArray[np.float32],
        side: int | None,
    ) -> None:
        for name in columns:
            if name not in embedding:
                raise ParameterError(f"columns names {name!r}, but the domains are {', '.join(map(repr, embedding))}")
        ends = np.cumsum([len(Y) for Y in embedding.values()])[:-1]
        by_domain = dict(zip(embedding, np.split(places, ends), strict=True))
        labelled = [name for name in embedding if name in details.names and name not in details.pictures]
        prominences = {name: prominence(name, by_domain, details) for name in labelled}
        unit = least_prominence(list(prominences.values()))
        for index, (name, Y) in enumerate(embedding.items()):
            own = by_domain[name]
            names, pictures = details.names.get(name), details.pictures.get(name)
            own_columns = _all_columns(details.columns.get(name, {}), columns.get(name))
            found = read_columns(name, own_columns, len(Y))
            placed = [] if COLUMN in own_columns else read_columns(name, item_column(self.report, name), len(Y))
            about: dict[str, Any] = {"name": name, "count": len(Y), "named": names is not None, "thumbnails": None}
            about["identified"] = name in details.ids
            about["placed"] = len(found) if placed else None  # which of the columns it is
            self.columns[name] = [*found, *placed]
            about["columns"] = [self._add_column(index, at, column) for at, column in enumerate(self.columns[name])]
            if placed:
                about["columns"][-1]["decimals"] = 2
            if names is not None:
                self.parts[f"names-{index}"] = partial(_compressed_texts, names)
            if name in details.ids:
                self.parts[f"ids-{index}"] = partial(_compressed_texts, details.ids[name])
            shown = prominences.get(name)
            importance = details.strength(name, len(Y)) if shown is None else shown.values
            if name in self._foremost:
                importance = importance + self._foremost[name] * (1 + importance.max(initial=0))
            about["prominent"] = shown is not None and bool(importance.any())  # whether names come before others
            if pictures is not None:
                about["thumbnails"] = self._add_thumbnails(index, own, importance, pictures, side)
            elif shown is not None:
                boxes = np.tile(np.array(LABEL), (LEVELS, 1))
                self._add_tree(index, own, importance, boxes, LABELS_PER_SQUARE, shown.generic)
                if about["prominent"]:
                    self.parts[f"prominence-{index}"] = partial(_compressed_prominence, importance, unit)
            self.about["domains"].append(about)

    def _add_regions(self, embedding: Coordinates, data: RelationalData | None, pictured: bool) -> None:
        found = page_regions(embedding, data, pictured)
        self.about["regions"] = 0 if found is None else len(found)
        if found is not None:
            innermost = innermost_regions(found, {name: len(Y) for name, Y in embedding.items()})
            frame = self.about["centre"], self.about["reach"]
            self.parts["regions"] = lambda: packed_regions(found, *frame)
            self.parts["region-of"] = lambda: compressed(innermost)

    def _add_thumbnails(
        self,
        index: int,
        places: NDArray[np.float32],
        importance: NDArray[np.float64],
        pictures: NDArray[np.uint8],
        side: int | None,
    ) -> dict[str, Any]:
        pixels = side or side_for(len(pictures), max(pictures.shape[1:3]))
        row = THUMBNAIL_ROW / np.sqrt(max(1, len(pictures)))
        smallest = float(np.clip(row, SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL))
        sizes = np.minimum(smallest * THUMBNAIL_GROWTH ** np.arange(LEVELS), max(pixels, smallest))
        boxes = np.repeat(SPACING * sizes[:, None], 2, axis=1)
        tree = self._add_tree(index, places, importance, boxes, capacity(pixels))
        for node in range(len(tree.nodes)):
            self.parts[f"sheet-{index}-{node}"] = partial(_sheet, pictures, tree, node, pixels)
        return {"side": pixels, "gutter": GUTTER, "smallest": smallest, "growth": THUMBNAIL_GROWTH}

    def _add_tree(
        self,
        index: int,
        places: NDArray[np.float32],
        importance: NDArray[np.float64],
        boxes: NDArray[np.float64],
        most: int,
        generic: NDArray[np.bool_] | None = None,
    ) -> Quadtree:
        levels = levels_of(places, importance, boxes)
        if generic is not None:
            levels = behind(levels, generic)
        tree = quadtree(places, np.lexsort((-importance, levels)), most)
        self.parts[f"tree-{index}"] = lambda: compressed(
            np.array([len(tree.nodes), len(tree.order)], np.uint32), tree.nodes, tree.order, levels[tree.order]
        )
        return tree

    def _add_column(self, index: int, position: int, column: Column) -> dict[str, Any]:
        is_text = column.kind == "text"
        part = partial(_compressed_texts, column.texts) if is_text else partial(compressed, column.values)
        self.parts[f"column-{index}-{position}"] = part
        categories = None if column.categories is None else list(column.categories)
        return {"name": column.name, "kind": column.kind, "categories": categories}

    def _add_relation(self, index: int, a: int, b: int, W: sparse.csr_matrix) -> None:
        W = _undirected(W) if a == b else W.tocsr()
        values = np.minimum(W.data, np.finfo(np.float32).max)  # a copy: the data is the caller's
        weight = float(values[0]) if W.nnz else 1.0
        weighted = bool((values != weight).any())
        described = {"a": a, "b": b, "links": int(W.nnz), "weighted": weighted, "weight": weight}
        self.about["relations"].append(described)
        counts = np.diff(W.indptr).astype(np.uint32)
        weights = values.astype(np.float32) if weighted else np.zeros(0, np.float32)
        self.parts[f"links-{index}"] = lambda: compressed(counts, W.indices.astype(np.uint32), weights)

    def _add_shares(self, weights: Mapping[Any, float]) -> None:
        """Say of every kind and relation how much of the weight it has, where that is known."""
        names = [domain["name"] for domain in self.about["domains"]]
        for domain in self.about["domains"]:
            domain["share"] = weights.get(domain["name"])
        for relation in self.about["relations"]:
            a, b = names[relation["a"]], names[relation["b"]]
            relation["share"] = weights.get((a, b), weights.get((b, a)))


def _undirected(W: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return a graph inside a domain with each link once, with the larger weight where both directions were given."""
    return sparse.triu(W.maximum(W.T), k=1, format="csr")


def _read_report(report: Any, embedding: Coordinates, data: RelationalData | None) -> Report | None:
    """Return the report card that is given, or one of this map."""
    if isinstance(report, bool):
        return page_report(embedding, data) if report else None
    if not isinstance(report, Report):
        raise ParameterError(f"report must be a Report, True or False, got {describe(report)}")
    for name, values in report.item_scores.items():
        if len(values) != (shown := len(embedding.get(name, ()))):
            raise ParameterError(f"report is of {len(values)} items of {name!r}, but the embedding has {shown}")
    return report


def _all_columns(known: Mapping[str, Any], given: Any) -> Any:
    """Return the columns of the data and those that are given, which come first and take the place of their like."""
    if given is None or not known:
        return known if given is None else given
    if not isinstance(given, Mapping) and not hasattr(given, "columns"):
        return given  # no columns; whoever reads them says so
    headings = list(given.columns if hasattr(given, "columns") else given)
    own = {str(heading): given[heading] for heading in headings}
    return {**own, **{heading: values for heading, values in known.items() if heading not in own}}


def _compressed_texts(texts: tuple[str | None, ...]) -> bytes:
    return gzip.compress(json.dumps(texts).encode("ascii"), 6, mtime=0)


def _compressed_prominence(values: NDArray[np.float64], unit: float) -> bytes:
    return compressed(packed_prominence(values, unit))


def _sheet(pictures: NDArray[np.uint8], tree: Quadtree, node: int, side: int) -> bytes:
    return sheet(pictures[tree.items(node)], side)


def check_fit(embedding: Coordinates, data: RelationalData | None) -> None:
    """Raise unless the embedding is a map and the data has its items."""
    for Y in embedding.values():
        if Y.shape[1] != 2:
            raise ParameterError(
                f"an interactive map has 2 dimensions, but the embedding has {Y.shape[1]}; fit with n_components=2"
            )
        if not np.isfinite(Y).all():
            raise ParameterError("embedding must have finite coordinates, but some are NaN or infinite")
    if data is not None and dict(data.sizes) != {name: len(Y) for name, Y in embedding.items()}:
        raise ParameterError(f"data must have the items of the embedding, {embedding}, got {data}")


def _normalised(Y: NDArray[np.float32]) -> tuple[NDArray[np.float32], dict[str, Any]]:
    """Return places between -1 and 1, and the centre and reach that give the coordinates back."""
    exact = Y.astype(np.float64)
    low, high = (exact.min(axis=0), exact.max(axis=0)) if len(exact) else (np.zeros(2), np.ones(2))
    centre, reach = (low + high) / 2, max(float((high - low).max()) / 2, 1e-30)
    return ((exact - centre) / reach).astype(np.float32), {"centre": centre.tolist(), "reach": reach}
