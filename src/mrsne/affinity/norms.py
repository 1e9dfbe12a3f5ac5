"""How links are normalised before they become probabilities."""

from __future__ import annotations

from mrsne.backends.base import Exponents
from mrsne.parameters import check_option

# Section 4 of the paper: R_ij ∝ w_ij / (r_i^a c_j^b), with row sums r and column sums c of the links w
NORMS: dict[str, Exponents] = {"unnorm": (0.0, 0.0), "norm": (0.5, 0.5), "pmi": (1.0, 1.0)}


def norm_exponents(relation_norm: str) -> Exponents:
    """Return the exponents a and b that a name stands for.

    Examples
    --------
    >>> norm_exponents("norm")
    (0.5, 0.5)
    >>> norm_exponents("PMI")
    Traceback (most recent call last):
    mrsne.parameters.ParameterError: relation_norm must be one of 'unnorm', 'norm', 'pmi', got 'PMI'
    """
    return NORMS[check_option("relation_norm", relation_norm, NORMS)]
