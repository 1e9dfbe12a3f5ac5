"""A cache for the parts of a map, which take time to make."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future

MOST_BYTES = 256 * 2**20


class PartCache:
    """Makes parts on demand, each only once for simultaneous requests, and drops the least recently used.

    Parameters
    ----------
    parts : mapping of str to function
    most : int
        Bytes that the cached parts may take together.

    Examples
    --------
    >>> cache = PartCache({"a": lambda: b"12345", "b": lambda: b"1234"}, most=6)
    >>> cache["a"], cache["b"], cache.size
    (b'12345', b'1234', 4)
    """

    def __init__(self, parts: Mapping[str, Callable[[], bytes]], most: int = MOST_BYTES) -> None:
        self.size = 0
        self._parts = parts
        self._most = most
        self._lock = threading.Lock()
        self._cached: OrderedDict[str, bytes] = OrderedDict()
        self._pending: dict[str, Future[bytes]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def __getitem__(self, name: str) -> bytes:
        with self._lock:
            if name in self._cached:
                self._cached.move_to_end(name)
                return self._cached[name]
            pending = self._pending.get(name)
            if pending is None:
                mine = self._pending[name] = Future[bytes]()
        return self._make(name, mine) if pending is None else pending.result()

    def _make(self, name: str, mine: Future[bytes]) -> bytes:
        try:
            content = self._parts[name]()
        except BaseException as error:
            with self._lock:
                del self._pending[name]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._pending[name]
            self._store(name, content)
        mine.set_result(content)
        return content

    def _store(self, name: str, content: bytes) -> None:
        self._cached[name] = content
        self.size += len(content)
        while self.size > self._most:
            self.size -= len(self._cached.popitem(last=False)[1])
