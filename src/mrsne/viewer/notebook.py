"""A map as the output of a notebook's cell: a page in a frame, which needs no Python once it is there."""

import html
import sys
from typing import Any

from mrsne.data.outline import Outline
from mrsne.viewer.atlas import saved_side
from mrsne.viewer.content import Content
from mrsne.viewer.details import Coordinates
from mrsne.viewer.page import standalone
from mrsne.viewer.reporting import CELL_BUDGET, page_report

HEIGHT = 560  # pixels
SAVED_ITEMS = 200_000  # most items of a map that is saved with a notebook


def in_a_terminal() -> bool:
    """Return whether IPython runs in a terminal, which can only show text."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "TerminalInteractiveShell"


def mime_bundle(embedding: Any, data: Outline | None) -> dict[str, Any]:
    """Return what a notebook shows for an embedding: a page in a frame or, if that is too large to save, a widget.

    JupyterLab would prefer the widget, but shows an error in its place once the notebook is saved and opened again.
    """
    report = page_report(embedding, data, budget=CELL_BUDGET) or False
    shown = {"text/plain": repr(embedding), "text/html": frame(embedding, data, report=report)}
    if sum(map(len, embedding.values())) <= SAVED_ITEMS:
        return shown
    try:
        return {**embedding.widget(data, report=report)._repr_mimebundle_()[0], **shown}
    except ImportError:  # anywidget is not installed
        return shown


def frame(
    embedding: Coordinates,
    data: Outline | None = None,
    *,
    title: str = "mrsne",
    theme: str = "auto",
    height: int = HEIGHT,
    **shown: Any,
) -> str:
    """Return the map as a page in a frame, with smaller thumbnails; ``shown`` are columns and the report."""
    items = sum(map(len, embedding.values()))
    if items > SAVED_ITEMS:
        return f"<p>A map of {items:,} items; run the notebook to see it.</p>"
    content = Content(embedding, data, title=title, side=saved_side(data), explained=0, **shown)
    page = html.escape("".join(standalone(content, theme)))
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="{html.escape(title)}" '
        f'style="display: block; width: 100%; height: {int(height)}px; border: 0">'
        f"A map of {items:,} items; to see it, trust this notebook or run it.</iframe>"
    )
