"""Data to learn from."""

from __future__ import annotations

import pytest

from mrsne import RelationalData, datasets


@pytest.fixture(scope="session")
def groups() -> RelationalData:
    """400 images and 60 tags in five groups."""
    return datasets.make_groups(random_state=0)[0]
