"""The Python in docs/tables.md runs, and its example of a first pass is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import anndata
import pytest

from tests.cli.conftest import run
from tests.data.interchange.test_anndata import cells
from tests.data.tables.made_tables import museum_csv, ratings_csv, shop_database

DOCS = (Path(__file__).parents[1] / "docs" / "tables.md").read_text(encoding="utf-8")


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, anndata_file = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
    found: dict[str, object] = {}
    exec(table, found)
    assert str(found["embedding"]) == "Embedding(work: 4 items, subject: 4 items; 2-d)"
    anndata.settings.allow_write_nullable_strings = True
    cells().write_h5ad(tmp_path / "cells.h5ad")
    monkeypatch.chdir(tmp_path)
    exec(anndata_file, found)
    assert str(found["embedding"]) == "Embedding(cell: 60 items, gene: 11 items; 2-d)"


def test_the_first_pass_is_the_one_that_is_shown(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```\n(works.csv: .*?)```", DOCS, re.DOTALL)
    assert run("map", museum_csv(tmp_path / "works.csv"), "--dry-run")[1] == shown


def test_pairs_are_those_that_are_shown(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```\n(ratings.csv: .*?)```", DOCS, re.DOTALL)
    assert run("map", ratings_csv(tmp_path), "--dry-run")[1] == shown


def test_the_drawing_of_a_database_is_the_one_that_is_shown(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```\n(shop.db: .*?)```", DOCS, re.DOTALL)
    assert run("map", shop_database(tmp_path / "shop.db"), "--dry-run")[1].startswith(shown)
