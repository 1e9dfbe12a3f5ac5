"""Damaged tables: whatever is in a file, there is a table or a message."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from mrsne.data.tables.joining import parts_from_tables, plan_tables
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import Coded, TableError
from tests.data.tables.made_tables import museum_csv, museum_rows, packages_jsonl


def works_parquet(path: Path) -> None:
    rows = museum_rows(12)
    parquet.write_table(pa.table({name: [row[name] for row in rows] for name in rows[0]}), path)


def works_db(path: Path) -> None:
    rows = museum_rows(12)
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE works ({', '.join(rows[0])})")
        database.executemany(
            f"INSERT INTO works VALUES ({', '.join('?' * len(rows[0]))})", [tuple(r.values()) for r in rows]
        )
    database.close()


WRITERS: dict[str, Callable[[Path], object]] = {
    "works.csv": lambda path: museum_csv(path, 12),
    "works.jsonl": lambda path: packages_jsonl(path, 12),
    "works.parquet": works_parquet,
    "works.db": works_db,
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.filterwarnings("ignore")
def test_every_damage_is_a_table_or_a_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    read = 0
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(int(random.integers(1, 6))):
            at, length = int(random.integers(max(len(content), 1))), int(random.integers(1, 40))
            kind = int(random.integers(4))
            if kind == 0:
                content[at : at + length] = random.bytes(length)
            elif kind == 1:
                del content[at : at + length]
            elif kind == 2:
                content[at:at] = content[at : at + length] * int(random.integers(1, 20))
            else:
                content = content[: max(at, 1)]
        path.write_bytes(bytes(content))
        try:
            parts_from_tables(*plan_tables(open_table(path)))
            read += 1
        except (ValueError, OSError):
            continue
    assert read > 0 or name.endswith(("parquet", "db"))


def test_a_table_of_too_many_columns_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(",".join(f"c{i}" for i in range(60_000)) + "\n" + ",".join(["1"] * 60_000))
    with pytest.raises(TableError, match=r"wide.csv has 60,000 columns; there can be 50,000 at most"):
        open_table(tmp_path / "wide.csv")


@pytest.mark.parametrize("item", ["[" * 100_000, '{"a": ' * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_json_that_is_deep_or_huge_is_refused_with_its_line(item: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(f'{{"a": 1}}\n{item}\n{{"a": 2}}\n')
    with pytest.raises(TableError, match=r"x.jsonl, line 2"):
        open_table(tmp_path / "x.jsonl")


def test_numbers_that_are_none_are_missing(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": NaN, "b": 1e999}\n{"a": 1, "b": 2}\n')
    table = open_table(tmp_path / "x.jsonl")
    assert [len(column.values) for column in table.columns.values() if isinstance(column, Coded)] == [1, 2]


def test_objects_in_a_list_are_called_by_their_names(tmp_path: Path) -> None:
    items = [
        {"id": i, "subjects": [{"id": 1, "name": "sea"}, {"label": "ship"}], "artist": {"name": "T"}} for i in range(3)
    ]
    (tmp_path / "works.json").write_text(json.dumps(items))
    table = open_table(tmp_path / "works.json")
    assert table.columns["subjects"].values == [("sea", "ship")]  # type: ignore[union-attr]
    assert "artist.name" in table.columns
