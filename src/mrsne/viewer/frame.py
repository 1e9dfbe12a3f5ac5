"""A map as a page in a frame of a notebook, which needs no Python once it is there."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from mrsne.data import RelationalData
from mrsne.metrics.card import Report
from mrsne.viewer.content import Content
from mrsne.viewer.details import Coordinates, read_details
from mrsne.viewer.page import standalone

HEIGHT = 560  # pixels
SAVED_SIDES = ((2_000, 64), (5_000, 48), (20_000, 32))  # up to so many pictures, so many pixels each
SMALLEST_SIDE = 16
SAVED_ITEMS = 200_000  # most items of a map that is saved with a notebook


def is_too_large(embedding: Coordinates) -> bool:
    """Return whether a map has too many items to be saved with a notebook."""
    return sum(map(len, embedding.values())) > SAVED_ITEMS


def frame(
    embedding: Coordinates,
    data: RelationalData | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    title: str = "mrsne",
    theme: str = "auto",
    height: int = HEIGHT,
    report: Report | bool = True,
) -> str:
    """Return the map as a page in a frame, with smaller thumbnails, so that notebooks stay small.

    The text inside is for readers without frames: JupyterLab removes frames from notebooks that it does not trust.

    Examples
    --------
    >>> import mrsne
    >>> frame(mrsne.Embedding({"tag": [[0, 0], [1, 1]]}))[:21]
    '<iframe srcdoc="&lt;!'
    """
    items = sum(map(len, embedding.values()))
    if is_too_large(embedding):
        return f"<p>A map of {items:,} items; run the notebook to see it.</p>"
    content = Content(embedding, data, columns=columns, title=title, side=saved_side(data), report=report, explained=0)
    page = html.escape("".join(standalone(content, theme)))
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="{html.escape(title)}" '
        f'style="display: block; width: 100%; height: {int(height)}px; border: 0">'
        f"A map of {items:,} items; to see it, trust this notebook or run it.</iframe>"
    )


def saved_side(data: RelationalData | None) -> int | None:
    """Return how many pixels wide thumbnails are in a notebook, at most as many as the pictures have."""
    pictures = list(read_details(data).pictures.values())
    if not pictures:
        return None
    count = max(map(len, pictures))
    wanted = next((side for most, side in SAVED_SIDES if count <= most), SMALLEST_SIDE)
    return min(wanted, *(int(max(each.shape[1:3])) for each in pictures))
