"""What commands say: a bar while they work, a summary at the end, or the same as JSON."""

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext

from mrsne.cli.summary import Record, json_text, sentences
from mrsne.data.progress import Advance, Progress

LONGEST = 1000  # characters of a message
# control characters but for the end of a line, halves of characters, and marks that turn the direction of text
UNFIT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
MISSING_GLYPH = re.compile(r"Glyph (\d+) .*missing from")  # as matplotlib says it, once for each character


def clipped(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text) - longest} more characters)"


def printable(text: str, encoding: str | None = None) -> str:
    r"""Return a text with escapes for what a terminal would obey, and for what its encoding does not have."""
    visible = UNFIT.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
    known = encoding or "utf-8"
    return visible.encode(known, "backslashreplace").decode(known)


def noteworthy(texts: Iterable[str]) -> list[str]:
    """Return each warning once, and those about characters that a font lacks as one."""
    once = [text for text in dict.fromkeys(texts) if not text.startswith("perplexity is lowered")]
    glyphs = {text: MISSING_GLYPH.match(text) for text in once}
    characters = sorted({chr(int(found[1])) for found in glyphs.values() if found is not None})
    notes = [text for text in once if glyphs[text] is None]
    if characters:
        shown = " ".join(characters[:10]) + (" …" if len(characters) > 10 else "")
        boxes = "which is drawn as a box" if len(characters) == 1 else "which are drawn as boxes"
        notes.append(f"the font lacks {len(characters)} of the characters ({shown}), {boxes}")
    return notes


class Reporter(Progress):
    """Shows progress on the terminal and prints the summary; as JSON there is nothing but the summary."""

    def __init__(self, as_json: bool) -> None:
        from rich.console import Console

        self._json = as_json
        self._console = Console(highlight=False)
        self._errors = Console(stderr=True, highlight=False)
        self.live = self._errors.is_terminal and not as_json
        self._announced = False  # that loops are being compiled

    @contextmanager
    def bar(self, title: str, total: int) -> Iterator[Advance]:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
        )
        with Bars(*columns, console=self._errors, disable=not self.live) as progress:
            task = progress.add_task(title, total=total)
            yield lambda done, now=None: progress.update(task, completed=done, description=now)

    @contextmanager
    def stage(self, title: str) -> Iterator[None]:
        from mrsne.layout.progress import stage

        with stage(title, self.live):
            yield

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Show the warnings of what is done meanwhile as lines, when it is done."""
        from mrsne.loops import notify_of_compiling

        announced = nullcontext() if self.live else notify_of_compiling(self._announce)  # a live stage or bar says it
        with announced, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for text in noteworthy(str(warning.message) for warning in caught):
            self.remark(text)

    def _announce(self, compiling: bool) -> None:
        if compiling and not self._announced:
            self._announced = True
            self.note("compiling loops for this computer, which takes some seconds and happens only once")

    def remark(self, text: str) -> None:
        self.note(f"note: {text}")

    def known_pictures(self, known: int, count: int) -> None:
        if known and self.live:
            self.note(f"{known:,} of {count:,} pictures known from before")

    def note(self, text: str) -> None:
        if not self._json:
            self._errors.print(printable(clipped(text), sys.stderr.encoding), markup=False, soft_wrap=True)

    def say(self, lines: Iterable[str]) -> None:
        """Print lines for people while there is more to do; as JSON, what they say is part of the summary."""
        if not self._json:
            for line in lines:
                self._console.print(printable(clipped(line), sys.stdout.encoding), markup=False, soft_wrap=True)

    def summary(self, record: Record, lines: Iterable[str] | None = None) -> None:
        """Print what a command has to tell: the record as JSON, or for people these lines, by default its sentences."""
        if self._json:
            sys.stdout.write(json_text(record, sys.stdout.encoding or "utf-8") + "\n")
            return
        for line in sentences(record) if lines is None else lines:
            self._console.print(printable(line, sys.stdout.encoding), markup=False, soft_wrap=True)
