"""A map as the output of a notebook's cell: a page in a frame, which needs no Python once it is there."""

from __future__ import annotations

import html
import sys
from collections.abc import Mapping
from typing import Any

from mrsne.data import RelationalData
from mrsne.viewer.content import Content
from mrsne.viewer.details import Coordinates, read_details
from mrsne.viewer.page import standalone

HEIGHT = 560  # pixels
SAVED_SIDES = ((2_000, 64), (5_000, 48), (20_000, 32))  # up to so many pictures, so many pixels each
SMALLEST_SIDE = 16
SAVED_ITEMS = 200_000  # most items of a map that is saved with a notebook


def in_a_terminal() -> bool:
    """Return whether IPython runs in a terminal, which can only show text."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "TerminalInteractiveShell"


def mime_bundle(embedding: Coordinates, data: RelationalData | None) -> dict[str, Any]:
    """Return what a notebook shows for an embedding: a page in a frame or, if that is too large to save, a widget.

    A widget is not the rule, since JupyterLab prefers it to the frame but shows an error in its place once the
    notebook is saved and opened again.
    """
    shown = {"text/plain": repr(embedding), "text/html": frame(embedding, data)}
    if sum(map(len, embedding.values())) <= SAVED_ITEMS:
        return shown
    try:
        from mrsne.viewer.widget import MapWidget
    except ImportError:
        return shown
    return {**MapWidget(embedding, data)._repr_mimebundle_()[0], **shown}


def frame(
    embedding: Coordinates,
    data: RelationalData | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    title: str = "mrsne",
    theme: str = "auto",
    height: int = HEIGHT,
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
    if items > SAVED_ITEMS:
        return f"<p>A map of {items:,} items; run the notebook to see it.</p>"
    content = Content(embedding, data, columns=columns, title=title, side=_side(data))
    page = html.escape("".join(standalone(content, theme)))
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="{html.escape(title)}" '
        f'style="display: block; width: 100%; height: {int(height)}px; border: 0">'
        f"A map of {items:,} items; to see it, trust this notebook or run it.</iframe>"
    )


def _side(data: RelationalData | None) -> int | None:
    """Return how many pixels wide thumbnails are in a notebook, at most as many as the pictures have."""
    pictures = list(read_details(data).pictures.values())
    if not pictures:
        return None
    count = max(map(len, pictures))
    wanted = next((side for most, side in SAVED_SIDES if count <= most), SMALLEST_SIDE)
    return min(wanted, *(int(max(each.shape[1:3])) for each in pictures))
