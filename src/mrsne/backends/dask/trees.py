"""Many results into one, a few at a time, in the same order however fast they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def reduced(parts: list[Any], join: Callable[[list[Any]], Any], width: int) -> Any:
    """Join parts in groups of ``width``, then the results in groups, until one is left; a single part stays as it is.

    Parameters
    ----------
    parts : list of futures or delayed objects
    join : callable
        Submits what joins a list of them.
    width : int
        Parts that one task joins.

    Examples
    --------
    >>> reduced(list("abcde"), "".join, 2), reduced(["a"], "".join, 2)
    ('abcde', 'a')
    """
    while len(parts) > 1:
        parts = [join(parts[at : at + width]) for at in range(0, len(parts), width)]
    return parts[0]
