"""Icons, their aliases and their authors, from the npm package ``@mdi/svg`` (Apache-2.0): three domains."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData
from mrsne.datasets import DatasetError
from mrsne.experiments.word_lists import links_to_words
from mrsne.io import file_errors

SOURCE = "npm pack @mdi/svg"
GRID = 24  # units of an icon's drawing
SIDE = 48  # pixels of a thumbnail
COARSE = 16  # pixels of the vectors
CODES = {"moveTo": 1, "lineTo": 2, "qCurveTo": 3, "curveTo": 4, "closePath": 79, "endPath": 79}  # of matplotlib
PATH = re.compile(r'<path d="([^"]*)"')


def load_icons(path: Path, *, min_count: int = 3, n_icons: int | None = None, random_state: int = 0) -> RelationalData:
    """Read the icons of ``@mdi/svg``.

    Parameters
    ----------
    path : path
        What ``npm pack @mdi/svg`` writes (.tgz), or the folder it unpacks to.
    min_count : int, default=3
        Aliases and authors of fewer icons are left out.
    n_icons : int, optional
        Draw so many icons at random; all by default.
    random_state : int, default=0

    Returns
    -------
    data : RelationalData
        Domain "icon" with its drawing as a vector (16 × 16 pixels, smoothed) and as a picture; "alias" and "author"
        without vectors. An icon is linked to its aliases, to the words of its name and the package's tags, which count
        as aliases too, and to its author.
    """
    meta, drawings = _read(Path(path))
    meta = sorted((icon for icon in meta if icon["name"] in drawings), key=lambda icon: str(icon["name"]))
    if n_icons is not None and n_icons < len(meta):
        chosen = np.random.default_rng(random_state).choice(len(meta), n_icons, replace=False)
        meta = [meta[index] for index in np.sort(chosen)]
    words = [_words(icon) for icon in meta]
    authors = [[str(icon.get("author") or "")] for icon in meta]
    aliases, alias_links = links_to_words(words, min_count, "alias")
    people, author_links = links_to_words(authors, min_count, "author")
    pictures = np.stack([rasterised(drawings[icon["name"]]) for icon in meta])
    return RelationalData(
        {"icon": _vectors(pictures), "alias": len(aliases), "author": len(people)},
        {("icon", "alias"): alias_links, ("icon", "author"): author_links},
        names={"icon": [icon["name"] for icon in meta], "alias": aliases, "author": people},
        pictures={"icon": pictures},
    )


def _read(path: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return what is said of each icon, and the drawing of each."""
    if path.is_dir():
        folder = next((file.parent for file in sorted(path.rglob("meta.json"))), path)
        files = {f"svg/{file.name}": file.read_text() for file in sorted((folder / "svg").glob("*.svg"))}
        text = (folder / "meta.json").read_text() if (folder / "meta.json").is_file() else None
    else:
        files, text = {}, None
        with file_errors(path, f"the archive that `{SOURCE}` writes", DatasetError), tarfile.open(path) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                name = member.name.removeprefix("package/")
                if content is not None and name == "meta.json":
                    text = content.read().decode()
                elif content is not None and name.startswith("svg/"):
                    files[name] = content.read().decode()
    if text is None or not files:
        raise DatasetError(f"{str(path)!r} has no meta.json and svg folder; expected what `{SOURCE}` writes")
    found = {Path(name).stem: PATH.search(svg) for name, svg in files.items()}
    return json.loads(text), {name: match[1] for name, match in found.items() if match is not None}


def _words(icon: dict[str, Any]) -> list[str]:
    """Return the words for an icon: those of its name, its aliases with spaces, and its tags."""
    own = [*str(icon["name"]).split("-"), *(alias.replace("-", " ") for alias in icon.get("aliases", ()))]
    return list(dict.fromkeys([*own, *icon.get("tags", ())]))


def rasterised(drawing: str, side: int = SIDE) -> NDArray[np.uint8]:
    """Return the drawing of an icon as a picture, black on nothing.

    Examples
    --------
    >>> rasterised("M0,0H24V12H0Z", side=4)[..., 3].tolist()
    [[255, 255, 255, 255], [255, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 0]]
    """
    from fontTools.pens.recordingPen import RecordingPen  # fontTools comes with matplotlib
    from fontTools.svgLib.path import parse_path
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    pen: Any = RecordingPen()
    parse_path(drawing, pen)
    points = [point for _, stroke in pen.value for point in stroke or ((0.0, 0.0),)]  # of a closing stroke any
    codes = [CODES[name] for name, stroke in pen.value for _ in stroke or (None,)]
    figure = Figure(figsize=(1, 1), dpi=side)
    figure.patch.set_alpha(0)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, GRID), ylim=(GRID, 0))
    axes.axis("off")
    axes.add_patch(PathPatch(Outline(points, codes), facecolor="black", linewidth=0))
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba(), dtype=np.uint8)


def _vectors(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return coarse, smoothed pictures as vectors, so that drawings a pixel apart are near."""
    from scipy.ndimage import gaussian_filter

    ink = pictures[..., 3].astype(np.float32) / 255
    smooth = gaussian_filter(ink, (0, 1.5, 1.5))
    block = pictures.shape[1] // COARSE
    coarse = smooth.reshape(len(ink), COARSE, block, COARSE, block).mean(axis=(2, 4))
    return np.asarray(coarse.reshape(len(ink), -1), dtype=np.float32)
