"""Hover, click, search: one item, its links and what it is linked to."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from mrsne import Embedding, RelationalData
from mrsne.viewer.content import Content
from mrsne.viewer.page import write_page
from tests.browser.conftest import MOTION, Opened, evaluated, place_of, rested


def ink(page: Page, layer: int) -> int:
    """Return how many pixels of a layer of the map are drawn on."""
    count: int = evaluated(
        page,
        """(() => {
            const canvas = app.stage.element.querySelectorAll("canvas.layer")[given];
            if (canvas.hidden) return 0;
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let at = 3; at < data.length; at += 4) count += data[at] > 0;
            return count;
        })()""",
        layer,
    )
    return count


def test_hovering_shows_an_item_large_with_its_links_and_dims_the_rest(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    assert ink(page, 2) == 0
    first = evaluated(page, "app.stage.marks.shown.thumbnails.find((mark) => app.content.links.degree(mark.item) > 3)")
    page.mouse.move(first["x"] + first["width"] * 0.35, first["y"])
    tooltip = page.locator(".item-tooltip")
    expect(tooltip).to_be_visible()
    name = evaluated(page, "app.content.name(given)", first["item"])
    degree = evaluated(page, "app.content.links.degree(given)", first["item"])
    expect(tooltip.locator("strong")).to_have_text(name)
    expect(tooltip).to_contain_text(f"image · {degree} links")
    expect(tooltip.locator("canvas")).to_be_visible()
    assert ink(page, 2) > 500
    faint = "getComputedStyle(app.stage.element.querySelector('canvas.layer')).opacity"
    page.wait_for_function(f"(() => {{ const app = document.querySelector('.mrsne').app; return {faint} < 0.3 }})()")
    page.mouse.move(1190, 20)
    expect(tooltip).to_be_hidden()
    assert ink(page, 2) == 0


def test_the_hovered_thumbnail_is_in_front(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    mark = evaluated(page, "app.stage.marks.shown.thumbnails[5]")
    page.mouse.move(mark["x"], mark["y"])
    expect(page.locator(".stage")).to_have_class("stage highlighting hovering")
    size = evaluated(page, "app.stage.markSize(given)", mark["item"])
    reached = evaluated(
        page,
        """(() => {
            const canvas = app.stage.element.querySelectorAll("canvas.layer")[2];
            const [x, y, half] = given.map(Math.round);
            const { data } = canvas.getContext("2d").getImageData(x - half, y - half, 2 * half, 2 * half);
            return data.filter((value, at) => at % 4 === 3 && value > 100).length / (4 * half * half);
        })()""",
        [mark["x"], mark["y"], 0.8 * size],
    )
    assert reached > 0.3, "its thumbnail covers a square that is 1.6 times as wide"


def test_clicking_pins_and_lists_what_is_linked_by_weight(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.mouse.click(*place_of(page, "word", "graph"))
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("heading", name="graph", exact=True)).to_be_visible()
    expect(panel.locator(".entry .name")).to_have_text(["paper 1", "paper 2", "paper 0"])
    expect(panel.locator(".entry .note")).to_have_text(["5", "3", "1"])
    panel.get_by_role("button", name="paper 0").click()
    expect(panel.get_by_role("heading", name="paper 0", exact=True)).to_be_visible()
    expect(panel.locator("h3")).to_have_text(["Linked: word (1)", "Linked: person (1)"])
    panel.get_by_role("button", name="Ada").click()
    expect(panel.locator("h3")).to_have_text(["Linked: paper (2)", "Linked: person (1)"])
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()


def test_clicking_beside_everything_unpins(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.mouse.click(*place_of(page, "word", "graph"))
    expect(page.locator(".panel")).to_be_visible()
    page.mouse.click(600, 4)
    expect(page.locator(".panel")).to_be_hidden()


def test_every_picture_is_drawn_in_the_overview(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    page.wait_for_selector(".stage[data-tiles=all]")
    page.get_by_role("checkbox", name="tag").uncheck()
    rested(page)
    drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    places = evaluated(
        page,
        """(() => {
            const { camera } = app.stage;
            const { start, count } = app.content.domains.find((each) => each.about.thumbnails);
            const items = Array.from({ length: count }, (_, own) => start + own);
            return items.map((item) => [camera.screenX(app.content.x[item]), camera.screenY(app.content.y[item])]);
        })()""",
    )
    seen = [(round(x), round(y)) for x, y in places if 380 < x < 1100 and 20 < y < 780]
    assert len(seen) > 1000
    # a dot has one colour and its soft edge; a picture has more, or covers nine pixels
    pixels = np.asarray(drawn)
    colours = [len(np.unique(pixels[y - 4 : y + 5, x - 4 : x + 5].reshape(-1, 3), axis=0)) for x, y in seen]
    assert np.mean(np.array(colours) > 12) > 0.95


def test_names_of_tags_step_back_until_they_are_wanted(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    stage = page.locator(".stage")
    few = int(stage.get_attribute("data-names") or 0)
    assert 5 <= few <= 21
    page.keyboard.press("n")
    expect(page.get_by_role("checkbox", name="All names that fit")).to_be_checked()
    page.wait_for_function("(few) => Number(document.querySelector('.stage').dataset.names) > few + 5", arg=few)
    page.get_by_role("checkbox", name="All names that fit").uncheck()
    page.wait_for_function("(few) => Number(document.querySelector('.stage').dataset.names) === few", arg=few)


def test_searching_flies_to_what_is_found(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, **MOTION)
    box = page.get_by_role("combobox", name="Search the names of all items")
    box.fill("dog")
    options = page.locator(".search [role=option]")
    expect(options.first).to_contain_text("dog")
    assert options.count() > 1
    expect(options.first).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    rested(page)
    expect(page.locator(".panel h2")).to_have_text("dog")
    x, y = place_of(page, "tag", "dog")
    assert abs(x - 600) < 2
    assert abs(y - 400) < 2
    expect(page.locator(".panel h3")).to_have_text("Linked: image (6)")
    expect(options.first).to_be_hidden()
    drawn = """[...document.querySelectorAll(".panel canvas.thumb")].filter((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value) => value > 0);
    }).length"""
    assert evaluated(page, drawn) == 6, "a thumbnail for each, also those that came during the flight"


def test_suggestions_by_arrow_keys_and_pointer(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    box = page.get_by_role("combobox", name="Search the names of all items")
    box.fill("CAT")
    second = page.locator(".search [role=option]").nth(1)
    name = second.locator(".name").inner_text()
    box.press("ArrowDown")
    expect(second).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", str(second.get_attribute("id")))
    second.click()
    expect(page.locator(".panel h2")).to_have_text(name)
    box.fill("xqzy")
    expect(page.get_by_text("Nothing here is near “xqzy” in meaning.")).to_be_visible()


def test_words_that_are_no_name_find_what_is_near_them_in_meaning(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    box = page.get_by_role("combobox", name="Search the names of all items")
    box.fill("sad old man")
    options = page.locator(".search [role=option]")
    expect(options.first).to_contain_text("old man")
    expect(page.get_by_text("No name matches; these are near in meaning.")).to_be_visible()
    box.press("ArrowUp")
    expect(options.last).to_have_text(re.compile(r"Select the \d+ items nearest in meaning"))
    box.press("Enter")
    expect(page.locator(".panel h2")).to_have_text(re.compile(r"\d+ items selected"))
    expect(options.first).to_be_hidden()


def test_suggestions_stay_for_someone_who_leaves_the_box_and_comes_back_at_once(
    opened: Opened, emoji_page: Path
) -> None:
    page = opened(emoji_page)
    box = page.get_by_role("combobox", name="Search the names of all items")
    box.fill("dog")
    expect(page.locator(".search [role=option]").first).to_be_visible()
    box.evaluate("(box) => { box.blur(); box.focus(); }")
    page.wait_for_timeout(400)
    expect(page.locator(".search [role=option]").first).to_be_visible()


def test_more_suggestions_are_a_key_or_a_click_away(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    box = page.get_by_role("combobox", name="Search the names of all items")
    box.fill("an")
    options = page.locator(".search [role=option]")
    expect(options).to_have_count(9)
    more = page.locator(".search .more")
    expect(more).to_have_text(re.compile(r"Show more \(\d+\)"))
    box.press("ArrowUp")
    expect(more).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    expect(options).to_have_count(49)
    expect(options.nth(8)).to_have_attribute("aria-selected", "true")
    more.click()
    expect(options).to_have_count(89)
    name = options.nth(60).locator(".name").inner_text()
    options.nth(60).click()
    expect(page.locator(".panel h2")).to_have_text(name)


def test_enter_right_after_a_letter_is_for_the_whole_text(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    box = page.get_by_role("combobox", name="Search the names of all items")
    box.fill("d")
    expect(page.locator(".search [role=option]").first).to_be_visible()
    box.evaluate(
        """(box) => {
            box.value = "dog";
            box.dispatchEvent(new Event("input"));
            box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        }"""
    )
    expect(page.locator(".panel h2")).to_have_text("dog")


def test_back_and_forward_go_where_one_was(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    heading = page.locator(".panel h2")
    for name in ("graph", "Ada", "tree"):
        page.get_by_role("combobox", name="Search").fill(name)
        page.get_by_role("combobox", name="Search").press("Enter")
        expect(heading).to_have_text(name)
        rested(page)
    page.go_back()
    expect(heading).to_have_text("Ada")
    page.go_back()
    expect(heading).to_have_text("graph")
    rested(page)
    x, y = place_of(page, "word", "graph")
    assert abs(x - 600) < 2
    assert abs(y - 400) < 2
    page.go_forward()
    expect(heading).to_have_text("Ada")


def test_going_on_before_one_has_arrived_leaves_both_in_the_history(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, **MOTION)
    item = "app.content.domains[1].start + app.content.domains[1].names.indexOf(given)"
    evaluated(page, f"app.go({item})", "dog")
    page.wait_for_timeout(100)
    evaluated(page, f"app.go({item})", "clock")
    rested(page)
    page.go_back()
    expect(page.locator(".panel h2")).to_have_text("dog")
    rested(page)
    assert place_of(page, "tag", "dog") == pytest.approx((600, 400), abs=2)


def test_closing_is_not_a_place_to_go_back_to(opened: Opened, three_page: Path) -> None:
    page = opened(three_page, fresh=True)
    before = page.evaluate("history.length")
    page.mouse.click(*place_of(page, "word", "graph"))
    page.get_by_role("button", name="Close").click()
    assert page.evaluate("history.length") == before + 1


def test_the_panel_does_not_cover_what_it_is_about(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    evaluated(page, "app.stage.camera.pan(150, 0)")
    rested(page)
    x, y = place_of(page, "person", "Ada")
    page.mouse.click(x, y)
    rested(page)
    box = page.locator(".panel").bounding_box()
    assert box is not None
    assert x > box["x"], "there it was"
    assert place_of(page, "person", "Ada")[0] < box["x"]


def test_items_at_one_place_take_turns(opened: Opened, tmp_path: Path) -> None:
    data = RelationalData({"word": 4}, names={"word": ["first", "second", "third", "far"]})
    Embedding({"word": [[0, 0], [0, 0], [0, 0], [1, 1]]}).to_html(tmp_path / "map.html", data)
    page = opened(tmp_path / "map.html")
    x, y = place_of(page, "word", "first")
    found = []
    for _ in range(4):
        page.mouse.click(x, y)
        found.append(page.locator(".panel h2").inner_text())
        expect(page.locator(".panel").get_by_text("one of 3 at this place")).to_be_visible()
    assert found == ["first", "second", "third", "first"]


def test_a_double_click_zooms_and_pins_nothing(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    before = evaluated(page, "app.stage.camera.k")
    page.mouse.dblclick(*place_of(page, "word", "graph"))
    rested(page)
    assert evaluated(page, "app.stage.camera.k") == pytest.approx(2 * before)
    expect(page.locator(".panel")).to_be_hidden()


def test_a_double_click_is_no_place_to_go_back_to(opened: Opened, three_page: Path) -> None:
    page = opened(three_page, fresh=True)
    page.mouse.click(*place_of(page, "word", "tree"))
    rested(page)
    evaluated(page, "void (window.entries = 0)")
    page.evaluate(
        """() => {
            const push = history.pushState;
            history.pushState = (...given) => (window.entries++, push.apply(history, given));
            const go = history.go;
            history.go = (steps) => ((window.entries += steps), go.call(history, steps));
        }"""
    )
    for place in (place_of(page, "word", "graph"), (600, 790)):  # on an item, and beside all
        page.mouse.dblclick(*place)
        rested(page)
        expect(page.locator(".panel h2")).to_have_text("tree")
        assert page.evaluate("window.entries") == 0
        page.wait_for_function("() => location.hash.includes('item=tree')")
        view = evaluated(page, "app.stage.camera.view")
    page.reload()
    page.wait_for_selector(".mrsne[data-ready=all]")
    rested(page)
    expect(page.locator(".panel h2")).to_have_text("tree")
    assert evaluated(page, "app.stage.camera.view") == pytest.approx(view, rel=1e-3, abs=1e-3)
    page.go_back()
    expect(page.locator(".panel")).to_be_hidden()


def test_a_link_restores_the_view(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    page.get_by_label("Colour by").select_option(label="group (image)")
    page.locator(".legend label", has_text="tag").get_by_role("checkbox").uncheck()
    first = evaluated(page, "app.stage.marks.shown.thumbnails[3]")
    page.mouse.click(first["x"], first["y"])
    page.mouse.move(300, 300)
    page.mouse.wheel(0, -500)
    rested(page)
    page.wait_for_function("() => document.querySelector('.mrsne').app.hash === location.hash")
    fragment = page.url[page.url.index("#") :]
    state = (
        "[app.stage.camera.view.x, app.stage.camera.view.y, app.stage.camera.k, app.state.pinned.value, "
        "[...app.state.hidden.value], app.state.colour.value]"
    )
    again = opened(emoji_page, fragment)
    before, after = evaluated(page, state), evaluated(again, state)
    assert all(abs(a - b) < 1e-5 * max(1, abs(a)) for a, b in zip(before[:3], after[:3], strict=True))
    assert before[3:] == after[3:]
    assert after[3] == first["item"]


def test_items_with_one_label_are_found_by_id_and_text_and_the_page_opens_with_a_column(
    opened: Opened, tmp_path: Path
) -> None:
    notes = [f"a note about thing number {index}" for index in range(70)]
    data = RelationalData(
        {"work": 70},
        names={"work": [f"N{index:03}" for index in range(70)]},
        labels={"work": ["[title not known]"] * 70},
        columns={"work": {"note": notes, "day": np.arange(70).astype("datetime64[D]"), "kind": ["a", "b"] * 35}},
    )
    places = np.random.default_rng(0).normal(size=(70, 2)).astype(np.float32)
    content = Content({"work": places}, data, report=False)
    content.colour_by("work", "kind")
    write_page(tmp_path / "works.html", content)
    page = opened(tmp_path / "works.html")
    box = page.get_by_role("combobox", name="Search the names of all items")
    for text, item in (("n041", 41), ("number 17", 17)):
        box.fill(text)
        box.press("Enter")
        rested(page)
        expect(page.locator(".panel h2")).to_have_text("[title not known]")
        expect(page.locator(".panel dl").first).to_contain_text(f"N{item:03}")
        expect(page.locator(".panel dl").first).to_contain_text(notes[item])
        assert f"item=N{item:03}" in page.url
    expect(page.locator(".panel dl").first).to_contain_text("1970-01-18")
    expect(page.locator(".legend select")).to_have_value("0.2")
    expect(page.locator(".legend option")).to_have_text(["Kind", "day", "kind"])
