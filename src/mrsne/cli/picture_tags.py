"""A folder's pictures and their tags as one RelationalData."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.data import RelationalData
from mrsne.encoders import encode_words
from mrsne.io import Tags, tags_from_folders, tags_from_table, tags_from_text_files


def read_tags(folder: Path, names: Sequence[str], table: Path | None, text: bool) -> Tags:
    """Return the tags of pictures from a table, from text files beside them, or from the names of their folders."""
    if table is not None and text:
        raise ValueError("--tags and --text are two ways to give tags; give one of them")
    if table is not None:
        found = tags_from_table(table, names)
        if not found.links:
            example = found.problems[0] if found.problems else None
            reason = "" if example is None else f"; first {example.where}: {example.kind} ({example.what!r})"
            raise ValueError(f"no row of {str(table)!r} gives a picture in {str(folder)!r} a tag{reason}")
        return found
    return tags_from_text_files(folder, names) if text else tags_from_folders(names)


def picture_data(
    kept: Sequence[int],
    names: Sequence[str],
    tags: Tags,
    encoded: Any,
    min_count: int,
    stop: Iterable[str],
    word_vectors: bool,
) -> RelationalData:
    """Return the readable pictures and the tags that are used often enough."""
    place = {picture: index for index, picture in enumerate(kept)}
    unwanted = {tag.strip().casefold() for tag in stop if tag.strip()}
    links = _one_spelling({key: weight for key, weight in tags.links.items() if key[0] in place})
    counts = Counter(tag for _, tag in links)
    words = sorted(tag for tag, count in counts.items() if count >= min_count and tag.casefold() not in unwanted)
    for tag in sorted(set(counts) - set(words)):
        reason = "stop tag" if tag.casefold() in unwanted else f"tag of fewer than {min_count} pictures"
        tags.problems.add(reason, tag, f"{counts[tag]} pictures")
    position = {tag: index for index, tag in enumerate(words)}
    table = [(place[picture], position[tag], weight) for (picture, tag), weight in links.items() if tag in position]
    for index in sorted(set(range(len(kept))) - {row[0] for row in table}):
        tags.problems.add("picture that has no tag but is in the map", names[kept[index]], "")
    pictures = {"image": encoded.thumbnails[list(kept)]}
    shown = {"image": [names[index] for index in kept]}
    vectors: dict[str, Any] = {"image": encoded.vectors[list(kept)]}
    if not words:
        return RelationalData(vectors, names=shown, pictures=pictures)
    meanings = encode_words(words) if word_vectors else None
    unknown = None if meanings is None else np.isnan(meanings).any(axis=1)
    if meanings is None or unknown is None or unknown.all():
        return RelationalData(
            {**vectors, "tag": len(words)}, {("image", "tag"): table}, {**shown, "tag": words}, pictures=pictures
        )
    return RelationalData(
        {**vectors, "tag": meanings},
        {("image", "tag"): table},
        {**shown, "tag": words},
        missing={"tag": unknown},
        pictures=pictures,
    )


def _one_spelling(links: dict[tuple[int, str], float]) -> dict[tuple[int, str], float]:
    """Write tags that differ in capitals only in the way that is most frequent."""
    counts = Counter(tag for _, tag in links)
    best: dict[str, str] = {}
    for tag in sorted(counts, key=lambda tag: (-counts[tag], tag)):
        best.setdefault(tag.casefold(), tag)
    merged: dict[tuple[int, str], float] = {}
    for (picture, tag), weight in links.items():
        key = picture, best[tag.casefold()]
        merged[key] = max(merged.get(key, 0.0), weight)
    return merged
