"""The weights of a map: as ``--weights`` gives them, as summaries have them, and as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mrsne.cli.options import split_value
from mrsne.parameters import ParameterError


def weights_of(given: str) -> str | float | dict[Any, float]:
    """Return what ``--weights`` means: a word, a number, or a mapping."""
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


def weight_shares(weights: Mapping[Any, float] | None) -> dict[str, dict[str, Any]] | None:
    """Return the weights of a map for a summary: those of neighbours by domain, those of links by pair."""
    if weights is None:
        return None
    shares: dict[str, dict[str, Any]] = {"neighbors": {}, "links": {}}
    for block, value in weights.items():
        if isinstance(block, str):
            shares["neighbors"][block] = round(value, 4)
        else:
            shares["links"].setdefault(block[0], {})[block[1]] = round(value, 4)
    return shares


def in_words(shares: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what :func:`weight_shares` returned as one line."""
    neighbors = list(shares["neighbors"].items())
    links = [(f"{a}-{b}", share) for a, others in shares["links"].items() for b, share in others.items()]
    return ", ".join(f"{name} {percentage(share)}" for name, share in [*neighbors, *links])


def percentage(share: float) -> str:
    """Return a share in per cent, such that a little never reads as nothing and nearly all never as all."""
    if 0 < share < 0.01:
        return "below 1 %"
    return "over 99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"
