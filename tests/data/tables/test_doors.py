"""Every format of tables at every place that takes a table: the same content gives the same result."""

from __future__ import annotations

import csv
import datetime
import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from pyarrow import parquet

from mrsne.cli.options import DataOptions
from mrsne.data.files.problems import Problems
from mrsne.data.tables.addresses import ENDINGS
from mrsne.data.tables.cells import cell_text
from mrsne.data.tables.known_items import chosen_items, columns_from_table, read_names
from mrsne.data.tables.matrices import read_matrix
from mrsne.data.tables.reading import WRITTEN, open_table, write_table
from mrsne.data.tables.table import Coded, TableError
from mrsne.data.tables.tags import tags_from_table
from tests.cli.conftest import summary_of

Columns = dict[str, list[Any]]


def text(separator: str) -> Callable[[Path, Columns], None]:
    def write(path: Path, columns: Columns) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=separator)
            writer.writerow(columns)
            rows = zip(*columns.values(), strict=True)
            writer.writerows([cell_text(tuple(v)) if isinstance(v, list) else v for v in row] for row in rows)

    return write


def write_lines(path: Path, columns: Columns) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


def write_array(path: Path, columns: Columns) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text(json.dumps({"rows": rows}), encoding="utf-8")


def write_parquet(path: Path, columns: Columns) -> None:
    parquet.write_table(pa.table(columns), path)


def write_database(path: Path, columns: Columns) -> None:
    with sqlite3.connect(path) as database:
        database.execute(f'CREATE TABLE "{path.stem}" ({", ".join(map(json.dumps, columns))})')
        rows = [
            [cell_text(tuple(value)) if isinstance(value, list) else value for value in row]
            for row in zip(*columns.values(), strict=True)
        ]
        database.executemany(f'INSERT INTO "{path.stem}" VALUES ({", ".join("?" * len(columns))})', rows)
    database.close()


def write_workbook(path: Path, columns: Columns) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="Excel's .xlsx needs openpyxl: pip install 'mrsne[excel]'")
    book = openpyxl.Workbook()
    book.active.append(list(columns))
    for row in zip(*columns.values(), strict=True):
        book.active.append([cell_text(tuple(value)) if isinstance(value, list) else value for value in row])
    book.save(path)


WRITERS: dict[str, Callable[[Path, Columns], None]] = {
    ".csv": text(","),
    ".tsv": text("\t"),
    ".tab": text("\t"),
    ".txt": text(";"),
    ".inter": text("\t"),
    ".item": text("\t"),
    ".user": text("\t"),
    ".jsonl": write_lines,
    ".ndjson": write_lines,
    ".json": write_array,
    ".parquet": write_parquet,
    ".db": write_database,
    ".sqlite": write_database,
    ".sqlite3": write_database,
    ".xlsx": write_workbook,
}
# what is in AnnData files, test_anndata_files.py shows
every_format = pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending != ".h5ad"])


def written(folder: Path, ending: str, columns: Columns, name: str = "table") -> Path:
    WRITERS[ending](folder / f"{name}{ending}", columns)
    return folder / f"{name}{ending}"


def test_every_format_is_tested() -> None:
    assert {*WRITERS, ".h5ad"} == set(ENDINGS)
    assert set(WRITTEN) < set(ENDINGS)


WORKS: Columns = {
    "id": [f"w{i}" for i in range(12)],
    "artist": [f"Künstler {i % 4}" for i in range(12)],
    "subjects": [["sea", "ship"] if i % 2 else ["lake"] for i in range(12)],
    "year": [1850.5 + i for i in range(12)],
}


@every_format
def test_the_main_table_and_a_second_one(ending: str, tmp_path: Path) -> None:
    artists: Columns = {"name": [f"Künstler {i}" for i in range(4)], "born": [1800, 1801, 1802, 1803]}
    second = written(tmp_path, ending, artists, "artists")
    found = summary_of(
        "map", written(tmp_path, ending, WORKS, "works"), "--also", second, "--on", "artist", "--dry-run"
    )
    roles = [{heading: column["role"] for heading, column in columns.items()} for columns in found["columns"].values()]
    assert roles == [
        {"id": "id", "artist": "kind", "subjects": "kind", "year": "number"},
        {"name": "id", "born": "date"},
    ]


