"""Links that are missing, and links that are odd, of the items of a map in files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mrsne import SavedMap
from tests.cli.conftest import Fitted, run, summary_of
from tests.cli.json_keys import check_keys


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_suggestions_are_no_known_links_and_have_reasons(fitted: Fitted, tmp_path: Path) -> None:
    table = tmp_path / "suggestions.csv"
    printed = summary_of("suggest", fitted.path, "-o", table, "--threshold", "0.01")
    check_keys("suggest", printed)
    rows = rows_of(table)
    assert len(rows) == printed["suggestions"] > 0
    data = SavedMap.load(fitted.path).data
    known = data.relation("image", "tag")
    for row in rows:
        assert (row["kind"], row["suggested_kind"]) == ("image", "tag")
        assert not known[int(row["item"]), data.names["tag"].index(row["suggestion"])]
        assert 0.01 <= float(row["score"]) <= 1
    assert [float(row["score"]) for row in rows] == sorted((float(row["score"]) for row in rows), reverse=True)
    assert all(row["reason"] for row in rows)


def test_for_one_item_of_the_other_kind(fitted: Fitted, tmp_path: Path) -> None:
    table = tmp_path / "suggestions.csv"
    name = SavedMap.load(fitted.path).data.names["tag"][0]
    summary_of(
        "suggest", fitted.path, "-o", table, "--for", name, "--kind", "image", "--threshold", "0", "--count", "3"
    )
    rows = rows_of(table)
    assert {row["item"] for row in rows} == {name}
    assert len(rows) == 3


def test_odd_links_are_links(fitted: Fitted, tmp_path: Path) -> None:
    printed = summary_of("check", fitted.path, "-o", tmp_path / "odd.csv", "--count", "7")
    check_keys("check", printed)
    rows = rows_of(tmp_path / "odd.csv")
    assert len(rows) == printed["odd_links"] == 7
    data = SavedMap.load(fitted.path).data
    known = data.relation("image", "tag")
    assert all(known[int(row["item"]), data.names["tag"].index(row["link"])] for row in rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "s.xlsx"], "--output must end in .csv, .tsv, .jsonl, .parquet"),
        (["--kind", "colour"], "--kind must be one of 'image', 'tag', got 'colour'"),
        (["--for", "nobody"], "--for must name an item that has links, got 'nobody'"),
    ],
)
def test_what_cannot_be_done_is_said(options: list[str], message: str, fitted: Fitted, tmp_path: Path) -> None:
    where = options if options[0] == "-o" else [*options, "-o", str(tmp_path / "s.csv")]
    code, _, errors = run("suggest", fitted.path, *where)
    assert (code, message in errors) == (1, True), errors
