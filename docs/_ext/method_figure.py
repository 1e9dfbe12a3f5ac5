"""The figure of "MR-SNE for readers of t-SNE": the same photos without and with their tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from dark_pictures import FOLDER, dark
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import mrsne

TAGS = {
    "sea": "#2f6fb2",
    "ship": "#7fb4e8",
    "forest": "#3f9d6b",
    "path": "#a5b53c",
    "town": "#c2555d",
    "street": "#d9822b",
}


def draw_maps() -> Figure:
    """Return two maps of synthetic photos, t-SNE of their vectors and MR-SNE with their tags, coloured by tag.

    Photos look alike in three groups. In each, two tags divide what the vectors cannot tell apart.
    """
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(3), 50)
    tag = 2 * group + random.integers(2, size=len(group))
    photos = 8 * np.eye(10)[group] + random.normal(size=(len(group), 10))
    links = list(enumerate(tag.tolist()))
    data = mrsne.RelationalData(
        {"photo": photos, "tag": len(TAGS)}, {("photo", "tag"): links}, names={"tag": list(TAGS)}
    )
    colours = [list(TAGS.values())[t] for t in tag]
    alone = mrsne.MRSNE(perplexity=15, random_state=0).fit_transform(photos)
    joint = mrsne.MRSNE(perplexity=15, weights=0.5, random_state=0).fit_transform(data)
    figure = Figure(figsize=(8, 4.1), layout="constrained")
    panels = figure.subplots(1, 2)
    panels[0].scatter(*alone.T, s=14, c=colours)
    ends = [(joint["photo"][i], joint["tag"][j]) for i, j in links]
    panels[1].add_collection(LineCollection(ends, colors="#8a94a6", linewidths=0.4, alpha=0.35, zorder=0))
    panels[1].scatter(*joint["photo"].T, s=14, c=colours)
    panels[1].scatter(*joint["tag"].T, s=26, marker="D", c=list(TAGS.values()), edgecolors="#1c1c28")
    for place, name in zip(joint["tag"], TAGS, strict=True):
        panels[1].annotate(
            name, place, xytext=(0, 6), textcoords="offset points", ha="center", fontsize=9, weight="bold"
        )
    for panel, title in zip(panels, ("t-SNE: photos alone", "MR-SNE: photos and tags"), strict=True):
        panel.set_title(title, fontsize=11)
        panel.set(xticks=[], yticks=[], aspect="equal")
        panel.spines[:].set_visible(False)
    return figure


def draw(app: Any) -> None:
    """Draw it into the folder of static files, for both themes."""
    static = Path(app.srcdir, "_static")
    for folder in ("plots", FOLDER):
        (static / folder).mkdir(exist_ok=True)
    figure = draw_maps()
    figure.savefig(static / "plots" / "method.svg", metadata={"Date": None})
    dark(figure).savefig(static / FOLDER / "method.svg", metadata={"Date": None})


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", draw, priority=40)
    return {"parallel_read_safe": True}
