"""How a map shows itself in a notebook: live where Python runs behind it, as a page in a frame where it is saved."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from mrsne.data import RelationalData
from mrsne.embedding import Embedding
from mrsne.viewer.content import Content
from mrsne.viewer.page import standalone

HEIGHT = 560  # pixels
SAVED_SIDES = ((5_000, 48), (20_000, 32))  # up to so many pictures a saved notebook keeps them, so many pixels wide
SAVED_ITEMS = 200_000  # beyond so many items a saved notebook keeps no map


def displayed(embedding: Embedding, data: RelationalData | None) -> dict[str, Any]:
    """Return what a notebook shows for an embedding; without the extra ``notebook``, the frame alone."""
    try:
        from mrsne.viewer.widget import MapWidget
    except ImportError:
        return {"text/plain": repr(embedding), "text/html": frame(embedding, data)}
    bundle = MapWidget(embedding, data)._repr_mimebundle_()
    return {**bundle[0], "text/plain": repr(embedding)}


def frame(
    embedding: Embedding,
    data: RelationalData | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    title: str = "mrsne",
    theme: str = "auto",
    height: int = HEIGHT,
) -> str:
    """Return the map as a page in a frame, with smaller thumbnails, so that notebooks stay small.

    Examples
    --------
    >>> frame(Embedding({"tag": [[0, 0], [1, 1]]}))[:21]
    '<iframe srcdoc="&lt;!'
    """
    items = len(embedding.stacked)
    if items > SAVED_ITEMS:
        return f"<p>A map of {items:,} items; run the notebook to see it.</p>"
    count = max((len(pictures) for pictures in data.pictures.values()), default=0) if data is not None else 0
    side = next((side for most, side in SAVED_SIDES if count <= most), 16)
    content = Content(embedding, data, columns=columns, title=title, side=side)
    page = html.escape("".join(standalone(content, theme)))
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="{html.escape(title)}" '
        f'style="width: 100%; height: {int(height)}px; border: 0"></iframe>'
    )
