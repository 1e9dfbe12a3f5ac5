"""The pictures of some items as files in a folder: in full size, or as thumbnails where that is all there is."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from mrsne.cli.outputs import OutputError, check_outputs
from mrsne.io.problems import Problems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mrsne.data import RelationalData
    from mrsne.viewer.pictures import PictureFolder

UNUSABLE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')  # in the name of a file, on one system or another
LONGEST_NAME = 120  # characters


@dataclass(frozen=True)
class Copy:
    """One picture: where it comes from, a file or an array, and where it goes."""

    source: Path | NDArray[np.uint8]
    target: Path

    def write(self) -> None:
        """Write it; a file is copied as it is."""
        self.target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(self.source, Path):
            shutil.copyfile(self.source, self.target)
        else:
            import PIL.Image

            PIL.Image.fromarray(self.source).save(self.target)


def plan_copies(
    data: RelationalData,
    members: Mapping[str, NDArray[np.int64]],
    folders: Mapping[str, PictureFolder],
    target: Path,
    problems: Problems,
) -> list[Copy]:
    """Return which pictures are copied, in their own subfolders; those that are not there are noted.

    Nothing that is there already is overwritten: it is an error, before anything is copied.
    """
    copies: list[Copy] = []
    several = len({*folders, *data.pictures}) > 1
    for domain, items in members.items():
        place = target / file_name(domain) if several else target
        if domain in folders:
            copies += _files(folders[domain], items, place, problems)
        elif domain in data.pictures:
            names: Any = data.names.get(domain) or [str(item) for item in range(data.sizes[domain])]
            copies += _thumbnails(data.pictures[domain], names, items, place)
    if not copies:
        raise ValueError("--copy needs pictures, but none of these items has one; --pictures DOMAIN=FOLDER names them")
    for copy in copies:
        if copy.target.exists():
            raise OutputError(f"--copy: {str(copy.target)!r} is there already; give another folder")
    check_outputs([copies[0].target], [], "--copy")
    return copies


def _files(folder: PictureFolder, items: NDArray[np.int64], place: Path, problems: Problems) -> list[Copy]:
    from mrsne.viewer.pictures import PictureMissingError

    found = []
    for item in items.tolist():
        try:
            source = folder.path(item)
        except PictureMissingError:
            problems.add("picture that is not there", str(folder.folder), folder.names[item])
            continue
        inside = [file_name(part) for part in PurePosixPath(folder.names[item]).parts if part not in ("..", "/")]
        found.append(Copy(source, place.joinpath(*inside)))
    return found


def _thumbnails(pictures: NDArray[np.uint8], names: Any, items: NDArray[np.int64], place: Path) -> list[Copy]:
    found, used = [], set()
    for item in items.tolist():
        name = file_name(names[item])
        if name.casefold() in used:  # names that differ in nothing but what no file may be called
            name = f"{name} {item}"
        used.add(name.casefold())
        found.append(Copy(pictures[item], place / f"{name}.png"))
    return found


def file_name(text: str) -> str:
    """Return a text as the name of a file on any system.

    Examples
    --------
    >>> file_name("what? a/b"), file_name(" .. ")
    ('what_ a_b', '_')
    """
    return UNUSABLE.sub("_", text)[:LONGEST_NAME].strip(" .") or "_"
