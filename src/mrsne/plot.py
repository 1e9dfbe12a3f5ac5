"""Static pictures of a map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData
from mrsne.embedding import Embedding
from mrsne.parameters import ParameterError, describe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1c1c28"
HALO = 0.85  # opacity of the light ground behind a label
DOMAIN_COLOURS = ("#5b7db1", "#2a8c55", "#c2663b", "#8455a8", "#b8962e", "#4c4c57")
SMALLEST_DOT, LARGEST_DOT = 2.0, 45.0  # areas in square points
MOST_INK = 12_000  # square points that all dots together cover at most
PICTURE_PIXELS = 26  # side of a picture on a 150 dpi page


def map_figure(
    embedding: Embedding,
    data: RelationalData | None = None,
    pictures: Mapping[str, NDArray[np.uint8]] | None = None,
    size: float = 10.0,
) -> Figure:
    """Draw a 2-D map: pictures at their places, names as text without overlaps, everything else as dots.

    Parameters
    ----------
    embedding : Embedding
        Two-dimensional.
    data : RelationalData, optional
        Gives the names; where labels would overlap, the most linked item keeps its own.
    pictures : mapping of str to array of shape (n, height, width, 3 or 4), uint8, optional
        Pictures to draw for the items of a domain.
    size : float
        Width and height of the figure in inches.

    Returns
    -------
    figure : matplotlib Figure

    Examples
    --------
    >>> import mrsne
    >>> figure = map_figure(mrsne.Embedding({"tag": [[0, 0], [1, 1]]}))
    >>> figure.get_size_inches().tolist()
    [10.0, 10.0]
    """
    from matplotlib.figure import Figure

    if not isinstance(embedding, Embedding):
        raise ParameterError(
            f"embedding must be an Embedding, got {describe(embedding)}; "
            "wrap an array as mrsne.Embedding({'items': Y})"
        )
    _check_fit(embedding, data, pictures or {})
    if embedding.n_components != 2:
        raise ParameterError(f"embedding must be two-dimensional to be drawn, got {embedding.n_components} dimensions")
    figure = Figure(figsize=(size, size), dpi=150, facecolor="white")
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    axes.set_axis_off()
    everything = embedding.stacked
    low, high = everything.min(axis=0), everything.max(axis=0)
    centre, reach = (low + high) / 2, 0.54 * max(float((high - low).max()), 1e-6)
    axes.set_xlim(centre[0] - reach, centre[0] + reach)
    axes.set_ylim(centre[1] - reach, centre[1] + reach)
    dot = float(np.clip(MOST_INK / len(everything), SMALLEST_DOT, LARGEST_DOT))
    labelled: list[tuple[str, str]] = []
    dots = 0
    for index, (name, Y) in enumerate(embedding.items()):
        colour = DOMAIN_COLOURS[index % len(DOMAIN_COLOURS)]
        shown = (pictures or {}).get(name)
        if shown is not None:
            _draw_pictures(axes, Y, shown)
        else:
            dots += 1
            axes.scatter(Y[:, 0], Y[:, 1], s=dot, color=colour, linewidths=0, alpha=0.75, zorder=2, label=name)
        if data is not None and name in data.names:
            labelled.append((name, colour))
    if dots > 1:
        axes.legend(loc="upper left", frameon=False, labelcolor=INK, markerscale=(40 / dot) ** 0.5)
    taken: list[Any] = []
    for name, colour in labelled:
        assert data is not None
        _draw_labels(figure, axes, embedding[name], data, name, colour, taken)
    return figure


def _check_fit(embedding: Embedding, data: RelationalData | None, pictures: Mapping[str, Any]) -> None:
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


def _draw_pictures(axes: Axes, Y: NDArray[np.float32], pictures: NDArray[np.uint8]) -> None:
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    for position, picture in zip(Y, pictures, strict=True):
        image = OffsetImage(picture, zoom=PICTURE_PIXELS / max(picture.shape[:2]) * 72 / 150)
        axes.add_artist(AnnotationBbox(image, (float(position[0]), float(position[1])), frameon=False, zorder=1))


def _draw_labels(
    figure: Figure, axes: Axes, Y: NDArray[np.float32], data: RelationalData, domain: str, colour: str, taken: list[Any]
) -> None:
    """Write names, the most linked items first, and leave out those that would cover one in ``taken``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    links = np.zeros(data.sizes[domain])
    for pair, W in data.relations.items():
        for side, name in enumerate(pair):
            if name == domain:
                links += np.asarray(W.sum(axis=1 - side)).ravel()
    for item in np.argsort(-links, kind="stable"):
        text = axes.text(
            float(Y[item, 0]),
            float(Y[item, 1]),
            data.names[domain][item],
            ha="center",
            va="center",
            fontsize=13,
            fontweight="bold",
            color=colour,
            zorder=4,
            parse_math=False,
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "alpha": HALO, "edgecolor": "none"},
        )
        box = text.get_window_extent(renderer).padded(2)
        if any(box.overlaps(other) for other in taken):
            text.remove()
        else:
            taken.append(box)
