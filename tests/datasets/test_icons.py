"""The bundled icons."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mrsne import datasets


def test_icons_have_vectors_pictures_words_and_authors() -> None:
    data = datasets.load_icons()
    assert (data.sizes["icon"], data.vectors["icon"].shape[1]) == (7447, 64)  # type: ignore[union-attr]
    names, aliases = data.names["icon"], data.names["alias"]
    cat = names.index("cat")
    assert {aliases[j] for j in data.relations["icon", "alias"][cat].indices} == {"emoji", "emoticon"}
    assert data.relations["icon", "author"][cat].nnz == 1
    assert data.columns["icon"]["tag"][cat] == "Animal"
    ink = data.pictures["icon"][cat, :, :, 3]
    assert ink.std() > 50


def test_similar_icons_have_similar_vectors() -> None:
    data = datasets.load_icons()
    X = np.asarray(data.vectors["icon"])
    position = {name: index for index, name in enumerate(data.names["icon"])}
    bell, outline, other = (X[position[name]] for name in ("bell", "bell-ring", "hexagon-multiple"))
    assert np.linalg.norm(bell - outline) < np.linalg.norm(bell - other)


def test_the_files_are_small() -> None:
    folder = Path(datasets.__file__).parent / "icons"
    assert sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) <= 3_000_000
