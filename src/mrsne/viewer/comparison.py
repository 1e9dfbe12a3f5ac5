"""Two maps in one page; ``web/src/compare.ts`` shows them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mrsne.data.outline import Outline
from mrsne.viewer.atlas import saved_side
from mrsne.viewer.content import FORMAT, Content, packed
from mrsne.viewer.details import Coordinates
from mrsne.viewer.page import write_page

KEPT, MOVED, WHERE = "neighbours kept", "moved", "in which maps"  # columns to colour by


class _Compared(Protocol):
    """Two maps that were compared, with the attributes of :class:`mrsne.metrics.Comparison`."""

    @property
    def first(self) -> Coordinates: ...

    @property
    def second(self) -> Coordinates: ...

    @property
    def matches(self) -> Mapping[str, NDArray[np.int64]]: ...

    @property
    def moved(self) -> Mapping[str, NDArray[np.float64]]: ...

    @property
    def kept(self) -> Mapping[str, NDArray[np.float64]]: ...

    @property
    def k(self) -> int: ...


@dataclass
class PairContent:
    """Both maps in parts, those of each with its number before their name, and what links them."""

    about: dict[str, Any]
    parts: dict[str, Callable[[], bytes]]


def write_comparison(
    path: str | os.PathLike[str],
    compared: _Compared,
    data: tuple[Outline | None, Outline | None],
    titles: tuple[str, ...],
    title: str,
    theme: str,
) -> None:
    """Write two maps as one page, in one step."""
    write_page(path, pair_content(compared, data, titles, title), theme)


def pair_content(
    compared: _Compared, data: tuple[Outline | None, Outline | None], titles: tuple[str, ...], title: str
) -> PairContent:
    """Return two maps as a page reads them."""
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
    return PairContent({"format": FORMAT, "title": str(title), "maps": maps, "neighbours": compared.k}, parts)


def _changes(compared: _Compared) -> bytes:
    """Return, for all items of the first map, the item in the second, how far it moved, and its kept neighbours."""
    starts = dict(zip(compared.second, np.cumsum([0, *(len(Y) for Y in compared.second.values())]), strict=False))
    items = [np.where(found < 0, -1, found + starts.get(name, 0)) for name, found in compared.matches.items()]
    moved = np.concatenate([compared.moved[name] for name in compared.matches])
    kept = np.concatenate([compared.kept[name] for name in compared.matches])
    counts = np.nan_to_num(np.round(kept * compared.k)).astype(np.uint32)
    return packed((np.concatenate(items).astype(np.int32), moved.astype(np.float32), counts))


def _columns(compared: _Compared) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return columns of both maps: neighbours kept, how far items moved and, if items differ, which maps have them."""
    first: dict[str, Any] = {}
    second: dict[str, Any] = {
        name: {heading: np.full(len(Y), np.nan) for heading in (KEPT, MOVED)} for name, Y in compared.second.items()
    }
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
