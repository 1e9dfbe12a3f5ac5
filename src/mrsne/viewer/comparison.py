"""Two maps in one page; ``web/src/compare.ts`` shows them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mrsne.data.outline import Outline
from mrsne.metrics.comparison import Comparison
from mrsne.viewer.atlas import saved_side
from mrsne.viewer.content import FORMAT, Content, packed
from mrsne.viewer.page import Parts

KEPT, MOVED, WHERE = "neighbours kept", "moved", "in which maps"  # columns to colour by


def pair_content(
    compared: Comparison, data: tuple[Outline | None, Outline | None], titles: tuple[str, ...], title: str
) -> Parts:
    """Return both maps in parts, those of each with its number before their name, and what links them."""
    columns = _columns(compared)
    parts: dict[str, Callable[[], bytes]] = {}
    maps = []
    for number, places in enumerate((compared.first, compared.second)):
        look: dict[str, Any] = {"columns": columns[number], "title": titles[number], "side": saved_side(data[number])}
        content = Content(places, data[number], report=False, explained=0, **look)
        for domain in content.about["domains"]:
            domain["placed"] = [column["name"] for column in domain["columns"]].index(KEPT)
        maps.append(content.about | {"placedTitle": KEPT.capitalize()})
        parts |= {f"{number}-{name}": part for name, part in content.parts.items()}
    parts["compared"] = partial(_changes, compared)
    return Parts({"format": FORMAT, "title": str(title), "maps": maps, "neighbours": compared.k}, parts)


def _changes(compared: Comparison) -> bytes:
    """Return, for all items of the first map, the item in the second, how far it moved, and its kept neighbours."""
    starts = dict(zip(compared.second, np.cumsum([0, *(len(Y) for Y in compared.second.values())]), strict=False))
    items = [np.where(found < 0, -1, found + starts.get(name, 0)) for name, found in compared.matches.items()]
    moved = np.concatenate([compared.moved[name] for name in compared.matches])
    kept = np.concatenate([compared.kept[name] for name in compared.matches])
    counts = np.nan_to_num(np.round(kept * compared.k)).astype(np.uint32)
    return packed((np.concatenate(items).astype(np.int32), moved.astype(np.float32), counts))


def _columns(compared: Comparison) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return columns of both maps: neighbours kept, how far items moved and, if items differ, which maps have them."""
    first: dict[str, Any] = {}
    unknown = {name: np.full(len(Y), np.nan) for name, Y in compared.second.items()}
    second: dict[str, Any] = {name: {KEPT: empty, MOVED: empty.copy()} for name, empty in unknown.items()}
    for name, found in compared.matches.items():
        first[name] = {KEPT: compared.kept[name], MOVED: compared.moved[name]}
        common = np.flatnonzero(found >= 0)
        for heading, values in second.get(name, {}).items():
            values[found[common]] = first[name][heading][common]
    all_columns = [*first.values(), *second.values()]
    alone = [np.isnan(columns[KEPT]) for columns in all_columns]
    if any(map(np.any, alone)):
        for columns, only in zip(all_columns, alone, strict=True):
            columns[WHERE] = np.where(only, "only in this one", "in both").tolist()
    return first, second