@every_format
def test_tags_with_all_that_a_table_says_of_pictures(ending: str, tmp_path: Path) -> None:
    columns: Columns = {
        "image": ["dog.jpg", "cat", "cow.jpg"],
        "tags": [["größe", "pet"], ["none"], ["?"]],
        "score": [2, 0.5, 1],
        "camera": ["old", None, "NA"],
    }
    tags = tags_from_table(written(tmp_path, ending, columns), ["dog.jpg", "a/cat.png"])
    assert tags.links == {(0, "größe"): 2, (0, "pet"): 2, (1, "none"): 0.5}  # no word is a missing one here
    assert tags.columns == {"camera": {0: "old"}}
    assert tags.problems.counts() == {"row for a picture that is not there": 1}
    assert tags.problems[0].where.startswith("table")


@every_format
def test_columns_to_colour_by(ending: str, tmp_path: Path) -> None:
    columns: Columns = {
        "photo": ["NA", "b", "z"],
        "size": ["3,5", "4", "n/a"],
        "taken": ["4 March 2021", "2020-01-01", "1.2.2022"],
        "place": ["Oslo", "–", "Köln"],
    }
    problems = Problems()
    found = columns_from_table(written(tmp_path, ending, columns), 3, problems, ["b", "c", "NA"])
    np.testing.assert_array_equal(found["size"], [4, np.nan, 3.5])
    np.testing.assert_array_equal(found["taken"], np.array(["2020-01-01", "NaT", "2021-03-04"], "datetime64[s]"))
    assert found["place"] == [None, None, "Oslo"]
    assert problems.counts() == {"row for an item that is not there": 1}


@every_format
def test_items_that_are_chosen(ending: str, tmp_path: Path) -> None:
    columns: Columns = {"label": ["x", "y", "z"], "kind": ["tag", "photo", "tag"], "id": ["null", "1", "gone"]}
    problems = Problems()
    found = chosen_items(written(tmp_path, ending, columns), {"photo": 2, "tag": 2}, {"tag": ["a", "null"]}, problems)
    assert {domain: items.tolist() for domain, items in found.items()} == {"photo": [1], "tag": [1]}
    assert problems.counts() == {"row for an item that is not there": 1}


@every_format
def test_vectors_links_and_names(ending: str, tmp_path: Path) -> None:
    content: dict[str, Columns] = {
        "vectors": {"name": ["p", "q", "r"], "x": [0.1, 1, None], "y": [2, 1 / 3, None]},
        "links": {"weight": ["2,5", "1", "1"], "tag": ["NA", "–", "NA"], "photo": ["p", "q", "r"]},
        "names": {"name": ["NA", "–"], "more": [1, 2]},
    }
    files = {name: written(tmp_path, ending, columns, name) for name, columns in content.items()}
    if ending == ".txt":
        files["names"].write_text("NA\n–\n", encoding="utf-8")  # a text has a name on each line
    given = ([f"photo={files['vectors']}", "tag=2"], [f"photo:tag={files['links']}"], [f"tag={files['names']}"])
    data = DataOptions(*given).parsed().read()
    assert (data.names["photo"], data.names["tag"]) == (("p", "q", "r"), ("NA", "–"))
    np.testing.assert_array_equal(data.vectors["photo"], [[0.1, 2], [1, 1 / 3], 2 * [np.nan]])
    assert data.missing["photo"].tolist() == [False, False, True]
    assert data.relations["photo", "tag"].toarray().tolist() == [[2.5, 0], [0, 1], [1, 0]]
    alone = DataOptions(relations=[str(files["links"])]).parsed().read()
    assert alone.names == {"tag": ("NA", "–"), "photo": ("p", "q", "r")}


@every_format
def test_what_is_no_such_file_is_said_by_every_format_alike(ending: str, tmp_path: Path) -> None:
    for read in (open_table, read_matrix, read_names, lambda path: columns_from_table(path, 2, Problems())):
        with pytest.raises(FileNotFoundError, match=r"there is no (table|file of names) '.*nowhere"):
            read(tmp_path / f"nowhere{ending}")
    (tmp_path / f"bytes{ending}").write_bytes(b"SQLite format 3\x00" + bytes(range(1, 200)))
    with pytest.raises(TableError, match=r"is a SQLite database; let its name end in .db|cannot be read as a SQLite"):
        open_table(tmp_path / f"bytes{ending}")


