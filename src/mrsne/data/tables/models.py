"""How the rows of a table become vectors: by pictures, numbers or texts, and the same way for rows that come later."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.arrays import Bool, Float32, Float64, UInt8
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import numbers_of
from mrsne.data.tables.items import Items, item_numbers, item_words
from mrsne.data.tables.table import SENTENCE, Coded, Role, Table, TableError, as_coded
from mrsne.data.tables.text import TextModel, learn_sentences

SIDES = ((4_000, 96), (40_000, 64))  # up to how many pictures, how many pixels each
SMALLEST_SIDE = 32
FEWEST_PICTURES = 2


@dataclass(frozen=True)
class PictureSource:
    """Where pictures are and how they become vectors."""

    folder: Path | None  # what paths are relative to
    # takes paths and the width of thumbnails, and returns an mrsne.encoders.Encoded
    encode: Callable[[Sequence[Path], int], Any]


@dataclass(frozen=True)
class ItemModel:
    kind: str = "none"  # or picture, vector, number, text
    columns: list[str] = field(default_factory=list)
    centres: list[float] = field(default_factory=list)  # of numbers: what is subtracted
    scales: list[float] = field(default_factory=list)  # and what they are divided by
    categories: list[list[str]] = field(default_factory=list)  # of each column of words, its values; [] of numbers
    text: TextModel = field(default_factory=TextModel)


@dataclass(frozen=True)
class Learnt:
    """The vectors of items, which have none, thumbnails, and how new ones are made."""

    model: ItemModel
    vectors: Any = None
    without: Bool | None = None
    thumbnails: UInt8 | None = None


def learn_vectors(
    table: Table, roles: Mapping[str, Role], items: Items, pictures: PictureSource | None, problems: Problems
) -> Learnt:
    """Return vectors by pictures where there are any, or else by vectors, numbers or texts."""
    by_role = {
        role: [heading for heading, found in roles.items() if found.role == role or (found.compared and role == "text")]
        for role in ("picture", "vector", "text")
    }
    for kind, columns in by_role.items():
        if columns:
            model = _learn(table, kind, columns, items, problems)
            found = apply_model(model, table, items, pictures, problems)
            if found.vectors is not None:
                return found
    return Learnt(ItemModel())


def _learn(table: Table, kind: str, columns: list[str], items: Items, problems: Problems) -> ItemModel:
    if kind == "vector" and any(is_wide(table, heading) for heading in columns):
        return ItemModel("vector", columns)
    if kind == "vector":
        categories = [
            sorted(map(str, as_coded(table.columns[it]).values)) if is_words(table, it) else [] for it in columns
        ]
        numbers = _numbers(table, columns, categories, items)
        present = ~np.isnan(numbers)
        counts = np.maximum(present.sum(axis=0), 1)
        centres = np.where(present, numbers, 0).sum(axis=0) / counts
        variances = np.where(present, (numbers - centres) ** 2, 0).sum(axis=0) / counts
        widths = [max(len(values), 1) for values in categories]
        scales = np.sqrt(np.add.reduceat(variances, np.cumsum([0, *widths[:-1]])).repeat(widths))
        return ItemModel("number", columns, centres.tolist(), np.where(scales > 0, scales, 1).tolist(), categories)
    if kind == "text":
        texts = _texts(table, columns, items)
        present_texts = [text for text in texts if text]
        is_sentences = present_texts and np.mean([len(text.split()) for text in present_texts[:5000]]) >= SENTENCE
        return ItemModel("text", columns, text=learn_sentences(texts) if is_sentences else TextModel())
    return ItemModel(kind, columns)


def apply_model(
    model: ItemModel, table: Table, items: Items, pictures: PictureSource | None, problems: Problems
) -> Learnt:
    """Return the vectors of a table's items, made as the model says."""
    for heading in model.columns:
        if heading not in table.columns:
            raise TableError(f"{table.source} has no column {heading!r}, by which the items of the map are compared")
    if model.kind == "picture":
        assert pictures is not None, "a table with pictures needs an encoder"
        found = _picture_vectors(item_words(table, model.columns[0], items), pictures, items.names, problems)
        return Learnt(model) if found is None else Learnt(model, *found)
    if model.kind == "vector":
        vectors = _wide_vectors(table, model.columns, items)
        without = np.asarray(~np.isfinite(vectors).all(axis=1))
        return Learnt(model, np.where(without[:, None], 0, vectors), without)
    if model.kind == "number":
        categories = model.categories or [[] for _ in model.columns]  # which maps of older versions do not have
        numbers = _numbers(table, model.columns, categories, items)
        scaled = (numbers - np.array(model.centres)) / np.array(model.scales)
        return Learnt(model, np.nan_to_num(scaled), np.asarray(np.isnan(numbers).all(axis=1)))
    if model.kind == "text":
        matrix, without = model.text.vectors(_texts(table, model.columns, items))
        return Learnt(model) if without.all() else Learnt(model, matrix, without)
    return Learnt(model)


