"""Embeddings of many dimensions brought into the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData, metrics
from mrsne.baselines import flatten


def test_a_plane_is_returned_as_it_is() -> None:
    plane = Embedding({"image": [[0, 1], [2, 3]]})
    assert flatten(plane) is plane


def test_many_dimensions_become_two_that_keep_the_neighbours() -> None:
    random = np.random.default_rng(9)
    centres = 3 * random.normal(size=(4, 6))
    wide = Embedding(
        {name: centres[np.arange(n) % 4] + random.normal(size=(n, 6)) for name, n in (("image", 40), ("tag", 12))}
    )
    flat = flatten(wide, perplexity=5, random_state=0)
    assert (flat.n_components, list(flat)) == (2, list(wide))
    assert metrics.trustworthiness(flat, RelationalData(dict(wide)), "image", k=5) > 0.9


def test_only_embeddings_are_accepted() -> None:
    array: Any = np.eye(3)
    with pytest.raises(ValueError, match="embedding must be an Embedding"):
        flatten(array)
