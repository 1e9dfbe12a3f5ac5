"""The map tells what is in it, how far it can be trusted, and where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from mrsne import Embedding, RelationalData, metrics
from tests.browser.conftest import Opened, evaluated, rested


def test_the_report_card_is_a_click_or_a_key_away(
    emoji_page: Path, emoji: tuple[Embedding, RelationalData], opened: Opened
) -> None:
    page = opened(emoji_page)
    page.get_by_role("button", name="About this map").click()
    dialog = page.get_by_role("dialog", name="Emoji and their keywords")
    expect(dialog).to_contain_text("1,636 items, whose likeness has 28 % of the weight")
    expect(dialog).to_contain_text("6,726 links, with 72 % of the weight")
    expect(dialog.locator(".scores li")).to_have_count(5)
    trust = metrics.report(*emoji, sample=None)["trustworthiness"]["image"]
    expect(dialog.locator(".scores li").first).to_contain_text("trustworthiness, image")
    expect(dialog.locator(".scores li").first).to_contain_text(f"{trust:.2f}")
    widths = dialog.locator(".gauge span").evaluate_all("(all) => all.map((one) => one.style.width)")
    assert float(widths[0].rstrip("%")) == pytest.approx(100 * trust, abs=0.01)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("i")
    expect(dialog).to_be_visible()


def test_items_of_all_kinds_are_coloured_by_how_well_they_are_placed(
    emoji_page: Path, emoji: tuple[Embedding, RelationalData], opened: Opened
) -> None:
    page = opened(emoji_page)
    page.get_by_label("Colour by").select_option(label="How well placed")
    expect(page.locator(".legend .ends")).to_contain_text("0 (badly)")
    rested(page)
    scores = metrics.report(*emoji, sample=None).item_scores
    codes = evaluated(page, "[...app.stage.marks.colouring.codes]")
    expected = np.concatenate([scores["image"], scores["tag"]]).astype(np.float32)
    known = ~np.isnan(expected)
    assert (np.array(codes) > 0).tolist() == known.tolist()
    assert np.corrcoef(np.array(codes)[known], expected[known])[0, 1] > 0.999
    assert "colour=placed" in page.url
    best = int(np.nanargmax(scores["image"]))
    evaluated(page, "app.go(given)", best)
    expect(page.locator(".panel dl")).to_contain_text("how well placed")


def test_a_map_without_data_has_no_card(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "bare.html"
    Embedding({"tag": [[0, 0], [1, 1]]}).to_html(path, title="Bare")
    page = opened(path)
    page.keyboard.press("i")
    dialog = page.get_by_role("dialog", name="Bare")
    expect(dialog).to_contain_text("2 items")
    expect(dialog.locator(".scores")).to_have_count(0)
    expect(page.get_by_label("Colour by")).to_have_count(0)
