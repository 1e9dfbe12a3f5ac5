"""A process that does the risky calls: if it crashes or hangs that is seen, and another one goes on."""

from __future__ import annotations

import collections
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tests.fuzz.outcomes import Outcome, fingerprint, judged

PATIENCE = 120  # seconds after which a call counts as hanging; most take milliseconds, on a busy machine a few seconds
READING = "5000"  # milliseconds of work for an .h5ad file: one that hangs must not take all patience
MEMORY = 12 * 2**30  # bytes that the process may ask for, so that a call for more fails instead of all programs
LENGTH = struct.Struct("<q")


class Worker:
    """Calls functions of :mod:`tests.fuzz.calls` in another process, one after the other, and counts what comes of it.

    Attributes
    ----------
    outcomes : Counter
        Numbers of calls, by name of the function and kind of outcome.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self.outcomes: collections.Counter[tuple[str, str]] = collections.Counter()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def call(self, function: Callable[..., Any], *arguments: Any) -> Outcome:
        """Call a function with a copy of the arguments and return how that ended."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        request = pickle.dumps((function, arguments))
        try:
            process.stdin.write(LENGTH.pack(len(request)) + request)
            process.stdin.flush()
            ready = select.select([process.stdout], [], [], self.patience)[0]
            answer = _message(process.stdout) if ready else None
        except BrokenPipeError:
            ready, answer = [process.stdout], None
        outcome = pickle.loads(answer) if answer is not None else self._lost(crashed=bool(ready))
        self.outcomes[function.__name__, outcome.kind] += 1
        return outcome

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
            self._process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.worker"],
                cwd=Path(__file__).parents[2],
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "MRSNE_READING_MILLISECONDS": READING,
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
            )
        return self._process

    def _end(self) -> None:
        assert self._process is not None
        assert self._errors is not None
        self._process.communicate()
        self._errors.close()
        self._process = None

    def _lost(self, crashed: bool) -> Outcome:
        """Return where the process crashed or hangs, as its last words tell, and forget it."""
        assert self._process is not None
        assert self._errors is not None
        if not crashed:
            self._process.send_signal(signal.SIGABRT)  # makes it say where it is
        code = self._process.wait(self.patience)
        self._errors.seek(0)
        words = self._errors.read().decode(errors="replace")[-6000:]
        self._end()
        if crashed:
            return Outcome("crash", words, f"the process ended with code {code}")
        return Outcome("hang", words, f"no answer for {self.patience} seconds")


def _message(stream: IO[bytes]) -> bytes | None:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    content = stream.read(LENGTH.unpack(head)[0])
    return content if len(content) == LENGTH.unpack(head)[0] else None


def done(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """Call a function and return how it ended, and whether it changed what it was given."""
    before = fingerprint(arguments)
    try:
        result = function(*arguments)
    except BaseException as error:
        outcome = judged(error)
    else:
        outcome = Outcome(result if isinstance(result, str) else "returned")
    if outcome.fault is None and fingerprint(arguments) != before:
        return Outcome(outcome.kind, outcome.message, "the call changed what it was given")
    return outcome


def serve() -> None:
    """Answer calls from standard input until it ends."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a call prints is no answer
    while (request := _message(sys.stdin.buffer)) is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = pickle.dumps(done(*pickle.loads(request)))
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()


if __name__ == "__main__":
    serve()
