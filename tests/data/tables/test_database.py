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
    with closing(sqlite3.connect(tmp_path / "films.db")) as connection, connection:
        connection.execute("INSERT INTO actors (id, name) VALUES (78, 'Cy')")
    collection.save(tmp_path / "films.data.npz")
    assert Collection.load(tmp_path / "films.data.npz").read_new(tmp_path / "films.db").names == ["78"]


def test_tables_that_do_not_refer_to_each_other_must_be_chosen(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.executescript(
            "CREATE TABLE a (x); CREATE TABLE b (y); INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES (3);"
        )
    with pytest.raises(TableError, match=r"has 2 tables \(a, b\); choose one with --table NAME"):
        Collection.from_table(tmp_path / "x.db")


def made(path: Path, script: str) -> Collection:
    with closing(sqlite3.connect(path)) as connection:
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
        connection.executescript(script.replace("SELECTED", f"{numbers} SELECT"))
    return Collection.from_table(path)


def test_references_that_lead_nowhere_do_not_stop_the_others(tmp_path: Path) -> None:
    collection = made(
        tmp_path / "shop.db",
        """
        CREATE TABLE rooms (house, no, name, PRIMARY KEY (house, no));
        CREATE TABLE boxes (id INTEGER PRIMARY KEY, code UNIQUE, name);
        CREATE TABLE items (id INTEGER PRIMARY KEY, name, box_id REFERENCES boxes, code REFERENCES boxes (code),
            inside_id REFERENCES items, house, no, FOREIGN KEY (house, no) REFERENCES rooms (house, no));
        INSERT INTO rooms SELECTED 'h' || (i % 3), i, 'Room ' || i FROM n;
        INSERT INTO boxes SELECTED i, 'c' || i, 'Box ' || i FROM n WHERE i < 9;
        INSERT INTO items SELECTED i, 'Thing ' || i, 1 + i % 8, 'c' || (1 + i % 7), NULL, 'h' || (i % 3), i FROM n;
        """,
    )
    assert {pair: W.nnz for pair, W in collection.data.relations.items()} == {("item", "box"): 40}


def test_words_that_are_called_like_another_table_are_a_kind_of_their_own(tmp_path: Path) -> None:
    data = made(
        tmp_path / "films.db",
        """
        CREATE TABLE genres (id INTEGER PRIMARY KEY, name);
        CREATE TABLE shows (id INTEGER PRIMARY KEY, name, genre_id REFERENCES genres);
        CREATE TABLE films (id INTEGER PRIMARY KEY, name, show_id REFERENCES shows, genre);
        INSERT INTO genres SELECTED i, 'Genre ' || i FROM n WHERE i < 5;
        INSERT INTO shows SELECTED i, 'Show ' || i, 1 + i % 4 FROM n WHERE i < 9;
        INSERT INTO films SELECTED i, 'Film ' || i, 1 + i % 8, 'war; art' || (i % 5) FROM n;
        """,
    ).data
    assert data.relation("film", "genre of film").nnz == 80
    assert data.relation("show", "genre").nnz == 8


def test_values_of_a_kind_that_two_tables_have_keep_their_names(tmp_path: Path) -> None:
    made(
        tmp_path / "shop.db",
        """
        CREATE TABLE makers (id INTEGER PRIMARY KEY, name, country);
        CREATE TABLE buyers (id INTEGER PRIMARY KEY, name, country);
        CREATE TABLE orders (maker_id REFERENCES makers, buyer_id REFERENCES buyers);
        INSERT INTO makers SELECTED i, 'Maker ' || i, 'Y' || (i % 2) FROM n;
        INSERT INTO buyers SELECTED i, 'Buyer ' || i, 'X' || (i % 3) FROM n;
        INSERT INTO orders SELECTED i, 1 + i % 9 FROM n;
        """,
    )
    data = Collection.from_table(tmp_path / "shop.db", kinds=["country"]).data
    assert {*data.columns["buyer"]["country"]} == {"X0", "X1", "X2"}
    assert {*data.columns["maker"]["country"]} == {"Y0", "Y1"}
    assert data.columns["maker"].keys() == {"country", "buyer"}


def test_all_tables_together_keep_within_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(tmp_path / "films.db")
    monkeypatch.setenv("MRSNE_CELLS", "640")  # roles has 600, and actors 124
    assert Collection.from_table(path, table="roles").data.n_items == 50
    with pytest.raises(TableError, match=r"MRSNE_CELLS"):
        Collection.from_table(path)


def test_what_is_wrong_with_the_only_table_of_a_database_names_the_file(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
        connection.execute("CREATE TABLE works (id TEXT)")
        connection.executemany("INSERT INTO works VALUES (?)", [(f"w{number}",) for number in range(9)])
        connection.commit()
    with pytest.raises(TableError, match=r"^nothing in one\.db says which rows are alike"):
        Collection.from_table(tmp_path / "one.db")
