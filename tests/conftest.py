"""Small, real inputs that several tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray

from mrsne import RelationalData

# the same examples in every run: a failure on one machine is a failure on all
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True, scope="session")
def one_date() -> Iterator[None]:
    """Let all maps be made at one moment: those of the same items then have the same bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        yield


@dataclass
class Animals:
    """Pictures of animals, the attributes of their classes, and each picture's class."""

    data: RelationalData
    classes: NDArray[np.int64]
    photographed: bool = False


def made_animals() -> Animals:
    """Thirteen classes of thirty pictures; classes share attributes, pictures scatter around their class's vector."""
    random = np.random.default_rng(5)
    classes = np.repeat(np.arange(13), 30)
    attributes = random.random((13, 40)) < 0.35
    attributes[np.arange(13), np.arange(13)] = True
    centres = random.normal(size=(13, 64))
    vectors = centres[classes] + 0.7 * random.normal(size=(len(classes), 64))
    words = random.normal(size=(40, 20))
    data = RelationalData({"image": vectors, "tag": words}, {("image", "tag"): attributes[classes]})
    return Animals(data, classes)


def photographed_animals(file: Path) -> Animals:
    content = np.load(file)
    data = RelationalData(
        {"image": content["image_vectors"], "tag": content["tag_vectors"]},
        {("image", "tag"): content["relation"]},
        names={"tag": content["tag_names"]},
    )
    return Animals(data, content["image_class"], photographed=True)


def pytest_generate_tests(metafunc: Any) -> None:
    """Run tests on animals with real photographs too, where MRSNE_DATA names a folder that has them."""
    if "animals" in metafunc.fixturenames:
        sources = ["made"]
        folder = os.environ.get("MRSNE_DATA")
        if folder and Path(folder, "awa_photos13.npz").exists():
            sources.append(str(Path(folder, "awa_photos13.npz")))
        metafunc.parametrize("animals", sources, ids=["made", "photographs"][: len(sources)], indirect=True)


@pytest.fixture
def animals(request: pytest.FixtureRequest) -> Animals:
    return made_animals() if request.param == "made" else photographed_animals(Path(request.param))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Keep torch on one thread: in networks this small, threads only wait for each other, on busy cores for long."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def clusters(n: int, seed: int = 0, n_clusters: int = 12, dimension: int = 24) -> NDArray[np.float32]:
    """Points in several elongated clouds."""
    random = np.random.default_rng(seed)
    label = random.integers(0, n_clusters, n)
    centres = random.normal(size=(n_clusters, dimension)) * 1.5
    axes = random.normal(size=(n_clusters, 5, dimension)) / np.sqrt(5)
    along = random.normal(size=(n, 5))
    points = centres[label] + np.einsum("ni,nid->nd", along, axes[label]) + 0.1 * random.normal(size=(n, dimension))
    return np.asarray(points, dtype=np.float32)


def tagged() -> RelationalData:
    """Sixty photos of three subjects, one tag for each subject and one nobody uses."""
    random = np.random.default_rng(0)
    subject = np.repeat(np.arange(3), 20)
    photos = 4 * np.eye(3)[subject] + random.normal(size=(60, 3))
    return RelationalData({"photo": photos, "tag": 4}, {("photo", "tag"): np.eye(4)[subject]})
