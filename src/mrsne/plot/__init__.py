"""Static pictures of a map."""

from mrsne.plot.drawing import DARK, LIGHT, THEMES, Theme
from mrsne.plot.figure import map_figure

__all__ = ["DARK", "LIGHT", "THEMES", "Theme", "map_figure"]
