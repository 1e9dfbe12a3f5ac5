"""What changed between a map and the one that it continues: how far items moved, what is new, which regions differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from mrsne.arrays import Array, Float32, Float64, Int64
from mrsne.data.relational import RelationalData
from mrsne.metrics.movement import alignment, kept_neighbors
from mrsne.model.matching import Matches
from mrsne.regions.keeping import continued_regions
from mrsne.regions.result import Regions

NEIGHBORS = 10
SAMPLE = 5_000  # items whose neighbours are compared
TOLD = 3  # regions, in a sentence each
EXPLAINED = 30  # regions, those that changed most
BECAUSE = 0.25  # of the items that joined a region are linked anew to what is said to be the reason


class Movement(NamedTuple):
    """How far the kept items moved, as shares of the old map's width, its longer side."""

    median: float
    p95: float  # 95 of 100 items moved less


class Reason(NamedTuple):
    """An item to which those that joined a region have new links."""

    kind: str
    name: str
    items: int


@dataclass(frozen=True)
class RegionChange:
    """How one region changed.

    Attributes
    ----------
    key : int
        The region's number, as in :class:`mrsne.regions.Region`.
    name : str
    level : int
    state : str
        "kept", "new" or "gone".
    joined, left : dict of str to int
        How many items of each kind came, new ones included, and how many went, those that are gone included.
    because : tuple of Reason
        What the items that joined are newly linked to: ``kind``, ``name``, and how many of them, ``items``.

    See Also
    --------
    Changes : All that changed.

    Examples
    --------
    >>> RegionChange(3, "bird", 1, "kept", {"photo": 12}, {}, (Reason("tag", "owl", 12),)).joined
    {'photo': 12}
    """

    key: int
    name: str
    level: int
    state: str
    joined: Mapping[str, int]
    left: Mapping[str, int]
    because: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Changes:
    """What changed between a map and the one that it continues; ``embedding.changes``.

    Attributes
    ----------
    anchor : str or float
        How strongly old places held.
    matched_by : dict of str to str
        By what items were recognised: "name" or "position", for each kind in both maps.
    kept, new, gone : dict of str to int
        Number of items of each kind.
    width : float
        The longer side of the old map.
    moved : Movement
        ``median`` and ``p95`` of how far kept items moved, as shares of the width.
    moved_registered : Movement
        The same after the rotation, reflection, scale and shift that bring the maps nearest to each other.
    neighbors_kept : float
        Share of the ten nearest of a kept item, among kept ones, that still are; of at most 5,000 items.
    kl_divergence : float
        KL(P̃‖Q̃) of the map.
    kl_freed : float
        The divergence after some more iterations without the anchor, an estimate of a fresh map's.
    regions : tuple of RegionChange
        Those that changed, the most first.

    See Also
    --------
    mrsne.MRSNE.fit_transform : Continues a map.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> data = mrsne.RelationalData({"photo": X}, names={"photo": [f"photo {i}" for i in range(60)]})
    >>> model = mrsne.MRSNE(perplexity=5, random_state=0)
    >>> first = model.fit_transform(data.subset({"photo": range(55)}))
    >>> second = model.fit_transform(data, start_from=first)
    >>> second.changes.kept, second.changes.new
    ({'photo': 55}, {'photo': 5})
    """

    anchor: str | float
    matched_by: Mapping[str, str]
    kept: Mapping[str, int]
    new: Mapping[str, int]
    gone: Mapping[str, int]
    width: float
    moved: Movement
    moved_registered: Movement
    neighbors_kept: float
    kl_divergence: float
    kl_freed: float
    regions: tuple[RegionChange, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it, under the names of the attributes."""
        regions = [
            {**asdict(region), "because": [reason._asdict() for reason in region.because]} for region in self.regions
        ]
        moved = {"moved": self.moved._asdict(), "moved_registered": self.moved_registered._asdict()}
        return {**asdict(self), **moved, "regions": regions}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Changes:
        """Return what :meth:`to_dict` made a dictionary of."""
        anchor = record["anchor"]
        numbers: dict[str, Any] = {name: _counts(record[name]) for name in ("kept", "new", "gone")}
        numbers |= {name: _movement(record[name]) for name in ("moved", "moved_registered")}
        numbers |= {name: float(record[name]) for name in ("width", "neighbors_kept", "kl_divergence", "kl_freed")}
        return cls(
            anchor=anchor if isinstance(anchor, str) else float(anchor),
            matched_by={str(kind): str(by) for kind, by in record["matched_by"].items()},
            regions=tuple(_region_change(region) for region in record["regions"] or ()),
            **numbers,
        )

    def sentences(self, regions: int = TOLD) -> list[str]:
        """Return what there is to tell people, in a few sentences.

        Parameters
        ----------
        regions : int, default=3
            How many regions to name at most.
        """
        kept, new, gone = (sum(counts.values()) for counts in (self.kept, self.new, self.gone))
        if self.moved.p95 == 0:
            first = f"{kept:,} items are where they were"
        else:
            median, p95 = (f"{100 * share:.1f} %" for share in self.moved)
            first = (
                f"{kept:,} items stayed: half of them moved less than {median} of the map's width, 95 % less than {p95}"
            )
        told = [f"{first}; {new:,} are new, {gone:,} are gone."]
        told.append(
            f"{self.neighbors_kept:.0%} of their ten nearest are the same; the divergence is {self.kl_divergence:.3f}, "
            f"and {self.kl_freed:.3f} once old places no longer hold."
        )
        return told + [_sentence(region) for region in self.regions if region.because][:regions]


def _counts(record: Mapping[str, Any]) -> dict[str, int]:
    """Return numbers of items by kind, checked: a map may come from anybody."""
    return {str(kind): int(count) for kind, count in record.items()}


def _movement(record: Mapping[str, Any]) -> Movement:
    return Movement(float(record["median"]), float(record["p95"]))


def _region_change(record: Mapping[str, Any]) -> RegionChange:
    because = tuple(Reason(str(given["kind"]), str(given["name"]), int(given["items"])) for given in record["because"])
    if because and not record["joined"]:
        raise ValueError("no item joined a region, but there is a reason why")
    joined, left = _counts(record["joined"]), _counts(record["left"])
    called = (int(record["key"]), str(record["name"]), int(record["level"]), str(record["state"]))
    return RegionChange(*called, joined, left, because)


def _sentence(region: RegionChange) -> str:
    reason = region.because[0]
    kind = max(region.joined, key=lambda kind: region.joined[kind])
    items = f"{region.joined[kind]} {kind} item{'s' * (region.joined[kind] != 1)}"
    many = "" if reason.items == region.joined[kind] else f", {reason.items} of them"
    return f"{items} joined {region.name!r}{many} because of the {reason.kind} {reason.name!r}."


class Side(NamedTuple):
    """One of the two maps."""

    places: Mapping[str, Float32]
    data: RelationalData | None
    regions: Regions


def movement(old: Array, new: Array, width: float) -> Movement:
    distances = np.linalg.norm(new.astype(np.float64) - old, axis=1) / width
    return Movement(*(round(float(value), 6) for value in np.quantile(distances, [0.5, 0.95])))


def describe_changes(old: Side, new: Side, matches: Matches, **known: Any) -> Changes:
    """Return what changed; ``known`` are anchor, ``matched_by`` and both divergences."""
    both = {kind: found >= 0 for kind, found in matches.items()}
    Y = np.concatenate([new.places[kind][mask] for kind, mask in both.items()])
    before = [old.places[kind][found[found >= 0]] for kind, found in matches.items() if kind in old.places]
    Y0 = np.concatenate(before)
    width = float(np.ptp(np.concatenate(list(old.places.values())), axis=0).max()) or 1.0
    sample = np.linspace(0, len(Y0) - 1, min(len(Y0), SAMPLE)).astype(np.int64)
    kept = {kind: int(mask.sum()) for kind, mask in both.items()}
    gone = {kind: len(places) - kept.get(kind, 0) for kind, places in old.places.items()}
    return Changes(
        kept=kept,
        new={kind: int((~mask).sum()) for kind, mask in both.items()},
        gone=gone,
        width=round(width, 4),
        moved=movement(Y0, Y, width),
        moved_registered=movement(Y0, alignment(Y0, Y)(Y), width),
        neighbors_kept=round(float(kept_neighbors(Y0, Y, NEIGHBORS, sample).mean()), 4),
        regions=_region_changes(old, new, matches),
        **known,
    )


def _region_changes(old: Side, new: Side, matches: Matches) -> tuple[RegionChange, ...]:
    origin = continued_regions(new.regions, old.regions, matches)
    changes: list[RegionChange] = []
    came: dict[int, dict[str, Int64]] = {}  # which items, by the key of the region
    for region, number in zip(new.regions, origin, strict=True):
        before = old.regions[number].members if number is not None else {}
        joined, left = {}, {}
        for kind, items in region.members.items():
            positions, earlier = matches[kind][items], before.get(kind, np.empty(0, np.int64))
            joined[kind] = items[~np.isin(positions, earlier)]
            left[kind] = len(np.setdiff1d(earlier, positions))
        counts = {kind: len(items) for kind, items in joined.items() if len(items)}
        went = {kind: count for kind, count in left.items() if count}
        state = "new" if number is None else "kept"
        if counts or went or number is None:
            changes.append(RegionChange(region.key, region.name, region.level, state, counts, went))
            if number is not None:
                came[region.key] = joined
    for number, region in enumerate(old.regions):
        if number not in origin:
            went = {kind: len(items) for kind, items in region.members.items() if len(items)}
            changes.append(RegionChange(region.key, region.name, region.level, "gone", {}, went))
    changes.sort(key=lambda change: -sum(change.joined.values()) - sum(change.left.values()))
    explained = [
        replace(change, because=_reasons(old.data, new.data, matches, came[change.key]))
        if change.key in came
        else change
        for change in changes[:EXPLAINED]
    ]
    return (*explained, *changes[EXPLAINED:])


def _reasons(
    old: RelationalData | None, new: RelationalData | None, matches: Matches, joined: Mapping[str, Int64]
) -> tuple[Reason, ...]:
    """Return the item that most of those that joined a region have a new link to, if it is many of them."""
    kind = max(joined, key=lambda kind: len(joined[kind]), default=None)
    if new is None or kind is None or not len(joined[kind]):
        return ()
    found: list[Reason] = []
    for pair in new.relations:
        other = pair[1] if pair[0] == kind else pair[0]
        names = new.shown_names(other)
        if kind not in pair or other == kind or names is None:
            continue
        counts = _new_links(old, new, matches, kind, other, joined[kind])
        usual = np.asarray((new.relation(kind, other) > 0).mean(axis=0)).ravel()
        best = int((counts / len(joined[kind]) - usual).argmax())
        if counts[best] >= max(1, BECAUSE * len(joined[kind])):
            found.append(Reason(other, names[best], int(counts[best])))
    return tuple(sorted(found, key=lambda reason: -reason.items))


def _new_links(
    old: RelationalData | None, new: RelationalData, matches: Matches, kind: str, other: str, items: Int64
) -> Float64:
    """Return how many of some items are linked to each item of another kind and were not in the old map."""
    linked = (new.relation(kind, other)[items] > 0).astype(np.float64)
    rows, columns = matches[kind][items], matches[other]
    if old is not None and {(kind, other), (other, kind)} & old.relations.keys():
        before = (old.relation(kind, other)[np.maximum(rows, 0)][:, np.maximum(columns, 0)] > 0).astype(np.float64)
        in_both = sparse.diags_array((rows >= 0) * 1.0) @ before @ sparse.diags_array((columns >= 0) * 1.0)
        linked -= linked.multiply(in_both)
    return np.asarray(linked.sum(axis=0)).ravel()
