"""What a table is read from besides a file here: an address such as ``s3://bucket/works.csv``, or standard input."""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mrsne.budgets import FETCHED_BYTES
from mrsne.data.tables.formats import FORMATS
from mrsne.data.tables.table import TableError
from mrsne.parameters import MrsneError

ENDINGS = tuple(ending for known in FORMATS for ending in known.endings)
STANDARD_INPUT = "-"
INPUT = "standard input"
SCHEME = r"[a-z][a-z0-9+.-]+:/"  # of more letters than a drive of Windows; a Path keeps one slash of two
ADDRESS = re.compile(rf"(?:\w+::)*{SCHEME}")
LONGEST_NAME = 100  # characters of the name of a copy
BLOCK_BYTES = 2**20


def is_elsewhere(source: str | os.PathLike[str]) -> bool:
    """Return whether a table is no file here, but at an address, or what standard input gives."""
    given = os.fspath(source)
    return given == STANDARD_INPUT or ADDRESS.match(given) is not None


def table_name(source: str | os.PathLike[str]) -> str:
    """Return the name of a file, here or at an address: of ``zip://works.csv::all.zip`` it is ``works.csv``."""
    if not is_elsewhere(source):
        return Path(source).name
    if os.fspath(source) == STANDARD_INPUT:
        return INPUT
    first = next(part for part in _address(source).split("::") if "://" in part)
    name = Path(unquote(re.split("[?#]", first.partition("://")[2])[0])).name
    return re.sub(r"[^\w .()+-]", "_", name)[-LONGEST_NAME:] or "table"


@contextmanager
def local_copy(source: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the file that a path names, or a copy, for a while, of what is at an address or comes from standard input.

    The name of a copy ends as its content asks for, unless it has the ending of a table already.
    """
    if not is_elsewhere(source):
        yield Path(source)
        return
    with tempfile.TemporaryDirectory(prefix="mrsne-", ignore_cleanup_errors=True) as folder:
        name, copy = table_name(source), Path(folder, "copy")
        shown = name if name == INPUT else _address(source)
        _fetch(shown, nullcontext(sys.stdin.buffer) if name == INPUT else _opened(shown), copy)
        has_ending = Path(name).suffix.lower() in (".npy", ".npz", *ENDINGS)
        local = copy.rename(copy.with_name(name if has_ending else f"{name}{_ending(copy)}"))
        try:
            yield local
        except Exception as error:  # what people gave is the address
            error.args = tuple(arg.replace(str(local), shown) if isinstance(arg, str) else arg for arg in error.args)
            raise


def _address(source: str | os.PathLike[str]) -> str:
    """Return an address as it was before a Path took one of two slashes away."""
    given = re.sub(r"\bfile:/(?!/)", "file:///", os.fspath(source))
    return re.sub(rf"(?<![a-z0-9+.-])({SCHEME})(?!/)", r"\1/", given)


@contextmanager
def _opened(address: str) -> Iterator[Any]:
    """Open an address by fsspec, which reads from the web, from S3 and other stores, and out of archives."""
    needed = "mrsne[remote]"
    try:
        import fsspec

        scheme = re.findall("([^:]+)://", address)[-1]
        needed = "mrsne[remote]" if scheme.startswith("http") else f"fsspec[{scheme}]"
        file = fsspec.open(address, "rb")
    except ImportError as error:
        raise ImportError(f"{address!r} cannot be opened ({error}): pip install '{needed}'") from error
    with file as stream:
        yield stream


def _fetch(name: str, opened: AbstractContextManager[Any], copy: Path) -> None:
    size = 0
    try:
        with opened as stream, open(copy, "wb") as file:
            while block := stream.read(BLOCK_BYTES):
                size += len(block)
                FETCHED_BYTES.check(repr(name), size, TableError)
                file.write(block)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table at {name!r}") from None
    except (MrsneError, ImportError, MemoryError):
        raise
    except Exception as error:  # stores have errors of many kinds
        raise TableError(f"{name!r} cannot be read ({type(error).__name__}: {error})") from error
    if not size and name == INPUT:
        raise TableError(f"{INPUT} is at its end; it is read once, so that one table at most can be '-'")


def _ending(path: Path) -> str:
    """Return the ending that a table has by its first bytes; a text is CSV or JSON Lines."""
    with open(path, "rb") as file:
        start = file.read(64)
    by_format = (known.endings[0] for known in FORMATS if known.beginning and start.startswith(known.beginning))
    return next(by_format, ".jsonl" if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") else ".csv")
