"""A map and its links as tables: a row for each item, a row for each link, and DataFrames of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float32, Int32, Int64

AXES = ("x", "y", "z")
CONTAINERS = ("default", "pandas", "polars")  # names of scikit-learn's ``set_output``


def item_rows(
    coordinates: Mapping[str, Float32],
    data: Any = None,
    columns: bool = False,
    members: Mapping[str, Int64] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the columns kind, id, label, x, y, … of all items, kind after kind.

    ``data``, a RelationalData, gives ids and labels; without it, ids are positions. With ``columns``, what else it
    knows of its items follows; a column that several kinds have is one. ``members`` are the positions of the items of
    each kind that count; by default all.
    """
    sizes = {name: len(Y) for name, Y in coordinates.items()}
    ids: list[str] = []
    labels: list[str] = []
    for name, size in sizes.items():
        own = (None if data is None else data.names.get(name)) or [str(position) for position in range(size)]
        ids.extend(own)
        labels.extend((None if data is None else data.shown_names(name)) or own)
    stacked = np.concatenate(list(coordinates.values()))
    axes = AXES if stacked.shape[1] <= len(AXES) else [f"x{axis + 1}" for axis in range(stacked.shape[1])]
    rows: dict[str, NDArray[Any]] = {
        "kind": np.array([name for name, size in sizes.items() for _ in range(size)], object),
        "id": np.array(ids, object),
        "label": np.array(labels, object),
        **{axis: stacked[:, index] for index, axis in enumerate(axes[: stacked.shape[1]])},
    }
    known = getattr(data, "columns", {}) if columns else {}  # data on a cluster has none
    for heading in dict.fromkeys(heading for found in known.values() for heading in found):
        free = heading if heading not in rows else f"{heading} (column)"
        rows[free] = one_column([known.get(name, {}).get(heading) for name in sizes], list(sizes.values()))
    if members is None:
        return rows
    starts = np.cumsum([0, *sizes.values()])
    kept = np.concatenate([start + members[name] for start, name in zip(starts, sizes, strict=False)])
    return {heading: values[kept] for heading, values in rows.items()}


def one_column(parts: list[Any], sizes: list[int]) -> NDArray[Any]:
    """Return one column for several kinds, of which some have none."""
    known = [part for part in parts if part is not None]
    if all(isinstance(part, np.ndarray) and part.dtype == known[0].dtype for part in known):
        empty = np.datetime64("NaT") if known[0].dtype.kind == "M" else np.nan
        blocks = [
            np.full(size, empty, known[0].dtype) if part is None else part
            for part, size in zip(parts, sizes, strict=True)
        ]
        return np.concatenate(blocks)
    texts: list[str | None] = []
    for part, size in zip(parts, sizes, strict=True):
        texts += [None] * size if part is None else [None if value is None else str(value) for value in part]
    return np.array(texts, object)


def link_rows(data: Any, members: Mapping[str, Int64] | None = None) -> dict[str, list[Any]]:
    """Return the columns kind, id, linked_kind, linked_id and weight of all links, or of those of some items.

    ``members`` are the positions of these items by domain; a link is one of theirs if either end is.
    """
    rows: dict[str, list[Any]] = {"kind": [], "id": [], "linked_kind": [], "linked_id": [], "weight": []}
    for (a, b), W in data.relations.items():
        links = W.tocoo()
        kept = np.arange(links.nnz)
        if members is not None:
            own, other = (np.isin(at, members.get(name, [])) for name, at in ((a, links.row), (b, links.col)))
            kept = np.flatnonzero(own | other)
        rows["kind"] += [a] * len(kept)
        rows["id"] += _ids(data, a, links.row[kept])
        rows["linked_kind"] += [b] * len(kept)
        rows["linked_id"] += _ids(data, b, links.col[kept])
        rows["weight"] += links.data[kept].astype(float).tolist()
    return rows


def _ids(data: Any, domain: str, positions: Int32) -> list[str]:
    names = data.names.get(domain)
    return [str(position) if names is None else names[position] for position in positions.tolist()]


def frame_of(columns: Mapping[str, Any], container: str, index: Any = None) -> Any:
    if container == "polars":
        import polars

        kinds = {name: getattr(getattr(values, "dtype", None), "kind", "") for name, values in columns.items()}
        texts = {name: columns[name].tolist() for name, kind in kinds.items() if kind == "O"}
        return polars.DataFrame({name: polars.Series(name, values) for name, values in {**columns, **texts}.items()})
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"a DataFrame needs pandas ({error}): pip install pandas") from error
    return pandas.DataFrame(dict(columns), index=index)
