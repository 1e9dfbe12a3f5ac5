"""Where there is no graphics card, Triton's interpreter runs the same kernels on the processor.

It has to be asked for before a kernel is defined, so before any module of :mod:`mrsne.layout.gpu` is imported.
"""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")


@pytest.fixture
def device() -> str:
    """A device by torch's name for it; "cpu:0" is the interpreter, "cpu" would be our own kernels for the processor."""
    return "cuda" if torch.cuda.is_available() else "cpu:0"
