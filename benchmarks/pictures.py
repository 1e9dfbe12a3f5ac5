"""``mrsne map`` on a folder of photographs: the first time, again, and after a change of its tags.

    python -m benchmarks.pictures --count 2329 --size 1200x900

Pictures are parts of the two photographs that scikit-learn brings, in other colours, with discs in them and the grain
of a camera. Each call is a process of its own, with a cache of its own that the first one finds empty.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_sample_images

TAGS = ("sea", "wood", "town", "winter", "family", "dog", "night", "garden", "travel", "music", "food", "snow")


def make_picture(number: int, folder: Path, size: tuple[int, int], photographs: list[Image.Image]) -> None:
    """Write a picture that is like no other, but more like those of its photograph."""
    random = np.random.default_rng(number)
    photograph = photographs[number % len(photographs)]
    width = int(photograph.width * random.uniform(0.3, 0.9))
    height = min(photograph.height, width * size[1] // size[0])
    left = int(random.integers(photograph.width - width + 1))
    top = int(random.integers(photograph.height - height + 1))
    part = photograph.resize(size, Image.Resampling.BICUBIC, box=(left, top, left + width, top + height))
    draw = ImageDraw.Draw(part)
    for _ in range(random.integers(5)):
        x, y, radius = (
            int(random.integers(low, high)) for low, high in ((0, size[0]), (0, size[1]), (20, size[0] // 4))
        )
        colour = tuple(map(int, random.integers(0, 256, 3)))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
    grain = random.normal(0, 8, (size[1] // 2, size[0] // 2, 1)).repeat(2, axis=0).repeat(2, axis=1)
    pixels = np.asarray(part)[: grain.shape[0], : grain.shape[1]] * random.uniform(0.6, 1.3, 3) + grain
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(folder / f"{number:05}.jpg", quality=88)


def write_tags(path: Path, count: int, seed: int) -> None:
    """Write a table with two tags for each picture."""
    random = np.random.default_rng(seed)
    rows = (f"{number:05}.jpg,{TAGS[tag]}" for number in range(count) for tag in random.choice(len(TAGS), 2, False))
    path.write_text("\n".join(["picture,tag", *rows]))


def run(base: Path, *options: str) -> tuple[float, dict[str, object]]:
    """Return the seconds of a whole process, and what it says."""
    command = [sys.executable, "-c", "from mrsne.cli import main; main()", "map", str(base / "photos")]
    command += ["--tags", str(base / "tags.csv"), "--cache", str(base / "cache"), "-o", str(base / "map.html")]
    start = time.perf_counter()
    done = subprocess.run([*command, "--json", *options], check=True, capture_output=True, text=True)
    return time.perf_counter() - start, json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--size", default="4000x3000")
    parser.add_argument("--folder", type=Path, help="where the pictures are kept, for another time")
    given = parser.parse_args()
    width, height = map(int, given.size.split("x"))
    photographs = [Image.fromarray(pixels) for pixels in load_sample_images().images]
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        photos = given.folder or base / "pictures"
        photos.mkdir(parents=True, exist_ok=True)
        missing = [number for number in range(given.count) if not (photos / f"{number:05}.jpg").exists()]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda number: make_picture(number, photos, (width, height), photographs), missing))
        (base / "photos").symlink_to(photos.resolve(), target_is_directory=True)
        megabytes = sum(path.stat().st_size for path in photos.glob("*.jpg")) / 1e6
        time.sleep(2)  # a file is known by its times when it has rested for two seconds
        table = Table(title=f"mrsne map, {given.count:,} pictures of {width} × {height}, {megabytes:,.0f} MB")
        for column in ("", "seconds", "of the first", "pictures known", "map left as it is"):
            table.add_column(column, justify="left" if column == "" else "right")
        first = 0.0
        write_tags(base / "tags.csv", given.count, 0)
        cases = {
            "first time": [],
            "nothing new": [],
            "nothing new, --fresh": ["--fresh"],
            "other tags": [],
        }
        for name, options in cases.items():
            if name == "other tags":
                write_tags(base / "tags.csv", given.count, 1)
            seconds, said = run(base, *options)
            first = first or seconds
            table.add_row(
                name,
                f"{seconds:.1f}",
                f"{seconds / first:.0%}",
                f"{said['pictures_from_cache']:,}",
                "yes" if said["up_to_date"] else "no",
            )
    Console().print(table)


if __name__ == "__main__":
    main()
