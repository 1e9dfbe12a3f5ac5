"""Machine code on disk: checked before it is used, compiled again where it is damaged, done without where it cannot be.

The files are numba's, and so is how they are found; what it writes begins with a hash of the rest. A flipped bit could
otherwise be run, or make ``pickle`` ask for any amount of memory.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

from mrsne.parameters import is_switched_off


class _CheckedFiles(IndexDataCacheFile):
    """The index of a function's machine code, and the code."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return hashlib.sha256(content).digest() + content

    def _load_index(self) -> dict[Any, str]:
        try:
            stamp, names = _read(self._index_path, pickle.dumps(self._version, protocol=-1))
        except (OSError, ValueError):  # not there, of another version, or damaged
            return {}
        return names if stamp == self._source_stamp else {}

    def load(self, key: Any) -> Any:
        """Return an entry, or None where there is none that can be used."""
        try:
            return _read(self._data_path(self._load_index()[key]))
        except (KeyError, OSError, ValueError):
            return None


def _read(path: str, head: bytes = b"") -> Any:
    content = Path(path).read_bytes()
    digest, body = content[len(head) : len(head) + 32], content[len(head) + 32 :]
    if not content.startswith(head) or hashlib.sha256(body).digest() != digest:
        raise ValueError(f"{path} is damaged or of another version")
    return pickle.loads(body)


class _KeptCode(FunctionCache):
    """What numba asks for machine code before it compiles, and gives it to afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code, or None where it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever it is, the compiler can do without
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, where there is room."""
        try:
            super().save_overload(sig, data)
        except Exception as reason:
            _warn(self._cache_path, getattr(reason, "strerror", None) or f"{type(reason).__name__}: {reason}")
            self._cache_path = None  # which is how statistics say that nothing was kept


@cache
def _warn(folder: str, reason: str) -> None:
    """Say once for each reason why the next process has to compile again."""
    warnings.warn(
        f"machine code cannot be kept in {folder} ({reason}), so every process compiles again what it needs; "
        "set NUMBA_CACHE_DIR to another folder",
        RuntimeWarning,
        stacklevel=2,
    )


def compile_or_find(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """Return a compiled function, from disk where it is there."""
    dispatcher: Any = numba.njit(**options)(function)
    if not is_switched_off("cache"):
        with suppress(RuntimeError):  # no place to keep it: a read-only installation, no home directory
            dispatcher._cache = _KeptCode(function)
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher
