"""How links are normalised before they become probabilities."""

from __future__ import annotations

import numbers
from typing import Any

from mrsne.backends.base import Exponents
from mrsne.parameters import ParameterError, describe

# Section 4 of the paper: R_ij ∝ w_ij / (r_i^a c_j^b), with row sums r and column sums c of the links w
NORMS: dict[str, Exponents] = {"unnorm": (0.0, 0.0), "norm": (0.5, 0.5), "pmi": (1.0, 1.0)}
CONDITIONAL = "conditional"  # R_ij ∝ w_ij (u_i + v_j), as mrsne.affinity.shares has it
AUTO = "auto"


def chosen_norm(relation_norm: Any) -> Any:
    """Return what is used for a setting, after checking it: "conditional" for "auto", all others as they are."""
    if isinstance(relation_norm, str) and relation_norm in (AUTO, CONDITIONAL):
        return CONDITIONAL
    norm_exponents(relation_norm)
    return relation_norm


def norm_exponents(relation_norm: Any, within: bool = False) -> Exponents:
    """Return the exponents a and b that a name, a number or a pair of numbers stands for.

    Inside one domain a link has no direction, so both are the mean there.

    Examples
    --------
    >>> norm_exponents("norm"), norm_exponents(0.3), norm_exponents((0.5, 0.25)), norm_exponents((0.5, 0.25), True)
    ((0.5, 0.5), (0.3, 0.3), (0.5, 0.25), (0.375, 0.375))
    >>> norm_exponents("PMI")
    Traceback (most recent call last):
    mrsne.parameters.ParameterError: relation_norm must be one of 'auto', 'conditional', 'unnorm', 'norm', 'pmi', a
    number from 0 to 1 or a pair of them, got 'PMI'
    """
    if isinstance(relation_norm, str) and relation_norm in NORMS:
        return NORMS[relation_norm]
    pair = tuple(relation_norm) if isinstance(relation_norm, (tuple, list)) else (relation_norm, relation_norm)
    if len(pair) != 2 or not all(_is_exponent(value) for value in pair):
        raise ParameterError(
            f"relation_norm must be one of {', '.join(map(repr, (AUTO, CONDITIONAL, *NORMS)))}, "
            f"a number from 0 to 1 or a pair of them, got {describe(relation_norm)}"
        )
    a, b = float(pair[0]), float(pair[1])
    return ((a + b) / 2, (a + b) / 2) if within else (a, b)


def _is_exponent(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and 0 <= float(value) <= 1
