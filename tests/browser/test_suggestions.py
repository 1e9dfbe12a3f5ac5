"""What an item may lack: suggestions in its panel, and the table of those that were accepted."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from mrsne import Embedding, LinkPredictor, RelationalData
from tests.browser.conftest import Opened, evaluated


@pytest.fixture(scope="module")
def suggesting_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photos of four subjects, each with two of the three tags of its subject."""
    random = np.random.default_rng(0)
    subjects = np.repeat(np.arange(4), 30)
    vectors = 4 * np.eye(4)[subjects] + random.normal(size=(120, 4))
    links = [(photo, 3 * s + tag) for photo, s in enumerate(subjects) for tag in random.permutation(3)[:2]]
    names = {"tag": [f"tag {i}" for i in range(12)], "photo": [f"{i}.jpg" for i in range(120)]}
    data = RelationalData({"photo": vectors, "tag": 12}, {("photo", "tag"): links}, names=names)
    places = {"photo": vectors[:, :2], "tag": random.normal(size=(12, 2))}
    path = tmp_path_factory.mktemp("suggesting") / "map.html"
    Embedding(places).to_html(path, data, report=False, suggestions=LinkPredictor(random_state=0).fit(data))
    return path


def test_suggestions_are_accepted_and_exported_with_all_links(
    opened: Opened, suggesting_page: Path, tmp_path: Path
) -> None:
    page = opened(suggesting_page)
    evaluated(page, "(app.state.pinned.value = 0)")
    section = page.locator(".suggestions")
    expect(section.locator("h3")).to_have_text("May be missing")
    first = section.locator("li").first
    expect(first.locator(".note")).to_contain_text("%")
    name = first.locator(".name").inner_text()
    first.get_by_role("checkbox", name=f"Accept {name}").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export all links with 1 accepted one").click()
    download.value.save_as(tmp_path / "links.csv")
    with (tmp_path / "links.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 240 + 1
    assert rows[-1] == {"photo": "0.jpg", "tag": name}
    evaluated(page, "(app.state.pinned.value = 1)")
    expect(section.get_by_role("button", name="Export all links with 1 accepted one")).to_be_visible()
    evaluated(page, "(app.state.pinned.value = 0)")
    first.get_by_role("checkbox").uncheck()
    expect(section.get_by_role("button", name="Export all links")).to_have_count(0)
