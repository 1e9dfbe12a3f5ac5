"""A page of a map on which new items are told from those before."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mrsne.data.growth import NewItems, grown
from mrsne.model.embedding import Embedding
from mrsne.model.saved_map import SavedMap
from mrsne.viewer.content import Content
from mrsne.viewer.page import write_page

MARK = "placed"  # heading of the column that tells new items from those before


def write_marked_page(path: Path, saved: SavedMap, placed: Embedding, new: NewItems | None, title: str) -> None:
    """Write a page of the old items and the new ones, coloured by which is which."""
    data, places = saved.data, dict(saved.embedding)
    marks = {}
    for name, Y in placed.items():
        items = new or NewItems(name, [f"new {index + 1}" for index in range(len(Y))])
        marks[name] = {MARK: ["before"] * data.sizes[name] + ["new"] * len(Y)}
        data, places = grown(data, items), {**places, name: np.concatenate([places[name], Y])}
    foremost = {name: np.arange(len(places[name])) >= saved.data.sizes[name] for name in marks}
    content = Content(places, data, columns=marks, title=title, report=False, foremost=foremost)
    content.colour_by(next(iter(marks)), MARK)
    write_page(path, content)
