"""The files of a map: what they are called, and how pictures are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mrsne.data.beside import data_beside
from mrsne.data.files.writing import write_figure
from mrsne.model.saved_map import coordinates_beside
from mrsne.viewer import PAGES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")  # what the file of a picture ends in

__all__ = ["PAGES", "PICTURES", "coordinates_beside", "data_beside", "left_out_beside", "write_picture"]


def write_picture(figure: Figure, path: Path, dpi: int) -> None:
    """Write a figure as PNG, SVG or PDF, in one step."""
    write_figure(path, figure, dpi=dpi)


def left_out_beside(path: Path) -> Path:
    """Return where the table of what was left out of a map is."""
    return path.with_suffix(".left-out.csv")
