"""Where tests for a GPU run: on one, or where there is none, on Triton's interpreter.

The interpreter has to be asked for before a kernel is defined: import this before any module that defines one.
"""

from __future__ import annotations

import os

import torch

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu:0"  # torch's name; "cpu" would be our own kernels for the processor
if not GPU:
    os.environ.setdefault("TRITON_INTERPRET", "1")
