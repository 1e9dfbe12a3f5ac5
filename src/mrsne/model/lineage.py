"""Where a map comes from: when it was made, which maps it continues, what changed, and what its regions are called."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from mrsne.arrays import Float32
from mrsne.model.changes import Changes
from mrsne.parameters import ParameterError
from mrsne.regions.result import Region, Regions

MOST_ANCESTORS = 1000  # that a map keeps


@dataclass(frozen=True)
class Ancestor:
    """One of the maps that led to a map, or itself; ``embedding.history`` lists them, the oldest first.

    Attributes
    ----------
    id : str
        Digest of its places, and of its data where that is known.
    made : str
        When, in ISO 8601; empty where that is not known.
    items : dict of str to int
        Number of items of each kind.
    kl_divergence : float or None
    n_iter : int or None
    settings : str or None
        The settings of its affinities, as text.
    changes : dict or None
        What changed since the map before, as ``Changes.to_dict`` returns it but for the regions; None where it
        continues none.

    See Also
    --------
    mrsne.Embedding.history : Lists them.

    Examples
    --------
    >>> import mrsne
    >>> (own,) = mrsne.Embedding({"tag": [[0, 1], [1, 0]]}).history
    >>> own.items
    {'tag': 2}
    """

    id: str
    made: str
    items: Mapping[str, int]
    kl_divergence: float | None
    n_iter: int | None
    settings: str | None
    changes: Mapping[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return asdict(self)


@dataclass(frozen=True)
class Lineage:
    """What a map keeps of where it comes from."""

    made: str = ""
    ancestors: tuple[Ancestor, ...] = ()
    changes: Changes | None = None
    regions: Regions | None = None  # of the map itself, where it continues another

    @classmethod
    def begin(cls) -> Lineage:
        """Return the lineage of a map that is made now and continues none.

        Where ``SOURCE_DATE_EPOCH`` is set, now is that many seconds after 1970, so that a map can be made again to the
        byte.
        """
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isascii() and epoch.isdecimal() else datetime.now(UTC)
        return cls(now.isoformat(timespec="seconds"))

    def continued(self, entry: Ancestor, changes: Changes, regions: Regions | None) -> Lineage:
        """Return the lineage of a map that continues this one, which is described by its entry."""
        found = (*self.ancestors, entry)[-MOST_ANCESTORS:]
        return replace(Lineage.begin(), ancestors=found, changes=changes, regions=regions)

    def entry(
        self,
        places: Mapping[str, Float32],
        data_identity: str | None,
        kl_divergence: float | None,
        n_iter: int | None,
        settings: str | None,
    ) -> Ancestor:
        """Return what a history says of a map with this lineage."""
        changes = None if self.changes is None else {**self.changes.to_dict(), "regions": None}
        items = {name: len(Y) for name, Y in places.items()}
        return Ancestor(
            digest_of_map(places, data_identity), self.made, items, kl_divergence, n_iter, settings, changes
        )

    def to_text(self) -> str:
        """Return JSON, but for the members of the regions."""
        regions = None if self.regions is None else [_record(region) for region in self.regions]
        changes = None if self.changes is None else self.changes.to_dict()
        ancestors = [entry.to_dict() for entry in self.ancestors]
        return json.dumps({"made": self.made, "ancestors": ancestors, "changes": changes, "regions": regions})

    @classmethod
    def from_text(cls, text: str) -> Lineage:
        """Return what :meth:`to_text` wrote."""
        try:
            found = json.loads(text)
            ancestors = tuple(_ancestor(entry) for entry in found["ancestors"])
            changes = None if found["changes"] is None else Changes.from_dict(found["changes"])
            regions = None if found["regions"] is None else Regions(_region(record) for record in found["regions"])
            return cls(str(found["made"]), ancestors, changes, regions)
        except (TypeError, KeyError, AttributeError, ValueError, OverflowError, RecursionError) as error:
            raise ParameterError(f"its history cannot be read ({error})") from error


def digest_of_map(places: Mapping[str, Float32], data_identity: str | None) -> str:
    """Return what a map is known by: a digest of its places, and of its data."""
    digest = hashlib.blake2b((data_identity or "").encode(), digest_size=8)
    for name, Y in places.items():
        digest.update(name.encode("utf-8", "surrogatepass"))
        digest.update(np.ascontiguousarray(Y).data)
    return digest.hexdigest()


def _ancestor(record: Mapping[str, Any]) -> Ancestor:
    """Return what a record says, checked: a map may come from anybody."""
    kl, n_iter, settings, changes = (record[name] for name in ("kl_divergence", "n_iter", "settings", "changes"))
    return Ancestor(
        str(record["id"]),
        str(record["made"]),
        {str(kind): int(count) for kind, count in record["items"].items()},
        None if kl is None else float(kl),
        None if n_iter is None else int(n_iter),
        None if settings is None else str(settings),
        None if changes is None else {**Changes.from_dict(changes).to_dict(), "regions": None},
    )


def _record(region: Region) -> dict[str, Any]:
    members = {kind: np.diff(items, prepend=0).tolist() for kind, items in region.members.items()}
    return {"key": region.key, "level": region.level, "parent": region.parent, "words": region.words,
            "scores": region.scores, "members": members}  # fmt: skip


def _region(record: Mapping[str, Any]) -> Region:
    members = {kind: np.cumsum(steps, dtype=np.int64) for kind, steps in record["members"].items()}
    words, scores = tuple(map(str, record["words"])), tuple(map(float, record["scores"]))
    return Region(int(record["level"]), record["parent"], words, scores, members, (), (0.0, 0.0), int(record["key"]))
