"""The content of a map in parts that a browser reads: one description, and compressed arrays.

Page, server and notebook have the same parts and differ only in how they pass them on; ``web/src/content.ts`` reads
them. A panel of the page with data that nothing else needs has a module here, and a line in `Content._panels`.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, UInt8
from mrsne.data.outline import Outline, check_known
from mrsne.metrics.card import Report
from mrsne.parameters import ParameterError, check_integer, describe
from mrsne.viewer import spacing
from mrsne.viewer.atlas import GUTTER, SHEET, capacity, sheet, side_for
from mrsne.viewer.details import Column, Coordinates, read_columns, read_details
from mrsne.viewer.flowers import spread_out
from mrsne.viewer.meaning import meaning_panel
from mrsne.viewer.page import Parts
from mrsne.viewer.reasons import PAGE_ITEMS, reasons_panel
from mrsne.viewer.regions import regions_panel
from mrsne.viewer.reporting import COLUMN, changes_panel, item_column, page_report, report_panel
from mrsne.viewer.suggestions import Predictor, suggestions_panel

FORMAT = 1
SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL = 26.0, 56.0  # pixels at level 0
THUMBNAIL_GROWTH = 1.12  # from one level to the next, up to the picture's own size
THUMBNAIL_ROW = 700.0  # pixels of √n thumbnails at level 0 side by side, so that few pictures are shown larger
SPACING = 0.86  # of thumbnails, as a share of their size: they may overlap a little
LABEL = (64.0, 17.0)  # pixels that a name takes, roughly
LABELS_PER_SQUARE = 512


def packed(made: Any) -> bytes:
    """Return a part as browsers read it: a tuple of arrays in a row, little-endian, or else JSON; with gzip."""
    if isinstance(made, tuple):
        raw = b"".join(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes() for array in made)
    else:
        raw = json.dumps(made, separators=(",", ":")).encode("ascii")
    return gzip.compress(raw, 6, mtime=0)


class Content(Parts):
    """A map in parts: ``about`` is the description, ``parts`` has functions that return the bytes of each part.

    Takes what :meth:`mrsne.Embedding.to_html` takes, and

    - ``side``: pixels of a thumbnail; by default depends on how many there are;
    - ``foremost``: items, by domain, whose thumbnails and names are shown before those of all others;
    - ``explained``: the most items of a map whose strongest affinities are shown; they may take seconds to compute;
    - ``settings``: of these affinities; by default those that the embedding keeps.
    - ``suggestions``: what predicts links that may be missing.
    """

    def __init__(
        self,
        embedding: Coordinates,
        data: Outline | None = None,
        *,
        columns: Mapping[str, Any] | None = None,
        title: str = "mrsne",
        side: int | None = None,
        report: Report | bool = True,
        foremost: Mapping[str, Bool] | None = None,
        explained: int = PAGE_ITEMS,
        settings: Mapping[str, Any] | None = None,
        suggestions: Predictor | None = None,
    ) -> None:
        self.details = read_details(data)
        _check_fit(embedding, data)
        check_known("columns", columns, embedding)
        if side is not None:
            check_integer("thumbnail_side", side, minimum=8)
        self.report = _read_report(report, embedding, data)
        self.parts = {}
        self.columns: dict[str, list[Column]] = {}
        shown, sharing = spread_out(embedding)
        places, frame = _normalised(np.concatenate(list(shown.values())))
        self._add("places", lambda: (places.T,))
        self.about = {"format": FORMAT, "title": str(title), **frame}
        self.about["crowded"] = any((counts > 1).any() for counts in sharing.values())
        if self.about["crowded"]:
            self._add("sharing", lambda: (np.concatenate(list(sharing.values())).astype(np.uint32),))
        self.about["levels"] = {"count": spacing.LEVELS, "pixels": spacing.PIXELS, "step": spacing.STEP}
        ends = np.cumsum([len(Y) for Y in embedding.values()])[:-1]
        self._places = dict(zip(embedding, np.split(places, ends), strict=True))
        self._side, self._foremost = side, foremost or {}
        self._weights = getattr(embedding, "weights", None) or {}  # other mappings of coordinates have none
        self.about["domains"] = self._add_domains(columns or {})
        relations = enumerate(self.details.relations.items())
        self.about["relations"] = [self._add_relation(index, pair, W) for index, (pair, W) in relations]
        for name, described, parts in self._panels(embedding, data, explained, settings, suggestions):
            self.about[name] = described
            for part, make in parts.items():
                self._add(part, make)
        if self.about["regions"] and not self.details.pictures:
            self.about["colour"] = "region"  # dots of one colour show no parts

    def _panels(
        self,
        embedding: Coordinates,
        data: Outline | None,
        explained: int,
        settings: Mapping[str, Any] | None,
        suggestions: Predictor | None,
    ) -> Iterator[tuple[str, Any, Mapping[str, Callable[[], Any]]]]:
        """Yield what panels of the page read: a name, what the description has under it, and parts."""
        centre, reach = self.about["centre"], self.about["reach"]
        yield "report", *report_panel(self.report)
        yield "changes", *changes_panel(getattr(embedding, "changes", None))
        yield "reasons", *reasons_panel(embedding, data, explained, settings)
        yield "regions", *regions_panel(embedding, data, bool(self.details.pictures), centre, reach)
        offsets = np.cumsum([0, *map(len, embedding.values())])[:-1].tolist()
        starts = dict(zip(embedding, offsets, strict=True))
        yield "meaning", *meaning_panel(self.details, starts)
        yield "suggestions", *suggestions_panel(suggestions, data, starts)

    def _add(self, name: str, make: Callable[[], Any]) -> None:
        self.parts[name] = lambda: packed(make())

    def colour_by(self, domain: str, column: str) -> None:
        """Let the map be coloured by a column when it is opened, and not by kind."""
        index = [about["name"] for about in self.about["domains"]].index(domain)
        names = [about["name"] for about in self.about["domains"][index]["columns"]]
        self.about["colour"] = f"{index}.{names.index(column)}"

    def _add_domains(self, columns: Mapping[str, Any]) -> list[dict[str, Any]]:
        details = self.details
        found = {
            name: spacing.prominence(name, self._places, details.relations, details.strengths[name])
            for name in details.names.keys() - details.pictures.keys()
        }
        unit = spacing.least_prominence(list(found.values()))
        domains = enumerate(self._places)
        return [self._add_domain(index, name, columns.get(name), found.get(name), unit) for index, name in domains]

    def _add_domain(
        self, index: int, name: str, columns: Any, shown: spacing.Prominence | None, unit: float
    ) -> dict[str, Any]:
        """Add the parts of a domain, whose names are ``shown``, and return its description."""
        details = self.details
        about = {"name": name, "count": len(self._places[name]), "share": self._weights.get(name)}
        about |= self._add_columns(index, name, columns)
        about |= {"named": name in details.names, "identified": name in details.ids, "thumbnails": None}
        for part, texts in (("names", details.names), ("ids", details.ids)):
            if name in texts:
                self._add(f"{part}-{index}", partial(list, texts[name]))
        importance = details.strength(name, len(self._places[name])) if shown is None else shown.values
        if name in self._foremost:
            importance = importance + self._foremost[name] * (1 + importance.max(initial=0))
        about["prominent"] = shown is not None and bool(importance.any())  # whether names come before others
        if name in details.pictures:
            about["thumbnails"] = self._add_thumbnails(index, name, importance)
        elif shown is not None:
            boxes = np.tile(np.array(LABEL), (spacing.LEVELS, 1))
            levels = spacing.levels_of(self._places[name], importance, boxes)
            levels[shown.generic] = np.maximum(levels[shown.generic], spacing.STEPS_BACK)
            self._add_tree(index, name, importance, levels, LABELS_PER_SQUARE)
            if about["prominent"]:
                self._add(f"prominence-{index}", lambda: (spacing.packed_prominence(importance, unit),))
        return about

    def _add_columns(self, index: int, name: str, given: Any) -> dict[str, Any]:
        """Add the columns of a domain and, last, how well its items are placed; return what describes them."""
        size = len(self._places[name])
        own = _all_columns(self.details.columns.get(name, {}), given)
        found = read_columns(name, own, size)
        placed = [] if COLUMN in own else read_columns(name, item_column(self.report, name), size)
        self.columns[name] = [*found, *placed]
        described: list[dict[str, Any]] = []
        for position, column in enumerate(self.columns[name]):
            is_text = column.kind == "text"
            make: Callable[[], Any] = partial(list, column.texts) if is_text else partial(tuple, [column.values])
            self._add(f"column-{index}-{position}", make)
            categories = None if column.categories is None else list(column.categories)
            described.append({"name": column.name, "kind": column.kind, "categories": categories})
        if placed:
            described[-1]["decimals"] = 2
        return {"columns": described, "placed": len(found) if placed else None}  # which of them is the last

    def _add_thumbnails(self, index: int, name: str, importance: Float64) -> dict[str, Any]:
        pictures = self.details.pictures[name]
        largest = side_for(len(pictures), max(pictures.shape[1:3])) if self._side is None else self._side
        pixels = min(largest, SHEET)
        row = THUMBNAIL_ROW / np.sqrt(max(1, len(pictures)))
        smallest = float(np.clip(row, SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL))
        sizes = np.minimum(smallest * THUMBNAIL_GROWTH ** np.arange(spacing.LEVELS), max(pixels, smallest))
        boxes = np.repeat(SPACING * sizes[:, None], 2, axis=1)
        levels = spacing.levels_of(self._places[name], importance, boxes)
        tree = self._add_tree(index, name, importance, levels, capacity(pixels))
        for node in range(len(tree.nodes)):
            self.parts[f"sheet-{index}-{node}"] = partial(lambda own: sheet(pictures[own], pixels), tree.items(node))
        return {"side": pixels, "gutter": GUTTER, "smallest": smallest, "growth": THUMBNAIL_GROWTH}

    def _add_tree(self, index: int, name: str, importance: Float64, levels: UInt8, most: int) -> spacing.Quadtree:
        tree = spacing.quadtree(self._places[name], np.lexsort((-importance, levels)), most)
        counts = np.array([len(tree.nodes), len(tree.order)], np.uint32)
        self._add(f"tree-{index}", lambda: (counts, tree.nodes, tree.order, levels[tree.order]))
        return tree

    def _add_relation(self, index: int, pair: tuple[str, str], W: sparse.csr_matrix) -> dict[str, Any]:
        a, b = (list(self._places).index(name) for name in pair)
        # inside a domain each link is there once, with the larger weight where both directions were given
        W = sparse.triu(W.maximum(W.T), k=1, format="csr") if a == b else W.tocsr()
        values = np.minimum(W.data, np.finfo(np.float32).max)  # a copy: the data is the caller's
        weight = float(values[0]) if W.nnz else 1.0
        weighted = bool((values != weight).any())
        counts = np.diff(W.indptr).astype(np.uint32)
        weights = values.astype(np.float32) if weighted else np.zeros(0, np.float32)
        self._add(f"links-{index}", lambda: (counts, W.indices.astype(np.uint32), weights))
        share = self._weights.get(pair, self._weights.get(pair[::-1]))
        return {"a": a, "b": b, "links": int(W.nnz), "weighted": weighted, "weight": weight, "share": share}


def _read_report(report: Any, embedding: Coordinates, data: Outline | None) -> Report | None:
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
    """Return the columns of the data and those that are given, which come first and replace others of their name."""
    if given is None or not known:
        return known if given is None else given
    if not isinstance(given, Mapping) and not hasattr(given, "columns"):
        return given  # no columns; `read_columns` says so
    own = {str(heading): given[heading] for heading in getattr(given, "columns", given)}
    return {**own, **{heading: values for heading, values in known.items() if heading not in own}}


def _check_fit(embedding: Coordinates, data: Outline | None) -> None:
    """Raise unless the embedding is a map and the data has its items."""
    for Y in embedding.values():
        if Y.shape[1] != 2:
            wanted = "an interactive map has 2 dimensions"
            raise ParameterError(f"{wanted}, but the embedding has {Y.shape[1]}; fit with n_components=2")
        if not np.isfinite(Y).all():
            raise ParameterError("embedding must have finite coordinates, but some are NaN or infinite")
    if data is not None and dict(data.sizes) != {name: len(Y) for name, Y in embedding.items()}:
        raise ParameterError(f"data must have the items of the embedding, {embedding}, got {data}")


def _normalised(Y: Float32) -> tuple[Float32, dict[str, Any]]:
    """Return places between -1 and 1, and the centre and reach that give the coordinates back."""
    exact = Y.astype(np.float64)
    low, high = (exact.min(axis=0), exact.max(axis=0)) if len(exact) else (np.zeros(2), np.ones(2))
    centre, reach = (low + high) / 2, max(float((high - low).max()) / 2, 1e-30)
    return ((exact - centre) / reach).astype(np.float32), {"centre": centre.tolist(), "reach": reach}
