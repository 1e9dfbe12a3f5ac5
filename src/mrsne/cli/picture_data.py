"""A folder's pictures and their tags as one RelationalData."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.data import RelationalData
from mrsne.encoders import Encoded, encode_pictures, encode_words
from mrsne.io import Problems, find_pictures
from mrsne.tables.tags import Tags, tags_from_folders, tags_from_table, tags_from_text_files
from mrsne.viewer.atlas import side_for

if TYPE_CHECKING:
    from mrsne.cli.reporter import Reporter
    from mrsne.tables.table import Table

THUMBNAIL = 96  # pixels, where there are few pictures


@dataclass(frozen=True)
class Pictures:
    """The pictures of a folder as vectors.

    Attributes
    ----------
    names : list of str
        Their paths in the folder, with ``/``.
    encoded : Encoded
        Vectors and thumbnails of those that can be read, and why the others cannot.
    seconds : float
        What encoding took.
    """

    names: list[str]
    encoded: Encoded
    seconds: float

    @property
    def readable(self) -> list[int]:
        """The positions of the pictures that can be read."""
        return [index for index in range(len(self.names)) if index not in self.encoded.problems]


@dataclass(frozen=True)
class TagChoice:
    """Which tags of a collection are in the map, and whether what they mean counts.

    Attributes
    ----------
    min_count : int
        Tags of fewer pictures are left out.
    stop_tags : list of str
        Left out too, in whatever capitals.
    word_vectors : bool
        Give tags the vectors of their words.
    label : str, optional
        The column with what pictures are called.
    """

    min_count: int
    stop_tags: Sequence[str]
    word_vectors: bool
    label: str | None = None


def picture_paths(folder: Path, output: Path) -> tuple[list[Path], Problems]:
    """Return the picture files in a folder, without the one that the map will be, and the folders that are left out."""
    problems = Problems()
    paths = find_pictures(folder, problems)
    # not Path.resolve, which raises where links form a circle
    return [path for path in paths if os.path.realpath(path) != os.path.realpath(output)], problems


def read_tags(folder: Path, names: Sequence[str], table: Path | None, text: bool) -> Tags:
    """Return the tags of pictures from a table, from text files beside them, or from the names of their folders."""
    if table is not None and text:
        raise ValueError("--tags and --text are two ways to give tags; give one of them")
    if table is not None:
        tags = tags_from_table(table, names)
        if not tags.links and not any(tags.columns.values()):
            example = tags.problems[0] if tags.problems else None
            reason = "" if example is None else f"; first {example.where}: {example.kind} ({example.what!r})"
            raise ValueError(f"no row of {str(table)!r} gives a picture in {str(folder)!r} a tag{reason}")
        return tags
    return tags_from_text_files(folder, names) if text else tags_from_folders(names)


def encode(
    paths: Sequence[Path], names: Sequence[str], model: str, cache: Path | None, report: Reporter, problems: Problems
) -> Pictures:
    """Turn pictures into vectors, with a bar on the terminal, and note those that cannot be read."""
    start = time.perf_counter()
    with report.warnings_as_notes(), report.bar("pictures", len(paths)) as advance:
        side = side_for(len(paths), THUMBNAIL)
        encoded = encode_pictures(paths, model=model, cache=cache, thumbnail_side=side, progress=advance)
    report.known_pictures(encoded.n_known, len(paths))
    for index, reason in encoded.problems.items():
        problems.add("picture that cannot be read", names[index], reason)
    pictures = Pictures(list(names), encoded, time.perf_counter() - start)
    if len(pictures.readable) < 2:
        raise ValueError(f"{len(pictures.readable)} of {len(names)} pictures can be read; a map needs at least two")
    return pictures


def picture_data(pictures: Pictures, tags: Tags, choice: TagChoice) -> RelationalData:
    """Return the readable pictures and the chosen tags, and note what is left out."""
    readable = pictures.readable
    position = {picture: index for index, picture in enumerate(readable)}
    links = _one_spelling({pair: weight for pair, weight in tags.links.items() if pair[0] in position})
    words = _chosen_words(links, choice, tags.problems)
    column = {word: index for index, word in enumerate(words)}
    table = [(position[picture], column[tag], weight) for (picture, tag), weight in links.items() if tag in column]
    for index in sorted(set(range(len(readable))) - {row[0] for row in table}):
        tags.problems.add("picture that has no tag but is in the map", pictures.names[readable[index]], "")
    assert pictures.encoded.thumbnails is not None
    thumbnails = {"image": pictures.encoded.thumbnails[readable]}
    vectors: dict[str, Any] = {"image": pictures.encoded.vectors[readable]}
    names = {"image": [pictures.names[index] for index in readable]}
    labels = {}
    if choice.label is not None:
        labels["image"] = picture_labels(tags, readable, names["image"], choice.label)
    columns = picture_columns(tags, readable)
    if not words:
        return RelationalData(vectors, names=names, pictures=thumbnails, labels=labels, columns=columns)
    vectors["tag"], missing = len(words), {}
    if choice.word_vectors:
        meanings = encode_words(words)
        unknown = np.isnan(meanings).any(axis=1)
        if not unknown.all():
            vectors["tag"], missing = meanings, {"tag": unknown}
    return RelationalData(
        vectors,
        {("image", "tag"): table},
        {**names, "tag": words},
        missing=missing,
        pictures=thumbnails,
        labels=labels,
        columns=columns,
    )


def label_heading(tags: Tags, readable: Sequence[int], wanted: str | None) -> str | None:
    """Return the column of the table of tags that says what pictures are called: the one that is wanted, or a guess."""
    from mrsne.tables.facts import facts_of
    from mrsne.tables.roles import label_column

    if wanted is None:
        table = _table_of(tags, list(tags.columns), readable)
        return label_column(table, {heading: facts_of(column) for heading, column in table.columns.items()}, set())
    if wanted not in tags.columns:
        there = ", ".join(map(repr, tags.columns)) or "none"
        raise ValueError(f"--label names the column {wanted!r}, but those of the tags that say more are {there}")
    return wanted


def picture_labels(tags: Tags, readable: Sequence[int], names: Sequence[str], label: str) -> list[str]:
    """Take a column out of the table of tags as what pictures are called; those without are called by their files."""
    cells = tags.columns.pop(label)
    return [cells.get(picture) or name for picture, name in zip(readable, names, strict=True)]


def _table_of(tags: Tags, headings: Sequence[str], readable: Sequence[int]) -> Table:
    """Return what the table of tags says of pictures, one row for each."""
    from mrsne.tables.table import Coder, Table

    columns: dict[str, Any] = {}
    for heading in headings:
        coder = Coder()
        for picture in readable:
            coder.add(tags.columns[heading].get(picture))
        columns[heading] = coder.column()
    return Table("the table of tags", columns, len(readable))


def picture_columns(tags: Tags, readable: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Return what the table of tags says of pictures besides their tags, as numbers, dates or words to colour by."""
    from mrsne.tables.facts import facts_of
    from mrsne.tables.items import Items, item_dates, item_numbers, item_words
    from mrsne.tables.roles import guess_column

    positions = np.arange(len(readable))
    items = Items([], positions, positions)
    columns: dict[str, Any] = {}
    table = _table_of(tags, list(tags.columns), readable)
    for heading in table.columns:
        role = guess_column(heading, table.columns[heading], facts_of(table.columns[heading]), len(readable))
        if role.role == "unused":
            kind = "column without a value" if role.reason == "empty" else "column with one value for everybody"
            tags.problems.add(kind, table.source, heading)
        elif role.role == "number":
            columns[heading] = item_numbers(table, heading, items, tags.problems)
        elif role.role == "date":
            columns[heading] = item_dates(table, heading, items, tags.problems)
        else:
            columns[heading] = item_words(table, heading, items)
    return {"image": columns} if columns else {}


