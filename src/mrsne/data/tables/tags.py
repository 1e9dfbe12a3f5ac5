"""Tags of pictures: from a table, from text files beside them, or from the names of their folders."""

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from mrsne.data.files.pictures import PictureNames
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import Cell, cell_text
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import Table, TableError, as_coded
from mrsne.regular_files import IrregularFileError, read_text

PICTURE_HEADINGS = ("picture", "image", "photo", "file", "filename", "file_name", "path", "name", "id", "img")
TAG_HEADINGS = ("tag", "tags", "keyword", "keywords", "label", "labels", "category", "categories", "word", "words")
PLURAL_HEADINGS = ("tags", "keywords", "labels", "words", "categories")
WEIGHT_HEADINGS = ("weight", "weights", "count", "score", "confidence")
NUMBERED = re.compile(r"[ _-]*(?:\d+|\(\d+\))$")  # "Tag 1" is a tag
BETWEEN_TAGS = re.compile(r"[;|\n\r]+")
BETWEEN_TAGS_OR_COMMAS = re.compile(r"[,;|\n\r]+")
YES_OR_NO = ("", "0", "1", "0.0", "1.0", "True", "False", "true", "false")
LONGEST = 200  # characters of a tag
FEWEST_ALIKE = 3  # pictures, for a tag that all of them have to be left out


@dataclass
class Tags:
    """Links from pictures to tags, and what was left out."""

    links: dict[tuple[int, str], float] = field(default_factory=dict)  # weight by a picture's position and a tag
    problems: Problems = field(default_factory=Problems)
    # what else a table says of pictures: by heading and picture, the first cell that is not empty
    columns: dict[str, dict[int, str]] = field(default_factory=dict)

    def add(self, picture: int, tag: str, weight: float = 1.0) -> None:
        """Link a picture to a tag; a repeated pair counts once, with its largest weight."""
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
    """Which columns of a table hold what, by their positions."""

    picture: int
    tags: list[int]
    weight: int | None = None
    commas: bool = False  # whether commas separate tags inside a cell
    tag_names: dict[int, str] = field(default_factory=dict)  # for a table with a column of yes and no for each tag
    others: dict[int, str] = field(default_factory=dict)  # columns that hold none of these, and their headings


def tags_from_table(path: str | os.PathLike[str], names: Sequence[str]) -> Tags:
    """Return the tags that a table gives to pictures, which are called by their paths in their folder, with ``/``.

    One row for each tag (picture, tag and perhaps weight); or one row for each picture, with its tags as a list or in
    one cell, separated by ``;`` or ``|`` (in a column called "tags" by commas too), in several columns, or as a column
    of 0 and 1 for each tag. Columns are recognised by their headings; without headings the first is the picture, and a
    third column of numbers the weight.
    """
    pictures = PictureNames(names)
    found = open_table(path, headings=lambda rows: _has_headings(rows, pictures), keep_missing_words=True)
    headings = list(found.columns)
    tags = Tags()
    tags.problems.extend(found.problems)
    columns = _columns(found, tags.problems)
    tags.columns = {heading: {} for heading in columns.others.values()}
    cells = [as_coded(column).cells() for column in found.columns.values()]
    if not columns.tag_names and len(set(cells[columns.picture])) >= FEWEST_ALIKE:
        for at in [at for at in columns.tags if None not in cells[at] and len(set(cells[at])) == 1]:
            columns.tags.remove(at)
            tags.problems.add("column with one value for everybody", found.source, headings[at])
    for row, values in enumerate(zip(*cells, strict=True)):
        _read_row(tags, found, row, values, columns, pictures)
    return tags


