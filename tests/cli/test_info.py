"""`mrsne info`: what is in a map, and what is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.cli.conftest import Fitted, Invoke, summary_of


def test_sizes_and_settings_of_a_map(fitted: Fitted) -> None:
    found = summary_of("info", fitted.path)
    assert (found["items"]["tag"], found["settings"]["weights"]) == (20, 0.5)


def test_versions_of_what_is_installed() -> None:
    assert summary_of("info")["versions"]["numpy"] == np.__version__


def test_another_file_is_a_message(tmp_path: Path, invoke: Invoke) -> None:
    (tmp_path / "x.npy").write_text("no array")
    code, _, errors = invoke("info", tmp_path / "x.npy")
    assert (code, "is not a saved embedding, or is damaged" in errors) == (1, True)
