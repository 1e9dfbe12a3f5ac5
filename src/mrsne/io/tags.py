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
from mrsne.io.regular_files import IrregularFileError
from mrsne.io.tables import TableError, read_table
from mrsne.io.text import read_text

PICTURE_HEADINGS = ("picture", "image", "photo", "file", "filename", "file_name", "path", "name", "id", "img")
TAG_HEADINGS = ("tag", "tags", "keyword", "keywords", "label", "labels", "category", "categories", "word", "words")
PLURAL_HEADINGS = ("tags", "keywords", "labels", "words", "categories")
WEIGHT_HEADINGS = ("weight", "weights", "count", "score", "confidence")
BETWEEN_TAGS = re.compile(r"[;|\n\r]+")
YES_OR_NO = ("", "0", "1", "0.0", "1.0", "True", "False", "true", "false")
LONGEST = 200  # characters of a tag
FEWEST_FOR_EVERYBODY = 3  # pictures, for a value that all have to say nothing


@dataclass
class Tags:
    """Links from pictures to tags, and what was left out.

    Attributes
    ----------
    links : dict of (int, str) to float
        Weight of each pair of a picture's position and a tag.
    problems : Problems
    columns : dict of str to dict of int to str
        What else a table says of pictures: by heading and picture, the first cell that is not empty.
    """

    links: dict[tuple[int, str], float] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)
    columns: dict[str, dict[int, str]] = field(default_factory=dict)

    def add(self, picture: int, tag: str, weight: float = 1.0) -> None:
        """Link a picture to a tag; a pair that comes again counts once, with its largest weight."""
        self.links[picture, tag] = max(weight, self.links.get((picture, tag), 0.0))


@dataclass
class Columns:
    """Which columns of a table hold what, by their positions.

    Attributes
    ----------
    picture : int
    tags : list of int
    weight : int or None
    start : int
        First row of data.
    commas : bool
        Whether commas separate tags inside a cell.
    names : list of str or None
        For a table with a column for each tag: the tags.
    others : dict of int to str
        Columns that hold none of these, and their headings.
    unused : list of str
        Headings of columns that say nothing.
    """

    picture: int
    tags: list[int]
    weight: int | None
    start: int
    commas: bool
    names: list[str] | None = None
    others: dict[int, str] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)


def tags_from_table(path: str | os.PathLike[str], names: Sequence[str]) -> Tags:
    """Read a table of pictures and tags.

    One row for each tag (picture, tag and perhaps weight); or one row for each picture, with its tags in one cell,
    separated by ``;`` or ``|`` (in a column called "tags" by commas too), in several columns, or as a column of 0 and 1
    for each tag. Columns are recognised by their headings; without headings the first is the picture, and a third
    column of numbers the weight.

    Parameters
    ----------
    path : path
        CSV, TSV or Parquet.
    names : list of str
        Paths of the pictures in their folder, with ``/``.
    """
    rows = read_table(path)
    file = Path(path).name
    if len(rows) > 1 and re.fullmatch(r"sep=.?", "".join(rows[0][1]).strip(), re.IGNORECASE):
        rows = rows[1:]  # a line that Excel writes for itself
    pictures = PictureNames(names)
    columns = _columns(rows, pictures, file)
    between = re.compile(r"[,;|\n\r]+") if columns.commas else BETWEEN_TAGS
    tags = Tags(columns={heading: {} for heading in columns.others.values()})
    for heading in columns.unused:
        tags.problems.add("column that is not used", file, heading)
    for position in _constant_columns(rows[columns.start :], columns):
        columns.tags.remove(position)
        heading = rows[0][1][position] if columns.start else f"column {position + 1}"
        tags.problems.add("column with one value for everybody", file, f"{heading.strip()}")
    for line, row in rows[columns.start :]:
        where = f"{file}, line {line}"
        content = ",".join(row)
        if len(row) <= max(columns.picture, min(columns.tags, default=0)):
            tags.problems.add("row with too few columns", where, content)
            continue
        name = row[columns.picture].strip()
        if not name:
            tags.problems.add("row without a picture", where, content)
            continue
        picture = pictures.find(name)
        if isinstance(picture, str):
            tags.problems.add(picture, where, name)
            continue
        for position, heading in columns.others.items():
            if position < len(row) and row[position].strip():
                tags.columns[heading].setdefault(picture, row[position].strip())
        at = columns.weight
        weight = _weight(row[at]) if at is not None and at < len(row) else 1.0
        if weight is None:
            tags.problems.add("row with a weight that is no positive number", where, content)
            continue
        if columns.names is not None:
            for column, tag in zip(columns.tags, columns.names, strict=True):
                if column < len(row) and (_weight(row[column]) or 0) > 0 and row[column].strip():
                    tags.add(picture, tag, _weight(row[column]) or 1.0)
            continue
        cells = [row[column] for column in columns.tags if column < len(row)]
        if columns.tags:
            _add(tags, picture, [part for cell in cells for part in between.split(cell)], weight, where, content)
    return tags


