"""Parts of a map that were asked for, kept in memory up to a limit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future

MOST_BYTES = 256 * 2**20


class KeptParts:
    """Makes parts when they are asked for, each only once however many ask, and forgets those not used for longest.

    Parameters
    ----------
    parts : mapping of str to function
    most : int
        Bytes to keep.

    Examples
    --------
    >>> kept = KeptParts({"a": lambda: b"12345", "b": lambda: b"1234"}, most=6)
    >>> kept["a"], kept["b"], kept.size
    (b'12345', b'1234', 4)
    """

    def __init__(self, parts: Mapping[str, Callable[[], bytes]], most: int = MOST_BYTES) -> None:
        self.size = 0
        self._parts = parts
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._coming: dict[str, Future[bytes]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def __getitem__(self, name: str) -> bytes:
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
            coming = self._coming.get(name)
            if coming is None:
                mine = self._coming[name] = Future[bytes]()
        return self._make(name, mine) if coming is None else coming.result()

    def _make(self, name: str, mine: Future[bytes]) -> bytes:
        try:
            content = self._parts[name]()
        except BaseException as error:
            with self._lock:
                del self._coming[name]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._coming[name]
            self._keep(name, content)
        mine.set_result(content)
        return content

    def _keep(self, name: str, content: bytes) -> None:
        self._kept[name] = content
        self.size += len(content)
        while self.size > self._most:
            self.size -= len(self._kept.popitem(last=False)[1])
