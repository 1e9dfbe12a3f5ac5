"""The order of the examples in the gallery: from what one sees first to what few need."""

from __future__ import annotations

ORDER = (
    *("emoji.py", "icons.py", "photos.py", "papers.py", "museum.py", "cells.py", "graph.py", "new_items.py"),
    *("compare.py", "figure1.py", "million.py", "gpu.py", "cluster.py"),
    *("table.py", "reading.py", "weights.py"),  # tutorials
)


class ExampleOrder:
    """A key for sphinx-gallery to sort files by; a file that is not in the list is an error."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return "ExampleOrder"

    def __call__(self, name: str) -> int:
        """Return the place of an example."""
        return ORDER.index(name)
