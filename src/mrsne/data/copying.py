"""Copies of pictures in a folder: in full size, or as thumbnails where nothing else is there."""

import io
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from mrsne.arrays import Int64, UInt8
from mrsne.data.files.problems import Problems
from mrsne.data.files.writing import OutputError, check_outputs, partial_of, remove_abandoned
from mrsne.data.relational import RelationalData
from mrsne.parameters import ParameterError
from mrsne.regular_files import open_regular

UNUSABLE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')  # in the name of a file, on one system or another
DEVICES = re.compile(r"con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]", re.IGNORECASE)  # names of Windows
LONGEST_NAME = 200  # bytes of a file's name, of which systems take 255
LONGEST_ENDING = 20  # bytes of what counts as its ending


@dataclass(frozen=True)
class Copy:
    source: Path | UInt8
    target: Path

    def opened(self) -> IO[bytes]:
        """Return what is copied, byte for byte: a file, or a thumbnail as PNG."""
        if isinstance(self.source, Path):
            return open_regular(self.source)
        import PIL.Image

        content = io.BytesIO()
        PIL.Image.fromarray(self.source).save(content, "PNG")
        content.seek(0)
        return content

    def is_there(self) -> bool:
        """Return whether this very picture is in its place already, as after a run that was stopped."""
        if not stat.S_ISREG(os.lstat(self.target).st_mode):
            return False
        with self.opened() as original, open_regular(self.target) as copy:
            return original.read() == copy.read()


@contextmanager
def copied(copies: Sequence[Copy], folder: Path) -> Iterator[None]:
    """Put pictures into a folder at the end, and none where something fails meanwhile.

    They are copied into a partial folder beside it first, so that nobody ever sees a part of a picture.
    """
    target = Path(os.path.realpath(folder))
    remove_abandoned(target, folder=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    made = partial_of(target)
    try:
        for copy in copies:
            place = made / copy.target.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            with copy.opened() as original:
                try:
                    with open(place, "xb") as file:
                        shutil.copyfileobj(original, file)
                except OSError as error:
                    raise OSError(error.errno, error.strerror, str(copy.target)) from error
        yield
        if not target.exists():
            os.rename(made, target)
        for copy in copies if made.exists() else ():
            copy.target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(made / copy.target.relative_to(folder), copy.target)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def plan_copies(
    data: RelationalData, members: Mapping[str, Int64], folders: Mapping[str, Any], target: Path, problems: Problems
) -> list[Copy]:
    """Return which pictures are copied, noting those that are not there; raise where one would overwrite something.

    ``folders`` are those of :class:`mrsne.viewer.pictures.PictureFolder`.
    """
    wanted: list[tuple[Any, Path]] = []
    several = len({*folders, *data.pictures}) > 1
    for domain, items in members.items():
        place = Path(file_name(domain)) if several else Path()
        if domain in folders:
            wanted += [(source, place / path) for source, path in _files(folders[domain], items, problems)]
        elif domain in data.pictures:
            names, thumbnails = data.names.get(domain) or range(data.sizes[domain]), data.pictures[domain]
            wanted += [(thumbnails[item], place / file_name(f"{names[item]}.png")) for item in items.tolist()]
    copies = _apart(target, wanted)
    if not copies:
        hint = "--pictures DOMAIN=FOLDER names them"
        raise ParameterError(f"--copy needs pictures, but none of these items has one; {hint}")
    for copy in copies:
        if os.path.lexists(copy.target) and not copy.is_there():
            raise OutputError(f"--copy: {str(copy.target)!r} is there already; give another folder")
    check_outputs([copies[0].target], [], "--copy")
    return copies


def _files(folder: Any, items: Int64, problems: Problems) -> Iterator[tuple[Path, Path]]:
    """Yield the pictures of a folder that are there, and their paths inside it."""
    for item in items.tolist():
        try:
            source = folder.path(item)
        except LookupError:
            problems.add("picture that is not there", str(folder.folder), folder.names[item])
            continue
        inside = [file_name(part) for part in PurePosixPath(folder.names[item]).parts if part not in ("..", "/")]
        yield source, Path(*inside)


def _apart(place: Path, pictures: Iterable[tuple[Any, Path]]) -> list[Copy]:
    """Return copies with distinct names: some differ only in case, or in characters that no file name can have."""
    found: dict[str, Copy] = {}
    for source, wanted in pictures:
        path, number = wanted, 1
        while str(path).casefold() in found:
            number += 1
            path = wanted.with_name(f"{wanted.stem} {number}{wanted.suffix}")
        found[str(path).casefold()] = Copy(source, place / path)
    return list(found.values())


def file_name(text: str) -> str:
    """Return a text as the name of a file on any system; a long one is cut before its ending.

    Examples
    --------
    >>> file_name("what? a/b"), file_name(" .. "), file_name("con.png"), len(file_name(300 * "x" + ".png"))
    ('what_ a_b', '_', '_con.png', 204)
    """
    stem, ending = os.path.splitext(UNUSABLE.sub("_", text))
    if len(os.fsencode(ending)) > LONGEST_ENDING:
        stem, ending = stem + ending, ""
    while len(os.fsencode(stem)) > LONGEST_NAME:  # names of files need not be text
        stem = stem[: min(LONGEST_NAME, len(stem) - 1)]
    name = f"{stem}{ending}".strip(" .") or "_"
    return f"_{name}" if DEVICES.fullmatch(name.partition(".")[0].rstrip()) else name
