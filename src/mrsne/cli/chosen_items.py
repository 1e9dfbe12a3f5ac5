"""The items that a table names by kind and id, as the page and ``mrsne export`` write them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.io.problems import Problems
from mrsne.io.regular_files import open_regular
from mrsne.io.tables import TableError, read_table
from mrsne.tables import read_any_table


def chosen_items(
    path: Path, sizes: Mapping[str, int], names: Mapping[str, Sequence[str]], problems: Problems
) -> dict[str, NDArray[np.int64]]:
    r"""Return the positions of the items of every domain that a table with the columns kind and id names.

    Items without names are named by their positions. Rows of items that are not in the map are noted.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "items.csv")
    ...     _ = file.write_text("kind,id,label\ntag,dog,Dog\nphoto,1,1\ntag,dog,Dog\n")
    ...     chosen = chosen_items(file, {"photo": 2, "tag": 2}, {"tag": ["cat", "dog"]}, Problems())
    >>> {domain: items.tolist() for domain, items in chosen.items()}
    {'photo': [1], 'tag': [1]}
    """
    positions = {
        domain: {name: at for at, name in enumerate(names.get(domain) or map(str, range(size)))}
        for domain, size in sizes.items()
    }
    found_items: dict[str, set[int]] = {domain: set() for domain in sizes}
    for line, kind, name in _named(path):
        position = positions.get(kind, {}).get(name)
        if position is None:
            problems.add("row for an item that is not there", f"{path}, line {line}", f"{kind},{name}")
        else:
            found_items[kind].add(position)
    if not any(found_items.values()):
        raise ValueError(f"--items {str(path)!r} names no item of the map")
    return {domain: np.array(sorted(items), dtype=np.int64) for domain, items in found_items.items()}


def _named(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield for each row its line, and the kind and id that it names."""
    ending = path.suffix.lower()
    if ending in (".jsonl", ".parquet"):
        records = _parquet_rows(path) if ending == ".parquet" else _json_rows(path)
        for number, record in enumerate(records, 1):
            if number == 1:
                _check_headings(path, list(record))
            kind, name = ("" if record.get(heading) is None else str(record[heading]) for heading in ("kind", "id"))
            yield number, kind, name
        return
    (_, first), *rows = read_table(path)
    heads = [cell.strip().casefold() for cell in first]
    _check_headings(path, heads, first)
    for line, row in rows:
        kind, name = (row[at] if at < len(row) else "" for at in (heads.index("kind"), heads.index("id")))
        yield line, kind, name


def _json_rows(path: Path) -> Iterator[dict[str, Any]]:
    with io.TextIOWrapper(open_regular(path), encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                record = json.loads(line) if line.strip() else {}
            except ValueError as error:
                raise TableError(f"--items {str(path)!r}, line {number}: no JSON ({error})") from error
            if not isinstance(record, dict):
                raise TableError(f"--items {str(path)!r}, line {number}: an object with kind and id is expected")
            if record:
                yield record


def _parquet_rows(path: Path) -> list[dict[str, Any]]:
    read_any_table(path)  # says what is wrong with the file, but takes names such as "NA" for nothing
    from pyarrow import parquet

    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def _check_headings(path: Path, headings: Sequence[str], written: Sequence[str] | None = None) -> None:
    if "kind" not in headings or "id" not in headings:
        found = ", ".join(map(repr, written or headings))
        raise TableError(f"--items {str(path)!r} must have the headings kind and id, but it begins with {found}")
