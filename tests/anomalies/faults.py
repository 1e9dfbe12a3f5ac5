"""A disk that fails, or a process that dies, at the n-th operation on a folder.

What mrsne asks of the system goes through ``open`` and the functions of ``os``; these are replaced by ones that count.
A dead process does nothing more: from that operation on, none has an effect, also those of ``finally``.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

NAMES = ("replace", "rename", "link", "unlink", "remove", "mkdir", "rmdir", "fsync", "chmod", "open", "scandir")
MAKES_ROOM = ("unlink", "remove", "rmdir", "scandir")  # what a full disk does not refuse
FULL = ("ENOSPC", "EDQUOT")  # a disk, or what one user may have of it
KINDS = ("ENOSPC", "EIO", "EACCES", "kill")


class Died(BaseException):
    """The process is dead."""


@dataclass
class Disk:
    """Counts operations below a folder, and lets the n-th fail; a full disk stays full."""

    folder: str
    kind: str
    at: int
    count: int = 0
    dead: bool = False

    def step(self, operation: str, path: object, before_death: Callable[[], object] = lambda: None) -> None:
        """Count an operation, and raise if it is the one that fails."""
        if self.dead:
            raise Died
        if not self._is_below(path):
            return
        self.count += 1
        if self.count < self.at or (self.count > self.at and self.kind not in FULL):
            return
        if self.kind == "kill":
            self.dead = True
            before_death()
            raise Died
        if self.kind in FULL and operation in MAKES_ROOM:
            return
        if self.kind in FULL:
            before_death()
        number = getattr(errno, self.kind)
        raise OSError(number, os.strerror(number), None if isinstance(path, int) else path)

    def _is_below(self, path: object) -> bool:
        if isinstance(path, int):  # of fsync
            with suppress(OSError):
                path = os.readlink(f"/proc/self/fd/{path}")
        return isinstance(path, str | os.PathLike) and os.path.abspath(path).startswith(self.folder)


class File(io.FileIO):
    """A file of the disk; what is being written when the process dies, or the disk is full, is written in part."""

    disk: Disk

    def write(self, content: Any) -> int:
        if self.disk.dead:
            return len(content)  # buffers are emptied when objects are deleted: a dead process has none
        half = memoryview(content).cast("B")[: len(content) // 2]
        self.disk.step("write", self.name, lambda: super(File, self).write(half))
        return super().write(content)


@contextmanager
def failing(folder: Path, kind: str, at: int) -> Iterator[Disk]:
    """Let the n-th operation below a folder fail."""
    disk = Disk(os.path.abspath(folder), kind, at)
    opened = builtins.open

    def open_(file: Any, mode: str = "r", *given: Any, **options: Any) -> Any:
        if not disk.dead and not disk._is_below(file):
            return opened(file, mode, *given, **options)
        disk.step("open" if set(mode) & set("wxa+") else "scandir", file)
        if set(mode) <= set("wxb") and "b" in mode:
            made = File(file, mode.replace("b", ""))
            made.disk = disk
            return io.BufferedWriter(made)
        return opened(file, mode, *given, **options)

    def counted(name: str) -> Callable[..., Any]:
        function = getattr(os, name)

        def call(path: Any, *given: Any, **options: Any) -> Any:
            reads = name == "open" and not given[0] & (os.O_WRONLY | os.O_RDWR)
            disk.step("scandir" if reads else name, path)
            return function(path, *given, **options)

        return call

    with ExitStack() as patches:
        for name in NAMES:
            patches.enter_context(mock.patch.object(os, name, counted(name)))
        for module in (builtins, io):
            patches.enter_context(mock.patch.object(module, "open", open_))
        yield disk
