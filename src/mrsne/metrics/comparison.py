"""Two maps of the same items, compared: what moved, and which neighbours were kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mrsne.arrays import Bool, Float64, Int64
from mrsne.data.interchange.exports import Exports
from mrsne.data.interchange.rows import frame_of, item_rows
from mrsne.data.relational import RelationalData
from mrsne.metrics.movement import alignment, kept_neighbors, matched
from mrsne.parameters import ParameterError, check_integer, describe

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Comparison:
    """What differs between two maps; :func:`compare` makes it.

    Attributes
    ----------
    first, second : Embedding
        The second is turned, reflected, scaled and shifted so that it is as near to the first as it gets.
    matches : mapping of str to array of int
        By domain, the position in the second map of each item of the first, −1 where it is not there.
    moved : mapping of str to array of float
        How far each item of the first map moved, in radii of the map: the root mean square of the distances of all
        items from their middle. NaN for items that are in the first map only.
    kept : mapping of str to array of float
        Share of its nearest items in the first map that are among its nearest in the second, of those that are in both.
        NaN for items that are in the first map only.
    k : int
        How many nearest.

    See Also
    --------
    mrsne.metrics.compare : Makes it.
    mrsne.metrics.report : How far to trust one map.

    Examples
    --------
    >>> import mrsne
    >>> first = mrsne.Embedding({"photo": [[0, 0], [1, 0], [0, 1], [1, 1]]})
    >>> second = mrsne.Embedding({"photo": [[0, 0], [0, 2], [-2, 0], [-2, 2]]})  # turned, wider
    >>> comparison = mrsne.metrics.compare(first, second, k=2)
    >>> comparison
    Comparison(4 items in both maps, 100% of neighbours kept)
    >>> float(comparison.moved["photo"].max().round(6))
    0.0
    """

    first: Exports  # an Embedding, which is above this module
    second: Exports
    matches: Mapping[str, Int64]
    moved: Mapping[str, Float64]
    kept: Mapping[str, Float64]
    k: int
    _data: tuple[RelationalData | None, RelationalData | None] = field(default=(None, None), repr=False)

    def __repr__(self) -> str:
        return f"Comparison({self.n_common} items in both maps, {self.neighbors_kept:.0%} of neighbours kept)"

    @property
    def n_common(self) -> int:
        """Number of items in both maps."""
        return sum(int((found >= 0).sum()) for found in self.matches.values())

    @property
    def neighbors_kept(self) -> float:
        """Mean share of neighbours that are kept."""
        return float(np.nanmean(np.concatenate(list(self.kept.values()))))

    @property
    def kept_by_domain(self) -> dict[str, float]:
        """Mean share of neighbours that the items of each domain keep; only domains with items in both maps."""
        return {name: float(np.nanmean(kept)) for name, kept in self.kept.items() if not np.isnan(kept).all()}

    @property
    def only_first(self) -> dict[str, Int64]:
        """Positions of the items that only the first map has, by domain."""
        return {name: np.flatnonzero(found < 0) for name, found in self.matches.items()}

    @property
    def only_second(self) -> dict[str, Int64]:
        """Positions of the items that only the second map has, by domain."""
        return {
            name: np.setdiff1d(np.arange(len(Y)), self.matches.get(name, np.empty(0, np.int64)))
            for name, Y in self.second.items()
        }

    def to_frame(self) -> DataFrame:
        """Return all items as a DataFrame of pandas, those that moved farthest first.

        Its columns are kind, id, label, ``moved``, ``kept``, and ``where``: "both", "first" or "second".
        """
        first, second = (item_rows(Y, data) for Y, data in zip((self.first, self.second), self._data, strict=True))
        starts = np.cumsum([0, *(len(Y) for Y in self.second.values())])
        new = np.concatenate([items + start for items, start in zip(self.only_second.values(), starts, strict=False)])
        unknown = np.full(len(new), np.nan)
        common = np.concatenate([found >= 0 for found in self.matches.values()])
        rows = {key: np.concatenate([first[key], second[key][new]]) for key in ("kind", "id", "label")}
        rows["moved"] = np.concatenate([*self.moved.values(), unknown])
        rows["kept"] = np.concatenate([*self.kept.values(), unknown])
        rows["where"] = np.concatenate([np.where(common, "both", "first"), np.full(len(new), "second")]).astype(object)
        frame: DataFrame = frame_of(rows, "pandas")
        return frame.sort_values("moved", ascending=False, kind="stable", ignore_index=True)

    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        titles: tuple[str, str] = ("first map", "second map"),
        title: str = "Two maps",
        theme: str = "auto",
    ) -> None:
        """Write both maps side by side as one HTML file: what is done in one is done in the other.

        Parameters
        ----------
        path : path
            Must end in .html or .htm.
        titles : pair of str
            What the two maps are called.
        title : str, default="Two maps"
            What the page and its tab are called.
        theme : {"auto", "light", "dark"}, default="auto"
        """
        if isinstance(titles, str) or len(tuple(titles)) != 2:
            raise ParameterError(f"titles must be two texts, got {describe(titles)}")
        show = cast("Any", self.first)._write_comparison  # pages are above this module: a map writes its own
        show(path, self, self._data, tuple(map(str, titles)), title, theme)


def compare(
    first: Exports,
    second: Exports,
    data: RelationalData | None = None,
    second_data: RelationalData | None = None,
    *,
    k: int = 10,
) -> Comparison:
    """Compare two maps of the same items: other weights, another seed, before and after an update.

    Items are matched by kind and name, or by position where a map has no names. The second map is turned, reflected,
    scaled and shifted onto the first, since these do not change what a map says.

    Parameters
    ----------
    first, second : Embedding
        Of the same number of dimensions.
    data, second_data : RelationalData, optional
        Give names, pictures and links; by default the data that was embedded.
    k : int
        How many nearest items are the neighbours of an item.

    Returns
    -------
    comparison : Comparison
        ``to_frame()`` lists what moved, ``to_html(path)`` shows both maps side by side.

    See Also
    --------
    mrsne.metrics.Comparison : What it returns.
    mrsne.metrics.report : How far to trust one map.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_shapes(60, random_state=0)
    >>> maps = [mrsne.MRSNE(perplexity=5, random_state=seed).fit_transform(data) for seed in (0, 1)]
    >>> comparison = compare(*maps)
    >>> list(comparison.to_frame().columns)
    ['kind', 'id', 'label', 'moved', 'kept', 'where']
    """
    for name, given in (("first", first), ("second", second)):
        if not isinstance(given, Exports):
            raise ParameterError(f"{name} must be an Embedding, got {describe(given)}")
    check_integer("k", k, minimum=1)
    dimensions, others = (next(iter(places.values())).shape[1] for places in (first, second))
    if dimensions != others:
        raise ParameterError(f"second must have as many dimensions as first, {dimensions}, got {others}")
    known = (first.data if data is None else data, second.data if second_data is None else second_data)
    for name, places, own in (("data", first, known[0]), ("second_data", second, known[1])):
        if own is not None and dict(own.sizes) != {domain: len(Y) for domain, Y in places.items()}:
            raise ParameterError(f"{name} must have the items of the embedding, {places}, got {own}")
    matches = matched(first, second, *known)
    if not any((found >= 0).any() for found in matches.values()):
        raise ParameterError(
            f"the maps have no item in common: first has {_kinds(first)}, second has {_kinds(second)}, "
            "and items are the same if kind and name are"
        )
    common = {name: found >= 0 for name, found in matches.items()}
    Y = np.concatenate([first[name][both] for name, both in common.items()])
    Z = np.concatenate([second[name][matches[name][both]] for name, both in common.items() if both.any()])
    aligned = alignment(Y, Z)
    radius = float(np.sqrt(((Y - Y.mean(axis=0, dtype=np.float64)) ** 2).sum(axis=1).mean())) or 1.0
    moved = _split(np.linalg.norm(Y - aligned(Z), axis=1) / radius, common)
    kept = _split(kept_neighbors(Y, Z, k), common)
    fitted = {name: aligned(places) for name, places in second.items()}
    beside = cast("Any", type(second))(fitted, weights=cast("Any", second).weights)
    return Comparison(first, beside, matches, moved, kept, min(k, max(len(Y) - 1, 1)), known)


def _split(values: Float64, common: Mapping[str, Bool]) -> dict[str, Float64]:
    """Return the values of the items in both maps by domain, with NaN for the others of the first."""
    everywhere = np.concatenate(list(common.values()))
    spread = np.full(len(everywhere), np.nan)
    spread[everywhere] = values
    return dict(zip(common, np.split(spread, np.cumsum([len(both) for both in common.values()])[:-1]), strict=True))


def _kinds(embedding: Exports) -> str:
    return ", ".join(f"{len(Y)} of {name!r}" for name, Y in embedding.items())
