"""The methods that the paper compares MR-SNE with, behind the same ``fit_transform(data) -> Embedding``."""

from mrsne.baselines.cdmca import CDMCA
from mrsne.baselines.flatten import flatten
from mrsne.baselines.pmvge import PMvGE

__all__ = ["CDMCA", "PMvGE", "flatten"]
