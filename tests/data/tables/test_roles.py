"""What columns are taken for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mrsne.data.tables.choices import Choices
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.roles import guess_roles
from mrsne.data.tables.table import TableError
from tests.data.tables.made_tables import museum_rows

N = 40


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
        "year": "number",
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
        ([str(i) for i in range(N)] + [f"about {i}" for i in range(20)], "shown"),
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
