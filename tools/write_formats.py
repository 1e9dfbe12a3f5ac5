"""Write one small file of every kind that mrsne reads again, as this version writes them, for ``tests/formats``.

They are kept there under the number of the version, and every later version must read them. Run it once before a
release, and again if a format changes before the release; files of released versions are never written again.

Usage: python tools/write_formats.py            # into tests/formats/VERSION
       python tools/write_formats.py FOLDER     # elsewhere, to compare
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import mrsne
from mrsne.data.files.generation import Generation
from mrsne.viewer.content import Content

FORMATS = Path(__file__).parent.parent / "tests" / "formats"
WORKS = {
    "id": [f"N{number}" for number in range(1, 13)],
    "title": ["Storm", "Lake", "Hills", "[title not known]", *(f"Study {number}" for number in range(8))],
    "subjects": [
        "sea; ship",
        "lake",
        "hill; lake",
        "sea",
        "ship",
        "hill",
        "sea; hill",
        "lake; ship",
        "sea; fog",
        "fog",
        "lake; sky",
        "sky",
    ],
    "year": [1842, None, 1805, 1806, *range(1810, 1818)],
    "acquired": ["1856-01-01"] * 6 + ["1861-03-04"] * 6,
    "medium": ["oil", "paper"] * 6,
}


def main(folder: Path) -> None:
    """Write all files into a folder in place of those that are there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    saved = map_of_a_table()
    saved.save(folder / "table.npz")
    data = data_with_everything()
    model = mrsne.MRSNE(
        perplexity={"photo": 4.0, "word": 3.0},
        weights={"photo": 0.4, "word": 0.1, ("photo", "word"): 0.3, ("photo", "photo"): 0.1, ("photo", "author"): 0.1},
        relation_norm=(0.5, 0.25),
        metric={"photo": "euclidean", "word": "cosine"},
        max_iter=300,
        checkpoint=folder / "run.npz",
        random_state=0,
    )
    embedding = model.fit_transform(data)
    embedding.save(folder / "arrays.npz")
    data.save(folder / "arrays.data.npz")
    content = page_with_everything()
    parts = {name: np.frombuffer(make(), np.uint8) for name, make in content.parts.items()}
    np.savez_compressed(folder / "page.npz", about=np.array(json.dumps(content.about)), **parts)  # type: ignore[arg-type]
    interrupt_write(folder)
    expected = {
        "table": described(saved.embedding, saved.data),
        "arrays": described(embedding, data),
        "iterations": model.n_iter_,
    }
    (folder / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


def map_of_a_table() -> mrsne.SavedMap:
    """Return a map of a table, with what is kept to read further rows."""
    collection = mrsne.Collection.from_table(WORKS, item="work")
    settings: dict[str, Any] = {"perplexity": 3.0}
    embedding = mrsne.MRSNE(random_state=0, max_iter=300, **settings).fit_transform(collection.data)
    return mrsne.SavedMap(embedding, collection, settings)


def data_with_everything() -> mrsne.RelationalData:
    """Return data that has everything that a file can hold."""
    random = np.random.default_rng(0)
    words = [f"word {index}" for index in range(8)]
    return mrsne.RelationalData(
        {
            "photo": random.normal(size=(14, 4)).astype(np.float32),
            "word": sparse.random(8, 9, 0.4, "csr", random_state=0),
            "author": 3,
        },
        {
            ("photo", "word"): random.random((14, 8)) * (random.random((14, 8)) < 0.3),
            ("photo", "photo"): [(0, 1), (2, 5), (7, 3)],
            ("photo", "author"): [(index, index % 3) for index in range(14)],
        },
        names={"word": words, "photo": [f"{index}.jpg" for index in range(14)]},
        labels={"photo": ["a \udce9 b", "犬", "", *(["untitled"] * 11)]},
        missing={"photo": np.arange(14) == 13},
        pictures={"photo": random.integers(0, 255, (14, 4, 6, 3)).astype(np.uint8)},
        columns={
            "photo": {
                "year": [1990.0, np.nan, *range(2000, 2012)],
                "day": np.datetime64("2021-03-01") + np.arange(14),
                "place": ["sea", None, *(["lake", "hill"] * 6)],
            }
        },
    )


def interrupt_write(folder: Path) -> None:
    """Leave a map as it is when its writer is stopped between the journal and the renaming."""
    mrsne.Embedding({"photo": np.eye(3, 2)}).save(folder / "half.npz")
    partial = (folder / "half.npz").rename(folder / ".half.npz.00000000.partial")
    generation = Generation.of([(partial, folder / "half.npz")])
    generation.journal.write_bytes(generation.content())


def page_with_everything() -> Content:
    """Return the content of a page with thumbnails, columns, regions, reasons and a report."""
    shapes, pictures = mrsne.datasets.make_shapes(120, random_state=0)
    data = mrsne.RelationalData(
        {"picture": shapes.vectors["picture"], "tag": shapes.sizes["tag"]},
        dict(shapes.relations),
        names={"picture": [f"{index}.png" for index in range(120)], "tag": list(shapes.names["tag"])},
        pictures={"picture": np.ascontiguousarray(pictures[:, ::4, ::4])},
        columns={
            "picture": {
                "number": np.arange(120.0),
                "day": np.datetime64("2021-03-01") + np.arange(120),
                "third": ["first", "second", "third"] * 40,
            }
        },
    )
    embedding = mrsne.MRSNE(perplexity={"picture": 10.0}, random_state=0).fit_transform(data)
    return Content(embedding, data, title="Shapes")


def described(embedding: mrsne.Embedding, data: mrsne.RelationalData) -> dict[str, Any]:
    """Return everything that the files of a map hold as plain values, to compare with what is read."""
    return {
        "coordinates": {name: Y.tolist() for name, Y in embedding.items()},
        "divergence": embedding.kl_divergence,
        "iterations": embedding.n_iter,
        "weights": None
        if embedding.weights is None
        else [[str(key), value] for key, value in embedding.weights.items()],
        "relation_norm": str(embedding.relation_norm),
        "settings": None
        if embedding.settings is None
        else {key: str(embedding.settings[key]) for key in embedding.settings},
        "items": dict(data.sizes),
        "vectors": {name: None if X is None else _numbers(X) for name, X in data.vectors.items()},
        "missing": {name: np.flatnonzero(mask).tolist() for name, mask in data.missing.items()},
        "links": {"-".join(pair): _numbers(W) for pair, W in data.relations.items()},
        "names": {name: list(names) for name, names in data.names.items()},
        "labels": {name: [ascii(label) for label in labels] for name, labels in data.labels.items()},
        "pictures": {name: [list(found.shape), int(found.sum())] for name, found in data.pictures.items()},
        "columns": {
            name: {heading: [str(value) for value in values] for heading, values in columns.items()}
            for name, columns in data.columns.items()
        },
    }


def _numbers(matrix: Any) -> list[Any]:
    """Return the entries of a matrix that are not 0, with their places."""
    entries = sparse.coo_matrix(matrix)
    return [
        list(matrix.shape),
        *([int(i), int(j), float(x)] for i, j, x in zip(entries.row, entries.col, entries.data, strict=True)),
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FORMATS / mrsne.__version__)
