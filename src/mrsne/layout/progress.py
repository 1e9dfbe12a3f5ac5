"""A progress bar with the divergence, or what else falls, and the time left; before it, what is being done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mrsne.loops import COMPILING, notify_of_compiling

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
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total, completed=done, kl="…", note="")

        def report(iteration: int, kl: float | None) -> None:
            bar.update(task, completed=iteration)
            if kl is not None:
                bar.update(task, kl=f"{kl:.4f}")

        with notify_of_compiling(lambda busy: bar.update(task, note=COMPILING if busy else "")):
            yield report


@contextmanager
def stage(title: str, show: bool) -> Iterator[None]:
    """Show what is being done, on a terminal, where nothing is known of how long it takes; and that loops compile."""
    if not show:
        yield
        return
    from rich.console import Console

    with (
        Console(stderr=True).status(title) as status,
        notify_of_compiling(lambda busy: status.update(f"{title}: {COMPILING}" if busy else title)),
    ):
        yield
