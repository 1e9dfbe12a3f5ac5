"""Whether a map is up to date: neither what it was made from nor its files have changed, by content and not by date.

What is remembered lies in the cache of pictures: pictures, tags and models, options, the program, and its files.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from mrsne.data.files.problems import Problem, Problems
from mrsne.encoders.cache import Cache, path_key
from mrsne.regular_files import IrregularFileError, open_regular

SUMMARIES = "summaries of maps"  # the kind of entries in the cache
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pillow", "onnxruntime", "matplotlib")
WRITTEN = ("map", "data", "coordinates", "left_out_table", "picture", "page")  # where a summary says what was written


class MapRecords(Cache):
    """What finished maps were made from, and their summaries, by the file they were written to."""

    def has(self, output: Path) -> bool:
        return self.get(SUMMARIES, path_key(output)) is not None

    def summary(self, output: Path, inputs: str) -> dict[str, Any] | None:
        """Return the summary of a map if it was made from these inputs and its files are what they were."""
        stored = self.get(SUMMARIES, path_key(output))
        if stored is None:
            return None
        try:
            made_from, files, summary = json.loads(stored)
            if made_from != inputs or any(file_content(Path(path)) != digest for path, digest in files.items()):
                return None
            problems = [Problem(str(a), str(b), str(c), int(count)) for a, b, c, count in summary["left_out"]]
            known = summary["picture_files"] - summary["unreadable_pictures"]
            return {**summary, "left_out": Problems(problems), "pictures_from_cache": known}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # of another version of mrsne
            self.note_damage(SUMMARIES)
            return None

    def remember(self, output: Path, inputs: str, files: Mapping[str, str | None], record: Mapping[str, Any]) -> None:
        """Keep the summary of a map and the digests of its files, unless one of them is gone already."""
        if None in files.values():
            return
        left_out = [(problem.kind, problem.where, problem.what, problem.count) for problem in record["left_out"]]
        text = json.dumps([inputs, dict(files), {**record, "left_out": left_out}])
        self.put([(SUMMARIES, path_key(output), text.encode())])


def fingerprint(settings: Mapping[str, Any], names: Sequence[str], contents: Sequence[bytes]) -> str:
    """Return a hash of everything that a map is made from, this program included."""
    digest = hashlib.sha256(json.dumps([program(), settings], default=str, sort_keys=True).encode())
    for name, content in zip(names, contents, strict=True):
        digest.update(json.dumps([name, content.hex()]).encode())
    return digest.hexdigest()


def program() -> list[Any]:
    """Return what distinguishes this program from another: the files of mrsne and the versions of its libraries."""
    base = Path(__file__).parents[1]
    paths = [path for path in sorted(base.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    files = [(path.relative_to(base), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    versions = []
    for library in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            versions.append(f"{library} {metadata.version(library)}")
    return [hashlib.sha256(repr(files).encode()).hexdigest(), versions]


def file_content(path: Path) -> str | None:
    """Return a digest of a regular file, or None where there is none that can be read."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, IrregularFileError):
        return None


def written_contents(paths: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return digests of the files of a map, by their absolute paths, from where its summary says they are."""
    return {os.path.abspath(path): file_content(Path(path)) for key in WRITTEN if (path := paths[key]) is not None}
