"""Commands that write, each with what was there before: small, so that it can fail at every one of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import PIL.Image

from tests.cli.conftest import run
from tests.encoders.models import save_mean_model

PICTURES = ("map", "photos", "--no-cache", "--image-model", "photos/mean.onnx", "--no-word-vectors")
FIT = ("fit", "--domain", "image=vectors.npy", "--domain", "tag=3", "--relation", "image:tag=links.csv")
Command = Sequence[str]

# by name: what writes the older files, and the command that fails
COMMANDS: dict[str, tuple[list[Command], Command]] = {
    "map TABLE": ([("map", "odd.csv", "-o", "map.html")], ("map", "works.csv", "-o", "map.html", "--seed", "2")),
    "map FOLDER": ([(*PICTURES, "-o", "map.png")], (*PICTURES, "-o", "map.png", "--seed", "2")),
    "fit": (
        [(*FIT, "--max-iter", "20", "-o", "map.html")],
        (*FIT, "--max-iter", "20", "-o", "map.html", "--seed", "2"),
    ),
    "update": ([("map", "works.csv", "-o", "map.html")], ("update", "map.npz", "more.csv")),
    "place": (
        [("map", "works.csv", "-o", "map.html"), ("place", "map.npz", "other.csv", "-o", "placed.html")],
        ("place", "map.npz", "more.csv", "-o", "placed.html"),
    ),
    "compare": (
        [
            ("map", "works.csv", "-o", "map.html"),
            ("map", "odd.csv", "-o", "odd.html"),
            ("compare", "map.npz", "odd.npz", "-o", "both.html"),
        ],
        ("compare", "odd.npz", "map.npz", "-o", "both.html"),
    ),
    "regions": (
        [
            ("map", "works.csv", "-o", "map.html"),
            ("map", "odd.csv", "-o", "odd.html"),
            ("regions", "map.npz", "-o", "regions.json"),
        ],
        ("regions", "odd.npz", "-o", "regions.json"),
    ),
    "export": (
        [(*PICTURES, "-o", "map.html"), ("export", "map.npz", "--by", "tag", "--region", "0", "-o", "items.csv")],
        ("export", "map.npz", "-o", "items.csv", "--links", "links_of_map.csv", "--copy", "copies"),
    ),
    "plot": (
        [("map", "works.csv", "-o", "map.html"), ("plot", "map.npz", "-o", "map.png", "--size", "2")],
        ("plot", "map.npz", "-o", "map.png", "--size", "2", "--theme", "dark"),
    ),
    "view": (
        [("map", "works.csv", "-o", "map.html"), ("view", "map.npz", "-o", "map.html")],
        ("view", "map.npz", "-o", "map.html", "--theme", "dark"),
    ),
}


def write_inputs(folder: Path) -> None:
    """Write what the commands read."""
    rows = [f"w{i},untitled {i},{'sea; ship' if i % 2 else 'lake; sea'},{1800 + i}" for i in range(12)]
    heading = "id,title,tags,year"
    (folder / "works.csv").write_text("\n".join([heading, *rows]))
    (folder / "odd.csv").write_text("\n".join([heading, *rows[:10], "w10,untitled,ship,c. 1810"]))  # one is left out
    (folder / "more.csv").write_text("\n".join([heading, "n1,new,sea; ship,1900", "n2,new,lake; cliff,1901"]))
    (folder / "other.csv").write_text("\n".join([heading, "n3,new,ship,1902"]))
    np.save(folder / "vectors.npy", np.random.default_rng(0).normal(size=(12, 3)))
    (folder / "links.csv").write_text("\n".join(["image,tag", *(f"{i},{i // 4}" for i in range(12))]))
    for index in range(6):
        place = folder / "photos" / ("sea" if index % 2 else "lake")
        place.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(index).integers(0, 256, (12, 10, 3), dtype=np.uint8)
        PIL.Image.fromarray(pixels).save(place / f"{index}.png")
    save_mean_model(folder / "photos" / "mean.onnx", side=8)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, but for those that a dead writer leaves and a later one removes."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".partial" not in str(path))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def succeed(command: Command) -> None:
    """Run a command that must succeed, in the current folder."""
    code, _, errors = run(*command)
    assert code == 0, errors
