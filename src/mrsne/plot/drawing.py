"""What is drawn of a map below its names: density, links, dots and thumbnails, in the colours of a theme."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.arrays import Float32, Float64, Int64, UInt8
from mrsne.viewer.details import Coordinates, Details

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALLEST_DOT, LARGEST_DOT = 2.0, 45.0  # areas in square points
MOST_INK = 12_000  # square points that all dots may cover together
DENSITY_CELLS = 160
RESOLUTION = 300  # pixels per inch of the image with all thumbnails
COVERED = 0.45  # share of the figure that all thumbnails may cover together
SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL = 0.09, 0.9  # inches
HALVES = re.compile("[\ud800-\udfff]")  # surrogates without their other half


@dataclass(frozen=True)
class Theme:
    """Colours of the background, of text and of the domains in turn.

    Parameters
    ----------
    ground : str
        The background.
    ink : str
        Text.
    domains : tuple of str
        A colour for each domain, from the first again where there are more.

    See Also
    --------
    mrsne.plot.map_figure : Takes one by its name.
    mrsne.plot.THEMES : Those that there are.

    Examples
    --------
    >>> import mrsne
    >>> mrsne.plot.THEMES["dark"].colour(1)
    '#7fdca8'
    """

    ground: str
    ink: str
    domains: tuple[str, ...]

    def colour(self, index: int) -> str:
        """Return the colour of a domain.

        Parameters
        ----------
        index : int
            Position of the domain in the data.
        """
        return self.domains[index % len(self.domains)]


#: Dark on white, the default: ``map_figure(theme="light")``.
LIGHT = Theme("#ffffff", "#1c1c28", ("#5b7db1", "#1f7a48", "#c2663b", "#8455a8", "#a8841f", "#4c4c57"))
#: Bright on nearly black: ``map_figure(theme="dark")``.
DARK = Theme("#14151c", "#ececf2", ("#7ea3dc", "#7fdca8", "#f0a47d", "#c49be6", "#e6cc73", "#b9b9c6"))
#: The themes by the names that :func:`mrsne.plot.map_figure` takes.
THEMES = {"light": LIGHT, "dark": DARK}


@dataclass(frozen=True)
class Canvas:
    """Square axes that fill a figure."""

    figure: Figure
    axes: Axes
    theme: Theme
    inches: float  # width of the axes

    def renderer(self) -> Any:
        """Return what measures texts."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        return FigureCanvasAgg(self.figure).get_renderer()  # type: ignore[no-untyped-call]


def writable(text: str, longest: int | None = None) -> str:
    r"""Return a text, cut if it is longer, without lone surrogates: names of files may have them, but no font does."""
    cut = text if longest is None or len(text) <= longest else text[: longest - 1] + "…"
    return HALVES.sub("\ufffd", cut)


def set_limits(axes: Axes, places: Float32) -> None:
    """Let square axes show all places."""
    low, high = (limit.astype(np.float64) for limit in (places.min(axis=0), places.max(axis=0)))
    centre, reach = (low + high) / 2, 0.54 * max(float((high - low).max()), 1e-6)
    axes.set(xlim=(centre[0] - reach, centre[0] + reach), ylim=(centre[1] - reach, centre[1] + reach))


def draw_density(canvas: Canvas, places: Float32) -> None:
    """Shade the background by a smoothed count of items."""
    from matplotlib.colors import LinearSegmentedColormap
    from scipy.ndimage import gaussian_filter

    axes, colour = canvas.axes, canvas.theme.domains[0]
    limits = axes.get_xlim(), axes.get_ylim()
    counts, _, _ = np.histogram2d(places[:, 0], places[:, 1], bins=DENSITY_CELLS, range=limits)
    smooth = np.sqrt(gaussian_filter(counts, DENSITY_CELLS / 60))
    shades = LinearSegmentedColormap.from_list("density", [colour + "00", colour + "77"])
    extent = (*limits[0], *limits[1])
    axes.imshow(smooth.T, origin="lower", extent=extent, cmap=shades, zorder=0, interpolation="bicubic")


def draw_links(canvas: Canvas, embedding: Coordinates, details: Details, starts: Mapping[str, Int64]) -> None:
    """Draw lines from some items of each domain to those they are linked to, stronger links darker."""
    from matplotlib.collections import LineCollection

    for (a, b), links in details.relations.items():
        for from_, to in ((a, b), (b, a)) if a != b else ((a, b),):
            if from_ not in starts:
                continue
            W = (links if from_ == a else links.T.tocsr())[starts[from_]].tocoo()
            if not W.nnz:
                continue
            ends = np.stack([embedding[from_][starts[from_][W.row]], embedding[to][W.col]], axis=1)
            alphas = 0.25 + 0.6 * W.data / W.data.max()
            colour = canvas.theme.colour(list(embedding).index(from_))
            lines = LineCollection(list(ends), colors=colour, alpha=alphas, linewidths=0.9, zorder=1.5)
            canvas.axes.add_collection(lines)


def draw_items(canvas: Canvas, embedding: Coordinates, details: Details, pictures: Mapping[str, Any]) -> None:
    """Draw the items of each domain as thumbnails or, without pictures, as dots; with a legend of several colours."""
    axes = canvas.axes
    dot = float(np.clip(MOST_INK / sum(map(len, embedding.values())), SMALLEST_DOT, LARGEST_DOT))
    for index, (name, Y) in enumerate(embedding.items()):
        if name in pictures:
            draw_thumbnails(axes, Y, pictures[name], details.strength(name, len(Y)), canvas.inches)
        else:
            small = dot if not pictures else SMALLEST_DOT
            look: dict[str, Any] = {"linewidths": 0, "alpha": 0.75, "zorder": 2, "label": writable(name)}
            axes.scatter(Y[:, 0], Y[:, 1], s=small, color=canvas.theme.colour(index), **look)
    if sum(name not in pictures for name in embedding) > 1:
        legend = axes.legend(loc="best", frameon=False, labelcolor=canvas.theme.ink, markerscale=(40 / dot) ** 0.5)
        for text in legend.get_texts():
            text.set_parse_math(False)


def draw_thumbnails(axes: Axes, Y: Float32, pictures: UInt8, strength: Float64, inches: float) -> None:
    """Draw a picture for each item, the most linked on top, in one image; the axes are ``inches`` wide."""
    import PIL.Image

    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    side = int(np.clip(np.sqrt(COVERED * inches**2 / len(Y)), SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL) * RESOLUTION)
    pixels = int(inches * RESOLUTION)
    layer = PIL.Image.new("RGBA", (pixels, pixels))
    places = (Y - [left, bottom]) / [right - left, top - bottom] * pixels
    for item in np.argsort(strength, kind="stable"):
        picture = PIL.Image.fromarray(pictures[item]).convert("RGBA")
        scale = side / max(picture.size)
        size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        small = picture.resize(size, PIL.Image.Resampling.LANCZOS)
        x, y = places[item]
        left_of, above = round(x - size[0] / 2), round(pixels - y - size[1] / 2)
        inside = (max(0, -left_of), max(0, -above), min(size[0], pixels - left_of), min(size[1], pixels - above))
        layer.alpha_composite(small.crop(inside), (max(0, left_of), max(0, above)))
    axes.imshow(np.asarray(layer), extent=(left, right, bottom, top), zorder=1, interpolation="antialiased")
