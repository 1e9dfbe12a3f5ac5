"""Data to try mrsne on."""

from mrsne.datasets.shapes import make_shapes

__all__ = ["make_shapes"]
