"""Data to learn from, and torch without threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mrsne import RelationalData, datasets


@pytest.fixture(scope="session")
def groups() -> RelationalData:
    """400 images and 60 tags in five groups."""
    return datasets.make_groups(random_state=0)[0]


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Keep torch on one thread: in networks this small, threads only wait for each other, on busy cores for long."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
