"""A folder of pictures and their tags as one RelationalData."""

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mrsne.data.files.pictures import find_pictures
from mrsne.data.files.problems import Problems
from mrsne.data.progress import Progress
from mrsne.data.relational import RelationalData
from mrsne.data.table_plan import picture_encoder
from mrsne.data.tables.cells import one_spelling
from mrsne.data.tables.columns import guess_column
from mrsne.data.tables.items import item_columns, numbered_items
from mrsne.data.tables.models import thumbnail_side
from mrsne.data.tables.roles import label_column
from mrsne.data.tables.table import Column, Table, column_of
from mrsne.data.tables.tags import Tags, tags_from_folders, tags_from_table, tags_from_text_files
from mrsne.encoders.images import Encoded
from mrsne.encoders.networks import BUNDLED
from mrsne.encoders.words import encode_words
from mrsne.parameters import ParameterError

IMAGE, TAG = "image", "tag"  # the kinds of a folder of pictures


@dataclass(frozen=True)
class FolderOptions:
    """Where the tags of a folder's pictures are, which of them count, and how pictures and tags become vectors."""

    tags: Path | None = None  # a table
    text_files: bool = False  # beside the pictures
    stop_tags: Sequence[str] = ()
    min_count: int = 1
    word_vectors: bool = True
    label: str | None = None  # the column of the table that says what pictures are called
    image_model: str = BUNDLED


def picture_paths(folder: Path, output: Path | None = None) -> tuple[list[Path], Problems]:
    """Return the picture files in a folder, without the one that will be written, and the folders that are left out."""
    problems = Problems()
    paths = find_pictures(folder, problems)
    if output is None:
        return paths, problems
    # not Path.resolve, which raises where links form a circle
    return [path for path in paths if os.path.realpath(path) != os.path.realpath(output)], problems


def read_tags(folder: Path, names: Sequence[str], table: Path | None, text_files: bool) -> Tags:
    if table is not None and text_files:
        raise ParameterError("--tags and --text are two ways to give tags; give one of them")
    if table is None:
        return tags_from_text_files(folder, names) if text_files else tags_from_folders(names)
    tags = tags_from_table(table, names)
    if not tags.links and not any(tags.columns.values()):
        example = tags.problems[0] if tags.problems else None
        reason = "" if example is None else f"; first {example.where}: {example.kind} ({example.what!r})"
        raise ParameterError(f"no row of {str(table)!r} gives a picture in {str(folder)!r} a tag{reason}")
    return tags


class FolderContent(NamedTuple):
    """What reading a folder gives, and what encoding all its pictures gave, in which time."""

    data: RelationalData
    recipe: dict[str, Any]
    left_out: Problems
    encoded: Encoded
    seconds: float


def read_folder(
    folder: Path,
    paths: Sequence[Path],
    problems: Problems,
    options: FolderOptions,
    cache: Path | None,
    progress: Progress,
) -> FolderContent:
    """Return pictures that were found in a folder as data, with the recipe by which later ones are read."""
    names = [path.relative_to(folder).as_posix() for path in paths]
    tags = read_tags(folder, names, options.tags, options.text_files)
    tags.problems.extend(problems)
    start = time.perf_counter()
    encoded = picture_encoder(options.image_model, cache, progress)(paths, thumbnail_side(len(paths)))
    for index, reason in encoded.problems.items():
        tags.problems.add("picture that cannot be read", names[index], reason)
    seconds = time.perf_counter() - start
    data, label = folder_data(names, encoded, tags, options)
    recipe = {"folder": str(folder.resolve()), "image_model": options.image_model, "label": label}
    recipe["tags_from"] = "table" if options.tags is not None else "text files" if options.text_files else "folders"
    return FolderContent(data, recipe, tags.problems, encoded, seconds)


