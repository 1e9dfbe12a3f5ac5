"""What tells one program from another; the rest is shown by ``tests/cli/test_map_again.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrsne.data.finished_maps import program


def test_links_of_editors_in_the_program_lead_nowhere_and_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "map.py").write_text("pass")
    monkeypatch.setattr("mrsne.data.finished_maps.__file__", str(tmp_path / "data" / "finished_maps.py"))
    before = program()
    (tmp_path / "cli" / ".#map.py").symlink_to("somebody@somewhere.1234:5678")
    assert program() == before
    (tmp_path / "cli" / "map.py").write_text("raise")
    assert program() != before
