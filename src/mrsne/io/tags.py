"""Tags of pictures: from a table, from text files beside them, or from the names of their folders."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from mrsne.io.pictures import PictureNames
from mrsne.io.problems import Problems
from mrsne.io.tables import TableError, read_table

PICTURE_HEADINGS = ("picture", "image", "photo", "file", "filename", "file_name", "path", "name", "id", "img")
TAG_HEADINGS = ("tag", "tags", "keyword", "keywords", "label", "labels", "category", "word", "words")
WEIGHT_HEADINGS = ("weight", "weights", "count", "score", "confidence")
BETWEEN_TAGS = re.compile(r"[;|\n\r]+")
LONGEST = 200  # characters of a tag


@dataclass
class Tags:
    """Links from pictures to tags, and what was left out.

    Attributes
    ----------
    links : dict of (int, str) to float
        Weight of each pair of a picture's position and a tag.
    problems : Problems
    """

    links: dict[tuple[int, str], float] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)

    def add(self, picture: int, tag: str, weight: float = 1.0) -> None:
        """Link a picture to a tag; a pair that comes again counts once, with its largest weight."""
        known = self.links.get((picture, tag), 0.0)
        self.links[picture, tag] = max(known, weight)


def tags_from_table(path: str | os.PathLike[str], names: Sequence[str]) -> Tags:
    """Read a table of pictures and tags.

    One row for each tag (picture, tag and perhaps weight), or one row for each picture with its tags in one cell,
    separated by ``;`` or ``|``. Columns are known by their headings; without headings the first is the picture, the
    second the tags, and a third, if it holds numbers, the weight.

    Parameters
    ----------
    path : path
        CSV, TSV or Parquet.
    names : list of str
        Paths of the pictures in their folder, with ``/``.
    """
    rows = read_table(path)
    file = Path(path).name
    known = PictureNames(names)
    picture_at, tag_at, weight_at, start = _columns(rows, known, file)
    tags = Tags()
    for line, row in rows[start:]:
        where = f"{file}, line {line}"
        shown = ",".join(row)[:200]
        if len(row) <= max(picture_at, tag_at):
            tags.problems.add("row with too few columns", where, shown)
            continue
        name, cell = row[picture_at].strip(), row[tag_at]
        if not name:
            tags.problems.add("row without a picture", where, shown)
            continue
        picture = known.find(name)
        if isinstance(picture, str):
            tags.problems.add(f"row for a picture that is not there ({picture})", where, name)
            continue
        weight = _weight(row[weight_at]) if weight_at is not None and weight_at < len(row) else 1.0
        if weight is None:
            tags.problems.add("row with a weight that is no positive number", where, shown)
            continue
        found = [part.strip() for part in BETWEEN_TAGS.split(cell) if part.strip()]
        if not found:
            tags.problems.add("row without a tag", where, shown)
        for tag in found:
            if len(tag) > LONGEST:
                tags.problems.add(f"tag of more than {LONGEST} characters", where, tag[:60])
            else:
                tags.add(picture, tag, weight)
    return tags


def _columns(rows: list[tuple[int, list[str]]], known: PictureNames, file: str) -> tuple[int, int, int | None, int]:
    """Return where picture, tag and weight are, and the first row of data."""
    if not rows or max(len(row) for _, row in rows) < 2:
        raise TableError(f"{file!r} has one column; it needs two, the picture and its tag")
    heads = [cell.strip().casefold() for cell in rows[0][1]]
    picture = next((heads.index(name) for name in PICTURE_HEADINGS if name in heads), None)
    tag = next((heads.index(name) for name in TAG_HEADINGS if name in heads), None)
    if picture is not None and tag is not None and picture != tag:
        return picture, tag, next((heads.index(name) for name in WEIGHT_HEADINGS if name in heads), None), 1
    usual = max(len(row) for _, row in rows[:50])
    weighted = (
        2 if usual == 3 and sum(_weight(row[2]) is not None for _, row in rows[:50] if len(row) == 3) > 0 else None
    )
    headed = (
        isinstance(known.find(rows[0][1][0]), str)
        and len(rows) > 1
        and any(isinstance(known.find(row[0]), int) for _, row in rows[1:])
    )
    return 0, 1, weighted, int(headed)


def _weight(cell: str) -> float | None:
    if not cell.strip():
        return 1.0
    try:
        weight = float(cell.strip().replace(",", "."))
    except ValueError:
        return None
    return weight if math.isfinite(weight) and weight > 0 else None


def tags_from_text_files(folder: str | os.PathLike[str], names: Sequence[str]) -> Tags:
    """Read the text file beside each picture: ``dog.txt`` for ``dog.jpg``, tags on lines or separated by , ; or |."""
    tags = Tags()
    for index, name in enumerate(names):
        file = Path(folder, name).with_suffix(".txt")
        if not file.is_file():
            tags.problems.add("picture without a text file", name, file.name)
            continue
        content = file.read_bytes().decode("utf-8-sig", "replace")
        for part in re.split(r"[,;|\n\r]+", content):
            if part.strip() and len(part.strip()) <= LONGEST:
                tags.add(index, part.strip())
    return tags


def tags_from_folders(names: Sequence[str]) -> Tags:
    """Take the names of the folders that a picture is in as its tags."""
    tags = Tags()
    for index, name in enumerate(names):
        for part in PurePosixPath(name).parent.parts:
            tags.add(index, part)
    return tags
