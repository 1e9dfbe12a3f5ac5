"""What does not pass the filters is not there: on the map, in lists and in the address."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mrsne import Embedding, RelationalData
from tests.browser.conftest import MOTION, Opened, evaluated, rested

COUNT = 200


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Articles on a grid: prices of all sizes, days of two years, places, and a text; and five tags."""
    path = tmp_path_factory.mktemp("shop") / "shop.html"
    random = np.random.default_rng(3)
    price = np.round(np.exp(random.normal(5, 2, COUNT)), 2)
    price[:20] = np.nan
    columns = {
        "article": {
            "price": price,
            "stock": np.arange(COUNT) % 10,
            "day": np.datetime64("2001-01-01") + (np.arange(COUNT) * 3).astype("m8[D]"),
            "place": [None if i % 25 == 0 else f"place {i % 20 * (i % 3 > 0)}" for i in range(COUNT)],
            "note": [f"about article {i} {'with a dog' if i < 3 else ''}" for i in range(COUNT)],
        }
    }
    names = {"article": [f"article {i}" for i in range(COUNT)], "tag": [f"tag {i}" for i in range(5)]}
    links = {("article", "tag"): [(i, i % 5) for i in range(COUNT)]}
    places = {"article": [[i % 20, i // 20] for i in range(COUNT)], "tag": [[4 * i, 11] for i in range(5)]}
    data = RelationalData({"article": COUNT, "tag": 5}, links, names=names)
    Embedding(places).to_html(path, data, columns=columns, title="A shop", theme="light", report=False)
    return path


def opened_at(page: Page, *columns: str) -> None:
    """Open the filters, and the sections of columns."""
    page.keyboard.press("f")
    for column in columns:
        section = page.locator(".filters details", has_text=column).first
        if section.get_attribute("open") is None:
            section.locator("summary").click()
    rested(page)


def passing(page: Page) -> list[int]:
    rested(page)
    found: list[int] = evaluated(page, "[...Array(app.content.count).keys()].filter((item) => app.stage.isShown(item))")
    return found


def test_the_legends_categories_are_switches(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    page.get_by_label("Colour by").select_option("group (image)")
    before = evaluated(page, "app.stage.marks.shown.thumbnails.length")
    first = page.locator(".legend .categories label").first
    group = first.locator(".name").inner_text()
    first.get_by_role("checkbox").uncheck()
    rested(page)
    codes = evaluated(page, "app.content.domains[0].columns[0]")
    wanted = [i for i, code in enumerate(codes["values"]) if codes["categories"][code] != group]
    assert [item for item in passing(page) if item < 1636] == wanted
    assert all(item in wanted for item in evaluated(page, "app.stage.marks.shown.thumbnails.map((mark) => mark.item)"))
    assert 0 < evaluated(page, "app.stage.marks.shown.thumbnails.length") != before
    note = page.locator(".filter-note")
    expect(note).to_contain_text(f"{len(wanted) + 997:,} of 2,633 items")
    note.get_by_role("button", name="Clear").click()
    expect(note).to_be_hidden()
    expect(first.get_by_role("checkbox")).to_be_checked()


def test_a_brush_is_dragged_and_moved_by_keys(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "stock")
    low, high = (page.get_by_role("slider", name=f"stock {end}", exact=True) for end in ("from", "to"))
    area = page.locator(".histogram").bounding_box()
    assert area is not None
    left, width = area["x"], area["width"]
    page.mouse.move(left + 0.32 * width, area["y"] + 8)
    page.mouse.down()
    page.mouse.move(left + 0.58 * width, area["y"] + 8, steps=4)
    page.mouse.up()
    assert {item % 10 for item in passing(page) if item < COUNT} == {3, 4, 5}
    expect(low).to_have_attribute("aria-valuetext", "3")
    expect(high).to_have_attribute("aria-valuetext", "5")
    page.mouse.move(left + 0.45 * width, area["y"] + 8)  # what is brushed moves as a whole
    page.mouse.down()
    page.mouse.move(left + 0.65 * width, area["y"] + 8, steps=4)
    page.mouse.up()
    assert {item % 10 for item in passing(page) if item < COUNT} == {5, 6, 7}
    low.press("ArrowRight")
    high.press("End")
    assert {item % 10 for item in passing(page) if item < COUNT} == {6, 7, 8, 9}
    page.get_by_label("stock from, exactly").fill("8")
    page.get_by_label("stock from, exactly").press("Enter")
    assert {item % 10 for item in passing(page) if item < COUNT} == {8, 9}
    assert page.locator(".filters .passing strong").inner_text() == "45 of 205 items"
    page.get_by_role("button", name="Clear").click()
    assert len(passing(page)) == COUNT + 5


def test_items_without_a_value_are_counted_and_switched(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "price")
    expect(page.get_by_label("Logarithmic scale")).to_be_checked()
    row = page.locator(".range .switch", has_text="No value")
    expect(row).to_contain_text("20")
    row.get_by_role("checkbox").uncheck()
    assert len(passing(page)) == COUNT - 20 + 5
    page.get_by_role("slider", name="price from", exact=True).press("PageUp")
    assert 0 < len(passing(page)) < COUNT - 20 + 5
    row.get_by_role("checkbox").check()
    assert set(range(20)) < set(passing(page))


def test_what_moves_no_end_is_no_filter(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "price")
    page.get_by_role("slider", name="price from", exact=True).press("Home")
    page.get_by_role("slider", name="price to", exact=True).press("End")
    lowest = page.get_by_label("price from, exactly")
    lowest.fill("0")
    lowest.press("Enter")
    assert len(passing(page)) == COUNT + 5
    expect(page.locator(".range .switch", has_text="No value").get_by_role("checkbox")).to_be_checked()


def typed(page: Page, label: str, text: str) -> None:
    box = page.get_by_label(f"{label}, exactly")
    box.fill(text)
    box.press("Enter")


def test_a_handle_leaves_the_other_end_as_exact_as_it_was(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "stock")
    ends = "(({ from, to }) => [from, to])(app.state.filters.value.rules.get('0.1'))"
    low, high = (page.get_by_role("slider", name=f"stock {end}", exact=True) for end in ("from", "to"))
    typed(page, "stock to", "3.3")
    low.press("ArrowRight")
    assert evaluated(page, ends) == [1, 3.3]
    low.press("PageUp")
    low.press("PageUp")
    low.press("PageUp")
    assert evaluated(page, ends) == [3, 3.3], "and never beyond it"
    typed(page, "stock from", "1.5")
    high.press("ArrowRight")
    assert evaluated(page, ends) == [1.5, 4]
    box = high.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + 8, steps=4)
    page.mouse.up()
    start, end = evaluated(page, ends)
    assert start == 1.5
    assert end > 4


def test_ends_that_are_typed_the_wrong_way_round_change_places(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "stock", "day")
    typed(page, "stock to", "3")
    typed(page, "stock from", "6")
    assert {item % 10 for item in passing(page) if item < COUNT} == {3, 4, 5, 6}
    expect(page.get_by_label("stock from, exactly")).to_have_value("3")
    expect(page.get_by_label("stock to, exactly")).to_have_value("6")
    expect(page.locator(".filters details", has_text="stock").first.locator("summary .count")).to_have_text("3 – 6")
    typed(page, "stock from", "4")
    assert {item % 10 for item in passing(page) if item < COUNT} == {4, 5, 6}
    typed(page, "day from", "2001-03-01")
    page.get_by_label("day to, exactly").focus()
    page.keyboard.type("05172001")  # the year is 2, 20 and 200 on the way
    page.get_by_role("heading", name="Filters").click()
    expect(page.get_by_label("day from, exactly")).to_have_value("2001-03-01")
    expect(page.get_by_label("day to, exactly")).to_have_value("2001-05-17")


def test_filters_combine_and_are_counted_over_the_whole(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "stock", "place", "note")
    page.get_by_label("Words in note").fill("DOG")
    expect(page.locator(".filters .passing strong")).to_have_text("8 of 205 items")
    page.get_by_role("slider", name="stock from", exact=True).press("ArrowRight")
    assert passing(page) == [1, 2, *range(COUNT, COUNT + 5)]
    page.get_by_label("Other kinds: only items linked to those that pass").check()
    assert passing(page) == [1, 2, COUNT + 1, COUNT + 2]
    page.get_by_role("button", name="None: place").click()
    assert passing(page) == []
    page.get_by_label("Find a value of place").fill("place 2")
    page.get_by_role("checkbox", name="place 2 1 of", exact=False).check()
    assert passing(page) == [2, COUNT + 2]
    expect(page.locator(".filters li", has_text="place 2").first).to_contain_text("1 of")


def test_what_does_not_pass_is_not_picked_found_or_named(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    evaluated(page, "(app.state.filters.value = { rules: new Map([['0.1', given]]), linked: false })", rule(2, 3))
    for dimming in (False, True):
        evaluated(page, "(app.state.dimming.value = given)", dimming)
        rested(page)
        assert evaluated(page, "app.stage.points.layers.dimmed") == (160 if dimming else 0)
        named = evaluated(page, "app.stage.marks.shown.names.map((mark) => mark.item)")
        assert named
        assert all(item >= COUNT or item % 10 in (2, 3) for item in named)
        place = "[app.stage.camera.screenX(app.content.x[given]), app.stage.camera.screenY(app.content.y[given])]"
        page.mouse.move(*evaluated(page, place, 155))
        assert evaluated(page, "app.state.hovered.value") != 155
        page.mouse.move(*evaluated(page, place, 153))
        assert evaluated(page, "app.state.hovered.value") == 153
    page.mouse.move(600, 10)
    page.keyboard.down("Shift")
    page.mouse.down()
    for corner in ((1190, 10), (1190, 790), (300, 790), (300, 10)):
        page.mouse.move(*corner, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    chosen = evaluated(page, "app.state.selection.value.filter((item) => item < 200)")
    assert chosen
    assert {item % 10 for item in chosen} == {2, 3}
    evaluated(page, "(app.state.filters.value = { rules: new Map([['0.1', given]]), linked: false })", rule(3, 3))
    expect(page.locator(".panel")).to_contain_text("20 selected items do not pass the filters")
    page.get_by_role("combobox", name="Search").fill("article 45")
    expect(page.locator(".search .hint")).to_have_text("No name matches. 2 do not pass the filters.")


def rule(low: float, high: float) -> dict[str, object]:
    return {"kind": "range", "from": low, "to": high, "missing": False}


def test_filters_are_in_the_address_and_back_restores_them(opened: Opened, shop: Path) -> None:
    words = '{"article":{"stock":{"from":2,"to":3,"missing":false},"month":{"from":1}},"ghost":{}}'
    page = opened(shop, fragment=f"#filter={quote(words)}&linked=1&dim=1")
    assert {item % 10 for item in passing(page) if item < COUNT} == {2, 3}
    assert evaluated(page, "[app.state.dimming.value, app.state.filters.value.linked]") == [True, True]
    page.get_by_role("combobox", name="Search").fill("article 43")
    page.keyboard.press("Enter")
    expect(page.locator(".panel h2")).to_have_text("article 43")
    page.locator(".filter-note").get_by_role("button", name="Clear").click()
    page.wait_for_function("() => !location.hash.includes('filter')")
    page.go_back()
    page.wait_for_function("() => location.hash.includes('filter')")
    assert {item % 10 for item in passing(page) if item < COUNT} == {2, 3}


def test_dates_are_played(opened: Opened, shop: Path) -> None:
    page = opened(shop, **MOTION)
    opened_at(page, "day")
    page.get_by_role("button", name="Play through day").click()
    page.wait_for_function("() => document.querySelector('.mrsne').app.state.filters.value.rules.has('0.2')")
    first = evaluated(page, "app.state.filters.value.rules.get('0.2').to")
    page.wait_for_function(
        "(first) => document.querySelector('.mrsne').app.state.filters.value.rules.get('0.2').to > first", arg=first
    )
    page.get_by_role("button", name="Play through day").click()  # pause
    paused = evaluated(page, "app.state.filters.value.rules.get('0.2').to")
    page.wait_for_timeout(1200)
    assert evaluated(page, "app.state.filters.value.rules.get('0.2').to") == paused


def test_back_ends_what_is_playing(opened: Opened, shop: Path) -> None:
    page = opened(shop, **MOTION)
    opened_at(page, "day")
    evaluated(page, "app.go(3)")
    page.get_by_role("button", name="Play through day").click()
    page.wait_for_function("() => document.querySelector('.mrsne').app.state.filters.value.rules.has('0.2')")
    page.go_back()
    expect(page.locator(".panel h2")).to_be_hidden()
    page.wait_for_timeout(1200)
    assert evaluated(page, "app.state.filters.value.rules.size") == 0
    expect(page.get_by_role("button", name="Play through day")).not_to_have_attribute("aria-pressed", "true")


def test_who_wants_no_motion_plays_step_by_step(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "day")
    ends = []
    for _ in range(2):
        page.get_by_role("button", name="Play through day").click()
        page.wait_for_timeout(700)
        ends.append(evaluated(page, "app.state.filters.value.rules.get('0.2').to"))
    assert 27 < ends[1] - ends[0] < 32, "a month"


def test_escape_closes_the_panel_and_keeps_the_filters(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "stock", "note")
    page.get_by_role("slider", name="stock from", exact=True).press("ArrowRight")
    rested(page)
    by_stock = len(passing(page))
    assert by_stock == COUNT - 20 + 5
    box = page.get_by_label("Words in note")
    box.fill("7")
    expect(page.locator(".filters p.passing")).not_to_contain_text(f"{by_stock} of")
    rested(page)
    by_both = len(passing(page))
    assert 0 < by_both < by_stock
    page.keyboard.press("Escape")  # in a box of words, which browsers would empty
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.locator(".stage")).to_be_focused()
    rested(page)
    assert len(passing(page)) == by_both
    page.keyboard.press("f")
    expect(page.locator(".filters")).to_be_visible()
    assert box.input_value() == "7"


def test_words_that_were_cleared_do_not_come_back(opened: Opened, shop: Path) -> None:
    page = opened(shop)
    opened_at(page, "stock", "note")
    page.get_by_role("slider", name="stock from", exact=True).press("ArrowRight")
    box = page.get_by_label("Words in note")
    page.evaluate(
        """() => {
            const box = document.querySelector(".filters .text input");
            box.focus(); // which it keeps where buttons do not take it, as in Safari
            box.value = "dog";
            box.dispatchEvent(new Event("input"));
            document.querySelector(".filters .passing button").click(); // Clear, at once
        }"""
    )
    page.wait_for_timeout(300)
    assert len(passing(page)) == COUNT + 5
    assert box.input_value() == ""
    box.fill("dog")
    evaluated(page, "app.toggle('filters')")  # who closes the panel at once does not lose them
    assert [item for item in passing(page) if item < COUNT] == [0, 1, 2]


def test_back_empties_the_box_of_a_filter_that_is_gone(opened: Opened, shop: Path) -> None:
    page = opened(shop, fresh=True)
    evaluated(page, "app.go(7)")
    rested(page)
    opened_at(page, "note")
    box = page.get_by_label("Words in note")
    box.press_sequentially("dog ")
    page.wait_for_function("() => location.hash.includes('dog')")
    assert box.input_value() == "dog ", "a blank before the next word stays"
    page.go_back()
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.go_forward()
    expect(box).to_have_value("dog")


def test_an_open_end_is_told_in_few_digits_and_a_typed_one_exactly(opened: Opened, tmp_path: Path) -> None:
    scores = np.linspace(0.12345678, 0.9084803, 50)
    Embedding({"dot": [[i % 7, i // 7] for i in range(50)]}).to_html(
        tmp_path / "map.html", columns={"dot": {"score": scores}}, report=False
    )
    page = opened(tmp_path / "map.html")
    opened_at(page, "score")
    low, high = (page.get_by_label(f"score {end}, exactly") for end in ("from", "to"))
    assert [low.input_value(), high.input_value()] == ["0.1234", "0.9085"]
    typed(page, "score from", "0.45678")
    assert low.input_value() == "0.45678"
    typed(page, "score from", "0.1234")
    assert evaluated(page, "app.state.filters.value.rules.size") == 0, "which leaves it open"


@pytest.mark.parametrize("dimmed", [False, True])
def test_the_table_lists_what_passes(opened: Opened, shop: Path, dimmed: bool) -> None:
    page = opened(shop, fragment="#filter=" + quote('{"article":{"stock":{"from":3,"to":5}}}') + "&dim=1" * dimmed)
    page.keyboard.press("t")
    kinds = page.get_by_role("region", name="Table").get_by_role("tab")
    expect(kinds.first).to_contain_text(f"{3 * COUNT // 10}")
    page.locator(".filter-note").get_by_role("button", name="Clear").click()
    expect(kinds.first).to_contain_text(f"{COUNT}")
    page.keyboard.press("t")


@pytest.mark.parametrize("key", ["f", "c"])
@pytest.mark.parametrize("height", [1080, 900, 720, 420])
def test_panels_and_the_legend_do_not_cover_each_other(opened: Opened, emoji_page: Path, height: int, key: str) -> None:
    page = opened(emoji_page, fresh=True, viewport={"width": 1400, "height": height})
    page.keyboard.press(key)
    rested(page)
    for section in page.locator(".filters details").all() if key == "f" else []:
        section.evaluate("(each) => (each.open = true)")
    panel, legend = page.locator(".filters" if key == "f" else ".contents"), page.locator(".legend")
    expect(panel).to_be_visible()
    if legend.evaluate("(element) => getComputedStyle(element).visibility") == "hidden":
        assert height < 500
    else:
        above, below = panel.bounding_box(), legend.bounding_box()
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"]
