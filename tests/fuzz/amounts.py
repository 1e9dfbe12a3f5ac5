"""How many examples a test draws: few in ordinary runs, its share of ``MRSNE_FUZZ`` calls in long ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

LONG = 20_000  # calls of a long run where the environment does not say how many
FEW = settings(
    max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate]
)


def calls_wanted() -> int:
    """Return how many calls a long run makes in all."""
    return int(os.environ.get("MRSNE_FUZZ", LONG))


def few(examples: int) -> settings:
    """Return settings of a test that takes a second or two, with the same examples each time."""
    return settings(FEW, max_examples=examples)


def many(share: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator of a slow test that makes this share of the calls.

    The examples are the same each time too, but for ``make fuzz``, where pytest's option ``--hypothesis-seed`` has
    other ones.
    """
    chosen = settings(
        FEW,
        max_examples=max(1, round(share * calls_wanted())),
        derandomize="MRSNE_FUZZ" not in os.environ,
        database=None,
        phases=list(Phase)[:4],
    )
    return lambda test: pytest.mark.slow(chosen(test))
