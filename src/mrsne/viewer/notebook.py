"""A map as the output of a notebook's cell."""

from __future__ import annotations

import sys
from typing import Any

from mrsne.data import RelationalData
from mrsne.viewer.details import Coordinates
from mrsne.viewer.frame import frame, is_too_large
from mrsne.viewer.reporting import CELL_BUDGET, page_report


def in_a_terminal() -> bool:
    """Return whether IPython runs in a terminal, which can only show text."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "TerminalInteractiveShell"


def mime_bundle(embedding: Coordinates, data: RelationalData | None) -> dict[str, Any]:
    """Return what a notebook shows for an embedding: a page in a frame or, if that is too large to save, a widget.

    A widget is not the rule, since JupyterLab prefers it to the frame but shows an error in its place once the
    notebook is saved and opened again.
    """
    if not is_too_large(embedding):
        report = page_report(embedding, data, budget=CELL_BUDGET) or False
        return {"text/plain": repr(embedding), "text/html": frame(embedding, data, report=report)}
    shown = {"text/plain": repr(embedding), "text/html": frame(embedding, data)}  # a sentence
    try:
        from mrsne.viewer.widget import MapWidget
    except ImportError:
        return shown
    report = page_report(embedding, data, budget=CELL_BUDGET) or False
    return {**MapWidget(embedding, data, report=report)._repr_mimebundle_()[0], **shown}
