"""Kernels for a GPU, on one or on Triton's interpreter, which has to be asked for before one is defined."""

from __future__ import annotations

import pytest

from tests.devices import DEVICE


@pytest.fixture
def device() -> str:
    return DEVICE
