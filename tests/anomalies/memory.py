"""Memory that runs out at the n-th array: numpy asks an allocator of ours, which refuses once.

Limits of the system (``RLIMIT_AS``) fail whatever asks next, mostly the interpreter or a library that then ends the
process, and never at the same place twice. numpy lets the allocator of its arrays be replaced (its enhancement proposal
49), from C alone, so this does it by ctypes. The allocator counts only in the thread and the context that set it, and
arrays that compiled loops make for themselves are not numpy's: those are the scratch memory of a thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

SMALLEST = 64  # bytes from which arrays are counted; less is a number or the shape of an array
SET_HANDLER, GET_HANDLER = 304, 305  # in the table of numpy's interface for C, the same since numpy 1.22
WORD, ADDRESS = ctypes.c_size_t, ctypes.c_void_p
MALLOC = (ADDRESS, ADDRESS, WORD)
CALLOC = (ADDRESS, ADDRESS, WORD, WORD)
REALLOC = (ADDRESS, ADDRESS, ADDRESS, WORD)


class _Handler(ctypes.Structure):
    """``PyDataMem_Handler`` of numpy's headers."""

    _fields_ = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ADDRESS),
        ("malloc", ADDRESS),
        ("calloc", ADDRESS),
        ("realloc", ADDRESS),
        ("free", ADDRESS),
    ]


@dataclass
class Allocations:
    """How many arrays were asked for, and which of them is refused."""

    refused: int = 0
    count: int = 0

    def allows(self, size: int) -> bool:
        """Count an array, and return whether it may be made."""
        self.count += size >= SMALLEST
        return size < SMALLEST or self.count != self.refused


_capsule, _pointer = ctypes.pythonapi.PyCapsule_New, ctypes.pythonapi.PyCapsule_GetPointer
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ADDRESS, ctypes.c_char_p, ADDRESS]
_pointer.restype, _pointer.argtypes = ADDRESS, [ctypes.py_object, ctypes.c_char_p]
_table = ctypes.cast(_pointer(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ADDRESS))
_set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(_table[SET_HANDLER])
_get_handler = ctypes.PYFUNCTYPE(ctypes.py_object)(_table[GET_HANDLER])

_current = Allocations()
_numpys = _Handler.from_address(_pointer(_get_handler(), b"mem_handler"))
_malloc = ctypes.PYFUNCTYPE(*MALLOC)(_numpys.malloc)  # numpy's are called with the lock of the interpreter
_calloc = ctypes.PYFUNCTYPE(*CALLOC)(_numpys.calloc)
_realloc = ctypes.PYFUNCTYPE(*REALLOC)(_numpys.realloc)
_callbacks = (
    ctypes.CFUNCTYPE(*MALLOC)(lambda context, size: _malloc(context, size) if _current.allows(size) else None),
    ctypes.CFUNCTYPE(*CALLOC)(
        lambda context, n, size: _calloc(context, n, size) if _current.allows(n * size) else None
    ),
    ctypes.CFUNCTYPE(*REALLOC)(lambda context, old, n: _realloc(context, old, n) if _current.allows(n) else None),
)
# what frees is numpy's own: it is called while an error is on its way, when no Python can run
_ours = _Handler(b"refusing", 1, None, *(ctypes.cast(each, ADDRESS).value for each in _callbacks), _numpys.free)


@contextmanager
def refusing(number: int = 0) -> Iterator[Allocations]:
    """Count the arrays that are made, and refuse the memory of one of them."""
    global _current
    _current = Allocations(number)
    before = _set_handler(_capsule(ctypes.addressof(_ours), b"mem_handler", None))
    try:
        yield _current
    finally:
        _set_handler(before)
