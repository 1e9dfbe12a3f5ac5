"""Small tables of the shapes that people have: a museum's collection, Debian's packages."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np

SUBJECTS = ("sea", "ship", "storm", "mountain", "lake", "tree", "river", "castle", "portrait", "horse", "dog", "church")
ARTISTS = ("Turner, Joseph", "Blake, William", "Constable, John", "Palmer, Samuel", "Cotman, John", "Girtin, Thomas")
TAGS = ("game::strategy", "role::program", "interface::x11", "implemented-in::c", "use::editing", "devel::library")


def museum_rows(count: int = 60, seed: int = 0) -> list[dict[str, str]]:
    """Works with an artist each, subjects in one cell, titles of which many are the same, and years that are unsure."""
    random = np.random.default_rng(seed)
    rows = []
    for index in range(count):
        artist = int(random.integers(len(ARTISTS)))
        subjects = random.choice(len(SUBJECTS), random.integers(1, 4), replace=False)
        rows.append(
            {
                "accession_number": f"N{index:05d}",
                "title": "[title not known]" if index % 4 == 0 else f"Study number {index}",
                "artist": ARTISTS[artist],
                "subjects": "; ".join(SUBJECTS[(2 * artist + int(s)) % len(SUBJECTS)] for s in subjects),
                "year": "c. 1810" if index == 7 else str(1780 + int(random.integers(90))),
                "acquired": f"{1 + index % 28:02d}/{1 + index % 12:02d}/1856",
                "medium": ("oil", "watercolour")[index % 2],
                "gallery": "Unknown",
                "notes": "",
            }
        )
    return rows


def museum_csv(path: Path, count: int = 60, encoding: str = "cp1252", delimiter: str = ";") -> Path:
    """Write the museum's works as its database exports them."""
    rows = museum_rows(count)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def artists_csv(path: Path) -> Path:
    """Write what is known of the artists, one of whom has no work, while one with works has no row."""
    lines = ["name,full name,born,movements"]
    for index, artist in enumerate(ARTISTS[:-1]):
        family, given = artist.split(", ")
        movement = '"Romanticism; Landscape school"' if index % 2 else "Romanticism"
        lines.append(f'"{artist.upper()}",{given} {family},{1750 + index},{movement}')
    path.write_text("\n".join([*lines, '"Nobody, At All",At All Nobody,1800,Cubism']))
    return path


def packages_jsonl(path: Path, count: int = 60) -> Path:
    """Write packages as `apt-cache dumpavail` describes them, an object on each line."""
    random = np.random.default_rng(1)
    with path.open("w") as file:
        for index in range(count):
            chosen = random.choice(len(TAGS), random.integers(1, 4), replace=False)
            package = {
                "package": f"pkg-{index}",
                "maintainer": f"Team {'ABCDEFG'[index % 7]} <team{index % 7}@example.org>",
                "tag": ", ".join(TAGS[int(i)] for i in chosen),
                "installed-size": str(10 + index),
                "section": ("games", "libs", "utils", "net", "doc", "x11")[index % 6],
                "description": f"a small program that edits files of kind {index % 5} and shows them on a screen",
            }
            file.write(json.dumps(package) + "\n")
    return path
