"""JSON Lines, or an array of objects."""

import json
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.data.files.writing import write_text
from mrsne.data.tables.formats.rows import plain_rows
from mrsne.data.tables.table import Coder, Format, Headings, Table, TableError, check_size
from mrsne.parameters import describe
from mrsne.regular_files import read_text

DEEPEST = 3  # levels of objects inside objects that become columns: artist.place.name


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read a file with a JSON object on each line, or one array of objects; keys are the headings.

    Objects inside objects become columns such as ``artist.name``.
    """
    coders: dict[str, Coder] = {}
    lines = array("q")
    for line, item in _objects(path):
        for key, value in _flat(item, "", DEEPEST):
            coder = coders.setdefault(key, Coder())
            if len(coder) > len(lines):
                continue  # a key that is there twice
            coder.fill(len(lines))
            try:
                coder.add(value)
            except RecursionError:
                raise TableError(f"{path.name}, line {line}: what is in {describe(key)} is nested too deeply") from None
        lines.append(line)
        check_size(path.name, len(lines), len(coders))
    if not lines or not coders:
        raise TableError(f'{str(path)!r} has no objects: it needs one on each line, such as {{"id": "a", "tags": []}}')
    for coder in coders.values():
        coder.fill(len(lines))
    columns = {key: coder.column() for key, coder in coders.items()}
    return Table(path.name, dict(columns), len(lines), np.frombuffer(lines, np.int64), path.parent)


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object with its line, or with its number in an array."""
    text = read_text(path)
    first, _, rest = text.strip().partition("\n")
    if first[:1] == "[" or not rest or (first[:1] == "{" and first.rstrip()[-1:] != "}"):
        found = _parsed(text, path.name, "it needs an object on each line, or one array of objects")
        for number, item in enumerate(_array(found, path.name, bool(rest)), start=1):
            yield number, _checked(item, f"{path.name}, item {number}")
        return
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            where = f"{path.name}, line {line}"
            yield line, _checked(_parsed(content, where, "repair this line, or delete it"), where)


def _parsed(text: str, where: str, remedy: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError):
            line = "" if error.lineno == 1 else f", line {error.lineno}"
            where += f"{line}, column {error.colno}: {error.msg}"
        raise TableError(f"{where}; {remedy}") from None


def _array(found: Any, source: str, has_lines: bool) -> list[Any]:
    """Return the objects of an array, or of the only array of objects inside an object; or an object by itself."""
    if not isinstance(found, dict):
        return found if isinstance(found, list) else [found]
    lists = [value for value in found.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(lists) == 1:
        return list(lists[0])
    if has_lines:
        raise TableError(f"{source} holds one object; it needs an object on each line, or one array of objects")
    return [found]


def _checked(item: Any, where: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise TableError(f'{where}: expected an object such as {{"id": "a"}}, got {describe(item)}')
    return item


def _flat(item: dict[str, Any], before: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in item.items():
        if isinstance(value, dict) and value and depth > 1:
            yield from _flat(value, f"{before}{key}.", depth - 1)
        else:
            yield f"{before}{key}", value


def write(path: Path, columns: Mapping[str, Any]) -> None:
    lines = (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in plain_rows(columns))
    write_text(path, "".join(f"{line}\n" for line in lines))


FORMAT = Format("JSON Lines", (".jsonl", ".ndjson", ".json"), read, write=write, written=(".jsonl",))
