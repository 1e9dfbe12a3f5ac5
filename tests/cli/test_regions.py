"""The regions of a map, written to a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Fitted, run, summary_of
from tests.cli.json_keys import check_keys


def test_a_table_has_a_row_for_each_region(fitted: Fitted, tmp_path: Path) -> None:
    printed = summary_of("regions", fitted.path, "-o", tmp_path / "regions.csv")
    check_keys("regions", printed)
    with (tmp_path / "regions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(printed["regions"])
    assert [row["name"] for row in rows if row["level"] == "0"] == printed["overview"]
    assert all(row["name"].startswith("word ") for row in rows)
    assert all((row["parent"] == "") == (row["level"] == "0") for row in rows)


def test_json_has_items_and_outlines_as_well(fitted: Fitted, tmp_path: Path) -> None:
    summary_of("regions", fitted.path, "-o", tmp_path / "regions.json")
    regions = json.loads((tmp_path / "regions.json").read_text())
    assert {item for region in regions for item in region["items"]["tag"]} <= {f"word {i}" for i in range(20)}
    assert all(len(region["outline"][0][0]) == 2 for region in regions)
    overview = [len(region["items"]["image"]) for region in regions if region["level"] == 0]
    assert 100 < sum(overview) <= 120


def test_people_read_the_overview(fitted: Fitted, tmp_path: Path) -> None:
    code, printed, _ = run("regions", fitted.path, "-o", tmp_path / "regions.csv")
    assert (code, "level 0: " in printed, "word " in printed) == (0, True, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "regions.xlsx"], "--output must end in .csv, .tsv, .jsonl, .parquet, .json"),
        (["--by", "colour"], "by must be domains with links and names ('tag'), got 'colour'"),
    ],
)
def test_what_cannot_be_done_is_said(options: list[str], message: str, fitted: Fitted, tmp_path: Path) -> None:
    where = options if options[0] == "-o" else [*options, "-o", str(tmp_path / "regions.csv")]
    code, _, errors = run("regions", fitted.path, *where)
    assert (code, message in errors) == (1, True)