def _numbers(table: Table, columns: list[str], categories: list[list[str]], items: Items) -> Float64:
    """Return numbers, and for each value of a column of words whether an item has it: NaN where nothing is known."""
    blocks = []
    for heading, values in zip(columns, categories, strict=True):
        if values:
            words = np.array(item_words(table, heading, items), dtype=object)[:, None]
            blocks.append(np.where(words == None, np.nan, words == np.array(values, dtype=object)))  # noqa: E711
        else:
            blocks.append(item_numbers(table, heading, items, Problems())[:, None])
    return np.concatenate(blocks, axis=1).astype(np.float64)


def is_words(table: Table, heading: str) -> bool:
    column = table.columns[heading]
    return isinstance(column, Coded) and bool(np.isnan(numbers_of(column.values)).mean() > 0.5)


def is_wide(table: Table, heading: str) -> bool:
    """Return whether a column has a vector in each row, and not one number."""
    column = table.columns[heading]
    return any(isinstance(value, tuple) for value in column.values) if isinstance(column, Coded) else column.ndim == 2


def _wide_vectors(table: Table, columns: list[str], items: Items) -> Float32:
    blocks = []
    for heading in columns:
        column = table.columns[heading]
        if isinstance(column, Coded):
            width = max((len(value) for value in column.values), default=0)
            rows = np.full((len(column.values) + 1, width), np.nan, np.float32)
            for index, value in enumerate(column.values):
                try:
                    rows[index] = [float(part) for part in value]
                except ValueError:
                    raise TableError(
                        f"{table.source}, column {heading}: expected {width} numbers in each row, got {value!r}"
                    ) from None
            blocks.append(rows[np.append(column.codes, -1)[items.first_row]])
        else:
            block = column[items.first_row].astype(np.float32).reshape(len(items), -1)
            blocks.append(np.where(items.first_row[:, None] < 0, np.float32(np.nan), block))
    return np.concatenate(blocks, axis=1)


def _texts(table: Table, columns: list[str], items: Items) -> list[str]:
    parts = [item_words(table, heading, items) for heading in columns]
    return [" ".join(part for part in texts if part is not None) for texts in zip(*parts, strict=True)]


def thumbnail_side(count: int) -> int:
    """Return how many pixels wide each of ``count`` thumbnails is, so that a page of all of them stays small."""
    return next((pixels for most, pixels in SIDES if count <= most), SMALLEST_SIDE)


def _picture_vectors(
    paths: Sequence[str | None], source: PictureSource, names: Sequence[str], problems: Problems
) -> tuple[Float32, Bool, UInt8] | None:
    """Return vectors, which items have none, and thumbnails; None where hardly a picture is there."""
    files: dict[int, Path] = {}
    for item, path in enumerate(paths):
        found = None if path is None else _found(path, source.folder)
        if found is not None:
            files[item] = found
        elif path is not None:
            problems.add("picture that is not there", names[item], path)
    if len(files) < FEWEST_PICTURES:
        return None
    encoded = source.encode(list(files.values()), thumbnail_side(len(paths)))
    vectors = np.zeros((len(paths), encoded.vectors.shape[1]), np.float32)
    thumbnails = np.zeros((len(paths), *encoded.thumbnails.shape[1:]), np.uint8)
    without = np.ones(len(paths), bool)
    for position, item in enumerate(files):
        if position in encoded.problems:
            problems.add("picture that cannot be read", str(files[item]), encoded.problems[position])
            continue
        vectors[item], thumbnails[item] = encoded.vectors[position], encoded.thumbnails[position]
        without[item] = False
    return None if (~without).sum() < FEWEST_PICTURES else (vectors, without, thumbnails)


def _found(path: str, folder: Path | None) -> Path | None:
    plain = Path(path.replace("\\", "/"))
    for candidate in [plain] if folder is None else [plain, folder / plain, folder / plain.name]:
        with suppress(OSError, ValueError):  # a name that no file can have
            if candidate.is_file():
                return candidate
    return None
