"""Static pictures of a map."""

from mrsne.plot.figure import map_figure
from mrsne.plot.themes import DARK, LIGHT, Theme

__all__ = ["DARK", "LIGHT", "Theme", "map_figure"]
