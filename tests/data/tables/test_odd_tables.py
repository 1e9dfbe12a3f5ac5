"""Odd tables: each gives a map, or a message that names the place and the remedy."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.conftest import run
from tests.data.tables.made_tables import museum_csv

Writer = Callable[[Path], object]
TAGS = ["red; blue", "blue", "red; green", "green; blue", "red", "blue; yellow", "yellow; red", "green"]


def lines(separator: str = ",", rows: int = 24, quote: str = '"') -> str:
    """Return a plain table of ids, lists and years."""
    body = [separator.join([f"w{i}", f"{quote}{TAGS[i % 8]}{quote}", str(1900 + i)]) for i in range(rows)]
    return "\n".join([separator.join(["id", "tags", "year"]), *body])


def text(content: str, encoding: str = "utf-8") -> Writer:
    return lambda path: path.write_bytes(content.encode(encoding))


def table(columns: dict[str, Any]) -> Writer:
    return lambda path: parquet.write_table(pa.table(columns), path)


def database(statements: str) -> Writer:
    def write(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.executescript(statements)
        connection.close()

    return write


def objects(items: list[Any]) -> Writer:
    return text("\n".join(json.dumps(item) for item in items))


PLAIN = [{"id": f"w{i}", "tags": TAGS[i % 8].split("; ")} for i in range(24)]
ROWS = "\n".join(f"INSERT INTO w VALUES ('w{i}', '{TAGS[i % 8]}', {i});" for i in range(24))
WIDE = ",".join(["id", *(f"g{i}" for i in range(2000))])
GENES = "\n".join([WIDE, *(",".join([f"c{i}", *(str((i * j) % 7) for j in range(2000))]) for i in range(20))])
DATES = ["2020-01-05", "5 March 2021", "March 7, 2019", "08.09.2018", "2017/10/11"]
DATED = "\n".join(["id,tags,seen", *(f'w{i},{TAGS[i % 8]},"{DATES[i % 5]}"' for i in range(25))])

# file, what writes it, options, and the kinds that the map has with the sizes of some
MAPS: dict[str, tuple[str, Writer, list[str], dict[str, int]]] = {
    "commas": ("works.csv", text(lines()), [], {"work": 24, "tag": 4}),
    "semicolons": ("works.csv", text(lines(";")), [], {"work": 24, "tag": 4}),
    "tabs": ("works.tsv", text(lines("\t", quote="")), [], {"tag": 4}),
    "tabs under another name": ("works.txt", text(lines("\t", quote="")), [], {"tag": 4}),
    "bars": ("works.csv", text(lines("|")), [], {"tag": 4}),
    "UTF-16": ("works.csv", text(lines(), "utf-16"), [], {"tag": 4}),
    "UTF-8 with its mark": ("works.csv", text(lines(), "utf-8-sig"), [], {"tag": 4}),
    "Windows-1252": ("works.csv", text(lines().replace("red", "röt"), "cp1252"), [], {"tag": 4}),
    "ends of lines of Windows": ("works.csv", text(lines().replace("\n", "\r\n")), [], {"tag": 4}),
    "a line for Excel": ("works.csv", text("sep=;\n" + lines(";")), [], {"tag": 4}),
    "comments above the headings": ("works.csv", text("# from a database\n#\n" + lines()), [], {"work": 24, "tag": 4}),
    "duplicate ids": ("works.csv", text(lines() + "\n" + lines().split("\n", 1)[1]), [], {"work": 24, "tag": 4}),
    "ids that are missing": ("works.csv", text(lines().replace("w3,", ",")), ["--id", "id"], {"work": 23}),
    "no ids at all": ("works.csv", text(lines().replace("id,", "colour,").replace("w1", "w2")), [], {"tag": 4}),
    "mixed types": ("works.csv", text(lines().replace("1905", "c. 1905")), [], {"work": 24}),
    "an empty column": (
        "works.csv",
        text(lines().replace(",19", ",,19").replace("tags,", "tags,empty,")),
        [],
        {"tag": 4},
    ),
    "one value for everybody": (
        "works.csv",
        text(lines().replace(",19", ",Unknown,19").replace("tags,", "tags,place,")),
        [],
        {"tag": 4},
    ),
    "dates in five spellings": ("works.csv", text(DATED), [], {"tag": 4}),
    "two columns of one name": ("works.csv", text(lines().replace("year", "tags")), [], {"tag": 4}),
    "a column without a heading": ("works.csv", text(lines().replace("year", "")), [], {"tag": 4}),
    "no headings": ("works.csv", text(lines().split("\n", 1)[1]), [], {"column 2": 4}),
    "short rows": ("works.csv", text(lines().replace(",1903", "")), [], {"tag": 4}),
    "a stray quote": ("works.csv", text(lines().replace("w5", 'w"5')), [], {"work": 24}),
    "quotes over several lines": ("works.csv", text(lines().replace("red; blue", "red;\nblue")), [], {"tag": 4}),
    "lists with commas": ("works.csv", text(lines(";").replace("; ", ", ")), [], {"tag": 4}),
    "JSON arrays in cells": (
        "works.tsv",
        text("id\ttags\n" + "\n".join(f"w{i}\t{json.dumps(TAGS[i % 8].split('; '))}" for i in range(24))),
        [],
        {"tag": 4},
    ),
    "JSON Lines": ("works.jsonl", objects(PLAIN), [], {"work": 24, "tag": 4}),
    "JSON Lines with other keys": (
        "works.ndjson",
        objects([*PLAIN, {"id": "x", "more": {"tag": 1}}]),
        [],
        {"work": 25},
    ),
    "an array of objects": ("works.json", text(json.dumps(PLAIN, indent=1)), [], {"tag": 4}),
    "an array inside an object": ("works.json", text(json.dumps({"total": 24, "works": PLAIN})), [], {"tag": 4}),
    "Parquet with lists": (
        "works.parquet",
        table({"id": range(24), "tags": [each.split("; ") for each in TAGS * 3]}),
        [],
        {"tag": 4},
    ),
    "Parquet with vectors": (
        "works.parquet",
        table({"id": range(24), "v": list(np.random.default_rng(0).normal(size=(24, 5)))}),
        [],
        {"work": 24},
    ),
    "Parquet with objects": (
        "works.parquet",
        table({"about": [{"id": f"w{i}", "tags": TAGS[i % 8]} for i in range(24)]}),
        [],
        {"about.tag": 4},
    ),
    "SQLite": (
        "works.db",
        database(f"CREATE TABLE w (id TEXT, tags TEXT, year INT); {ROWS}"),
        [],
        {"work": 24, "tag": 4},
    ),
    "SQLite with several tables": (
        "a.sqlite",
        database(f"CREATE TABLE x (y INT); CREATE TABLE w (id, tags, year); {ROWS}"),
        ["--table", "w"],
        {"tag": 4},
    ),
    "2,000 columns": ("cells.csv", text(GENES), [], {"cell": 20}),
    "numbers alone": (
        "cells.csv",
        text("id,a,b\n" + "\n".join(f"c{i},{i % 5},{i % 3}" for i in range(24))),
        [],
        {"cell": 24},
    ),
    "a museum's export": (
        "works.csv",
        museum_csv,
        [],
        {"work": 60, "subject": 12, "artist": 6},
    ),
}

# file, what writes it, options, and what the message says
MESSAGES: dict[str, tuple[str, Writer, list[str], str]] = {
    "an empty file": (
        "works.csv",
        text(""),
        [],
        "'.*works.csv' is empty: it needs a row of headings and a row for each",
    ),
    "headings alone": ("works.csv", text("id,tags\n"), [], r"has headings \(id, tags\) and no rows below them"),
    "one row": (
        "works.csv",
        text("id,tags\na,red\n"),
        [],
        "has 1 item; a map needs at least 2 rows with different ids",
    ),
    "nothing to compare by": (
        "works.csv",
        text("id,year\n" + "\n".join(f"w{i},{i}" for i in range(9))),
        [],
        "nothing in works.csv says which rows are alike.*--text COLUMN, --kind",
    ),
    "a column that is not there": (
        "works.csv",
        text(lines()),
        ["--label", "titel"],
        "no column 'titel'; its columns are 'id', 'tags', 'year'",
    ),
    "a column that is nearly there": (
        "works.csv",
        text(lines()),
        ["--kind", "tag=Tag"],
        "no column 'Tag'; is 'tags' meant",
    ),
    "a column twice": (
        "works.csv",
        text(lines()),
        ["--number", "year", "--date", "year"],
        "'year' of works.csv is chosen twice, as number and date",
    ),
    "a broken line of JSON": (
        "works.jsonl",
        text('{"id": 1}\n{"id": 2,\n{"id": 3}'),
        [],
        "works.jsonl, line 2, column 10: .*; repair this line, or delete it",
    ),
    "a line that is no object": (
        "works.jsonl",
        text('{"id": 1}\n[1]\n'),
        [],
        "works.jsonl, line 2: expected an object",
    ),
    "a spreadsheet": ("works.ods", text("PK"), [], "is a spreadsheet; open it and save it as .xlsx or CSV"),
    "a spreadsheet under another name": (
        "works.csv",
        text("PK\x03\x04" + "\x14\x00" * 40),
        [],
        "an Excel workbook or another zip archive; let its name end in .xlsx, or unpack it",
    ),
    "compressed": (
        "works.csv",
        lambda path: path.write_bytes(gzip.compress(lines().encode())),
        [],
        "compressed with gzip; unpack it first",
    ),
    "bytes": (
        "works.csv",
        lambda path: path.write_bytes(bytes(range(1, 32)) * 40),
        [],
        "is not a text that can be read; save the table as CSV in UTF-8",
    ),
    "a damaged Parquet file": (
        "works.parquet",
        text("PAR1 and then nothing"),
        [],
        "is not a Parquet file, or is damaged",
    ),
    "several tables": (
        "a.db",
        database("CREATE TABLE x (y INT); CREATE TABLE z (y INT);"),
        [],
        r"has 2 tables \(x, z\); choose one with --table NAME",
    ),
    "a table that is not there": (
        "a.db",
        database("CREATE TABLE x (y INT);"),
        ["--table", "w"],
        "has no table 'w'; it has x",
    ),
    "no database": ("a.db", text("nothing of the kind"), [], "cannot be read as a SQLite database"),
    "cells beyond the headings": (
        "works.csv",
        text("id,tags\n" + "\n".join(f"w{i},red, blue, green" for i in range(9))),
        [],
        "works.csv, line 2: more than half of the rows have more cells than the 2 headings.*Put these in quotes",
    ),
    "an unknown ending": ("works.doc", text(lines()), [], r"must end in \.csv"),
    "no such file": ("none.csv", lambda path: None, [], "there is no table '.*none.csv'"),
    "every value too rare": (
        "works.csv",
        text(lines()),
        ["--min-count", "99"],
        "nothing in works.csv says which rows are alike",
    ),
}


def test_there_are_forty_of_them() -> None:
    assert len(MAPS) + len(MESSAGES) >= 40


@pytest.mark.parametrize("name", MAPS)
def test_it_becomes_a_map(name: str, tmp_path: Path) -> None:
    file, write, options, kinds = MAPS[name]
    write(tmp_path / file)
    code, printed, errors = run("map", tmp_path / file, *options, "-o", tmp_path / "map.html", "--json")
    assert (code, errors) == (0, "")
    found = json.loads(printed)["items"]
    assert {kind: found.get(kind) for kind in kinds} == kinds
    assert (tmp_path / "map.html").stat().st_size > 100_000


@pytest.mark.parametrize("name", MESSAGES)
def test_it_is_refused_with_a_remedy(name: str, tmp_path: Path) -> None:
    file, write, options, message = MESSAGES[name]
    write(tmp_path / file)
    code, printed, errors = run("map", tmp_path / file, *options, "-o", tmp_path / "map.html")
    assert (code, printed.startswith("Traceback"), "Traceback" in errors) == (1, False, False)
    assert re.search(message, errors), errors
    assert not (tmp_path / "map.html").exists()
