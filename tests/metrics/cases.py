"""Small random maps with their data, for comparisons with the definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData

Case = tuple[Embedding, RelationalData]


def random_case(seed: int, steps: int, three: bool = False) -> Case:
    """Items on a grid of few steps, so that many are tied; some items have no link."""
    random = np.random.default_rng(seed)
    sizes = {"image": 5, "tag": 3, **({"user": 1} if three else {})}
    W = (random.random((5, 3)) < 0.4) * random.integers(1, 3, (5, 3))
    W[3] = 0
    W[0, 0], W[1, 0] = 1, 0
    relations: dict[Any, Any] = {("tag", "image"): W.T}
    if three:
        relations["image", "user"] = np.array([[1], [0], [2], [0], [1]])
        relations["image", "image"] = random.integers(0, 2, (5, 5)) + np.eye(5, k=1)
    coordinates = {name: random.integers(0, steps, (n, 2)) / 3 for name, n in sizes.items()}
    return Embedding(coordinates), RelationalData(sizes, relations)


cases = pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            random_case(seed, steps, three),
            id=f"{'three' if three else 'two'} domains, {'many' if steps == 3 else 'few'} ties, seed {seed}",
        )
        for seed in range(4)
        for steps in (3, 1000)
        for three in (False, True)
    ],
)
truths = pytest.mark.parametrize(
    "within", ["shared", "identical", np.eye(5, k=2) + np.eye(5, k=-1)], ids=["shared", "identical", "matrix"]
)
