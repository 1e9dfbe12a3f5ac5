"""Parts are made once for all who ask, and dropped when there is no room."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from mrsne.viewer.cache import PartCache


class Maker:
    """Makes parts of some sizes, and counts how often."""

    def __init__(self, **sizes: int) -> None:
        self.made: Counter[str] = Counter()
        self.parts = {name: partial(self.make, name, size) for name, size in sizes.items()}

    def make(self, name: str, size: int) -> bytes:
        self.made[name] += 1
        return bytes(size)


def test_many_who_ask_at_once_get_what_the_first_makes() -> None:
    begun, go_on = threading.Event(), threading.Event()
    made = []

    def slow() -> bytes:
        made.append("slow")
        begun.set()
        assert go_on.wait(10)
        return b"part"

    cache = PartCache({"slow": slow})
    with ThreadPoolExecutor(9) as pool:
        asked = [pool.submit(lambda: cache["slow"]) for _ in range(9)]
        assert begun.wait(10)
        go_on.set()
        assert [future.result(10) for future in asked] == [b"part"] * 9
    assert made == ["slow"]


def test_a_slow_part_does_not_keep_others_waiting() -> None:
    go_on = threading.Event()
    cache = PartCache({"slow": lambda: b"slow" * go_on.wait(10), "fast": lambda: b"fast"})
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(lambda: cache["slow"])
        assert cache["fast"] == b"fast"
        go_on.set()
        assert slow.result(10) == b"slow"


def test_the_least_recently_used_make_room() -> None:
    maker = Maker(a=4, b=4, c=4)
    cache = PartCache(maker.parts, most=10)
    for name in "abacab":
        assert len(cache[name]) == 4
        assert cache.size <= 10
    assert maker.made == {"a": 1, "b": 2, "c": 1}


def test_a_part_that_is_too_large_is_returned_but_not_cached() -> None:
    maker = Maker(large=11)
    cache = PartCache(maker.parts, most=10)
    assert (len(cache["large"]), len(cache["large"]), cache.size, maker.made["large"]) == (11, 11, 0, 2)


def test_an_error_is_raised_and_not_cached() -> None:
    found = iter([None, b"part"])

    def unreliable() -> bytes:
        content = next(found)
        if content is None:
            raise RuntimeError("not now")
        return content

    cache = PartCache({"part": unreliable})
    with pytest.raises(RuntimeError, match="not now"):
        cache["part"]
    assert cache["part"] == b"part"
