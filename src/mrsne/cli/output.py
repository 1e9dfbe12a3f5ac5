"""What commands say: a bar while they work, a summary at the end, or the same as JSON."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")


class Reporter:
    """Shows progress on the terminal and prints the summary; as JSON there is nothing but the summary."""

    def __init__(self, as_json: bool) -> None:
        from rich.console import Console

        self._json = as_json
        self._console = Console(highlight=False)
        self._errors = Console(stderr=True, highlight=False)
        self.live = self._errors.is_terminal and not as_json

    @contextmanager
    def bar(self, title: str, total: int) -> Iterator[Callable[[int], None]]:
        """Yield a function that takes how much is done."""
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn(title),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
        )
        with Progress(*columns, console=self._errors, disable=not self.live) as progress:
            task = progress.add_task("", total=total)
            yield lambda done: progress.update(task, completed=done)

    def quietly(self, work: Callable[[], Result]) -> Result:
        """Do something and show its warnings as lines."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            result = work()
        for warning in caught:
            if not self._json and not str(warning.message).startswith("perplexity is lowered"):
                self._errors.print(f"note: {warning.message}", markup=False, soft_wrap=True)
        return result

    def note(self, text: str) -> None:
        """Say something on the side."""
        if not self._json:
            self._errors.print(text, markup=False, soft_wrap=True)

    def summary(self, values: Mapping[str, Any]) -> None:
        """Print names and values, one on each line; empty ones are left out."""
        if self._json:
            sys.stdout.write(json.dumps(values, ensure_ascii=False, indent=1) + "\n")
            return
        for name, value in values.items():
            if isinstance(value, Mapping):
                for kind, count in value.items():
                    self._console.print(f"left out or incomplete: {count} × {kind}", markup=False, soft_wrap=True)
            elif value is not None:
                self._console.print(f"{name.replace('_', ' ')}: {value}", markup=False, soft_wrap=True)
