"""A database whose tables refer to each other becomes kinds and links without being asked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mrsne import Collection
from mrsne.data.tables.table import TableError
from tests.cli.conftest import run, summary_of

KEYS = """
CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT, studio_id INTEGER{studio});
CREATE TABLE actors (id INTEGER PRIMARY KEY, name TEXT, mentor_id INTEGER{mentor}, photo BLOB);
CREATE TABLE studios (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE roles (movie_id INTEGER{movie}, actor_id INTEGER{actor}, minutes INTEGER);
CREATE TABLE migrations (id INTEGER PRIMARY KEY, at TEXT);
CREATE TABLE emptied (movie_id INTEGER);
CREATE VIEW best AS SELECT * FROM movies;
"""


def database(path: Path, declared: bool = True) -> Path:
    names = {"studio": "studios", "mentor": "actors", "movie": "movies", "actor": "actors"}
    keys = {name: f" REFERENCES {table}(id)" if declared else "" for name, table in names.items()}
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(KEYS.format(**keys))
        studios = [(i, f"Studio {i}", "France" if i % 2 else "Japan") for i in range(1, 5)]
        connection.executemany("INSERT INTO studios VALUES (?, ?, ?)", studios)
        movies = [(i, f"Film {i}", 1 + i % 4 if i else 99) for i in range(20)]
        connection.executemany("INSERT INTO movies VALUES (?, ?, ?)", movies)
        actors = [(i, f"Ada {i}", i // 2 or None, bytes(9)) for i in range(31)]
        connection.executemany("INSERT INTO actors VALUES (?, ?, ?, ?)", actors)
        roles = [(m, a, 5) for m in range(20) for a in range(30) if m % 3 == a % 3]
        connection.executemany("INSERT INTO roles VALUES (?, ?, ?)", roles)
        connection.executemany("INSERT INTO migrations VALUES (?, ?)", [(i, f"2020-01-{i:02}") for i in range(1, 9)])
        connection.commit()
    return path


@pytest.mark.parametrize("declared", [True, False])
def test_foreign_keys_or_names_that_match_are_links(tmp_path: Path, declared: bool) -> None:
    collection = Collection.from_table(database(tmp_path / "films.db", declared))
    data = collection.data
    links = {frozenset(pair): W.nnz for pair, W in data.relations.items()}
    wanted = {("movie", "studio"): 19, ("movie", "actor"): 200, ("actor", "actor"): 29}
    assert links == {frozenset(pair): count for pair, count in wanted.items()}
    assert dict(data.sizes) == {"movie": 20, "actor": 31, "studio": 4}
    assert data.labels["movie"][3] == "Film 3"
    assert data.columns["movie"]["studio"][1] == "Studio 2"
    assert set(data.columns["studio"]["country"]) == {"France", "Japan"}
    assert collection.left_out.counts()["reference to an item that is not there"] == 1


def test_what_was_found_is_drawn(tmp_path: Path) -> None:
    code, printed, _ = run("map", database(tmp_path / "films.db"), "--dry-run")
    assert code == 0
    assert printed.startswith(
        "films.db: 3 kinds and their links\n"
        "  actor (31)\n"
        "  ├─ actor (31): 29 links by mentor_id\n"
        "  └─ movie (20): 200 links by the table roles\n"
        "  movie (20)\n"
        "  └─ studio (4): 20 links by studio_id\n"
        "  not used: migrations\n"
    )


def test_one_table_can_be_chosen(tmp_path: Path) -> None:
    path = database(tmp_path / "films.db")
    printed = summary_of("map", path, "--table", "best", "--kind", "studio=studio_id", "-o", tmp_path / "map.html")
    assert printed["items"] == {"film": 20, "studio": 5}
    with pytest.raises(TableError, match="--also adds to the one that --table NAME names"):
        Collection.from_table(path, also={"studio_id": {"id": ["1"]}})
    with pytest.raises(TableError, match="has several tables; --item is for the rows of one"):
        Collection.from_table(path, item="film")
    with pytest.raises(
        TableError, match=r"films.db has no column 'genre' in its tables actors, movies, roles, studios"
    ):
        Collection.from_table(path, categories=["genre"])


def test_later_rows_of_the_first_kind_can_be_read(tmp_path: Path) -> None:
    collection = Collection.from_table(database(tmp_path / "films.db"))
    new = collection.read_new({"id": ["77"], "name": ["Bo"], "mentor_id": ["3"]})
    assert (new.domain, new.names) == ("actor", ["77"])
    assert new.links["actor"].nnz == 1


def test_tables_that_do_not_refer_to_each_other_must_be_chosen(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.executescript(
            "CREATE TABLE a (x); CREATE TABLE b (y); INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES (3);"
        )
    with pytest.raises(TableError, match=r"has 2 tables \(a, b\); choose one with --table NAME"):
        Collection.from_table(tmp_path / "x.db")


def test_all_tables_together_keep_within_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(tmp_path / "films.db")
    monkeypatch.setenv("MRSNE_CELLS", "640")  # roles has 600, and actors 124
    assert Collection.from_table(path, table="roles").data.n_items == 50
    with pytest.raises(TableError, match=r"MRSNE_CELLS"):
        Collection.from_table(path)
