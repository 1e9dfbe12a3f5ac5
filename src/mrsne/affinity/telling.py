"""Warnings about affinities, which are not given a second time where P̃ is computed again.

Filters of warnings belong to the whole process. Threads that change them and leave in another order than they came
would leave them changed for good, so whoever has heard a warning before says so here instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_told_before: ContextVar[bool] = ContextVar("told_before", default=False)


def warn(message: str, stacklevel: int) -> None:
    """Warn, unless that was done before; ``stacklevel`` as for :func:`warnings.warn` in its place."""
    if not _told_before.get():
        warnings.warn(message, stacklevel=stacklevel + 1)


@contextmanager
def told_before() -> Iterator[None]:
    """Give no warnings about affinities in this thread, since they were given when these were first computed.

    Examples
    --------
    >>> with told_before():
    ...     warn("perplexity is lowered", stacklevel=2)
    """
    token = _told_before.set(True)
    try:
        yield
    finally:
        _told_before.reset(token)
