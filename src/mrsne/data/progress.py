"""What long work says while it runs; commands show it on the terminal."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Moves a progress bar."""

    def __call__(self, done: int, now: str | None = None) -> None:
        """Say how much is done, and perhaps what comes next."""


class Progress:
    """Shows nothing, and turns remarks into warnings: what Python users get unless they pass a subclass."""

    @contextmanager
    def bar(self, title: str, total: int) -> Iterator[Advance]:
        """Yield a function that takes how much is done."""
        yield lambda done, now=None: None

    def remark(self, text: str) -> None:
        """Mention something that does not stop the work."""
        warnings.warn(text, UserWarning, stacklevel=3)

    def known_pictures(self, known: int, count: int) -> None:
        """Say how many pictures need not be encoded again."""
