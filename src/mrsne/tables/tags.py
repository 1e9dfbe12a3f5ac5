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
from mrsne.io.text import read_text
from mrsne.tables.cells import Cell, cell_text
from mrsne.tables.reading import open_table
from mrsne.tables.table import Table, TableError, as_coded

PICTURE_HEADINGS = ("picture", "image", "photo", "file", "filename", "file_name", "path", "name", "id", "img")
TAG_HEADINGS = ("tag", "tags", "keyword", "keywords", "label", "labels", "category", "categories", "word", "words")
PLURAL_HEADINGS = ("tags", "keywords", "labels", "words", "categories")
WEIGHT_HEADINGS = ("weight", "weights", "count", "score", "confidence")
NUMBERED = re.compile(r"[ _-]*(?:\d+|\(\d+\))$")  # "Tag 1" is a tag
BETWEEN_TAGS = re.compile(r"[;|\n\r]+")
BETWEEN_TAGS_OR_COMMAS = re.compile(r"[,;|\n\r]+")
YES_OR_NO = ("", "0", "1", "0.0", "1.0", "True", "False", "true", "false")
LONGEST = 200  # characters of a tag
FEWEST_FOR_EVERYBODY = 3  # pictures, for a value that all have to say nothing


@dataclass
class Tags:
    """Links from pictures to tags, and what was left out."""

    links: dict[tuple[int, str], float] = field(default_factory=dict)  # weight by a picture's position and a tag
    problems: Problems = field(default_factory=Problems)
    # what else a table says of pictures: by heading and picture, the first cell that is not empty
    columns: dict[str, dict[int, str]] = field(default_factory=dict)

    def add(self, picture: int, tag: str, weight: float = 1.0) -> None:
        """Link a picture to a tag; a pair that comes again counts once, with its largest weight."""
        self.links[picture, tag] = max(weight, self.links.get((picture, tag), 0.0))

    def add_all(self, picture: int, parts: Sequence[str], weight: float, where: str, content: str) -> None:
        """Link a picture to the tags among the parts of a row, and note what is left out."""
        words = [part.strip() for part in parts if part.strip()]
        if not words:
            self.problems.add("row without a tag", where, content)
        for tag in words:
            if len(tag) > LONGEST:
                self.problems.add(f"tag of more than {LONGEST} characters", where, tag)
            else:
                self.add(picture, tag, weight)


@dataclass(frozen=True)
class TagColumns:
    """Which columns of a table hold what, by their headings."""

    picture: str
    tags: list[str]
    weight: str | None = None
    commas: bool = False  # whether commas separate tags inside a cell
    yes_or_no: bool = False  # whether there is a column for each tag
    others: Sequence[str] = ()  # columns that hold none of these
    unused: Sequence[str] = ()  # columns that say nothing


def tags_from_table(path: str | os.PathLike[str], names: Sequence[str], table: str | None = None) -> Tags:
    """Read a table of pictures and tags.

    One row for each tag (picture, tag and perhaps weight); or one row for each picture, with its tags as a list or in
    one cell, separated by ``;`` or ``|`` (in a column called "tags" by commas too), in several columns, or as a column
    of 0 and 1 for each tag. Columns are recognised by their headings; without headings the first is the picture, and a
    third column of numbers the weight.

    Parameters
    ----------
    path : path
        In any of the formats of :func:`mrsne.tables.reading.open_table`.
    names : list of str
        Paths of the pictures in their folder, with ``/``.
    table : str, optional
        The name of the table, in a file that holds several.
    """
    pictures = PictureNames(names)
    found = open_table(path, table=table, headings=lambda rows: _has_headings(rows, pictures), keep_missing_words=True)
    columns = _columns(found)
    tags = Tags(columns={heading: {} for heading in columns.others})
    tags.problems.extend(found.problems)
    for heading in columns.unused:
        tags.problems.add("column that is not used", found.source, heading)
    cells = {heading: as_coded(column).cells() for heading, column in found.columns.items()}
    if not columns.yes_or_no:
        for heading in _constant_columns(cells, columns):
            columns.tags.remove(heading)
            tags.problems.add("column with one value for everybody", found.source, heading)
    for row in range(found.size):
        _read_row(tags, found, row, {heading: column[row] for heading, column in cells.items()}, columns, pictures)
    return tags


