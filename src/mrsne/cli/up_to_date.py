"""Whether a map is up to date, as make asks of its targets: nothing it was made from has changed, nor what was written.

What is remembered lies in the cache of pictures. Compared are contents, not dates: of pictures, tags and models, every
option, the program and the libraries that compute, and the files that were written.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from mrsne.encoders.cache_file import CacheFile
from mrsne.encoders.decoding import PictureError, open_picture_file
from mrsne.encoders.file_cache import FileCache, Stamp, file_digest
from mrsne.encoders.reading import unchanged
from mrsne.io.problems import Problem, Problems
from mrsne.io.regular_files import IrregularFileError, open_regular

FILE = "maps.sqlite"
TABLE = "maps (output BLOB, inputs TEXT, record TEXT, checksum TEXT, PRIMARY KEY (output))"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pillow", "onnxruntime", "matplotlib")
MOST_KEPT = 256  # pictures between two writes to the cache, each of which waits for the disk


class MapRecords(CacheFile):
    """What finished maps were made from, and what was said of them, by the file they were written to."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__(folder, FILE, TABLE, "summaries of maps")

    def has(self, output: Path) -> bool:
        """Return whether a map was written to this file."""
        return bool(self.rows("SELECT 1 FROM maps WHERE output = ?", _key(output)))

    def get(self, output: Path, inputs: str) -> dict[str, Any] | None:
        """Return the summary of a map, if it was made from these inputs and its files are as they were written."""
        query = "SELECT record, checksum FROM maps WHERE output = ? AND inputs = ?"
        for record, checksum in self.rows(query, _key(output), inputs):
            if not isinstance(record, str) or _checksum(record) != checksum:
                self.note("has damaged summaries")
                continue
            try:
                files, summary = json.loads(record)
                if all(file_content(Path(path)) == content for path, content in files.items()):
                    return _as_reported(summary)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # whatever its checksum says
                self.note("has damaged summaries")
        return None

    def put(self, output: Path, inputs: str, files: Mapping[str, str | None], record: Mapping[str, Any]) -> None:
        """Remember a map and the contents of its files, unless one of them is gone already."""
        if None in files.values():
            return
        left_out = [(problem.kind, problem.where, problem.what, problem.count) for problem in record["left_out"]]
        text = json.dumps([dict(files), {**record, "left_out": left_out}])
        row = _key(output), inputs, text, _checksum(text)
        self.write("INSERT OR REPLACE INTO maps VALUES (?, ?, ?, ?)", [row])


def fingerprint(settings: Mapping[str, Any], names: Sequence[str], contents: Sequence[bytes]) -> str:
    """Return a hash of everything that a map is made from, this program included."""
    digest = hashlib.sha256(json.dumps([program(), settings], default=str, sort_keys=True).encode())
    for name, content in zip(names, contents, strict=True):
        digest.update(json.dumps([name, content.hex()]).encode())
    return digest.hexdigest()


def program() -> list[Any]:
    """Return what tells this program from another: the files of mrsne, and the versions of what it computes with."""
    base = Path(__file__).parents[1]
    files = []
    for folder, folders, names in os.walk(base):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted(names):
            try:
                status = os.stat(os.path.join(folder, name))
            except OSError:  # a link of an editor that leads nowhere, or a file that is gone by now
                continue
            files.append((os.path.relpath(os.path.join(folder, name), base), status.st_size, status.st_mtime_ns))
    versions = []
    for library in LIBRARIES:
        try:
            versions.append(metadata.version(library))
        except metadata.PackageNotFoundError:
            versions.append("")
    return [hashlib.sha256(repr(files).encode()).hexdigest(), versions]


def picture_contents(paths: Iterable[Path], cache: FileCache) -> list[bytes]:
    """Return digests of pictures as encoding them does: only what may have changed is read, what cannot be is b""."""
    contents = []
    read: list[tuple[Path, Stamp, bytes]] = []
    try:
        for path in paths:
            digest = unchanged(path, cache.get(path))
            if digest is None:
                try:
                    with open_picture_file(path) as file:
                        digest, stamp = file_digest(file)
                except PictureError:
                    digest, stamp = b"", None
                if stamp is not None:
                    read.append((path, stamp, digest))
            contents.append(digest)
            if len(read) == MOST_KEPT:
                cache.put(read)
                read = []
    finally:  # of an interrupt as well: what was read need not be read again
        cache.put(read)
    return contents


def file_content(path: Path) -> str | None:
    """Return a digest of a regular file, or None where there is none that can be read."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, IrregularFileError):
        return None


def written_contents(paths: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return digests of the files of a map, by their absolute paths, from where its summary says they are."""
    written = [paths[key] for key in ("map", "data", "coordinates", "left_out_table", "picture", "page")]
    return {os.path.abspath(path): file_content(Path(path)) for path in written if path is not None}


def _as_reported(summary: dict[str, Any]) -> dict[str, Any]:
    """Return a summary as it was before it was kept, but for its pictures, which are all known now."""
    return {
        **summary,
        "left_out": Problems(
            Problem(str(kind), str(where), str(what), int(count)) for kind, where, what, count in summary["left_out"]
        ),
        "pictures_from_cache": summary["picture_files"] - summary["unreadable_pictures"],
    }


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _key(output: Path) -> bytes:
    return os.fsencode(os.path.abspath(output))
