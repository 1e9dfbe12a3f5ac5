"""A million rows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.tables import write_made_table


@pytest.mark.slow
def test_memory_grows_with_the_rows_from_a_parquet_file_to_the_affinities(tmp_path: Path) -> None:
    peaks = []
    for rows in (200_000, 1_000_000):
        write_made_table(tmp_path / "works.parquet", rows)
        command = [sys.executable, "-m", "benchmarks.tables", "--measure", str(tmp_path / "works.parquet")]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
        found = json.loads(printed.stdout.splitlines()[-1])
        assert found["items"]["work"] == rows
        peaks.append(max(stage["peak"] for stage in found["stages"].values()) - found["stages"]["compiling"]["peak"])
    assert peaks[1] < 1.5 * 5 * peaks[0]


@pytest.mark.slow
def test_a_million_rows_of_text_are_read(tmp_path: Path) -> None:
    from mrsne.data.tables.choices import Choices
    from mrsne.data.tables.joining import parts_from_tables, plan_tables
    from mrsne.data.tables.reading import open_table

    with (tmp_path / "works.csv").open("w") as file:
        file.write("id,artist,year,subjects\n")
        file.writelines(
            f"N{i},artist {i % 5000},{1800 + i % 200},subject {i % 3000}; subject {i % 701}\n" for i in range(10**6)
        )
    parts = parts_from_tables(*plan_tables(open_table(tmp_path / "works.csv"), (), Choices(item="work")))
    assert {kind: len(names) for kind, names in parts.names.items()} == {"work": 10**6, "artist": 5000, "subject": 3000}
