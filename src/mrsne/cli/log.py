"""``mrsne log``: the maps that led to a map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mrsne
from mrsne.cli.options import Json, MapFile
from mrsne.cli.reporter import Reporter


def log(path: MapFile, as_json: Json = False) -> None:
    """List the maps that a map continues, the newest first, and what changed each time.

    Example: mrsne log map.npz
    """
    embedding = mrsne.Embedding.load(path)
    entries = [entry.to_dict() for entry in reversed(embedding.history)]
    changes = None if embedding.changes is None else embedding.changes.to_dict()
    lines = [line for entry in entries for line in _lines(entry)]
    told = [] if embedding.changes is None else embedding.changes.sentences()
    Reporter(as_json).summary({"maps": entries, "changes": changes}, [*lines, *told])


def _lines(entry: dict[str, Any]) -> Iterator[str]:
    """Yield what people read of one map."""
    sizes = ", ".join(f"{size:,} {kind}" for kind, size in entry["items"].items())
    yield f"{entry['id']}  {entry['made'] or 'date not known'}  {sizes}"
    if entry["changes"] is not None:
        new, gone = (sum(entry["changes"][key].values()) for key in ("new", "gone"))
        moved = entry["changes"]["moved"]
        yield (
            f"    {new:,} new, {gone:,} gone; half of the others moved less than {100 * moved['median']:.1f} % of the "
            f"width, 95 % less than {100 * moved['p95']:.1f} % (anchor {entry['changes']['anchor']})"
        )
