"""`mrsne place`: new items, by their vectors or by their links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mrsne import Embedding
from tests.cli.conftest import Fitted, Invoke, summary_of


def test_a_known_vector_is_placed_where_it_is(fitted: Fitted, tmp_path: Path) -> None:
    vectors: Any = fitted.data.vectors["image"]
    np.save(tmp_path / "new.npy", vectors[:3])
    output = tmp_path / "placed.npz"
    summary_of("place", fitted.path, "--domain", f"image={tmp_path / 'new.npy'}", "-o", output)
    np.testing.assert_allclose(Embedding.load(output)["image"], Embedding.load(fitted.path)["image"][:3], atol=1e-3)


def test_links_place_items_too(fitted: Fitted, tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("image,tag\n0,word 2\n0,word 4\n1,word 0\n")
    links = f"image:tag={tmp_path / 'links.csv'}"
    summary = summary_of("place", fitted.path, "--relation", links, "-o", tmp_path / "placed.npz")
    assert summary["items"] == {"image": 2}


def test_nothing_to_place_is_a_message(fitted: Fitted, invoke: Invoke) -> None:
    code, _, errors = invoke("place", fitted.path)
    assert (code, errors.startswith("mrsne: give new items: a folder of pictures or a table")) == (1, True)
