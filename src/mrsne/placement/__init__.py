"""New items into a fixed map."""

from mrsne.placement.place import place

__all__ = ["place"]
