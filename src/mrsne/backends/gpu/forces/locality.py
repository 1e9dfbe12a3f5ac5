"""Rows that are close on the map, close in memory, on a GPU; see :mod:`mrsne.backends.cpu.orders`."""

from __future__ import annotations

import torch


def spatial_order(Y: torch.Tensor) -> torch.Tensor:
    """Return the rows along a Z-order curve."""
    low = Y.amin(dim=0)
    scale = (2**16 - 1) / torch.clamp((Y.amax(dim=0) - low).max(), min=1e-30)
    columns = ((Y - low) * scale).long()
    return torch.argsort(_spread_bits(columns[:, 0]) << 1 | _spread_bits(columns[:, 1]), stable=True)


def _spread_bits(numbers: torch.Tensor) -> torch.Tensor:
    """Move bit b of 16-bit numbers to bit 2b."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        numbers = (numbers | (numbers << shift)) & mask
    return numbers
