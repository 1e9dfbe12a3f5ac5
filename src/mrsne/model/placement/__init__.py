"""New items into a fixed map.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.model.placement.place import place

__all__ = ["place"]
