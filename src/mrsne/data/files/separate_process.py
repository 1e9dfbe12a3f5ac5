"""Reading in a process of its own, for libraries that may crash or never end on a damaged file."""

import faulthandler
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from signal import Signals
from typing import Any, TypeVar

from mrsne.budgets import READING_BYTES, READING_MILLISECONDS
from mrsne.parameters import FileContentError

Result = TypeVar("Result")
PROGRAM = "import sys; sys.path[:] = {path!r}; from mrsne.data.files.separate_process import answer; answer()"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each thread takes part of the memory that is there


def read_in_another_process(
    read: Callable[..., Result], path: Path, *given: Any, error: type[FileContentError] = FileContentError
) -> Result:
    """Call a function of a module on a file in a new process, within limits of time and memory; return what it returns.

    What it raises is raised here. Where its process does not live to answer, that is an error which names the file.
    """
    file_bytes = path.stat().st_size
    milliseconds, memory = READING_MILLISECONDS.most(file_bytes), READING_BYTES.most(file_bytes)
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(path=sys.path)],
        input=pickle.dumps((milliseconds, memory, read, path, given)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD},
        check=False,
    )
    if code := ended.returncode:
        raise error(
            f"{str(path)!r} is damaged, or takes more than {milliseconds:,} milliseconds or {memory:,} bytes to read "
            f"(the environment variables {READING_MILLISECONDS.variable} and {READING_BYTES.variable}): the process "
            f"that read it ended with {f'code {code}' if code > 0 else Signals(-code).name}"
        )
    found = pickle.loads(ended.stdout)
    if isinstance(found, MemoryError):
        raise MemoryError(
            f"{str(path)!r} is damaged, or takes more than {memory:,} bytes to read (the environment variable "
            f"{READING_BYTES.variable})"
        )
    if isinstance(found, Exception):
        raise found
    return found  # type: ignore[no-any-return]


def answer() -> None:
    """Do what standard input asks for, and write what comes of it to standard output."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    milliseconds, memory, read, path, given = pickle.load(sys.stdin.buffer)
    _limit(-(-milliseconds // 1000), memory)
    found: Any
    try:
        found = read(path, *given)
    except Exception as error:
        found = error
    pickle.dump(found, answers, protocol=5)


def _limit(seconds: int, memory: int) -> None:
    """Limit the work and the memory of this process, or the time that it takes where the system has no such limits."""
    try:
        import resource
    except ImportError:
        faulthandler.dump_traceback_later(seconds, exit=True)
        return
    for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        with suppress(ValueError, OSError):  # macOS may refuse a limit of memory
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
