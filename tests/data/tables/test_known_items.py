"""Columns of a table as values of items."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mrsne.data.files.problems import Problems
from mrsne.data.tables.known_items import columns_from_table
from mrsne.data.tables.table import TableError


def test_a_number_that_no_computer_holds_is_listed_and_has_no_value(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"item,size\n0,1{'0' * 400}\n1,2.5\n2,1e999\n3,inf\n")
    problems = Problems()
    columns = columns_from_table(tmp_path / "a.csv", 4, problems)
    np.testing.assert_array_equal(columns["size"], [np.nan, 2.5, np.nan, np.inf])
    assert [(problem.kind, problem.where) for problem in problems] == [
        ("number that is too large", "a.csv, column size")
    ] * 2
    assert len(problems[0].what) == 200


def test_a_heading_without_end_is_cut_short(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"item,{'x' * 10**6}\n0,1\n")
    assert list(columns_from_table(tmp_path / "a.csv", 1, Problems())) == ["x" * 200]


def test_names_that_are_no_paths(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,size\ndog,1\n")
    columns = columns_from_table(tmp_path / "a.csv", 4, Problems(), ["", ".", "..", "a/dog.jpg"], pictures=True)
    np.testing.assert_array_equal(columns["size"], [np.nan, np.nan, np.nan, 1])


def test_a_table_for_other_items_is_an_error_that_quotes_a_part(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"item,size\n{'x' * 10**6},1\n")
    with pytest.raises(TableError, match=r"no row of 'a.csv' is for an item of the map; line 2 has 'xxx") as caught:
        columns_from_table(tmp_path / "a.csv", 4, Problems())
    assert len(str(caught.value)) < 200
