"""A map as a table for other tools."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.conftest import run, summary_of
from tests.cli.json_keys import check_keys
from tests.tables.made_tables import museum_csv


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("museum")
    summary_of("map", museum_csv(folder / "works.csv"), "-o", folder / "map.html")
    return folder / "map.npz"


def test_it_has_a_row_for_each_item_in_every_format(museum: Path, tmp_path: Path) -> None:
    printed = summary_of("export", museum, "-o", tmp_path / "map.parquet")
    check_keys("export", printed, ["work", "artist", "subject"])
    rows = parquet.read_table(tmp_path / "map.parquet").to_pylist()
    assert len(rows) == sum(printed["items"].values())
    assert (rows[0]["kind"], rows[0]["id"], rows[0]["label"]) == ("work", "N00000", "[title not known]")
    assert rows[0]["acquired"].year == 1856
    assert rows[7]["year"] is None
    summary_of("export", museum, "-o", tmp_path / "map.jsonl")
    first = json.loads((tmp_path / "map.jsonl").read_text().splitlines()[0])
    assert (first["id"], first["acquired"]) == ("N00000", "1856-01-01T00:00:00")
    summary_of("export", museum, "-o", tmp_path / "map.csv")
    with (tmp_path / "map.csv").open() as file:
        assert next(csv.DictReader(file))["label"] == "[title not known]"


def test_an_ending_that_is_no_table_is_refused(museum: Path, tmp_path: Path) -> None:
    code, _, errors = run("export", museum, "-o", tmp_path / "map.xlsx")
    assert (code, "--output must end in .csv, .tsv, .jsonl, .parquet" in errors) == (1, True)
