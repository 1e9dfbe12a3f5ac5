"""The weights of a map as text: a word, a number, or one for each domain and relation."""

from __future__ import annotations

from typing import Any

from mrsne.cli.options import split_value
from mrsne.parameters import ParameterError

FORM = "size, equal, balanced, auto, a number from 0 to 1, or NAME=NUMBER,...,NAME:NAME=NUMBER"


def weights_of(given: str) -> str | float | dict[Any, float]:
    """Return what ``--weights`` means: a word, a number, or a mapping.

    Examples
    --------
    >>> weights_of("size"), weights_of("0.5"), weights_of("image=0.5,tag=0.1,image:tag=0.4")
    ('size', 0.5, {'image': 0.5, 'tag': 0.1, ('image', 'tag'): 0.4})
    """
    if "=" not in given:
        try:
            return float(given)
        except ValueError:
            return given
    weights: dict[Any, float] = {}
    for part in given.split(","):
        name, number = split_value("--weights", part, "NAME=NUMBER or NAME:NAME=NUMBER")
        a, colon, b = name.partition(":")
        block = (a.strip(), b.strip()) if colon else name
        if block in weights:
            raise ParameterError(f"--weights gives {name!r} twice")
        try:
            weights[block] = float(number)
        except ValueError:
            raise ParameterError(f"--weights must give numbers, got {number!r} for {name!r}") from None
    return weights
