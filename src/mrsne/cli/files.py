"""The files of a map: what they are called and, for the table of coordinates, what is in them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import IO, TYPE_CHECKING

from mrsne.io.writing import write_atomically
from mrsne.viewer import PAGES

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.embedding import Embedding

PICTURES = (".png", ".svg", ".pdf")

__all__ = ["PAGES", "PICTURES", "coordinates_beside", "data_beside", "write_coordinates"]


def write_coordinates(embedding: Embedding, data: RelationalData, path: Path) -> None:
    """Write a table for people and other programs: kind of item, name or position, coordinates."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        ["kind", "item", *("xyz" if embedding.n_components <= 3 else map(str, range(embedding.n_components)))][
            : 2 + embedding.n_components
        ]
    )
    for name, Y in embedding.items():
        labels = data.names.get(name) or range(len(Y))
        writer.writerows([name, label, *row] for label, row in zip(labels, Y.tolist(), strict=True))
    content = text.getvalue().encode("utf-8", "surrogateescape")

    def write(file: IO[bytes]) -> None:
        file.write(content)

    write_atomically(path, write)


def data_beside(path: Path) -> Path:
    """Return where the data of a map is kept."""
    return path.with_suffix(".data.npz")


def coordinates_beside(path: Path) -> Path:
    """Return where the table of a map's coordinates is."""
    return path.with_suffix(".coordinates.csv")
