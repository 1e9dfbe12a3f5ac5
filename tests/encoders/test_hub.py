"""Vectors of networks by name: those in the cache are of the same weights, package and preparation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mrsne.encoders import encode_pictures
from tests.encoders.hubs import offer_timm


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    for index in range(3):
        Image.new("RGB", (50, 50), (255, 127, 100 * index)).save(tmp_path / f"{index}.png")
    return [tmp_path / f"{index}.png" for index in range(3)]


@pytest.mark.parametrize("change", [{"weight": 2.0}, {"version": "1.1"}, {"mean": 0.25}])
def test_only_vectors_of_the_same_network_come_from_the_cache(
    change: dict[str, float | str], paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {"weight": 1.0, "version": "1.0", "mean": 0.5}
    for settings, n_known in ((before, 0), (before, 3), (before | change, 0), (before | change, 3), (before, 3)):
        offer_timm(monkeypatch, **settings)  # type: ignore[arg-type]
        found = encode_pictures(paths, model="timm:small", cache=tmp_path / "cache")
        assert found.n_known == n_known
        plain = encode_pictures(paths, model="timm:small")
        np.testing.assert_allclose(found.vectors, plain.vectors, atol=1e-3)