def _read_row(
    tags: Tags, table: Table, row: int, cells: tuple[Cell | None, ...], columns: TagColumns, pictures: PictureNames
) -> None:
    texts = ["" if cell is None else cell if isinstance(cell, str) else cell_text(cell) for cell in cells]
    where, width = table.where(row), table.short_rows.get(row, len(texts))
    content = ",".join(texts[:width])
    if width <= max(columns.picture, min(columns.tags, default=0)):
        tags.problems.add("row with too few columns", where, content)
        return
    if not texts[columns.picture]:
        tags.problems.add("row without a picture", where, content)
        return
    picture = pictures.find(texts[columns.picture])
    if isinstance(picture, str):
        tags.problems.add(picture, where, texts[columns.picture])
        return
    for at, heading in columns.others.items():
        if texts[at]:
            tags.columns[heading].setdefault(picture, texts[at])
    weight = 1.0 if columns.weight is None else _weight(texts[columns.weight])
    if weight is None:
        tags.problems.add("row with a weight that is no positive number", where, content)
    elif columns.tag_names:
        for at, tag in columns.tag_names.items():
            if texts[at] and (share := _weight(texts[at])):
                tags.add(picture, tag, share)
    elif columns.tags:
        between = BETWEEN_TAGS_OR_COMMAS if columns.commas else BETWEEN_TAGS
        parts: list[str] = []
        for at in columns.tags:
            cell = cells[at]
            parts += cell if isinstance(cell, tuple) else between.split(texts[at])
        tags.add_all(picture, parts, weight, where, content)


def _plain(heading: str) -> str:
    """Return a heading in small letters and without a number at its end; a long one as it is.

    Searching a long heading for the number would take the square of its length.
    """
    return heading if len(heading) > LONGEST else NUMBERED.sub("", heading.strip().casefold())


def _named(plain: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the position of the first of some headings that is called by one of these names, the first names first."""
    return next((plain.index(name) for name in names if name in plain), None)


def _has_headings(rows: list[list[str]], pictures: PictureNames) -> bool:
    """Return whether a table has headings: known ones, or a first cell that is no picture above some that are."""
    plain = [_plain(cell) for cell in rows[0]]
    picture = _named(plain, PICTURE_HEADINGS)
    if picture is not None and any(heading in TAG_HEADINGS and at != picture for at, heading in enumerate(plain)):
        return True
    return isinstance(pictures.find(rows[0][0]), str) and any(
        isinstance(pictures.find(row[0]), int) for row in rows[1:]
    )


def _columns(table: Table, problems: Problems) -> TagColumns:
    """Return which columns of a table hold what, by its headings or, without them, by its cells."""
    headings = list(table.columns)
    if len(headings) < 2:
        raise TableError(f"{table.source!r} has one column; it needs two, the picture and its tag")
    plain = [_plain(heading) for heading in headings]
    picture = _named(plain, PICTURE_HEADINGS)
    tagged = [at for at, heading in enumerate(plain) if heading in TAG_HEADINGS and at != picture]
    if table.has_headings and picture is not None and tagged:
        weight = _named(plain, WEIGHT_HEADINGS)
        others = {at: heading for at, heading in enumerate(headings) if at not in (picture, weight, *tagged)}
        commas = any(plain[at] in PLURAL_HEADINGS for at in tagged)
        return TagColumns(picture, tagged, weight, commas, others=others)
    rest = list(range(1, len(headings)))
    values = [as_coded(column).values for column in table.columns.values()][1:]
    if table.has_headings and all(value in YES_OR_NO for column in values for value in column):
        unused = [at for at in rest if headings[at] == f"column {at + 1}" or len(headings[at]) >= LONGEST]
        for at in unused:
            problems.add("column that is not used", table.source, headings[at])
        used = {at: headings[at] for at in rest if at not in unused}
        return TagColumns(0, list(used), tag_names=used)
    if len(rest) == 2:
        thirds = [cell for cell in as_coded(table.columns[headings[2]]).cells() if cell is not None]
        if thirds and sum(_weight(cell_text(cell)) is not None for cell in thirds) > len(thirds) / 2:
            return TagColumns(0, [1], 2)
    return TagColumns(0, rest, commas=len(rest) == 1)


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
    tags = Tags()
    for index, name in enumerate(names):
        for part in PurePosixPath(name).parent.parts:
            tags.add(index, part)
    return tags