def folder_data(
    paths: Sequence[str], encoded: Encoded, tags: Tags, options: FolderOptions
) -> tuple[RelationalData, str | None]:
    """Return the readable pictures and the chosen tags, and the column of labels; note what is left out."""
    readable = [index for index in range(len(paths)) if index not in encoded.problems]
    if len(readable) < 2:
        raise ParameterError(f"{len(readable)} of {len(paths)} pictures can be read; a map needs at least two")
    if options.label is not None and options.label not in tags.columns:
        what, there = f"the column {options.label!r}", ", ".join(map(repr, tags.columns)) or "none"
        raise ParameterError(f"--label names {what}, but those of the tags that say more are {there}")
    label = options.label or label_column(_table_of(tags, readable), set())
    position = {picture: index for index, picture in enumerate(readable)}
    counts = Counter(tag for picture, tag in tags.links if picture in position)
    called = one_spelling({tag: counts[tag] for tag in sorted(counts)})
    links: dict[tuple[int, str], float] = {}
    for (picture, tag), weight in tags.links.items():
        if picture in position:
            links[picture, called[tag]] = max(weight, links.get((picture, called[tag]), 0.0))
    words = _frequent_tags(links, options, tags.problems)
    column = {word: index for index, word in enumerate(words)}
    table = [(position[picture], column[tag], weight) for (picture, tag), weight in links.items() if tag in column]
    for index in sorted(set(range(len(readable))) - {row[0] for row in table}):
        tags.problems.add("picture that has no tag but is in the map", paths[readable[index]], "")
    assert encoded.thumbnails is not None
    names = {IMAGE: [paths[index] for index in readable]}
    vectors: dict[str, Any] = {IMAGE: encoded.vectors[readable]}
    missing: dict[str, Any] = {}
    labels = {} if label is None else {IMAGE: picture_labels(tags, readable, names[IMAGE], label)}
    columns = _picture_columns(tags, readable)
    relations: dict[tuple[str, str], Any] = {}
    if words:
        names[TAG], vectors[TAG], relations[IMAGE, TAG] = words, len(words), table
        if options.word_vectors:
            meanings = encode_words(words)
            unknown = np.isnan(meanings).any(axis=1)
            if not unknown.all():
                vectors[TAG], missing[TAG] = meanings, unknown
    thumbnails = {IMAGE: encoded.thumbnails[readable]}
    return RelationalData(vectors, relations, names, missing, thumbnails, labels, columns), label


def picture_labels(tags: Tags, readable: Sequence[int], names: Sequence[str], label: str) -> list[str]:
    """Take a column out of the table of tags as what pictures are called; those without are called by their files."""
    cells = tags.columns.pop(label)
    return [cells.get(picture) or name for picture, name in zip(readable, names, strict=True)]


def _table_of(tags: Tags, readable: Sequence[int]) -> Table:
    columns: dict[str, Column] = {
        heading: column_of(cells.get(picture) or None for picture in readable)
        for heading, cells in tags.columns.items()
    }
    return Table("the table of tags", columns, len(readable))


def _picture_columns(tags: Tags, readable: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Return what the table of tags says of pictures besides their tags, as numbers, dates or words to colour by."""
    roles = {}
    table = _table_of(tags, readable)
    for heading, column in table.columns.items():
        role = guess_column(heading, column, table.facts[heading], table.size)
        if role.role == "unused":
            kind = "column without a value" if role.reason == "empty" else "column with one value for everybody"
            tags.problems.add(kind, table.source, heading)
        else:
            roles[heading] = role.values if role.role in ("number", "date") else "shown"
    columns = item_columns(table, roles, numbered_items(table.size), tags.problems)
    return {IMAGE: columns} if columns else {}


def _frequent_tags(links: dict[tuple[int, str], float], options: FolderOptions, problems: Problems) -> list[str]:
    """Return the tags that are in the map, in alphabetical order, and note the others."""
    counts = Counter(tag for _, tag in links)
    stop_tags = {tag.strip().casefold() for tag in options.stop_tags if tag.strip()}
    words = []
    for tag in sorted(counts):
        if tag.casefold() in stop_tags:
            problems.add("stop tag", tag, f"{counts[tag]} pictures")
        elif counts[tag] < options.min_count:
            problems.add(f"tag of fewer than {options.min_count} pictures", tag, f"{counts[tag]} pictures")
        else:
            words.append(tag)
    return words
