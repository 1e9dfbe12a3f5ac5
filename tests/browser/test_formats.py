"""Pages' data of every version so far is shown by this one's program."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from mrsne.viewer.page import Parts, write_page
from tests.browser.conftest import CALM, Opened, evaluated

FORMATS = Path(__file__).parent.parent / "formats"
VERSIONS = sorted(path.parent.name for path in FORMATS.glob("*/page.npz"))


def page_of(version: str, path: Path, **changed: object) -> Path:
    """Write a page of this version's program around the data of another, with changes to its description."""
    with np.load(FORMATS / version / "page.npz") as file:
        kept = {name: array for name, array in file.items() if name != "about"}
        about = json.loads(str(file["about"]))
    write_page(path, Parts({**about, **changed}, {name: partial(bytes, array) for name, array in kept.items()}))
    return path


@pytest.mark.parametrize("version", VERSIONS)
def test_a_page_of_an_older_version_shows_its_items_regions_and_reasons(
    opened: Opened, tmp_path: Path, version: str
) -> None:
    page = opened(page_of(version, tmp_path / "page.html"))
    assert evaluated(page, "app.content.count") == 134
    assert evaluated(page, "app.content.name(133)") == "large"
    assert len(evaluated(page, "app.content.regions.all.map((region) => region.name)")) == 7
    evaluated(page, "app.state.pinned.value = 0")
    expect(page.locator(".reasons .columns")).to_be_visible()
    columns = evaluated(page, "app.content.about.domains[0].columns.map((column) => column.name)")
    assert columns[:3] == ["number", "day", "third"]


def test_a_page_of_a_newer_version_is_refused_by_name(browser: Browser, tmp_path: Path) -> None:
    path = page_of(VERSIONS[-1], tmp_path / "page.html", format=99)
    page = browser.new_context(**CALM).new_page()
    page.goto(path.as_uri())
    expect(page.get_by_text("written by a newer mrsne: it has format 99")).to_be_visible()
    page.context.close()