@pytest.mark.parametrize("ending", WRITTEN)
def test_a_table_that_was_written_is_read_again(ending: str, tmp_path: Path) -> None:
    times = np.array(["2021-03-04", "NaT"], "datetime64[s]")
    columns = {"id": ["a", "b"], "x": np.array([0.1, np.nan]), "time": times, "word": np.array(["ä", None], object)}
    write_table(tmp_path / f"written{ending}", columns)
    table = open_table(tmp_path / f"written{ending}")
    assert list(table.columns) == list(columns)
    found = columns_from_table(tmp_path / f"written{ending}", 2, Problems(), ["a", "b"])
    np.testing.assert_array_equal(found["x"], columns["x"])
    np.testing.assert_array_equal(found["time"], times)
    assert found["word"] == ["ä", None]


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame, pa.table, dict])
def test_frames_are_tables_too(frame: Callable[[Columns], Any]) -> None:
    table = open_table(frame({"id": ["a", "NA"], "x": [1, 2]}))
    ids = table.columns["id"]
    assert isinstance(ids, Coded)
    assert (ids.values, ids.codes.tolist(), table.columns["x"].tolist()) == (["a"], [0, -1], [1, 2])  # type: ignore[union-attr]
    kept = open_table(frame({"id": ["a", "NA"], "x": [1, 2]}), keep_missing_words=True).columns["id"]
    assert isinstance(kept, Coded)
    assert kept.values == ["a", "NA"]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".xlsx"])
def test_tables_of_tags_need_no_headings(ending: str, tmp_path: Path) -> None:
    rows = [["dog.jpg", "animal", 0.5], ["cat.jpg", "pet", 2]]
    columns = {str(cell): [row[index] for row in rows[1:]] for index, cell in enumerate(rows[0])}
    tags = tags_from_table(written(tmp_path, ending, columns), ["dog.jpg", "cat.jpg"])
    assert tags.links == {(0, "animal"): 0.5, (1, "pet"): 2}


def test_a_workbook_has_sheets_dates_numbers_and_columns_without_headings(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="Excel's .xlsx needs openpyxl: pip install 'mrsne[excel]'")
    book = openpyxl.Workbook()
    book.active.append(["id", "when", "size"])
    book.active.append(["a", datetime.datetime(2021, 3, 4), 1e-7, "a note"])
    book.active.append([])
    book.active.append(["b", datetime.datetime(2021, 3, 4, 5, 6), 3, None])
    book.create_sheet("More").append(["x", "y"])
    book["More"].append([True, None])
    book.save(tmp_path / "works.xlsx")
    table = open_table(tmp_path / "works.xlsx")
    assert {heading: column.values for heading, column in table.columns.items() if isinstance(column, Coded)} == {
        "id": ["a", "b"],
        "when": ["2021-03-04", "2021-03-04T05:06:00"],
        "size": ["1e-07", "3"],
        "column 4": ["a note"],
    }
    assert table.where(1) == "works.xlsx, line 4"
    assert list(open_table(tmp_path / "works.xlsx", table="More").columns) == ["x", "y"]
    with pytest.raises(TableError, match=r"works.xlsx' has no table 'Less'; it has Sheet, More"):
        open_table(tmp_path / "works.xlsx", table="Less")


def test_a_workbook_without_openpyxl_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "works.xlsx").write_bytes(b"PK\x03\x04")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"works.xlsx' needs openpyxl.*: pip install 'mrsne\[excel\]'"):
        open_table(tmp_path / "works.xlsx")


def test_a_damaged_workbook_is_named(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="Excel's .xlsx needs openpyxl: pip install 'mrsne[excel]'")
    write_workbook(tmp_path / "works.xlsx", WORKS)
    whole = (tmp_path / "works.xlsx").read_bytes()
    random = np.random.default_rng(0)
    messages = []
    for _ in range(40):
        content = bytearray(whole)
        for _ in range(4):
            content[int(random.integers(4, len(content)))] ^= 1 << int(random.integers(8))
        (tmp_path / "works.xlsx").write_bytes(content[: int(random.integers(100, 2 * len(content)))])
        try:
            open_table(tmp_path / "works.xlsx")
        except TableError as error:
            messages.append(str(error))
    assert len(messages) > 10
    assert all("works.xlsx" in message for message in messages)


def test_a_workbook_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_workbook(tmp_path / "works.xlsx", WORKS)
    monkeypatch.setenv("MRSNE_UNPACKED_BYTES", "1000")
    with pytest.raises(TableError, match=r"works.xlsx' has .* bytes when unpacked; there can be 1,000 at most"):
        open_table(tmp_path / "works.xlsx")
