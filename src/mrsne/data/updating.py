"""Data with some of its items as they are now: known ones replaced, new ones and new values after the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Int64
from mrsne.data.growth import NewItems, grown
from mrsne.data.relational import RelationalData, arguments_of
from mrsne.data.vectors import DataError


def updated(data: RelationalData, found: NewItems) -> RelationalData:
    """Return data in which the items that were found have the vectors, links, labels and columns found for them."""
    kind = found.domain
    if kind not in data.names:
        raise DataError(f"the items of {kind!r} have no names, so nothing tells which of them have changed")
    for other, names in found.values.items():
        if other != kind and names:
            data = grown(data, NewItems(other, list(names)))
    place = {name: position for position, name in enumerate(data.names[kind])}
    rows = np.array([place.get(name, -1) for name in found.names], np.int64)
    new = np.flatnonzero(rows < 0)
    if len(new):
        added = found.subset(new, found.left_out)
        data = grown(data, NewItems(**{**vars(added), "links": {}, "values": {}}))
    rows[new] = np.arange(len(new)) + len(place)
    parts = arguments_of(data)
    _replace_rows(parts, data, kind, found, rows)
    relations = parts["relations"]
    for other, links in found.links.items():
        pair = (kind, other) if (kind, other) in relations else (other, kind)
        W = data.relation(kind, other)
        renewed = _with_rows(W, rows, links)
        relations[pair] = renewed if pair[0] == kind else renewed.T.tocsr()
    return RelationalData(**parts)


def _replace_rows(parts: dict[str, Any], data: RelationalData, kind: str, found: NewItems, rows: Int64) -> None:
    """Put vectors, labels, columns and thumbnails of the items that were found where they are in the data."""
    old = data.vectors[kind]
    if old is not None and found.vectors is not None:
        without = np.zeros(len(rows), bool) if found.without is None else found.without
        if sparse.issparse(old):
            parts["vectors"][kind] = _with_rows(old, rows, sparse.csr_matrix(found.vectors))
        else:
            given = found.vectors.toarray() if sparse.issparse(found.vectors) else found.vectors
            parts["vectors"][kind] = _put(np.array(old), rows, given.astype(old.dtype))
        parts["missing"][kind] = _put(np.array(data.missing[kind]), rows, without)
    if kind in data.labels and found.labels is not None:
        parts["labels"][kind] = _put(list(data.labels[kind]), rows, found.labels)
    if kind in data.pictures and found.pictures is not None:
        parts["pictures"][kind] = _put(np.array(data.pictures[kind]), rows, found.pictures)
    columns: Mapping[str, Any] = data.columns.get(kind, {})
    if columns:
        parts["columns"][kind] = {
            heading: values if heading not in found.columns else _put(_copied(values), rows, found.columns[heading])
            for heading, values in columns.items()
        }


def _copied(values: Any) -> Any:
    return np.array(values) if isinstance(values, np.ndarray) else list(values)


def _put(values: Any, rows: Int64, given: Any) -> Any:
    """Return values with those given in some rows; numbers stay numbers, and words words."""
    if isinstance(values, np.ndarray):
        values[rows] = np.asarray(given).astype(values.dtype)
        return values
    for row, value in zip(rows.tolist(), _plain(given), strict=True):
        values[row] = value
    return np.array(values, dtype=object) if any(value is None for value in values) else values


def _plain(given: Any) -> Sequence[Any]:
    return given.tolist() if isinstance(given, np.ndarray) else list(given)


def _with_rows(W: sparse.csr_matrix, rows: Int64, given: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return a matrix with other rows in the place of some."""
    stays = np.ones(W.shape[0])
    stays[rows] = 0
    spread = sparse.csr_matrix((np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(W.shape[0], len(rows)))
    result = sparse.csr_matrix(sparse.diags_array(stays) @ W + spread @ given)
    result.eliminate_zeros()
    return result
