"""A map as a static figure: pictures at their places, with names between them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.arrays import Int64, UInt8
from mrsne.data.outline import check_known
from mrsne.data.relational import RelationalData
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError, check_number, check_option, describe
from mrsne.plot.drawing import THEMES, Canvas, draw_density, draw_items, draw_links, set_limits, writable
from mrsne.plot.names import draw_names, draw_regions
from mrsne.viewer.details import Details, read_details
from mrsne.viewer.flowers import spread_out

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 0.96  # of the axes, as a share of the figure


def map_figure(
    embedding: Embedding,
    data: RelationalData | None = None,
    pictures: Mapping[str, UInt8] | None = None,
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
    starts = _linked_items(links or {}, embedding, details)
    labelled = [] if data is None else _labelled_domains(labels, embedding, details, shown)
    figure = Figure(figsize=(size, size), dpi=150, facecolor=colours.ground)
    axes = figure.add_axes(((1 - WIDTH) / 2, (1 - WIDTH) / 2, WIDTH, WIDTH if title is None else WIDTH - 0.03))
    axes.set_axis_off()
    set_limits(axes, embedding.stacked)
    canvas = Canvas(figure, axes, colours, size * WIDTH)
    if density:
        draw_density(canvas, embedding.stacked)
    places, _ = spread_out(embedding)
    draw_links(canvas, places, details, starts)
    draw_items(canvas, places, details, shown)
    occupied = draw_regions(canvas, embedding.regions(data).at(0)) if regions else []
    draw_names(canvas, places, details, labelled, starts, occupied)
    if title is not None:
        figure.suptitle(writable(str(title)), x=0.5, y=0.985, color=colours.ink, fontsize=14, parse_math=False)
    return figure


def _check_fit(embedding: Embedding, data: RelationalData | None, pictures: Mapping[str, Any]) -> None:
    if not len(embedding.stacked) or not np.isfinite(embedding.stacked).all():
        wanted = "items with finite coordinates to be drawn"
        raise ParameterError(f"embedding must have {wanted}, but it has none, or some are not finite")
    check_known("pictures", pictures, embedding)
    for name, shown in pictures.items():
        if len(shown) != len(embedding[name]):
            raise ParameterError(f"pictures[{name!r}] has {len(shown)} pictures for {len(embedding[name])} items")
    for name, Y in embedding.items():
        known = len(Y) if data is None else data.sizes.get(name, 0)
        if known != len(Y):
            raise ParameterError(f"data has {known} items of {name!r}, but the embedding has {len(Y)}")


def _linked_items(links: Mapping[str, Sequence[int | str]], embedding: Embedding, details: Details) -> dict[str, Int64]:
    check_known("links", links, embedding)
    found = {}
    for name, items in links.items():
        if not any(name in pair for pair in details.relations):
            hint = "give data with a relation of it, in memory"
            raise ParameterError(f"links names {name!r}, but no links of {name!r} are known: {hint}")
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise ParameterError(f"links[{name!r}] must be a list of names or positions, got {describe(items)}")
        known = {item: index for index, item in enumerate(details.ids.get(name, details.names.get(name, ())))}
        places = [known.get(item, -1) if isinstance(item, str) else item for item in items]
        for item, place in zip(items, places, strict=True):
            if not isinstance(place, numbers.Integral) or not 0 <= place < len(embedding[name]):
                raise ParameterError(f"links[{name!r}] names {item!r}, which {name!r} does not have")
        found[name] = np.array(places, dtype=np.int64)
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
