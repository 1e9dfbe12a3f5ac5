"""What goes wrong inside a file, as one kind of error that names the file."""

import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mrsne.budgets import UNPACKED_BYTES, BudgetError
from mrsne.data.files.generation import current
from mrsne.parameters import FileContentError, ParameterError, describe
from mrsne.regular_files import IrregularFileError, open_regular

PathLike: TypeAlias = str | os.PathLike[str]
LONGEST_REASON = 200  # characters: what a decoder says may quote the file


@contextmanager
def file_errors(
    path: PathLike, content: str, error: type[FileContentError] = FileContentError, advice: str = ""
) -> Iterator[None]:
    """Turn anything that goes wrong while a file is read and taken apart into one kind of error that names the file.

    ``content`` says what it should be ("a saved embedding"). What does not depend on the content is not changed: no
    such file, no permission, a package that is missing, and what is raised as ``error`` itself.
    """
    name = repr(os.fspath(path))
    end = f"; {advice}" if advice else ""
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, IrregularFileError, ImportError, BudgetError, error):
        raise
    except MemoryError as reason:
        raise MemoryError(
            f"{name} needs more memory than there is, or is damaged ({_described(reason)}){end}"
        ) from reason
    except Exception as reason:  # zlib.error, BadZipFile, struct.error, NotImplementedError, ...: files hold anything
        raise error(f"{name} is not {content}, or is damaged ({_described(reason)}){end}") from reason


@contextmanager
def open_arrays(
    path: PathLike, content: str, error: type[FileContentError] = FileContentError, advice: str = ""
) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Open an npz file: its arrays by name, each read when it is asked for, whole and without pickled objects."""
    with (
        file_errors(path, content, error, advice),
        open_regular(current(path)) as file,
        zipfile.ZipFile(file) as archive,
    ):
        check_unpacked(path, archive, error)
        yield _Arrays(archive)


def check_format(
    path: PathLike, found: Any, newest: int, error: type[FileContentError], oldest: int = 1, advice: str = ""
) -> None:
    """Raise unless a file has a format that this version reads: the newest that it knows, or an older one."""
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ParameterError(f"its format must be a whole number of at least 1, got {describe(found)}")
    if oldest <= found <= newest:
        return
    age, known, way = "an older", f"from {oldest} on", advice
    if found > newest:
        age, known, way = "a newer", f"up to {newest}", f"install a newer mrsne{f' or {advice}' if advice else ''}"
    what = f"it has format {found}, and this version reads formats {known}; {way}"
    raise error(f"{os.fspath(path)!r} was written by {age} mrsne: {what}")


def check_unpacked(path: PathLike, archive: zipfile.ZipFile, error: type[FileContentError]) -> None:
    """Raise for an archive that would fill the memory; its members never give more than the archive says."""
    size = sum(member.file_size for member in archive.infolist())
    UNPACKED_BYTES.check(repr(os.fspath(path)), size, error, os.path.getsize(path))


class _Arrays(Mapping[str, NDArray[Any]]):
    """The arrays of an archive, whole: ``numpy.load`` stops, without a look at the checksum, where a header says so."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members = {name.removesuffix(".npy"): name for name in archive.namelist()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members  # without reading it

    def __getitem__(self, name: str) -> NDArray[Any]:
        with self._archive.open(self._members[name]) as member:
            array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
            if member.read(1):
                raise ParameterError(f"{name!r} is longer than it says")
        return array


def _described(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, KeyError):
        return f"it has no {error}"
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3] + "..."
