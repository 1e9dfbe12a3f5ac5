"""Why an item is where it is: its strongest affinities, and which of them the map does not honour."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from mrsne.affinity.joint import affinities_of
from mrsne.arrays import Bool, Float32, Float64, Int64
from mrsne.backends.cpu.shared_links import what_is_shared
from mrsne.data.outline import Outline
from mrsne.data.relational import RelationalData, require_in_memory
from mrsne.layout.inputs import check_affinities
from mrsne.metrics.memory import Memory, memory_of
from mrsne.parameters import ParameterError, check_integer, describe

FAR_ITEMS = 100  # items that lie nearer than a far one without being linked
FAR_SHARE = 0.25  # of all items of the kind, where that is fewer
DEFAULTS = {"weights": "auto", "relation_norm": "auto"}  # of MRSNE, where a map does not say


class Strongest(NamedTuple):
    """The strongest affinities of several items, as shares of all affinities of each."""

    rows: Int64  # which of the items, in ascending order
    others: Int64  # positions among all items; for each item those of its own kind first
    shares: Float64  # descending within these and within the rest
    by_domain: Float64  # of shape (items, domains), the share of all affinities to a domain


def settings_of(embedding: Any) -> dict[str, Any] | None:
    """Return the settings of its affinities that a map keeps, by default those of older versions; None for none."""
    known = getattr(embedding, "settings", None)
    if known is not None:
        return dict(known)
    return dict(DEFAULTS) if getattr(embedding, "relation_norm", None) == "conditional" else None


def map_affinities(
    data: RelationalData, settings: Mapping[str, Any], memory: Memory | None = None
) -> sparse.csr_matrix:
    """Return P̃ of a map: what its fit has left in its memory, or else computed and left there."""
    found = (memory or Memory()).get("affinities", data, settings, lambda: affinities_of(data, settings))
    P: sparse.csr_matrix = found.gather()
    return P


def strongest(P: sparse.csr_matrix, sizes: Mapping[str, int], items: Int64, count: int) -> Strongest:
    """Return the strongest affinities of items, at most ``count`` to their own kind and as many to others."""
    ends = np.cumsum(list(sizes.values()))
    chosen = P[items]
    chosen.eliminate_zeros()
    chosen = chosen.tocoo()
    totals = np.bincount(chosen.row, chosen.data.astype(np.float64), minlength=len(items))
    shares = chosen.data / totals[chosen.row]
    domains = np.searchsorted(ends, chosen.col, side="right")
    by_domain = np.zeros((len(items), len(sizes)))
    np.add.at(by_domain, (chosen.row, domains), shares)
    elsewhere = domains != np.searchsorted(ends, items, side="right")[chosen.row]
    order = np.lexsort((chosen.col, -shares, elsewhere, chosen.row))
    group = (2 * chosen.row.astype(np.int64) + elsewhere)[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    kept = order[rank < count]
    return Strongest(chosen.row[kept].astype(np.int64), chosen.col[kept].astype(np.int64), shares[kept], by_domain)


def is_far(nearer: int, size: int) -> bool:
    """Return whether an item is far from another, if ``nearer`` items of its kind lie nearer and are not linked."""
    return nearer >= min(FAR_ITEMS, FAR_SHARE * size)


def item_reasons(
    coordinates: Mapping[str, Float32], data: Outline | None, kind: str, item: int | str, P: Any, count: int
) -> dict[str, Any]:
    """Return the columns of a table of an item's strongest affinities."""
    if data is None:
        raise ParameterError("data is needed, but the data of this map is not known; give the data that was embedded")
    known = require_in_memory(data, "reasons need")
    if dict(known.sizes) != {name: len(Y) for name, Y in coordinates.items()}:
        raise ParameterError(f"data must have the items of the embedding, {coordinates}, got {data}")
    check_integer("count", count, minimum=1)
    own = _position(known, kind, item)
    if P is None:
        matrix = map_affinities(known, settings_of(coordinates) or DEFAULTS, memory_of(coordinates))
    else:
        matrix = check_affinities(P)
    if matrix.shape[0] != known.n_items:
        raise ParameterError(f"affinities must be of the {known.n_items} items of the map, got shape {matrix.shape}")
    found = strongest(matrix, known.sizes, np.array([known.offsets[kind] + own]), count)
    return _table(coordinates, known, kind, own, found)


def _position(data: RelationalData, kind: str, item: int | str) -> int:
    if kind not in data.sizes:
        raise ParameterError(f"kind must be one of {', '.join(map(repr, data.sizes))}, got {describe(kind)}")
    if isinstance(item, str):
        names = data.names.get(kind, ())
        if item not in names:
            raise ParameterError(f"item must be a name or a position of {kind!r}, got {describe(item)}")
        return names.index(item)
    check_integer("item", item, minimum=0)
    if item >= data.sizes[kind]:
        raise ParameterError(f"item must be below {data.sizes[kind]}, the number of items of {kind!r}, got {item}")
    return int(item)


def _table(
    coordinates: Mapping[str, Float32], data: RelationalData, kind: str, own: int, found: Strongest
) -> dict[str, Any]:
    names = list(data.sizes)
    starts = np.array([data.offsets[name] for name in names])
    here = coordinates[kind][own].astype(np.float64)
    distances = {name: ((Y.astype(np.float64) - here) ** 2).sum(axis=1) for name, Y in coordinates.items()}
    distances[kind][own] = np.inf  # it is no neighbour of itself
    linked = {name: _linked(data, kind, own, name) for name in names}
    rows = []
    for position, share in zip(found.others.tolist(), found.shares.tolist(), strict=True):
        other = names[int(np.searchsorted(starts, position, side="right")) - 1]
        place = position - data.offsets[other]
        nearer = int((~linked[other] & (distances[other] < distances[other][place])).sum())
        ids, labels = data.names.get(other), data.shown_names(other)
        called = [str(place) if texts is None else texts[place] for texts in (ids, labels)]
        by = _means(data, kind, own, other, place, bool(linked[other][place]))
        rows.append((other, *called, by, round(share, 6), nearer, is_far(nearer, data.sizes[other])))
    headings = ("kind", "id", "label", "by", "share", "nearer", "far")
    return {heading: [row[column] for row in rows] for column, heading in enumerate(headings)}


def _linked(data: RelationalData, kind: str, own: int, other: str) -> Bool:
    """Return which items of a kind an item is linked to."""
    linked = np.zeros(data.sizes[other], bool)
    if (kind, other) in data.relations:
        linked[data.relations[kind, other][[own]].nonzero()[1]] = True
    if (other, kind) in data.relations:  # within a kind the same relation, read the other way
        linked[data.relations[other, kind][:, [own]].nonzero()[0]] = True
    return linked


def _means(data: RelationalData, kind: str, own: int, other: str, place: int, linked: bool) -> str:
    """Return by what two items are tied: by links between kinds, and within one by vectors, or by both."""
    if kind != other:
        return "links"
    if not (data.missing[kind][own] or data.missing[kind][place]):
        return "vector and links" if linked else "vector"
    return "links" if linked else what_is_shared(data, kind, [own, place])
