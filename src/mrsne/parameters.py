"""Checks of single parameters, each with a message that says what was given and what is accepted."""

import math
import numbers
import os
from collections.abc import Collection
from typing import Any

import numpy as np


class MrsneError(Exception):
    """What mrsne says is wrong with what it was given, in words for users; other errors are bugs.

    Its subclasses are built-in errors too: ``ParameterError`` a ValueError, ``DataError`` (vectors and links that do
    not fit), ``FileContentError`` (a file that is damaged or something else), ``PictureError``, ``DeviceError``.
    """


class FileContentError(MrsneError, ValueError):
    """What is in a file is not what it should be."""


class ParameterError(MrsneError, ValueError):
    """A parameter has a value that mrsne does not accept."""


def is_switched_off(part: str) -> bool:
    """Return whether ``MRSNE_WITHOUT`` switches off this fast path; see ``docs/architecture.md``."""
    return part in os.environ.get("MRSNE_WITHOUT", "").split(",")


def describe(value: Any) -> str:
    """Show a value in an error message, shortened where it is long."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a whole number of thousands of digits, lists in lists in lists
        return f"{type(value).__name__} of more digits or levels than can be shown"
    return text if len(text) <= 64 else text[:60] + "..."


def check_option(name: str, value: Any, accepted: Collection[str]) -> str:
    """Return ``value`` if it is one of the accepted words."""
    if not isinstance(value, str) or value not in accepted:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, accepted))}, got {describe(value)}")
    return value


def check_number(name: str, value: Any, *, above: float | None = None, minimum: float | None = None) -> float:
    """Return ``value`` as a float if it is a finite real number within its bound."""
    bound = (
        f" greater than {above:g}" if above is not None else f" of at least {minimum:g}" if minimum is not None else ""
    )
    ok = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)) and _is_finite(value)
    if not ok or (above is not None and value <= above) or (minimum is not None and value < minimum):
        raise ParameterError(f"{name} must be a finite number{bound}, got {describe(value)}")
    return float(value)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond floating-point ones, such as 10**400
        return False


def check_integer(name: str, value: Any, *, minimum: int, maximum: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number of at least ``minimum``, and not above ``maximum``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, np.bool_)) or value < minimum:
        raise ParameterError(f"{name} must be a whole number of at least {minimum}, got {describe(value)}")
    if maximum is not None and int(value) > maximum:
        raise ParameterError(f"{name} must be a whole number of at most {maximum}, got {describe(value)}")
    return int(value)


def is_whole_number(text: str) -> bool:
    """Return whether a text is a number of items or a position, of as many digits as fit into 64 bits."""
    return text.isascii() and text.isdecimal() and len(text) <= 18


def random_numbers(random_state: Any) -> np.random.RandomState:
    """Return a source of random numbers from a seed, itself, or None for numpy's own, as scikit-learn does."""
    if random_state is None or random_state is np.random:
        own: np.random.RandomState = np.random.mtrand._rand
        return own
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, numbers.Integral) and 0 <= int(random_state) < 2**32:
        return np.random.RandomState(int(random_state))
    raise ParameterError(
        f"random_state must be None, a RandomState or a whole number from 0 to {2**32 - 1}, "
        f"got {describe(random_state)}"
    )