def _add(tags: Tags, picture: int, parts: Sequence[str], weight: float, where: str, content: str) -> None:
    """Link a picture to the tags among the parts of a row, and note what is left out."""
    words = [part.strip() for part in parts if part.strip()]
    if not words:
        tags.problems.add("row without a tag", where, content)
    for tag in words:
        if len(tag) > LONGEST:
            tags.problems.add(f"tag of more than {LONGEST} characters", where, tag)
        else:
            tags.add(picture, tag, weight)


def _columns(rows: list[tuple[int, list[str]]], pictures: PictureNames, file: str) -> Columns:
    """Return which columns of a table hold what, by its headings or, without them, by its cells."""
    if not rows or max(len(row) for _, row in rows) < 2:
        raise TableError(f"{file!r} has one column; it needs two, the picture and its tag")
    heads = [cell.strip() for cell in rows[0][1]]
    # "Tag 1" is a tag; of a long heading, searching for the number would take the square of its length
    plain = [head if len(head) > LONGEST else re.sub(r"[ _-]*\d+$", "", head.casefold()) for head in heads]
    picture = next((plain.index(name) for name in PICTURE_HEADINGS if name in plain), None)
    tags = [index for index, head in enumerate(plain) if head in TAG_HEADINGS and index != picture]
    if picture is not None and tags:
        weight = next((plain.index(name) for name in WEIGHT_HEADINGS if name in plain), None)
        used = {picture, weight, *tags}
        others = {
            index: head[:LONGEST] or f"column {index + 1}" for index, head in enumerate(heads) if index not in used
        }
        return Columns(picture, tags, weight, 1, any(plain[i] in PLURAL_HEADINGS for i in tags), None, others)
    body = rows[1:]
    has_headings = isinstance(pictures.find(heads[0]), str) and any(
        isinstance(pictures.find(row[0]), int) for _, row in body
    )
    tags = [index for index, head in enumerate(heads) if index > 0 and 0 < len(head) <= LONGEST]
    if has_headings and tags and all(cell.strip() in YES_OR_NO for _, row in body for cell in row[1:]):
        unused = [head for head in heads[1:] if not 0 < len(head) <= LONGEST]
        return Columns(0, tags, None, 1, False, [heads[index] for index in tags], {}, unused)
    body = body if has_headings else rows
    width = max(len(row) for _, row in rows)
    thirds = [row[2] for _, row in body if len(row) == 3]
    if width == 3 and thirds and sum(_weight(cell) is not None for cell in thirds) > len(thirds) / 2:
        return Columns(0, [1], 2, int(has_headings), False)
    return Columns(0, list(range(1, width)), None, int(has_headings), width == 2)


def _constant_columns(rows: list[tuple[int, list[str]]], columns: Columns) -> list[int]:
    """Return the columns of tags that have one and the same for every picture, such as "Unknown"."""
    if columns.names is not None:
        return []
    found = []
    for position in columns.tags:
        tagged: dict[str, set[str]] = {}
        pictures = set()
        for _, row in rows:
            if len(row) > max(columns.picture, position):
                pictures.add(row[columns.picture].strip())
                tagged.setdefault(row[position].strip(), set()).add(row[columns.picture].strip())
        if len(pictures) >= FEWEST_FOR_EVERYBODY and len(tagged) == 1 and "" not in tagged:
            found.append(position)
    return found


def _weight(cell: str) -> float | None:
    if not cell.strip():
        return 1.0
    if cell.strip().casefold() in ("true", "false"):
        return float(cell.strip().casefold() == "true") or None
    try:
        weight = float(cell.strip().replace(",", "."))
    except ValueError:
        return None
    return weight if math.isfinite(weight) and weight > 0 else None


def tags_from_text_files(folder: str | os.PathLike[str], names: Sequence[str]) -> Tags:
    """Read the text file beside each picture: ``dog.txt`` for ``dog.jpg``, tags on lines or separated by , ; or |."""
    tags = Tags()
    for index, name in enumerate(names):
        path = Path(folder, name).with_suffix(".txt")
        where = PurePosixPath(name).with_suffix(".txt").as_posix()
        try:
            content = read_text(path)
        except FileNotFoundError:
            tags.problems.add("picture without a text file", name, path.name)
            continue
        except (OSError, IrregularFileError) as error:
            tags.problems.add("text file that cannot be read", where, str(error))
            continue
        _add(tags, index, re.split(r"[,;|\n\r]+", content), 1.0, where, content)
    return tags


def tags_from_folders(names: Sequence[str]) -> Tags:
    """Take the names of the folders that a picture is in as its tags."""
    tags = Tags()
    for index, name in enumerate(names):
        for part in PurePosixPath(name).parent.parts:
            tags.add(index, part)
    return tags
