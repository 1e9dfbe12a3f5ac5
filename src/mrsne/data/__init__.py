"""What users bring: vectors per domain and the graphs between domains, checked once."""

from mrsne.data.relational import Pair, RelationalData
from mrsne.data.vectors import DataError, Vectors

__all__ = ["DataError", "Pair", "RelationalData", "Vectors"]
