"""Damage to files: bytes flipped, cut, zeroed, moved; arrays exchanged under good checksums; odd tables."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.data_strategies import ODD

BYTES = st.sampled_from(
    [b"\0", b"\xff", b"\n", b",", b'"', b"PK\x03\x04", b"\x93NUMPY", b"%!PS", b"9" * 40, b"-1", b"nan"]
)
AT = st.floats(0, 1)


@st.composite
def damaged_bytes(draw: Any, content: bytes) -> bytes:
    """Draw a version of a file with one to three faults."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        start, length = int(draw(AT) * len(changed)), draw(st.sampled_from([1, 1, 4, 16, 200]))
        form = draw(
            st.sampled_from(["flip", "flip", "flip", "cut", "zero", "remove", "insert", "swap", "repeat", "head"])
        )
        if form == "flip" and start < len(changed):
            changed[start] ^= 1 << draw(st.integers(0, 7))
        elif form == "cut":
            del changed[start:]
        elif form == "zero":
            changed[start : start + length] = bytes(len(changed[start : start + length]))
        elif form == "remove":
            del changed[start : start + length]
        elif form == "insert":
            changed[start:start] = draw(BYTES)
        elif form == "swap":
            other = int(draw(AT) * len(changed))
            first, second = bytes(changed[start : start + length]), bytes(changed[other : other + length])
            changed[start : start + length], changed[other : other + length] = second, first
        elif form == "repeat":
            changed += changed[start : start + 2000]
        elif form == "head":
            changed[: draw(st.integers(0, 30))] = draw(BYTES)
    return bytes(changed)


@st.composite
def crafted_arrays(draw: Any, content: bytes) -> bytes:
    """Draw an npz file with one array exchanged for one of another type, shape or content, under a good checksum."""
    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    name = draw(st.sampled_from(sorted(arrays)))
    form = draw(st.sampled_from(["value", "value", "values", "shape", "type", "missing", "empty", "header", "longer"]))
    array = arrays[name]
    if form == "missing":
        del arrays[name]
    elif form == "empty":
        arrays[name] = array[..., :0] if array.ndim else np.zeros(0)
    elif form == "longer":
        arrays[name] = np.concatenate([np.atleast_1d(array)] * 2)
    elif form == "shape":
        arrays[name] = draw(st.sampled_from([array[None], array.reshape(-1), array.T, array.reshape(-1)[:1]]))
    elif form == "type":
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(draw(st.sampled_from(["U4", "?", "f2", "i8", "c8", "S3", "M8[s]"]))
                                        if array.dtype.kind in "fiub" else "S3")  # fmt: skip
    elif form == "header" and "header" in arrays:
        arrays["header"] = draw(_headers(arrays["header"].tobytes()))
    elif array.size:
        arrays[name] = _altered(draw, array, everywhere=form == "values")
    file_out = io.BytesIO()
    (np.savez_compressed if draw(st.booleans()) else np.savez)(file_out, **arrays)
    return file_out.getvalue()


def _altered(draw: Any, array: Any, everywhere: bool) -> Any:
    changed = array.copy()
    place = slice(None) if everywhere else draw(st.integers(0, array.size - 1))
    if array.dtype.kind == "f":
        value: Any = draw(st.sampled_from(ODD))
    elif array.dtype.kind in "iub":
        limits = np.iinfo(array.dtype) if array.dtype.kind != "b" else None
        numbers = [0, 1, 7, 900_000, -1, -5, 2**31 - 1, 2**63 - 1]
        value = draw(st.sampled_from([n for n in numbers if limits is None or limits.min <= n <= limits.max]))
    elif array.dtype.kind == "U":
        value = draw(st.sampled_from(["", "x", "\ud800", "euclidean", "inner"]))
    else:
        value = b"coo" if array.dtype.kind == "S" else 0
    with np.errstate(all="ignore"):
        changed.reshape(-1)[place] = value
    return changed


@st.composite
def _headers(draw: Any, content: bytes) -> Any:
    """Draw another JSON in the place of that of saved data."""
    header = json.loads(content)
    odd: Any = st.sampled_from(
        [None, 5, -1, 10**30, "x", [], {}, [[]], {"image": 5}, {"image": None}, True, float("nan"), "\ud800"]
    )
    key = draw(st.sampled_from([*header, "domains/image", "about/settings", "domains/image/kind", "domains/tag/size"]))
    target = header
    *path, last = key.split("/")
    for step in path:
        target = target[step]
    target[last] = draw(odd)
    if draw(st.integers(0, 9)) == 0:
        return np.frombuffer(b"[" * 50_000, np.uint8)
    return np.frombuffer(json.dumps(header).encode(), np.uint8)


def damaged(name: str, content: bytes) -> Any:
    """Draw a damaged version of a file."""
    if not name.endswith(".npz"):
        return damaged_bytes(content)
    return st.one_of(damaged_bytes(content), crafted_arrays(content))


CELLS = st.sampled_from([
    "0", "1", "2", "11", "-1", "99", "1.5", "1e400", "nan", "inf", "-0", "0x1", "1_0", "٣", "9" * 30, "", " ", '"',
    '""', "'",
    "cat", "dog", "CAT", "cat;dog", "cat; ; dog", "red.png", "photos/red.png", "../red.png", "green.jpg", "weight",
    "image",
    "tag", "name", "picture", "tags", "\0", "\t", "é", "\u202e", "\ud800", "x" * 3000, "=1+1", "image 1",
    "2001-01-01", "1,5",
])  # fmt: skip
HEADINGS = {
    "vectors.csv": ["name", "x", "y"],
    "links.csv": ["image", "tag", "weight"],
    "names.txt": ["cat"],
    "columns.csv": ["image", "year", "mood"],
    "tags.csv": ["picture", "tag", "weight"],
    "photos/red.txt": ["cat", "dog"],
    "works.csv": ["id", "title", "tags", "year"],
}


@st.composite
def tables(draw: Any, name: str) -> bytes:
    """Draw a table in the place of a good one: odd cells, separators, quotes, encodings, lines of other lengths."""
    separator = draw(st.sampled_from([",", ",", ";", "\t", "|", " "]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", "\u2028"]))
    rows = draw(st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=6))
    if draw(st.booleans()):
        rows.insert(0, HEADINGS[name])
    if draw(st.integers(0, 3)) == 0:
        rows.append(['"' + draw(CELLS), *draw(st.lists(CELLS, max_size=2))])
    text = end.join(separator.join(row) for row in rows)
    encoding = draw(
        st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "utf-32", "cp1252"])
    )
    content: bytes = text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")
    return content[:-1] if draw(st.integers(0, 9)) == 0 else content
