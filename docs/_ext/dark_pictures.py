"""A dark twin of every picture that is drawn while the site is built: the dark theme has no white boxes.

While examples run, `Figure.savefig` also saves the figure on a dark ground, beside the file that was asked for. A style
sheet shows that twin in the dark theme, wherever the picture is on the site. Scripts stay as readers would write them.
"""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

from matplotlib.collections import Collection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from PIL import Image, ImageOps

from mrsne.plot import DARK, LIGHT

ENDING = "-dark"
FOLDER = "dark"  # below _static
THUMBNAIL = (400, 280)  # sphinx-gallery's
SHOWN = 'html[data-theme="dark"] .bd-content img[src$="/{name}"]'
RULE = SHOWN + ' {{ content: url("{folder}/{name}"); filter: none; background: none }}'
KNOWN = dict(zip((LIGHT.ground, LIGHT.ink, *LIGHT.domains), (DARK.ground, DARK.ink, *DARK.domains), strict=True))
GREY = 0.13  # colours whose channels differ by less are shades of grey, which stand for more or less ink


def darkened(colour: Any) -> Any:
    """Return the colour that takes the place of one on a dark ground."""
    if isinstance(colour, str) and colour in ("none", "inherit"):
        return colour
    red, green, blue, alpha = to_rgba(colour)
    if (known := KNOWN.get(to_hex((red, green, blue)))) is not None:
        return (*to_rgba(known)[:3], alpha)
    if max(red, green, blue) - min(red, green, blue) < GREY:
        white = (red + green + blue) / 3
        ground, ink = to_rgba(DARK.ground), to_rgba(DARK.ink)
        return (*(white * a + (1 - white) * b for a, b in zip(ground[:3], ink[:3], strict=True)), alpha)
    lighter = max(0.0, 0.55 - max(red, green, blue)) + 0.15
    return (*(channel + lighter * (1 - channel) for channel in (red, green, blue)), alpha)


def dark(figure: Figure) -> Figure:
    """Return a copy of a figure on a dark ground. What a colour map colours stays as it is."""
    figure = pickle.loads(pickle.dumps(figure))
    for artist in figure.findobj():
        if isinstance(artist, Patch):
            artist.set_facecolor(darkened(artist.get_facecolor()))
            artist.set_edgecolor(darkened(artist.get_edgecolor()))
        elif isinstance(artist, Line2D):
            for part in ("color", "markerfacecolor", "markeredgecolor"):
                getattr(artist, f"set_{part}")(darkened(getattr(artist, f"get_{part}")()))
        elif isinstance(artist, Text):
            artist.set_color(darkened(artist.get_color()))
            for effect in artist.get_path_effects() or []:
                drawn: dict[str, Any] = getattr(effect, "_gc", {})
                if "foreground" in drawn:
                    drawn["foreground"] = darkened(drawn["foreground"])
        elif isinstance(artist, Collection) and artist.get_array() is None:
            colours = {part: getattr(artist, f"get_{part}")() for part in ("facecolor", "edgecolor")}
            artist._alpha = None  # it is in the colours already; `set_alpha` cannot compare an array
            for part, found in colours.items():
                getattr(artist, f"set_{part}")([darkened(colour) for colour in found])
    return figure


def twin_of(path: Path) -> Path:
    """Return where the dark twin of a picture is written."""
    return path.with_stem(path.stem + ENDING)


def keep_twin(picture: Path, name: str, static: Path) -> None:
    """Move the dark twin of a picture, if it has one, to where the style sheet looks for it by the picture's name."""
    if twin_of(picture).exists():
        (static / FOLDER).mkdir(exist_ok=True)
        shutil.move(twin_of(picture), static / FOLDER / name)


def keep_thumbnail(first: str, example: str, static: Path) -> None:
    """Make the dark thumbnail of an example from the dark twin of its first picture."""
    if (static / FOLDER / first).exists():
        with Image.open(static / FOLDER / first) as picture:
            padded = ImageOps.pad(picture.convert("RGB"), THUMBNAIL, color=DARK.ground)
        padded.save(static / FOLDER / f"sphx_glr_{example}_thumb.png")


def save_twins(app: Any) -> None:
    """Let figures save their dark twins from now on; examples run in this process."""
    save = Figure.savefig

    def savefig(self: Figure, fname: Any, **options: Any) -> None:
        save(self, fname, **options)
        if isinstance(fname, str | Path):
            save(dark(self), twin_of(Path(fname)), **options)

    Figure.savefig = savefig  # type: ignore[method-assign]


def write_rules(app: Any) -> None:
    """Write the style sheet, after the examples have run."""
    static = Path(app.srcdir, "_static")
    for path in Path(app.srcdir).glob(f"*{ENDING}.png"):  # drawn by tools/readme_picture.py
        shutil.copy(path, static / FOLDER / path.name.replace(ENDING, ""))
    names = sorted(path.name for path in (static / FOLDER).glob("*.*"))
    rules = [RULE.format(name=name, folder=FOLDER) for name in names]
    (static / "dark-pictures.css").write_text("\n".join([*rules, ""]), encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx, before and after the gallery, which runs at 500 or so."""
    app.connect("builder-inited", save_twins, priority=50)
    app.connect("builder-inited", write_rules, priority=950)
    return {"parallel_read_safe": True}
