"""A fitted map that several files score."""

from __future__ import annotations

import pytest

from mrsne import MRSNE
from tests.conftest import tagged
from tests.metrics.cases import Case


@pytest.fixture(scope="session")
def fitted() -> Case:
    """Sixty photos around three tags, and one tag that nobody uses, beside the map."""
    data = tagged()
    with pytest.warns(UserWarning, match="1 of 'tag'"):
        return MRSNE(perplexity=5, random_state=0).fit_transform(data), data
