"""Static pictures of a map."""

from mrsne.plot.figure import map_figure
from mrsne.plot.themes import DARK, LIGHT, THEMES, Theme

__all__ = ["DARK", "LIGHT", "THEMES", "Theme", "map_figure"]
