"""`mrsne info`: what is in a map, and what is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.cli.conftest import Fitted, Invoke, summary_of


def test_sizes_and_settings_of_a_map(fitted: Fitted) -> None:
    found = summary_of("info", fitted.path)
    assert (found["items"]["tag"], found["settings"]["weights"]) == (20, 0.5)


def test_what_each_part_of_a_map_weighs_is_told(fitted: Fitted, invoke: Invoke) -> None:
    found = summary_of("info", fitted.path)
    assert found["weights"] == {
        "neighbors": {"image": 0.4865, "tag": 0.0135},  # of a half, by the squares of 120 and 20
        "links": {"image": {"tag": 0.5}},
    }
    assert found["relation_norm"] == "conditional"
    code, printed, _ = invoke("info", fitted.path)
    assert code == 0
    assert (
        "weights: links between image and tag 50 %, neighbours of image 49 %, neighbours of tag 1 %"
        in printed.splitlines()
    )
    assert "normalisation of links: conditional" in printed.splitlines()


def test_versions_of_what_is_installed() -> None:
    assert summary_of("info")["versions"]["numpy"] == np.__version__


def test_another_file_is_a_message(tmp_path: Path, invoke: Invoke) -> None:
    (tmp_path / "x.npy").write_text("no array")
    code, _, errors = invoke("info", tmp_path / "x.npy")
    assert (code, "is not a saved embedding, or is damaged" in errors) == (1, True)