def _read_row(
    tags: Tags, table: Table, row: int, cells: dict[str, Cell | None], columns: TagColumns, pictures: PictureNames
) -> None:
    texts = {heading: "" if cell is None else cell_text(cell) for heading, cell in cells.items()}
    width = table.short_rows.get(row, len(texts))
    where, content = table.where(row), ",".join(list(texts.values())[:width])
    name = texts[columns.picture]
    needed = max(list(texts).index(heading) for heading in (columns.picture, *columns.tags[:1]))
    if width <= needed:
        tags.problems.add("row with too few columns", where, content)
        return
    if not name:
        tags.problems.add("row without a picture", where, content)
        return
    picture = pictures.find(name)
    if isinstance(picture, str):
        tags.problems.add(picture, where, name)
        return
    for heading in columns.others:
        if texts[heading]:
            tags.columns[heading].setdefault(picture, texts[heading])
    weight = 1.0 if columns.weight is None else _weight(texts[columns.weight])
    if weight is None:
        tags.problems.add("row with a weight that is no positive number", where, content)
    elif columns.yes_or_no:
        for tag in columns.tags:
            if texts[tag] and (share := _weight(texts[tag])):
                tags.add(picture, tag, share)
    elif columns.tags:
        between = BETWEEN_TAGS_OR_COMMAS if columns.commas else BETWEEN_TAGS
        parts: list[str] = []
        for heading in columns.tags:
            cell = cells[heading]
            parts += cell if isinstance(cell, tuple) else between.split(texts[heading])
        tags.add_all(picture, parts, weight, where, content)


def _plain(heading: str) -> str:
    """Return a heading in small letters and without a number at its end; a long one as it is.

    Searching a long heading for the number would take the square of its length.
    """
    return heading if len(heading) > LONGEST else NUMBERED.sub("", heading.strip().casefold())


def _named(headings: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the first of some headings that is called by one of these names, the first names first."""
    plain = [_plain(heading) for heading in headings]
    return next((headings[plain.index(name)] for name in names if name in plain), None)


def _has_headings(rows: list[list[str]], pictures: PictureNames) -> bool:
    """Return whether a table has headings: known ones, or a first cell that is no picture above some that are."""
    plain = [_plain(cell) for cell in rows[0]]
    picture = _named(rows[0], PICTURE_HEADINGS)
    if picture is not None and any(plain[i] in TAG_HEADINGS and cell != picture for i, cell in enumerate(rows[0])):
        return True
    return isinstance(pictures.find(rows[0][0]), str) and any(
        isinstance(pictures.find(row[0]), int) for row in rows[1:]
    )


def _columns(table: Table) -> TagColumns:
    """Return which columns of a table hold what, by its headings or, without them, by its cells."""
    headings = list(table.columns)
    if len(headings) < 2:
        raise TableError(f"{table.source!r} has one column; it needs two, the picture and its tag")
    picture = _named(headings, PICTURE_HEADINGS)
    tags = [heading for heading in headings if _plain(heading) in TAG_HEADINGS and heading != picture]
    if table.has_headings and picture is not None and tags:
        weight = _named(headings, WEIGHT_HEADINGS)
        others = [heading for heading in headings if heading not in (picture, weight, *tags)]
        commas = any(_plain(heading) in PLURAL_HEADINGS for heading in tags)
        return TagColumns(picture, tags, weight, commas, others=others)
    first, *rest = headings
    values = {heading: as_coded(table.columns[heading]).values for heading in rest}
    if table.has_headings and all(value in YES_OR_NO for column in values.values() for value in column):
        unused = [
            heading
            for position, heading in enumerate(rest, start=2)
            if heading == f"column {position}" or len(heading) >= LONGEST
        ]
        return TagColumns(first, [heading for heading in rest if heading not in unused], yes_or_no=True, unused=unused)
    if len(rest) == 2:
        thirds = [cell for cell in as_coded(table.columns[rest[1]]).cells() if cell is not None]
        if thirds and sum(_weight(cell_text(cell)) is not None for cell in thirds) > len(thirds) / 2:
            return TagColumns(first, rest[:1], rest[1])
    return TagColumns(first, rest, commas=len(rest) == 1)


def _constant_columns(cells: dict[str, list[Cell | None]], columns: TagColumns) -> list[str]:
    """Return the columns of tags that have one and the same for every picture, such as "Unknown"."""
    if len(set(cells[columns.picture])) < FEWEST_FOR_EVERYBODY:
        return []
    return [heading for heading in columns.tags if None not in cells[heading] and len(set(cells[heading])) == 1]


def _weight(text: str) -> float | None:
    """Return a positive number, 1 for an empty text; None for anything else."""
    if text.casefold() in ("", "true"):
        return 1.0
    try:
        weight = float(text.replace(",", "."))
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
        except (OSError, IrregularFileError) as error:
            tags.problems.add("text file that cannot be read", where, str(error))
        else:
            tags.add_all(index, BETWEEN_TAGS_OR_COMMAS.split(content), 1.0, where, content)
    return tags


def tags_from_folders(names: Sequence[str]) -> Tags:
    """Take the names of the folders that a picture is in as its tags."""
    tags = Tags()
    for index, name in enumerate(names):
        for part in PurePosixPath(name).parent.parts:
            tags.add(index, part)
    return tags
