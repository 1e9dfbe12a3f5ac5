"""Selections, switches, colours, export, light and dark."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from mrsne import Embedding, RelationalData
from tests.browser.conftest import DOTS, Opened, evaluated, place_of, rested


def drawn(page: Page, corners: list[tuple[float, float]]) -> None:
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in [*corners[1:], corners[0]]:
        page.mouse.move(*corner, steps=4)
    page.mouse.up()


def around(page: Page, items: list[tuple[str, str]], margin: float = 25) -> list[tuple[float, float]]:
    places = [place_of(page, *item) for item in items]
    xs, ys = [x for x, _ in places], [y for _, y in places]
    left, right, top, bottom = min(xs) - margin, max(xs) + margin, min(ys) - margin, max(ys) + margin
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def test_a_lasso_selects_what_is_inside(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.get_by_role("button", name="Select with a lasso").click()
    drawn(page, around(page, [("word", "graph")]))
    panel = page.locator(".panel")
    expect(panel.locator("h2")).to_have_text("1 item selected")
    expect(panel.locator("dd")).to_have_text(["0 of 9", "1 of 3", "0 of 2"])
    assert evaluated(page, "app.state.mode.value") == "pan", "one lasso at a time"


def test_shift_and_drag_is_a_lasso_and_ctrl_adds(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.keyboard.down("Shift")
    drawn(page, around(page, [("word", "graph")]))
    page.keyboard.down("Control")
    drawn(page, around(page, [("word", "map")]))
    page.keyboard.up("Control")
    page.keyboard.up("Shift")
    expect(page.locator(".panel h2")).to_have_text("2 items selected")
    page.get_by_role("button", name="Clear the selection").click()
    expect(page.locator(".panel")).to_be_hidden()


@pytest.mark.parametrize("way", ["lasso", "shift"])
def test_escape_gives_up_what_is_being_drawn(opened: Opened, three_page: Path, way: str) -> None:
    page = opened(three_page)
    evaluated(page, "(app.state.pinned.value = 3)")
    rested(page)
    corners = around(page, [("word", "graph")])
    view = evaluated(page, "app.stage.camera.view")
    if way == "lasso":
        page.keyboard.press("l")
    else:
        page.keyboard.down("Shift")
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner, steps=4)
    expect(page.locator(".outline polygon")).not_to_have_attribute("points", "")
    page.keyboard.press("Escape")
    expect(page.locator(".outline polygon")).to_have_attribute("points", "")
    page.mouse.move(*corners[0], steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    found = evaluated(page, "[app.state.selection.value, app.state.mode.value, app.state.pinned.value]")
    assert found == [[], "pan", 3]
    assert evaluated(page, "app.stage.camera.view") == view, "nor is the map moved"


def test_a_box_selects_and_the_table_has_all_ids(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.get_by_role("button", name="Select with a box").click()
    (x0, y0), (_, _), (x1, y1), (_, _) = around(page, [("word", "graph"), ("person", "Ada")])
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move(x1, y1, steps=5)
    expect(page.locator(".outline polygon")).to_be_visible()
    page.mouse.up()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export CSV").click()
    assert waiting.value.suggested_filename == "selection.csv"
    text = Path(waiting.value.path()).read_text("utf-8-sig")
    rows = [row[:3] for row in csv.reader(io.StringIO(text))]
    assert rows == [
        ["kind", "item", "position"],
        ["paper", "paper 4", "4"],
        ["word", "graph", "0"],
        ["word", "map", "1"],
        ["word", "tree", "2"],
        ["person", "Ada", "0"],
        ["person", "Emmy", "1"],
    ]
    x, y = next(csv.reader(io.StringIO(text.splitlines()[1])))[3:]
    assert (float(x), float(y)) == pytest.approx((10, 10), abs=1e-5)


def test_a_selection_says_what_is_linked_more_than_by_chance(opened: Opened, tmp_path: Path) -> None:
    links = [(i, 0) for i in range(5)] + [(i, 1) for i in range(10)] + [(7, 2)]
    data = RelationalData({"paper": 10, "word": 3}, {("paper", "word"): links}, {"word": ["rare", "usual", "else"]})
    places = [[0.1 * i, 0.0] for i in range(5)] + [[10 + 0.1 * i, 0.0] for i in range(5)]
    Embedding({"paper": places, "word": [[5, 5], [5, -5], [6, -5]]}).to_html(tmp_path / "map.html", data)
    page = opened(tmp_path / "map.html")
    evaluated(page, "(app.state.selection.value = [0, 1, 2, 3, 4])")
    expect(page.locator(".enrichment .name")).to_have_text(["rare"])
    expect(page.locator(".enrichment .note")).to_have_text(["5 of 5 · 2.0×"])


def test_light_and_dark_compute_nothing_anew(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    evaluated(page, "(app.state.selection.value = [0, 1, 2, 3])")
    evaluated(page, "void (window.before = app.panel('details').common.found)")
    page.keyboard.press("d")
    assert evaluated(page, "app.panel('details').common.found === window.before")
    evaluated(page, "(app.state.selection.value = [0, 1, 2])")
    assert not evaluated(page, "app.panel('details').common.found === window.before")


def test_hiding_and_showing_keeps_the_selection(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    evaluated(page, "(app.state.selection.value = [9, 10])")
    for _ in range(2):
        page.locator(".legend label", has_text="word").get_by_role("checkbox").click()
        rested(page)
    assert evaluated(page, "[...app.stage.points.layers.items].slice(-app.stage.points.layers.selected)") == [9, 10]
    expect(page.locator(".panel h2")).to_have_text("2 items selected")


def test_numbers_are_exact(opened: Opened, tmp_path: Path) -> None:
    Embedding({"photo": [[i % 150, i // 150] for i in range(15_000)]}).to_html(
        tmp_path / "map.html", columns={"photo": {"year": [2001] * 15_000, "size": [12345.678] * 15_000}}
    )
    page = opened(tmp_path / "map.html")
    evaluated(page, "(app.state.pinned.value = 3)")
    expect(page.locator(".panel dd")).to_have_text(["2001", "12345.7"])
    evaluated(page, "(app.state.pinned.value = -1, app.state.selection.value = [...Array(12345).keys()])")
    expect(page.locator(".panel h2")).to_have_text("12,345 items selected")
    expect(page.locator(".more")).to_have_text("Show more (12,285)")
    page.locator(".more").click()
    expect(page.locator(".panel .entry")).to_have_count(360)


def test_who_shows_the_last_of_a_list_goes_on_where_it_begins(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    evaluated(page, "(app.state.selection.value = [...Array(80).keys()])")
    page.locator(".panel .more").press("Enter")
    expect(page.locator(".panel .more")).to_have_count(0)
    expect(page.locator(".panel section:last-child .entry").nth(60)).to_be_focused()


def test_a_switch_of_the_legend_keeps_the_focus_in_light_and_dark(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    page.get_by_label("Colour by").select_option("group (image)")
    category = page.locator(".legend .categories input").nth(2)
    kind = page.locator(".legend input[data-domain]").nth(1)
    for switch in (category, kind):
        switch.focus()
        page.keyboard.press("d")
        expect(switch).to_be_focused()
    kind.press("Space")
    expect(kind).to_be_focused()


def test_many_domains(opened: Opened, tmp_path: Path) -> None:
    Embedding({f"kind {i}": [[i % 20, i // 20]] for i in range(300)}).to_html(tmp_path / "map.html")
    page = opened(tmp_path / "map.html")
    assert evaluated(page, "app.content.name(299)") == "kind 299 0"
    expect(page.locator(".legend label")).to_have_count(300)


def test_what_is_linked_can_be_selected(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.mouse.click(*place_of(page, "word", "graph"))
    page.get_by_role("button", name="Select linked").click()
    assert evaluated(page, "app.state.selection.value") == [0, 1, 2]
    page.locator(".panel .entry").first.click()
    page.get_by_role("button", name="Back to 3 selected items").click()
    expect(page.locator(".panel h2")).to_have_text("3 items selected")


def test_a_box_around_nothing_says_so(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.keyboard.press("b")
    drawn(page, [(500, 6), (560, 6), (560, 12), (500, 12)])
    expect(page.locator(".flash")).to_have_text("No items inside")


def test_switches_hide_domains(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    x, y = place_of(page, "tag", "dog")
    box = page.locator(".legend label", has_text="tag").get_by_role("checkbox")
    box.uncheck()
    rested(page)
    assert evaluated(page, "app.stage.marks.shown.names.length") == 0
    assert evaluated(page, "app.stage.marks.shown.thumbnails.length") > 40
    assert evaluated(page, "app.content.domainOf[app.stage.itemAt(...given)]", [x, y]) in (0, None)
    page.locator(".legend label", has_text="tag").get_by_role("checkbox").check()
    rested(page)
    assert evaluated(page, "app.stage.marks.shown.names.length") > 10


def test_searching_for_something_hidden_shows_its_domain_again(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    box = page.locator(".legend label", has_text="word").get_by_role("checkbox")
    box.uncheck()
    page.get_by_role("combobox", name="Search").fill("tree")
    page.get_by_role("combobox", name="Search").press("Enter")
    expect(page.locator(".legend label", has_text="word").get_by_role("checkbox")).to_be_checked()


def colours(page: Page) -> set[tuple[int, ...]]:
    """Return the colours of the dots."""
    found = evaluated(
        page,
        f"""(() => {{
            const {{ data }} = {DOTS};
            const counts = new Map();
            for (let at = 0; at < data.length; at += 4) {{
                if (data[at + 3] < 200) continue;
                const key = [data[at], data[at + 1], data[at + 2]].map((value) => value >> 4).join();
                counts.set(key, (counts.get(key) ?? 0) + 1);
            }}
            return [...counts].filter(([, count]) => count > 30).map(([key]) => key);
        }})()""",
    )
    return {tuple(map(int, key.split(","))) for key in found}


def test_colours_by_kind_category_and_number(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    by_kind = colours(page)
    select = page.get_by_label("Colour by")
    select.select_option(label="group (image)")
    rested(page)
    by_group = colours(page)
    expect(page.locator(".categories .name").first).to_have_text("people & body")
    expect(page.locator(".categories li")).to_have_count(8)
    select.select_option(label="number (image)")
    rested(page)
    expect(page.locator(".ends span")).to_have_text(["0", "1635"])
    by_number = colours(page)
    assert len({frozenset(by_kind), frozenset(by_group), frozenset(by_number)}) == 3


def test_light_and_dark(opened: Opened, emoji_page: Path, three_page: Path) -> None:
    page = opened(emoji_page)
    ground = "getComputedStyle(document.querySelector('.mrsne')).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate(ground) == "rgb(20, 21, 28)"
    asked_for = opened(three_page, color_scheme="dark")
    assert asked_for.evaluate(ground) == "rgb(20, 21, 28)", "auto is what the browser prefers"


def test_help_opens_and_closes(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.get_by_role("button", name="Help").click()
    dialog = page.get_by_role("dialog", name="How to use this map")
    expect(dialog).to_contain_text("draw a lasso")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_theme_that_was_chosen_stays_when_the_systems_changes(opened: Opened, tmp_path: Path) -> None:
    Embedding({"dot": [[0, 0], [1, 1]]}).to_html(tmp_path / "map.html")
    page = opened(tmp_path / "map.html", fresh=True)
    root = page.locator(".mrsne")
    schemes: tuple[Literal["dark", "light"], ...] = ("dark", "light")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        expect(root).to_have_attribute("data-theme", scheme)
    page.keyboard.press("d")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(100)
        expect(root).to_have_attribute("data-theme", "dark")


def test_a_map_that_was_removed_does_nothing_any_more(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, fresh=True)
    evaluated(page, "(app.state.pinned.value = 3)")
    rested(page)
    rule = "{ kind: 'range', from: 5, to: 9, missing: true }"
    evaluated(page, f"(app.state.filters.value = {{ rules: new Map([['0.1', {rule}]]), linked: false }})")
    evaluated(page, "app.filtering.apply()")
    evaluated(page, "(window.app = app, window.updates = 0)")
    evaluated(page, "(app.panel('details').update = () => window.updates++, app.destroy())")
    page.keyboard.press("d")
    page.keyboard.press("l")
    page.wait_for_timeout(400)
    assert page.evaluate("[window.updates, app.state.theme.value.name, app.state.mode.value]") == [0, "light", "pan"]
