"""What users bring: vectors per domain and the graphs between domains, checked once.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.data.outline import Outline, Pair
from mrsne.data.relational import RelationalData, in_memory, require_in_memory
from mrsne.data.vectors import DataError, Vectors

__all__ = ["DataError", "Outline", "Pair", "RelationalData", "Vectors", "in_memory", "require_in_memory"]
