"""A map as a static figure: pictures at their places, with names between them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError, check_number, check_option, describe
from mrsne.plot.labels import draw_labels, writable
from mrsne.plot.regions import draw_regions
from mrsne.plot.themes import THEMES, Theme
from mrsne.plot.thumbnails import draw_thumbnails
from mrsne.viewer.details import Details, read_details

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALLEST_DOT, LARGEST_DOT = 2.0, 45.0  # areas in square points
MOST_INK = 12_000  # square points that all dots may cover together
DENSITY_CELLS = 160
WIDTH = 0.96  # of the axes, as a share of the figure


def map_figure(
    embedding: Embedding,
    data: RelationalData | None = None,
    pictures: Mapping[str, NDArray[np.uint8]] | None = None,
    size: float = 10.0,
    *,
    theme: str = "light",
    links: Mapping[str, Sequence[int | str]] | None = None,
    density: bool = False,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    regions: bool = False,
) -> Figure:
    """Draw a two-dimensional map: pictures at their places, names without overlaps, everything else as dots.

    Parameters
    ----------
    embedding : Embedding
        Two-dimensional.
    data : RelationalData, optional
        Gives names and pictures; where labels would overlap, the most linked item keeps its own. Data on a cluster
        gives names only, so that ``links`` cannot be drawn.
    pictures : mapping of str to array of shape (n, height, width, 3 or 4), uint8, optional
        Pictures to draw for the items of a domain instead of those in the data.
    size : float
        Width and height of the figure in inches.
    theme : {"light", "dark"}, default="light"
    links : mapping of str to list of positions or names, optional
        Items whose links are drawn, by domain; their own names are written first.
    density : bool, default=False
        Shade the background by the density of items.
    labels : list of str, optional
        Domains whose names are written; by default those without pictures that have names.
    title : str, optional
        Written above the map.
    regions : bool, default=False
        Draw the regions of the overview with their names, as :meth:`mrsne.Embedding.regions` finds them.

    Returns
    -------
    figure : matplotlib Figure
        Save it as PNG, SVG or PDF: ``figure.savefig("map.pdf")``, ``figure.savefig("map.png", dpi=300)`` for print.

    See Also
    --------
    mrsne.Embedding.to_html : A map to explore.
    mrsne.plot.THEMES : The colours.

    Examples
    --------
    >>> import mrsne
    >>> figure = mrsne.plot.map_figure(mrsne.Embedding({"tag": [[0, 0], [1, 1]]}))
    >>> figure.get_size_inches().tolist()
    [10.0, 10.0]
    """
    from matplotlib.figure import Figure

    if not isinstance(embedding, Embedding):
        raise ParameterError(
            f"embedding must be an Embedding, got {describe(embedding)}; "
            "wrap an array as mrsne.Embedding({'items': Y})"
        )
    check_number("size", size, above=0)
    colours = THEMES[check_option("theme", theme, THEMES)]
    details = read_details(data)
    shown = details.pictures if pictures is None else pictures
    _check_fit(embedding, data, shown)
    if embedding.n_components != 2:
        raise ParameterError(f"embedding must be two-dimensional to be drawn, got {embedding.n_components} dimensions")
    chosen = _linked_items(links or {}, embedding, details)
    figure = Figure(figsize=(size, size), dpi=150, facecolor=colours.ground)
    axes = figure.add_axes(((1 - WIDTH) / 2, (1 - WIDTH) / 2, WIDTH, WIDTH if title is None else WIDTH - 0.03))
    axes.set_axis_off()
    _set_limits(axes, embedding.stacked)
    if density:
        _draw_density(axes, embedding.stacked, colours)
    _draw_links(axes, embedding, details, chosen, colours)
    _draw_items(axes, embedding, details, shown, colours, size * WIDTH)
    occupied: list[Any] = []
    if regions:
        occupied = draw_regions(figure, axes, embedding.regions(data).at(0), colours, size * WIDTH)
    if data is not None:
        labelled = _labelled_domains(labels, embedding, details, shown)
        _write_names(figure, axes, embedding, details, labelled, chosen, colours, occupied)
    if title is not None:
        figure.suptitle(writable(str(title)), x=0.5, y=0.985, color=colours.ink, fontsize=14, parse_math=False)
    return figure


def _write_names(
    figure: Figure,
    axes: Axes,
    embedding: Embedding,
    details: Details,
    labelled: Sequence[str],
    chosen: Mapping[str, NDArray[np.int64]],
    theme: Theme,
    occupied: list[Any],
) -> None:
    """Write the names of all items of the labelled domains, and in others those of the chosen items."""
    for index, name in enumerate(embedding):
        if name not in labelled and (name not in chosen or name not in details.names):
            continue
        always = chosen.get(name, np.zeros(0, np.int64))
        items = np.arange(len(embedding[name])) if name in labelled else always
        first = np.flatnonzero(np.isin(items, always))
        names = [details.names[name][i] for i in items]
        strength = details.strength(name, len(embedding[name]))[items]
        draw_labels(figure, axes, embedding[name][items], names, strength, theme.colour(index), theme, occupied, first)


def _check_fit(embedding: Embedding, data: RelationalData | None, pictures: Mapping[str, Any]) -> None:
    if not len(embedding.stacked) or not np.isfinite(embedding.stacked).all():
        raise ParameterError(
            "embedding must have items with finite coordinates to be drawn, but it has none or some are not"
        )
    for name, shown in pictures.items():
        if name not in embedding:
            raise ParameterError(f"pictures names {name!r}, but the domains are {', '.join(map(repr, embedding))}")
        if len(shown) != len(embedding[name]):
            raise ParameterError(f"pictures[{name!r}] has {len(shown)} pictures for {len(embedding[name])} items")
    for name in embedding if data is not None else ():
        if data is not None and data.sizes.get(name) != len(embedding[name]):
            raise ParameterError(
                f"data has {data.sizes.get(name, 0)} items of {name!r}, but the embedding has {len(embedding[name])}"
            )


def _linked_items(
    links: Mapping[str, Sequence[int | str]], embedding: Embedding, details: Details
) -> dict[str, NDArray[np.int64]]:
    """Return the positions of the items whose links are drawn."""
    if not isinstance(links, Mapping):
        raise ParameterError(f"links must be a mapping of domains to lists of items, got {describe(links)}")
    found = {}
    for name, items in links.items():
        if name not in embedding:
            raise ParameterError(f"links names {name!r}, but the domains are {', '.join(map(repr, embedding))}")
        if not any(name in pair for pair in details.relations):
            raise ParameterError(
                f"links names {name!r}, but no links of {name!r} are known: give data with a relation of it, in memory"
            )
        known = details.ids.get(name, details.names.get(name, ()))
        position = {item: index for index, item in enumerate(known)}
        positions = []
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise ParameterError(f"links[{name!r}] must be a list of names or positions, got {describe(items)}")
        for item in items:
            place = (
                position.get(item, -1) if isinstance(item, str) else item if isinstance(item, numbers.Integral) else -1
            )
            if not 0 <= place < len(embedding[name]):
                raise ParameterError(f"links[{name!r}] names {item!r}, which {name!r} does not have")
            positions.append(int(place))
        found[name] = np.array(positions, dtype=np.int64)
    return found


def _labelled_domains(
    labels: Sequence[str] | None, embedding: Embedding, details: Details, pictures: Mapping[str, Any]
) -> list[str]:
    named = [name for name in embedding if name in details.names]
    if labels is None:
        return [name for name in named if name not in pictures]
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise ParameterError(f"labels must be a list of domains, got {describe(labels)}")
    for name in labels:
        if name not in named:
            raise ParameterError(f"labels must be domains with names ({', '.join(map(repr, named))}), got {name!r}")
    return list(labels)


def _set_limits(axes: Axes, everything: NDArray[np.float32]) -> None:
    low, high = (limit.astype(np.float64) for limit in (everything.min(axis=0), everything.max(axis=0)))
    centre, reach = (low + high) / 2, 0.54 * max(float((high - low).max()), 1e-6)
    axes.set_xlim(centre[0] - reach, centre[0] + reach)
    axes.set_ylim(centre[1] - reach, centre[1] + reach)


def _draw_items(
    axes: Axes,
    embedding: Embedding,
    details: Details,
    pictures: Mapping[str, Any],
    theme: Theme,
    inches: float,
) -> None:
    dot = float(np.clip(MOST_INK / len(embedding.stacked), SMALLEST_DOT, LARGEST_DOT))
    dots = 0
    for index, (name, Y) in enumerate(embedding.items()):
        if name in pictures:
            draw_thumbnails(axes, Y, pictures[name], details.strength(name, len(Y)), inches)
        else:
            dots += 1
            small = dot if not pictures else SMALLEST_DOT
            look: dict[str, Any] = {"linewidths": 0, "alpha": 0.75, "zorder": 2, "label": writable(name)}
            axes.scatter(Y[:, 0], Y[:, 1], s=small, color=theme.colour(index), **look)
    if dots > 1:
        legend = axes.legend(loc="best", frameon=False, labelcolor=theme.ink, markerscale=(40 / dot) ** 0.5)
        for text in legend.get_texts():
            text.set_parse_math(False)


def _draw_links(
    axes: Axes, embedding: Embedding, details: Details, chosen: Mapping[str, NDArray[np.int64]], theme: Theme
) -> None:
    """Draw lines from the chosen items to those they are linked to, stronger links darker."""
    from matplotlib.collections import LineCollection

    for (a, b), links in details.relations.items():
        for from_, to in ((a, b), (b, a)) if a != b else ((a, b),):
            if from_ not in chosen:
                continue
            W = (links if from_ == a else links.T.tocsr())[chosen[from_]].tocoo()
            if not W.nnz:
                continue
            ends = np.stack([embedding[from_][chosen[from_][W.row]], embedding[to][W.col]], axis=1)
            alphas = 0.25 + 0.6 * W.data / W.data.max()
            colour = theme.colour(list(embedding).index(from_))
            axes.add_collection(LineCollection(list(ends), colors=colour, alpha=alphas, linewidths=0.9, zorder=1.5))


def _draw_density(axes: Axes, everything: NDArray[np.float32], theme: Theme) -> None:
    """Shade the background by a smoothed count of items."""
    from matplotlib.colors import LinearSegmentedColormap
    from scipy.ndimage import gaussian_filter

    limits = axes.get_xlim(), axes.get_ylim()
    counts, _, _ = np.histogram2d(everything[:, 0], everything[:, 1], bins=DENSITY_CELLS, range=limits)
    smooth = np.sqrt(gaussian_filter(counts, DENSITY_CELLS / 60))
    shades = LinearSegmentedColormap.from_list("density", [theme.domains[0] + "00", theme.domains[0] + "77"])
    extent = (*limits[0], *limits[1])
    axes.imshow(smooth.T, origin="lower", extent=extent, cmap=shades, zorder=0, interpolation="bicubic")
