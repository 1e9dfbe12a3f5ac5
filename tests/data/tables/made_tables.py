"""Small tables of the shapes that people have: a museum's collection, Debian's packages, ratings, a shop."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

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


def ratings(users: int = 12, movies: int = 9) -> dict[str, list[Any]]:
    """Return what users of two tastes think of movies: each likes those of its taste."""
    rows = [(u, m) for u in range(users) for m in range(movies) if (u + m) % 5]
    return {
        "userId": [f"u{u}" for u, _ in rows],
        "movieId": [f"m{m}" for _, m in rows],
        "rating": [5.0 if u % 2 == m % 2 else 2.0 for u, m in rows],
        "timestamp": [880_000_000 + 37 * u + m for u, m in rows],
    }


def ratings_csv(folder: Path) -> Path:
    """Write ratings, and what is known of movies and users."""
    columns = ratings()
    with (folder / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    movies = [f"m{m},Film {m},{'ab'[m % 2]}|c" for m in range(9)]
    (folder / "movies.csv").write_text("\n".join(["movieId,title,genres", *movies]))
    (folder / "users.csv").write_text("\n".join(["userId,age", *(f"u{u},{20 + u}" for u in range(12))]))
    return folder / "ratings.csv"


def shop_database(path: Path) -> Path:
    """Write a shop's makers, products, customers and orders."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript("""
            CREATE TABLE makers (id INTEGER PRIMARY KEY, name);
            CREATE TABLE products (id INTEGER PRIMARY KEY, name, maker_id REFERENCES makers);
            CREATE TABLE customers (id INTEGER PRIMARY KEY, name);
            CREATE TABLE orders (customer_id REFERENCES customers, product_id REFERENCES products, quantity);
            CREATE TABLE settings (key, value);
            INSERT INTO makers VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy');
            INSERT INTO products VALUES (1, 'pen', 1), (2, 'ink', 1), (3, 'nib', 2), (4, 'pad', 2), (5, 'cap', 3),
                (6, 'map', 3);
            INSERT INTO customers VALUES (1, 'Di'), (2, 'Ed'), (3, 'Flo'), (4, 'Gus');
            INSERT INTO orders VALUES (1, 1, 2), (1, 2, 1), (2, 2, 1), (2, 3, 4), (3, 4, 1), (3, 5, 1), (4, 6, 2),
                (4, 1, 1);
            INSERT INTO settings VALUES ('currency', 'EUR'), ('language', 'en');
        """)
    return path
