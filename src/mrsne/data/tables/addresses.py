"""What a table is read from besides a file here: an address such as ``s3://bucket/works.csv``, or standard input."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mrsne.budgets import FETCHED_BYTES
from mrsne.data.tables.formats import FORMATS
from mrsne.data.tables.table import TableError
from mrsne.parameters import MrsneError

ENDINGS = tuple(ending for known in FORMATS for ending in known.endings)
STANDARD_INPUT = "-"
SCHEME = r"[a-z][a-z0-9+.-]+:/"  # of more letters than a drive of Windows; a Path keeps one slash of two
ADDRESS = re.compile(rf"(?:\w+::)*{SCHEME}")
LOCAL = ("file:/", "hdfs:/")  # whose addresses go on with another slash
LONGEST_NAME = 100  # characters of the name of a copy
BLOCK_BYTES = 2**20


def is_elsewhere(source: str | os.PathLike[str]) -> bool:
    """Return whether a table is no file here, but at an address, or what standard input gives."""
    given = os.fspath(source)
    return given == STANDARD_INPUT or ADDRESS.match(given) is not None


def table_name(source: str | os.PathLike[str]) -> str:
    """Return the name of a file, here or at an address.

    Examples
    --------
    >>> table_name("s3://bucket/2024/works.csv"), table_name("https://a.org/works.csv?raw=1"), table_name("a/b.csv")
    ('works.csv', 'works.csv', 'b.csv')
    >>> table_name("zip://works.csv::memory://all.zip"), table_name("-")
    ('works.csv', 'standard input')
    """
    if not is_elsewhere(source):
        return Path(source).name
    if os.fspath(source) == STANDARD_INPUT:
        return "standard input"
    first = next(part for part in _address(source).split("::") if "://" in part)
    name = Path(unquote(re.split("[?#]", first.partition("://")[2])[0])).name
    return re.sub(r"[^\w .()+-]", "_", name)[-LONGEST_NAME:] or "table"


@contextmanager
def local_copy(source: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the file that a path names, or a copy, for a while, of what is at an address or comes from standard input.

    Addresses are opened by fsspec, which reads from the web, from S3 and other stores, and out of archives. The name of
    a copy ends as its content asks for, unless it has the ending of a table already.
    """
    if not is_elsewhere(source):
        yield Path(source)
        return
    with tempfile.TemporaryDirectory(prefix="mrsne-", ignore_cleanup_errors=True) as folder:
        name = table_name(source)
        shown = name if os.fspath(source) == STANDARD_INPUT else _address(source)
        copy = Path(folder, "copy")
        _fetch(source, shown, copy)
        has_ending = Path(name).suffix.lower() in (".npy", ".npz", *ENDINGS)
        local = copy.rename(copy.with_name(name if has_ending else f"{name}{_ending(copy)}"))
        try:
            yield local
        except Exception as error:  # what people gave is the address
            error.args = tuple(arg.replace(str(local), shown) if isinstance(arg, str) else arg for arg in error.args)
            raise


def _address(source: str | os.PathLike[str]) -> str:
    """Return an address as it was before a Path took one of two slashes away."""

    def with_slashes(scheme: re.Match[str]) -> str:
        return f"{scheme[0]}//" if scheme[0] in LOCAL else f"{scheme[0]}/"

    return re.sub(rf"(?<![a-z0-9+.-]){SCHEME}(?!/)", with_slashes, os.fspath(source))


def _fetch(source: str | os.PathLike[str], shown: str, copy: Path) -> None:
    """Copy what is at an address or comes from standard input into a file."""
    size = 0
    try:
        is_input = os.fspath(source) == STANDARD_INPUT
        with nullcontext(sys.stdin.buffer) if is_input else _opened(shown) as stream, open(copy, "wb") as file:
            while block := stream.read(BLOCK_BYTES):
                size += len(block)
                FETCHED_BYTES.check(repr(shown), size, TableError)
                file.write(block)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table at {shown!r}") from None
    except (MrsneError, ImportError, MemoryError):
        raise
    except Exception as error:  # stores have errors of many kinds
        raise TableError(f"{shown!r} cannot be read ({type(error).__name__}: {error})") from error
    if not size and is_input:
        raise TableError("standard input is at its end; it is read once, so that one table at most can be '-'")


def _opened(address: str) -> Any:
    """Open an address."""
    needed = "mrsne[remote]"
    try:
        import fsspec

        scheme = re.findall("([^:]+)://", address)[-1]
        needed = "mrsne[remote]" if scheme.startswith("http") else f"fsspec[{scheme}]"
        return fsspec.open(address, "rb")
    except ImportError as error:
        raise ImportError(f"{address!r} cannot be opened ({error}): pip install '{needed}'") from error


def _ending(path: Path) -> str:
    """Return the ending that a table has by its first bytes; a text is CSV or JSON Lines."""
    with open(path, "rb") as file:
        start = file.read(64)
    by_format = (known.endings[0] for known in FORMATS if known.beginning and start.startswith(known.beginning))
    return next(by_format, ".jsonl" if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") else ".csv")
