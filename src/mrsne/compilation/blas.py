"""Products of matrices on one thread, where several threads multiply at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

_limiting = threading.Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Multiply matrices on the calling thread, because several threads do so at a time.

    The limit is one of the whole process. Whoever comes first sets it and lifts it; who comes while it is set leaves it
    alone. If everyone restored what they had found, the last one would restore the limit of the others, for good.
    """
    if not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with threadpool_limits(1, "blas"):
            yield
    finally:
        _limiting.release()
