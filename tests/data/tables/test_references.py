"""References to rows of the same table are links inside a kind."""

from __future__ import annotations

from typing import Any

import pytest

from mrsne import Collection, RelationalData
from mrsne.data.table_plan import plan_collection, table_choices
from mrsne.data.tables.table import TableError

PAPERS = {
    "doi": [f"10.1/{i}" for i in range(8)],
    "paper_id": [f"W{i}" for i in range(8)],
    "title": [f"On things {i}" for i in range(8)],
    "references": [None, "W0", "W0; W1", "W2; X9", "W0; w3", None, "W5", "W5; W6"],
    "keywords": ["a; b", "b; c", "a; c", "b; d", "d; e", "e", "e; f", "a; f"],
}


@pytest.mark.parametrize("said", [{"kinds": {"paper": "references"}}, {"item": "paper"}])
def test_references_are_links_inside_the_kind_by_choice_and_by_guess(said: dict[str, Any]) -> None:
    collection = Collection.from_table(PAPERS, **said)
    data = collection.data
    assert data.relations.keys() >= {("paper", "paper")}
    assert "reference" not in data.sizes
    linked = {
        (data.names["paper"][a], data.names["paper"][b])
        for a, b in zip(*data.relations["paper", "paper"].nonzero(), strict=True)
    }
    assert linked == {
        ("W1", "W0"),
        ("W2", "W0"),
        ("W2", "W1"),
        ("W3", "W2"),
        ("W4", "W0"),
        ("W4", "W3"),
        ("W6", "W5"),
        ("W7", "W5"),
        ("W7", "W6"),
    }
    assert [(problem.kind, problem.what) for problem in collection.left_out] == [
        ("reference to an item that is not there", "X9 (1 items)")
    ]


def test_a_chosen_kind_without_a_reference_is_an_error() -> None:
    with pytest.raises(
        TableError, match="no value of the column 'keywords' is the id of a row of frame, and kind 'paper' is its rows"
    ):
        RelationalData.from_frame(PAPERS, item="paper", kinds={"paper": "keywords"})


def roles(columns: dict[str, Any], item: str = "item") -> dict[str, Any]:
    return dict(plan_collection(columns, choices=table_choices(item=item)).plan.roles)


def test_numbers_are_references_only_where_the_heading_says_so() -> None:
    staff = {
        "id": list(range(1, 41)),
        "manager_id": [None, *[1 + i // 4 for i in range(39)]],
        "floor": [i % 6 + 1 for i in range(40)],
    }
    found = roles(staff, "person")
    assert (found["manager_id"].kind, found["floor"].kind) == ("person", None)
    assert roles({"id": list(range(1, 41)), "references": [i % 30 for i in range(40)]})["references"].role != "kind"


def test_packages_depend_on_packages_whatever_the_version() -> None:
    names = [f"lib{i}" for i in range(30)]
    depends = [f"{names[i // 2]} (>= 1.{i}), {names[i // 3]}, other (<< 2)" for i in range(30)]
    found = Collection.from_table({"package": names, "depends": depends}, item="package")
    assert dict(found.data.sizes) == {"package": 30}
    assert found.left_out.counts() == {"reference to an item that is not there": 1}


def test_what_is_mostly_of_other_things_is_a_kind_and_no_reference() -> None:
    depends = [["libc", f"lib{i % 40}", "p1" if i % 5 else "libm"] for i in range(60)]
    assert roles({"package": [f"p{i}" for i in range(60)], "depends": depends})["depends"].kind == "item"
    depends = [["libc", f"lib{i % 40}", "p1" if i % 5 == 0 else "libm"] for i in range(60)]
    assert roles({"package": [f"p{i}" for i in range(60)], "depends": depends})["depends"].kind == "depend"


def test_one_number_beside_references_is_there_to_colour_by() -> None:
    tree = {"id": list(range(60)), "parent": [None, *[i // 3 for i in range(59)]], "size": [i * i for i in range(60)]}
    assert {heading: role.role for heading, role in roles(tree).items()} == {
        "id": "id",
        "parent": "kind",
        "size": "number",
    }


def test_new_items_refer_to_those_of_the_map_and_stay_linked() -> None:
    collection = Collection.from_table(PAPERS, item="paper")
    new = collection.read_new({"paper_id": ["W8"], "references": ["W0; W7"], "keywords": ["a"]})
    data = collection.grown(new).data
    assert data.relations["paper", "paper"][8].toarray().ravel().nonzero()[0].tolist() == [0, 7]
