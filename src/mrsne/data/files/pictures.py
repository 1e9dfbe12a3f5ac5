"""The pictures in a folder, and which of them a name in a table means."""

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from mrsne.data.files.problems import Problems

ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")


def find_pictures(folder: str | os.PathLike[str], problems: Problems | None = None) -> list[Path]:
    """Return everything with the name of a picture in a folder and the folders inside it, by name.

    Hidden ones are passed over; links to folders, not followed, and folders that cannot be read are noted as problems.
    """
    base = Path(folder)
    if not base.is_dir():
        found = "is not a folder of pictures" if base.exists() else "is not there: give a folder of pictures or a table"
        raise FileNotFoundError(f"{str(base)!r} {found}")
    left_out = Problems() if problems is None else problems

    def note(error: OSError) -> None:
        if Path(error.filename) == base:
            raise error
        left_out.add("folder that cannot be read", _inside(error.filename, base), error.strerror or str(error))

    pictures = []
    for where, folders, names in os.walk(base, onerror=note):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (os.path.join(where, name) for name in folders):
            if os.path.islink(path):
                left_out.add("link to a folder, which is not followed", _inside(path, base), os.readlink(path))
        pictures += [
            Path(where) / name for name in names if not name.startswith(".") and name.lower().endswith(ENDINGS)
        ]
    if not pictures:
        raise FileNotFoundError(f"there is no picture in {str(base)!r}: no file that ends in {', '.join(ENDINGS)}")
    return sorted(pictures)


def _inside(path: str, base: Path) -> str:
    return Path(path).relative_to(base).as_posix()


class PictureNames:
    """Finds the picture that a name means: a path, perhaps of another computer, or a file, perhaps without ending."""

    def __init__(self, names: Sequence[str]) -> None:
        # by path, by file name, and by both without their endings
        self._positions: list[dict[str, list[int]]] = [defaultdict(list) for _ in range(4)]
        self._depth = max((name.count("/") for name in names), default=0)
        for index, name in enumerate(names):
            path = PurePosixPath(name)
            keys = (name, path.name, str(path.parent / path.stem), path.stem)
            for positions, key in zip(self._positions, keys, strict=True):
                positions[key.casefold()].append(index)

    def find(self, name: str) -> int | str:
        """Return a picture's position, or why there is none."""
        key = name.strip().replace("\\", "/").removeprefix("./").casefold()
        ends = key.rsplit("/", self._depth + 1)  # the folders that our longest path has
        for start in range(len(ends)):
            end = key if start == 0 else "/".join(ends[start:])
            for positions in self._positions if start == 0 else self._positions[::2]:
                fitting = positions.get(end, ())
                if fitting:
                    return fitting[0] if len(fitting) == 1 else "row whose name fits several pictures"
        return "row for a picture that is not there"
