"""What columns are taken for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mrsne.data.tables.choices import Choices
from mrsne.data.tables.parts import plan_table
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import Role, Table, TableError, facts_of
from tests.data.tables.made_tables import museum_rows

N = 40


def guess_roles(table: Table, choices: Choices | None = None) -> Mapping[str, Role]:
    return plan_table(table, choices).roles


def role_of(values: Any, heading: str = "x") -> str:
    """Return what a column beside ids is taken for."""
    return guess_roles(open_table({"id": [f"i{i}" for i in range(len(values))], heading: values}))[heading].role


def test_a_museum_s_columns() -> None:
    roles = guess_roles(open_table(pd.DataFrame(museum_rows())))
    assert {heading: role.role for heading, role in roles.items()} == {
        "accession_number": "id",
        "title": "label",
        "artist": "kind",
        "subjects": "kind",
        "year": "date",
        "acquired": "date",
        "medium": "category",
        "gallery": "unused",
        "notes": "unused",
    }
    assert (roles["subjects"].kind, roles["subjects"].separator) == ("subject", ";")
    assert "'Unknown' in every row" in roles["gallery"].reason
    assert roles["notes"].reason == "empty"


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ([str(i) for i in range(N)], "number"),
        ([f"{i},5" for i in range(N)], "number"),
        ([f"0{i:04d}" for i in range(N)], "shown"),
        (["yes", "no"] * (N // 2), "category"),
        (["a", "b", "c", "d"] * (N // 4), "category"),
        ([f"place {i % 8}" for i in range(N)], "kind"),
        ([f"2021-03-{i % 28 + 1:02}" for i in range(N)] + ["unknown", "n.d."] * 6, "date"),
        ([str(i) for i in range(N)] + ["not measured"] * 12, "number"),
        ([str(101 + i % 20) for i in range(N)] + ["storage", "on loan"] * 16, "kind"),
        ([str(i) for i in range(N)] + [f"about {i % 19}" for i in range(20)], "shown"),
        (["usual"] * (N - 6) + ["a", "a", "b", "b", "c", "d"], "category"),
        ([f"https://example.org/{i}" for i in range(N)], "shown"),
        ([f"pictures/{i}.JPG" for i in range(N)], "picture"),
        ([f"a sentence about the number {i} with quite some words" for i in range(N)], "text"),
        ([["a", "b"], ["b"], [], None] * (N // 4), "kind"),
        ([[0.5, 1.5, 2.5 + i] for i in range(N)], "vector"),
        ([None] * N, "unused"),
        (["n/a"] * N, "unused"),
        (np.arange(N) * 0.5, "number"),
        (np.arange(N).astype("datetime64[D]"), "date"),
        (pd.Categorical([f"c{i % 7}" for i in range(N)]), "kind"),
    ],
)
def test_a_column_by_its_values(values: Any, role: str) -> None:
    assert role_of(pd.Series(values) if isinstance(values, pd.Categorical) else values) == role


@pytest.mark.parametrize(
    ("heading", "values", "role"),
    [
        ("description", [f"word{i} thing" for i in range(N)], "text"),
        ("artist_id", [i % 9 for i in range(N)], "kind"),
        ("keywords", [f"a, b{i % 3}" if i % 2 else "a" for i in range(N)], "kind"),
        ("date of birth", [f"1900{1 + i % 9:02d}{1 + i % 20:02d}" for i in range(N)], "date"),
    ],
)
def test_a_heading_decides_where_values_do_not(heading: str, values: Any, role: str) -> None:
    assert role_of(values, heading) == role


def test_a_first_column_of_dates_is_no_id_and_one_of_whole_numbers_is() -> None:
    days = [f"2020-01-{day:02d}" for day in range(1, 29)]
    roles = guess_roles(open_table({"day": days, "x": list(range(28)), "y": list(range(28))}))
    assert roles["day"].role == "date"
    numbers = guess_roles(open_table({"no.": [str(i) for i in range(28)], "tags": ["a; b", "b"] * 14}))
    assert numbers["no."].role == "id"


def test_what_users_say_overrules() -> None:
    table = open_table({"a": ["x", "y", "z"], "b": [1, 2, 3], "c": ["p; q", "q", "r"]})
    roles = guess_roles(table, Choices(id="b", label="c", texts=["a"]))
    assert {heading: role.role for heading, role in roles.items()} == {"a": "text", "b": "id", "c": "label"}
    with pytest.raises(TableError, match="no column 'B'; is 'b' meant"):
        guess_roles(table, Choices(numbers=["B"]))


def test_many_numbers_are_a_vector_and_few_are_not() -> None:
    few = {"id": list("abc"), "tags": ["x; y", "y", "x"], **{f"n{i}": [1, 2, i] for i in range(5)}}
    many = {"id": list("abc"), "tags": ["x; y", "y", "x"], **{f"n{i}": [1, 2, i] for i in range(60)}}
    assert guess_roles(open_table(few))["n1"].role == "number"
    assert guess_roles(open_table(many))["n1"].role == "vector"


def roles_of(columns: dict[str, Any], **choices: Any) -> dict[str, str]:
    """Return what the columns of a table are taken for, a kind by its name."""
    roles = guess_roles(open_table(columns), Choices(**choices))
    return {heading: f"kind {role.kind}" if role.role == "kind" else role.role for heading, role in roles.items()}


def numbers(count: int, seed: int = 0, rows: int = 100) -> dict[str, Any]:
    """Return columns of measurements."""
    values = np.random.default_rng(seed).normal(size=(rows, count)).round(2)
    return {f"size {i}": values[:, i] for i in range(count)}


def words(stem: str, count: int, rows: int = 100) -> list[str]:
    """Return as many different words, each in several rows."""
    return [f"{stem}{index}" for index in np.random.default_rng(count).permutation(np.arange(rows) % count)]


def test_dates_with_words_are_a_time_whatever_they_repeat() -> None:
    spellings = ["c.1915–20", "1986–7", "date not known", "circa 1820", "1850s", "19th century", "before 1700", "n.d."]
    dates = [*spellings, "1901–2, cast 1960", "?1796"] * 10
    role = guess_roles(open_table({"id": [f"i{i}" for i in range(100)], "when": dates}))["when"]
    assert (role.role, role.only_years, role.reason) == ("date", True, "1700 to 1986")


@pytest.mark.parametrize(
    ("heading", "values", "role"),
    [
        ("birthYear", [1900 + i % 80 for i in range(100)], "date"),
        ("Année", [str(1900 + i % 80) for i in range(100)], "date"),
        ("weight", [1900 + i % 80 for i in range(100)], "number"),
        ("year", [70 + i % 12 for i in range(100)], "number"),  # of no century
        ("customer_id", [50_000 + i % 30 for i in range(100)], "kind"),
        ("movieId", [50_000 + i % 30 for i in range(100)], "kind"),
        ("zip code", [20_000 + i % 30 for i in range(100)], "kind"),
        ("ISBN13", [9_780_000_000_000 + 7 * i for i in range(100)], "shown"),
        ("phone", [5_550_000 + i % 30 for i in range(100)], "shown"),
        ("ticket number", [i % 30 for i in range(100)], "shown"),
        ("region", [f"{i % 30:02d}" for i in range(100)], "kind"),  # 01 is a code, and so is 29
        ("starts", [f"{i % 24:02d}:15" for i in range(100)], "shown"),
    ],
)
def test_numbers_that_measure_nothing(heading: str, values: list[Any], role: str) -> None:
    ids = [f"i{i}" for i in range(100)]
    found = guess_roles(open_table({"id": ids, heading: values, "tags": [["a"], ["a", "b"]] * 50}))[heading]
    assert found.role == role


def test_numbers_are_compared_where_most_rows_share_nothing() -> None:
    ids = [f"i{i}" for i in range(100)]
    cabin = [f"C{i // 3}" if i < 20 else None for i in range(100)]  # that few rows have
    assert roles_of({"id": ids, "cabin": cabin, **numbers(2)})["cabin"] == "category"
    ports = [f"port {i % 20}" if i < 60 else None for i in range(100)]
    assert roles_of({"id": ids, "port": ports, **numbers(2)}) == {
        "id": "id", "port": "kind port", "size 0": "vector", "size 1": "vector"
    }  # fmt: skip
    tags = [["a", "b"], ["b"]] * 50
    assert roles_of({"id": ids, "tags": tags, **numbers(9)})["size 0"] == "number"
    assert (
        roles_of({"id": ids, "note": ["a sentence of six words or more"] * 50 + ids[50:], **numbers(2)})["size 0"]
        == "vector"
    )
    artists = {"artist": words("artist", 30)}
    assert roles_of({"id": ids, **artists, **numbers(2)})["size 0"] == "number"
    assert roles_of({"id": ids, **artists, **numbers(3)})["size 0"] == "vector"
    assert roles_of({"id": ids, **artists, **numbers(3)})["artist"] == "kind artist"


def test_codes_parts_of_dates_and_mostly_empty_columns_are_not_compared() -> None:
    ids = [f"i{i}" for i in range(100)]
    empty = [1.5 * i if i < 55 else None for i in range(100)]
    table = {"id": ids, **numbers(2), "counter": range(1, 101), "hour": [i % 24 for i in range(100)], "speed": empty}
    found = roles_of({**table, "user_id": [7 * i for i in range(100)]})
    assert [heading for heading, role in found.items() if role == "vector"] == ["size 0", "size 1"]


@pytest.mark.parametrize(
    ("heading", "values", "place"),
    [
        ("target", [i % 3 for i in range(100)], "last"),
        ("label", [i % 10 for i in range(100)], "first"),
        ("glass", [1 + i % 6 for i in range(100)], "last"),
        ("species", words("species", 12), "last"),
        ("class", words("class", 3), "first"),
    ],
)
def test_a_map_is_not_made_of_the_class_that_it_should_show(heading: str, values: list[Any], place: str) -> None:
    columns = {heading: values, **numbers(4)} if place == "first" else {**numbers(4), heading: values}
    found = roles_of(columns)
    assert (found[heading], found["size 3"]) == ("category", "vector")


def test_a_target_is_not_compared_even_where_it_is_a_quantity() -> None:
    assert roles_of({**numbers(4), "target": numbers(1, seed=1)["size 0"]})["target"] == "number"


def test_answers_on_a_scale_are_compared_though_each_looks_like_classes() -> None:
    answers = {f"q{i}": np.random.default_rng(i).integers(1, 7, 100) for i in range(6)}
    assert set(roles_of(answers).values()) == {"vector"}


def test_categories_are_compared_where_there_are_hardly_any_numbers() -> None:
    people = {"name": [f"person {i}" for i in range(100)], "sex": ["f", "m"] * 50, "port": words("port", 3)}
    people |= {**numbers(1), "survived": ["yes", "no", "no", "yes"] * 25}
    found = roles_of({**people, "alive": ["no" if word == "no" else "yes" for word in people["survived"]]})
    assert found == {
        "name": "label", "sex": "vector", "port": "vector", "size 0": "vector", "survived": "category",
        "alive": "shown",
    }  # fmt: skip
    assert roles_of({**people, **numbers(2)})["sex"] == "category"


def test_many_answers_are_compared() -> None:
    found = roles_of({f"q{i}": np.random.default_rng(i).integers(0, 2, 100) for i in range(60)})
    assert set(found.values()) == {"vector"}


def test_labels_are_compared_where_there_is_nothing_else() -> None:
    names = [f"{word} lake" for word in words("blue", 100)]
    role = guess_roles(open_table({"id": [f"i{i}" for i in range(100)], "name": names}))["name"]
    assert (role.role, role.compared) == ("label", True)
    people = {"name": [f"Family{i}, John" for i in range(100)], "town": [*words("town", 20, 80), *[None] * 20]}
    assert not guess_roles(open_table(people))["name"].compared


def test_lists_that_share_nothing_or_are_rare_are_no_kind() -> None:
    ids = [f"i{i}" for i in range(100)]
    tags = [["a", "b"], ["b"]] * 50
    table = {
        "id": ids,
        "tags": tags,
        "own": [[f"o{i}", f"p{i}"] for i in range(100)],
        "rare": [["a"], ["a"], *[None] * 98],
    }
    assert roles_of(table) == {"id": "id", "tags": "kind tag", "own": "shown", "rare": "shown"}


def test_texts_of_a_few_rows_do_not_decide() -> None:
    ids = [f"i{i}" for i in range(100)]
    table = {"id": ids, "caption": ["a few words", *[None] * 99], "tags": [["a", "b"], ["b"]] * 50}
    assert roles_of(table)["caption"] == "shown"


def test_a_column_of_short_codes_is_the_id_where_no_heading_says_so() -> None:
    table = {
        "meaning": words("one ", 50),
        "kanji": [chr(0x4E00 + i) for i in range(100)],
        "tags": [["a", "b"], ["b"]] * 50,
    }
    assert roles_of(table)["kanji"] == "id"


def test_ids_of_something_else_that_repeat_are_a_kind_and_rows_stay_apart() -> None:
    players = [f"p{i % 40}" for i in range(100)]
    assert roles_of({"playerID": players, **numbers(2)})["playerID"] == "kind player"
    assert roles_of({"id": players, **numbers(2)})["id"] == "id"


def test_few_values_are_categories_beside_vectors_and_items_where_nothing_else_is_shared() -> None:
    ids = [f"i{i}" for i in range(100)]
    assert roles_of({"id": ids, "site": words("site", 8), "variety": words("v", 10)})["site"] == "kind site"
    assert roles_of({"id": ids, "site": words("site", 8), **numbers(3)})["site"] == "category"
    beside = roles_of(
        {"id": ids, "cell type": words("t", 8), "louvain": [i % 9 for i in range(100)], "pca": [[0.5, 1, 2]] * 100}
    )
    assert (beside["cell type"], beside["louvain"], beside["pca"]) == ("category", "category", "vector")


def test_what_says_how_things_are_made_is_no_kind_beside_another() -> None:
    ids = [f"i{i}" for i in range(100)]
    medium = words("medium ", 30)
    assert roles_of({"id": ids, "medium": medium, "artist": words("artist", 30)})["medium"] == "category"
    assert roles_of({"id": ids, "medium": medium})["medium"] == "kind medium"
    assert roles_of({"id": ids, "medium": medium}, kinds={"medium": ["medium"]})["medium"] == "kind medium"


def test_what_nearly_every_row_has_for_itself_is_no_kind() -> None:
    ids = [f"i{i}" for i in range(100)]
    dimensions = ["30 x 40 mm"] * 60 + [f"{i} x 70 mm" for i in range(40)]
    lines = [f"presented by the executors of the estate {i % 30}" for i in range(100)]
    found = roles_of({"id": ids, "dimensions": dimensions, "credit": lines, "artist": words("artist", 30)})
    assert (found["dimensions"], found["credit"], found["artist"]) == ("category", "category", "kind artist")


def test_what_two_rows_at_most_have_in_common_is_no_kind() -> None:
    table = {"name": [f"bird {i}" for i in range(100)], "site": words("site", 30), "individual": words("N", 50)}
    assert roles_of(table) == {"name": "label", "site": "kind site", "individual": "category"}


def test_a_kind_comes_once_where_two_columns_say_the_same() -> None:
    codes = words("C", 30)
    found = roles_of(
        {"id": [f"i{i}" for i in range(100)], "country": [f"Land {code}" for code in codes], "code": codes}
    )
    assert (found["country"], found["code"]) == ("kind country", "shown")


def test_lists_in_a_few_cells_are_lists_if_their_parts_stand_alone_elsewhere() -> None:
    artists = [*words("Artist ", 30, 98), "Artist 1; Artist 2", "Artist 3; Artist 4"]
    table = open_table({"id": [f"i{i}" for i in range(100)], "artist": artists})
    assert guess_roles(table)["artist"].separator == ";"
    alone = open_table({"id": [f"i{i}" for i in range(100)], "artist": [*artists[:98], "Ann; Bob", "Cid; Dan"]})
    assert guess_roles(alone)["artist"].separator is None


@pytest.mark.parametrize(
    "heading",
    ["Bezeichnung", "Titel", "nom", "Titre", "nombre", "名前", "作品名", "название", "título", "nom de la commune"],
)
def test_labels_in_other_languages(heading: str) -> None:
    values = [f"Ding {i}" for i in range(100)]
    assert roles_of({"no": [str(i) for i in range(100)], heading: values})[heading] == "label"
    assert roles_of({"no": [str(i) for i in range(100)], heading: numbers(1)["size 0"]})[heading] != "label"


def test_what_differs_in_every_row_is_the_label_where_no_heading_says_so() -> None:
    found = roles_of({"code": range(100), "model": [f"Model {i}" for i in range(100)], **numbers(2)})
    assert (found["code"], found["model"]) == ("id", "label")


def test_rows_are_not_one_item_because_they_name_the_same_other_table() -> None:
    assert roles_of({"item_id": [i % 8 for i in range(100)], **numbers(3)})["item_id"] == "category"


def test_na_is_a_country_where_all_others_are_two_letters() -> None:
    codes = [f"{a}{b}" for a in "BCDEN" for b in "ABCDE"]
    assert roles_of({"code": codes, "name": [f"Land {code}" for code in codes], **numbers(2, rows=25)})["code"] == "id"
    assert facts_of(open_table({"code": codes}).columns["code"]).present == 25
    assert facts_of(open_table({"size": [*"123", "NA"]}).columns["size"]).present == 3


def test_ranks_are_compared_and_numbers_of_rows_are_not() -> None:
    ranks = np.random.default_rng(0).permutation(100) + 1
    found = roles_of({"id": [f"i{i}" for i in range(100)], "rank": ranks, "row": np.arange(100), **numbers(2)})
    assert (found["rank"], found["row"]) == ("vector", "number")


def test_answers_on_one_scale_are_compared_and_not_the_age_of_who_gives_them() -> None:
    rng = np.random.default_rng(0)
    answers = {f"q{i}": rng.integers(1, 7, 200).tolist() for i in range(8)}
    people = {"education": rng.integers(1, 6, 200).tolist(), "age": rng.integers(18, 90, 200).tolist()}
    roles = guess_roles(open_table({**answers, **people}))
    assert {roles[heading].role for heading in answers} == {"vector"}
    assert {roles[heading].role for heading in people} == {"number"}
    more = {f"x{i}": rng.normal(size=200).tolist() for i in range(3)}
    assert guess_roles(open_table({**answers, **people, **more}))["age"].role == "vector"