def _chosen_words(links: dict[tuple[int, str], float], choice: TagChoice, problems: Problems) -> list[str]:
    """Return the tags that are in the map, in alphabetical order, and note the others."""
    counts = Counter(tag for _, tag in links)
    stop_tags = {tag.strip().casefold() for tag in choice.stop_tags if tag.strip()}
    words = []
    for tag in sorted(counts):
        if tag.casefold() in stop_tags:
            problems.add("stop tag", tag, f"{counts[tag]} pictures")
        elif counts[tag] < choice.min_count:
            problems.add(f"tag of fewer than {choice.min_count} pictures", tag, f"{counts[tag]} pictures")
        else:
            words.append(tag)
    return words


def _one_spelling(links: dict[tuple[int, str], float]) -> dict[tuple[int, str], float]:
    """Write tags that differ in capitals only in the way that is most frequent."""
    counts = Counter(tag for _, tag in links)
    spelling: dict[str, str] = {}
    for tag in sorted(counts, key=lambda tag: (-counts[tag], tag)):
        spelling.setdefault(tag.casefold(), tag)
    merged: dict[tuple[int, str], float] = {}
    for (picture, tag), weight in links.items():
        pair = picture, spelling[tag.casefold()]
        merged[pair] = max(merged.get(pair, 0.0), weight)
    return merged
