"""A progress bar with the divergence, or what else falls, and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, float | None], None]


@contextmanager
def progress_bar(total: int, done: int, show: bool, title: str = "Layout", value: str = "KL") -> Iterator[Report]:
    """Yield a function that takes the iteration and, where known, the divergence; it does nothing unless ``show``."""
    if not show:
        yield lambda iteration, kl: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(value + " {task.fields[kl]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total, completed=done, kl="…")

        def report(iteration: int, kl: float | None) -> None:
            bar.update(task, completed=iteration)
            if kl is not None:
                bar.update(task, kl=f"{kl:.4f}")

        yield report
