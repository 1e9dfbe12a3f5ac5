"""Tables of pairs: ratings are two kinds with a link in each row, and lists of edges are links inside one kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import Collection, RelationalData
from mrsne.data.table_plan import plan_collection, table_choices
from mrsne.data.tables.table import TableError
from mrsne.parameters import ParameterError
from tests.data.tables.made_tables import ratings

Columns = dict[str, Any]


def read(columns: Columns, **said: Any) -> tuple[RelationalData, dict[str, int]]:
    collection = Collection.from_table(columns, **said)
    return collection.data, collection.left_out.counts()


def plan(columns: Columns, **said: Any) -> Any:
    return plan_collection(columns, choices=table_choices(**said)).plan


def test_ratings_above_the_mean_of_each_person_are_links() -> None:
    data, left_out = read(ratings())
    assert dict(data.sizes) == {"user": 12, "movie": 9}
    W, names = data.relations["user", "movie"].tocoo(), data.names
    assert all(
        int(names["user"][u][1:]) % 2 == int(names["movie"][m][1:]) % 2 for u, m in zip(W.row, W.col, strict=True)
    )
    low = ratings()["rating"].count(2.0)
    assert left_out == {"rating that is not above the person's mean": low}
    own = [rating for user, rating in zip(ratings()["userId"], ratings()["rating"], strict=True) if user == "u0"]
    assert data.relations["user", "movie"][names["user"].index("u0")].data == pytest.approx(5 - np.mean(own))


def test_ratings_as_they_are_and_counts_are_weights() -> None:
    columns = ratings()
    data, left_out = read(columns, ratings="as-is")
    assert (data.relations["user", "movie"].sum(), left_out) == (sum(columns["rating"]), {})
    columns["plays"] = columns.pop("rating")
    assert read(columns)[0].relations["user", "movie"].sum() == sum(columns["plays"])
    columns["plays"][0], columns["plays"][1] = 0, None
    assert read(columns)[1] == {"row with a weight that is no positive number": 2}
    with pytest.raises(ParameterError, match="ratings must be one of 'above-mean', 'as-is', got 'liked'"):
        read(columns, ratings="liked")
    del columns["plays"]
    with pytest.raises(TableError, match="no column that is called a rating; name it with --weight"):
        read(columns, ratings="above-mean")


def test_who_rates_everything_the_same_keeps_all_links() -> None:
    columns = ratings()
    columns["rating"] = [
        3.0 if user == "u1" else rating for user, rating in zip(*list(columns.values())[::2], strict=True)
    ]
    data, _ = read(columns)
    assert data.relations["user", "movie"][data.names["user"].index("u1")].data.tolist() == [1.0] * columns[
        "userId"
    ].count("u1")


def test_people_come_first_whatever_the_order_of_columns() -> None:
    columns = ratings()
    swapped = {"movieId": columns["movieId"], "customerId": columns["userId"], "rating": columns["rating"]}
    assert read(swapped)[0].relations.keys() == {("customer", "movie")}
    assert read(swapped, id="movieId")[0].relations.keys() == {("movie", "customer")}
    assert read(columns, item="person", kinds={"film": "movieId"})[0].relations.keys() == {("person", "film")}


def test_weights_of_pairs_that_come_again_add_up() -> None:
    columns = ratings(20, 9)
    again = {name: [*values, values[0]] for name, values in columns.items()}
    W = read(again, ratings="as-is")[0].relations["user", "movie"]
    assert W.sum() == sum(again["rating"])


def test_tables_about_each_side_are_there_to_colour_by() -> None:
    movies = {
        "id": [f"m{m}" for m in range(9)],
        "title": [f"Film {m}" for m in range(9)],
        "genres": ["a|b", "b|c", "a|c"] * 3,
    }
    users = {"id": [f"u{u}" for u in range(12)], "job": ["baker", "nurse", "smith"] * 4, "age": list(range(20, 32))}
    users |= {"town": [f"T{u % 5}" for u in range(12)]}
    data, _ = read(ratings(), also={"movieId": movies, "userId": users})
    assert dict(data.sizes) == {"user": 12, "movie": 9, "genre": 3}
    assert data.labels["movie"][data.names["movie"].index("m3")] == "Film 3"
    assert set(data.columns["user"]) == {"job", "age", "town"}


@pytest.mark.parametrize(
    "changed",
    [
        {"title": [f"On {i} things" for i in range(99)]},
        {"order_id": list(range(99))},
        {"comment": [f"{i} words that say something of the row {i}" for i in range(99)]},
        {"tag": [f"word{i % 40}" for i in range(99)]},
    ],
)
def test_a_table_that_says_more_of_its_rows_is_none_of_pairs(changed: Columns) -> None:
    columns = ratings() | {name: values[: len(ratings()["userId"])] for name, values in changed.items()}
    assert not plan(columns).pairs
    assert plan(ratings() | {"id": list(range(len(ratings()["userId"])))}).pairs


def test_a_row_for_each_item_is_none_of_pairs() -> None:
    films = {"movie_id": list(range(40)), "director_id": [i % 7 for i in range(40)], "year": list(range(1950, 1990))}
    assert not plan(films).pairs
    weather = {"year": [2000 + i // 12 for i in range(60)], "month": [i % 12 for i in range(60)], "value": [0.5] * 60}
    assert not plan(weather).pairs


def test_answers_and_measurements_are_no_ends() -> None:
    answers = {f"q{i}": [("yes", "no", "unsure")[(row * i) % 3] for row in range(60)] for i in range(1, 5)}
    assert not plan(answers).pairs
    numbers = {f"score_{i}": [(7 * row * i) % 23 for row in range(60)] for i in (1, 2)}
    assert not plan(numbers).pairs
    assert not plan({"year": [1990 + i % 9 for i in range(40)], "first_year": [1990 + i % 7 for i in range(40)]}).pairs


def edges(n: int = 30) -> Columns:
    return {"source": [f"n{i}" for i in range(n)], "target": [f"n{i // 3 + 1}" for i in range(n)], "weight": [2.0] * n}


def test_edges_between_the_same_things_are_links_inside_a_kind() -> None:
    data, left_out = read(edges())
    assert (dict(data.sizes), left_out) == ({"node": 30}, {})
    assert data.relations["node", "node"].sum() == 2.0 * 29  # but for n1, its own target
    cited = {"citing_paper_id": edges()["source"], "cited_paper_id": edges()["target"]}
    assert dict(read(cited)[0].sizes) == {"paper": 30}
    towns = {
        **edges(),
        "target": [f"town {i % 10}" for i in range(30)],
        "source": [f"river {i // 2}" for i in range(30)],
    }
    assert dict(read(towns)[0].sizes) == {"source": 15, "target": 10}


def test_both_ends_of_routes_are_the_same_airports() -> None:
    origins = [f"A{i % 9}" for i in range(60)]
    routes = {"origin": origins, "destination": [f"A{(i * 7 // 3) % 10}" for i in range(60)], "count": list(range(60))}
    assert dict(read(routes)[0].sizes) == {"node": 10}
    more: Columns = {f"always {value}": [f"v{value}"] * 60 for value in range(8)}
    named = {"Source airport": routes["origin"], "Destination airport": routes["destination"], **more}
    assert dict(read(named)[0].sizes) == {"airport": 10}


def test_two_columns_that_name_things_are_a_table_of_pairs_whatever_they_are_called() -> None:
    found = plan({"woman": [f"Ann B{i // 6}" for i in range(60)], "event": [f"E{i % 6 + i // 30}" for i in range(60)]})
    assert (found.pairs, [role.kind for role in found.roles.values()]) == (True, ["woman", "event"])
    years = [1980 + i % 6 for i in range(60)]
    assert not plan({"player_id": [f"p{i // 6}" for i in range(60)], "year_id": years, "votes": years}).pairs


def test_what_is_said_of_an_end_makes_no_item_of_a_row_and_names_are_taken_before_ids() -> None:
    species: Columns = {
        "item_id": [f"5f{i // 20}" for i in range(80)],
        "common_name": [("Toad", "Frog", "Newt", "Eft")[i // 20] for i in range(80)],
        "county_id": [f"{(i % 20) * 999:05}" for i in range(80)],
        "habitat_pct": [0.5, 0.25] * 40,
    }
    data, _ = read(species)
    assert dict(data.sizes) == {"item": 4, "county": 20}
    assert set(data.names["item"]) == {*species["common_name"]}
    assert {0.5, 0.25} == {*data.relations["item", "county"].data.tolist()}
    assert "5f0" in read(species, id="item_id")[0].names["item"]
    assert not plan({**species, "title": [f"About {i}" for i in range(80)]}).pairs


def test_lists_of_edges_and_triples_need_no_headings(tmp_path: Path) -> None:
    lines = [f"n{i}\t{'knows' if i % 2 else 'likes'}\tn{i // 3 + 1}" for i in range(60)]
    (tmp_path / "train.txt").write_text("\n".join(lines))
    assert dict(Collection.from_table(tmp_path / "train.txt").data.sizes) == {"node": 60}


def test_headings_with_types_are_read_without_them(tmp_path: Path) -> None:
    rows = [f"{u}\t{m}\t{1 + (u * m) % 5}" for u in range(12) for m in range(9)]
    (tmp_path / "ml.inter").write_text("user_id:token\titem_id:token\trating:float\n" + "\n".join(rows))
    items = [f"{m}\tThe Film {m}\t{'drama crime' if m % 2 else 'drama'}" for m in range(9)]
    (tmp_path / "ml.item").write_text("item_id:token\ttitle:token_seq\tclass:token_seq\n" + "\n".join(items))
    data = Collection.from_table(tmp_path / "ml.inter", also={"item_id": tmp_path / "ml.item"}).data
    assert data.names["class"] == ("crime", "drama")
    assert "The Film 3" in data.labels["item"]


def test_later_ratings_are_read_the_same_way() -> None:
    collection = Collection.from_table(ratings())
    later = {
        "userId": ["new", "new", "new", "u1"],
        "movieId": ["m1", "m2", "m99", "m1"],
        "rating": [5.0, 1.0, 3.0, 4.0],
    }
    new = collection.read_new(later)
    assert (new.domain, new.names) == ("user", ["new"])
    known = collection.data.names["movie"]
    assert [known[at] for at in new.links["movie"].indices] == ["m1"]
    assert new.links["movie"].data.tolist() == [2.0]
    assert new.left_out.counts()["item that is in the map already"] == 1
    assert "second row with the same id" not in " ".join(new.left_out.counts())
