"""The methods that the paper compares MR-SNE with, behind the same ``fit_transform(data) -> Embedding``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mrsne.baselines.cdmca import CDMCA
from mrsne.baselines.flatten import flatten

if TYPE_CHECKING:
    from mrsne.baselines.pmvge import PMvGE

__all__ = ["CDMCA", "PMvGE", "flatten"]


def __getattr__(name: str) -> Any:
    if name == "PMvGE":  # needs torch only once it is used
        from mrsne.baselines.pmvge import PMvGE

        return PMvGE
    raise AttributeError(f"module 'mrsne.baselines' has no attribute {name!r}")
