"""Names as text, without overlaps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrsne.plot.themes import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LARGEST, SMALLEST = 13.0, 6.5  # points
LONGEST = 40  # characters of a label
HALVES = re.compile("[\ud800-\udfff]")  # surrogates without their other half
MOST = 400  # labels that are tried


def draw_labels(
    figure: Figure,
    axes: Axes,
    Y: NDArray[np.float32],
    names: Sequence[str],
    strength: NDArray[np.float64],
    colour: str,
    theme: Theme,
    occupied: list[Any],
    always: NDArray[np.int64],
) -> None:
    """Write names, those of the chosen and then of the most linked items first, and leave out any that would overlap.

    ``occupied`` has the boxes of the labels so far; those of the new ones are added.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.patheffects import withStroke

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    first = strength.copy()
    first[always] = np.inf
    order = np.argsort(-first, kind="stable")[:MOST]
    sizes = _sizes(strength)
    for item in order:
        text = axes.text(
            float(Y[item, 0]),
            float(Y[item, 1]),
            writable(names[item] if len(names[item]) <= LONGEST else names[item][: LONGEST - 1] + "…"),
            ha="center",
            va="center",
            fontsize=sizes[item],
            fontweight="bold",
            color=colour,
            zorder=4,
            parse_math=False,
            path_effects=[withStroke(linewidth=2.6, foreground=theme.ground, alpha=0.9)],
        )
        box = text.get_window_extent(renderer).padded(1.5)
        if any(box.overlaps(other) for other in occupied):
            text.remove()
        else:
            occupied.append(box)


def writable(text: str) -> str:
    r"""Return text without lone surrogates, which names of files may have and no font can draw.

    Examples
    --------
    >>> writable("caf\udce9")
    'caf�'
    """
    return HALVES.sub("\ufffd", text)


def _sizes(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return larger fonts for more links: by rank, so that one item with many links does not make all others small."""
    if len(strength) < 2 or np.ptp(strength) == 0:
        return np.full(len(strength), (LARGEST + SMALLEST) / 2)
    share = np.searchsorted(np.sort(strength), strength, side="right") / len(strength)
    return np.asarray(SMALLEST + (LARGEST - SMALLEST) * share**4)
