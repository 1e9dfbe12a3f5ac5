"""What long work says while it runs; commands show it on the terminal."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[..., None]  # takes how much is done and, as ``now``, perhaps what comes next


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
