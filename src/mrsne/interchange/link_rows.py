"""The links of some items as a table with one row for each link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def link_rows(data: Any, members: Mapping[str, NDArray[np.int64]] | None = None) -> dict[str, list[Any]]:
    """Return the columns kind, id, linked_kind, linked_id and weight of all links, or of those of some items.

    Parameters
    ----------
    data : RelationalData
    members : mapping of str to array of int, optional
        Positions of the items by domain; a link is one of theirs if either end is.

    Examples
    --------
    >>> import mrsne
    >>> links = {("photo", "tag"): [(0, 0), (1, 0)]}
    >>> data = mrsne.RelationalData({"photo": 2, "tag": 1}, links, names={"tag": ["dog"]})
    >>> link_rows(data, {"photo": np.array([1])})
    {'kind': ['photo'], 'id': ['1'], 'linked_kind': ['tag'], 'linked_id': ['dog'], 'weight': [1.0]}
    """
    rows: dict[str, list[Any]] = {"kind": [], "id": [], "linked_kind": [], "linked_id": [], "weight": []}
    for (a, b), W in data.relations.items():
        links = W.tocoo()
        kept = np.ones(links.nnz, dtype=bool)
        if members is not None:
            kept = (
                _contains(members.get(a), data.sizes[a])[links.row]
                | _contains(members.get(b), data.sizes[b])[links.col]
            )
        rows["kind"] += [a] * int(kept.sum())
        rows["id"] += _ids(data, a, links.row[kept])
        rows["linked_kind"] += [b] * int(kept.sum())
        rows["linked_id"] += _ids(data, b, links.col[kept])
        rows["weight"] += links.data[kept].astype(float).tolist()
    return rows


def _contains(items: NDArray[np.int64] | None, size: int) -> NDArray[np.bool_]:
    inside = np.zeros(size, dtype=bool)
    if items is not None:
        inside[items] = True
    return inside


def _ids(data: Any, domain: str, positions: NDArray[np.int32]) -> list[str]:
    names = data.names.get(domain)
    return [str(position) if names is None else names[position] for position in positions.tolist()]
