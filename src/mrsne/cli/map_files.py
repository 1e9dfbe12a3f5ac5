"""The files of a map: what they are called, and how pictures and tables of coordinates are written."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from mrsne.io.beside import data_beside
from mrsne.io.writing import write_figure, write_text
from mrsne.viewer import PAGES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mrsne.data import RelationalData
    from mrsne.model.embedding import Embedding

PICTURES = (".png", ".svg", ".pdf")  # what the file of a picture ends in

__all__ = [
    "PAGES",
    "PICTURES",
    "coordinates_beside",
    "data_beside",
    "left_out_beside",
    "write_coordinates",
    "write_picture",
]


def write_picture(figure: Figure, path: Path, dpi: int) -> None:
    """Write a figure as PNG, SVG or PDF, in one step."""
    write_figure(path, figure, dpi=dpi)


def write_coordinates(embedding: Embedding, data: RelationalData, path: Path) -> None:
    """Write a table for people and other programs: kind of item, name or position, coordinates, and label if any."""
    text = io.StringIO()
    writer = csv.writer(text)
    axes = list("xyz")[: embedding.n_components] if embedding.n_components <= 3 else range(embedding.n_components)
    writer.writerow(["kind", "item", *axes, *(["label"] if data.labels else [])])
    for name, Y in embedding.items():
        items = data.names.get(name) or range(len(Y))
        labels = data.shown_names(name) or items
        rows = zip(items, Y.tolist(), labels, strict=True)
        writer.writerows([name, item, *row, *([label] if data.labels else [])] for item, row, label in rows)
    write_text(path, text.getvalue())


def coordinates_beside(path: Path) -> Path:
    """Return where the table of a map's coordinates is."""
    return path.with_suffix(".coordinates.csv")


def left_out_beside(path: Path) -> Path:
    """Return where the table of what was left out of a map is."""
    return path.with_suffix(".left-out.csv")
