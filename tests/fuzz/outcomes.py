"""What may come of a call, and what may not."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.cli.failures import is_expected

ALLOWED = (ValueError, TypeError, OSError, MemoryError)
LONGEST = 5_000  # characters of a message


@dataclass(frozen=True)
class Outcome:
    """How a call ended.

    Attributes
    ----------
    kind : str
        "returned", what the call returned where that is a text, the name of an exception, "crash" or "hang".
    message : str
        What was said, or where it crashed.
    fault : str or None
        Why this must not be; None where it may.
    """

    kind: str
    message: str = ""
    fault: str | None = None


class UnnamedFileError(Exception):
    """A message about a file does not say which."""


class CommandFaultError(Exception):
    """A command took itself for faulty, or showed a traceback."""


def judged(error: BaseException) -> Outcome:
    """Return an exception as an outcome, with its fault if it has one."""
    kind, message = type(error).__name__, str(error)
    if not isinstance(error, ALLOWED):
        fault = f"{kind} is none of the exceptions that callers are told of"
    elif not message.strip():
        fault = f"{kind} says nothing"
    elif len(message) > LONGEST:
        fault = f"{kind} says {len(message)} characters"
    elif not (isinstance(error, MemoryError) or is_expected(error) or _is_from_validation(error)):
        fault = f"{kind} comes from deeper down, so mrsne did not check something"
    else:
        return Outcome(kind, message)
    return Outcome(kind, "".join(traceback.format_exception(error))[-LONGEST:], fault)


def _is_from_validation(error: BaseException) -> bool:
    """Return whether scikit-learn's checks of arrays raised it; its own estimators say the same."""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    below = [module for module in modules[::-1] if not module.startswith(("numpy", "pandas", "scipy"))]
    return bool(below) and below[0].startswith("sklearn.utils")


def fingerprint(value: Any) -> str:
    """Return a digest of everything a caller can see of a value; what scipy and pandas remember privately is none.

    Examples
    --------
    >>> X = np.zeros(3)
    >>> before = fingerprint([X])
    >>> X[1] = 1
    >>> fingerprint([X]) == before
    False
    """
    return hashlib.blake2b("\n".join(_parts(value)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _parts(value: Any) -> list[str]:
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype.hasobject else hashlib.blake2b(value.tobytes()).hexdigest()
        return [type(value).__name__, value.dtype.str, str(value.shape), str(value.flags.writeable), content]
    if sparse.issparse(value):
        arrays = [getattr(value, part) for part in ("data", "indices", "indptr", "row", "col", "offsets", "rows")
                  if hasattr(value, part)]  # fmt: skip
        return [type(value).__name__, str(value.shape), *(part for array in arrays for part in _parts(array))]
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        columns = [part for index in range(value.shape[1]) for part in _parts(value.iloc[:, index].to_numpy())]
        return ["frame", repr(list(value.columns)), repr(list(value.index)), *columns]
    if isinstance(value, Mapping):
        return ["mapping", *(part for key, item in value.items() for part in (repr(key), *_parts(item)))]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(part for item in value for part in _parts(item))]
    return [type(value).__name__, repr(value)]
