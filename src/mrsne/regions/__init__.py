"""Regions of a map: nested clusters of its items, named by what their items are linked to.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.regions.finding import find_regions
from mrsne.regions.result import Region, Regions

__all__ = ["Region", "Regions", "find_regions"]
