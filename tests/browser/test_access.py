"""By keys alone, with a screen reader, on a phone, at 200 %."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, evaluated, place_of, rested

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


def test_everything_by_keys(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    before = evaluated(page, "app.stage.camera.view")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("+")
    after = evaluated(page, "app.stage.camera.view")
    assert after["x"] > before["x"]
    assert after["y"] > before["y"]
    assert after["k"] > before["k"]
    page.keyboard.press("0")
    rested(page)
    assert evaluated(page, "app.stage.camera.view") == before
    evaluated(page, "(app.state.hovered.value = -1)")
    page.keyboard.press("0")
    assert evaluated(page, "app.state.hovered.value") == -1, "the whole map is about no item"
    page.keyboard.press("Enter")
    heading = page.locator(".panel h2")
    expect(heading).to_be_visible()
    middle = heading.inner_text()
    expect(page.locator("[aria-live]")).to_contain_text(middle)
    assert page.evaluate("document.activeElement.className") == "panel"
    for _ in range(4):  # close, go there, select linked, copy link
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    linked = page.evaluate("document.activeElement.title")
    page.keyboard.press("Enter")
    expect(heading).to_have_text(linked)
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("dog")
    page.keyboard.press("Enter")
    expect(heading).to_have_text("dog")
    page.locator(".stage").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_letters_are_commands_on_the_map_and_letters_in_the_search(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    page.keyboard.press("l")
    assert evaluated(page, "app.state.mode.value") == "lasso"
    page.keyboard.press("b")
    assert evaluated(page, "app.state.mode.value") == "box"
    page.keyboard.press("Escape")
    assert evaluated(page, "app.state.mode.value") == "pan"
    page.keyboard.press("/")
    page.keyboard.type("ldb?0")
    assert page.get_by_role("combobox", name="Search").input_value() == "ldb?0"
    assert evaluated(page, "app.state.mode.value") == "pan"
    assert page.get_attribute(".mrsne", "data-theme") == "light"


def test_keys_are_the_maps_again_after_a_search_and_after_escape(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    box = page.get_by_role("combobox", name="Search")
    page.keyboard.press("/")
    page.keyboard.type("tree")
    page.keyboard.press("Enter")
    expect(page.locator(".panel h2")).to_have_text("tree")
    expect(page.locator(".stage")).to_be_focused()
    page.keyboard.press("l")
    assert evaluated(page, "app.state.mode.value") == "lasso"
    assert box.input_value() == "tree"
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type("gra")
    expect(page.get_by_role("option", name="graph")).to_be_visible()
    page.keyboard.press("Escape")  # the suggestions
    expect(box).to_be_focused()
    page.keyboard.press("Escape")  # the box
    expect(page.locator(".stage")).to_be_focused()
    assert box.input_value() == ""
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()


def test_the_focus_can_be_seen(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate(
            "getComputedStyle(document.activeElement.closest('.bar') ?? document.activeElement).outlineStyle"
        )
        name = page.evaluate("document.activeElement.outerHTML.slice(0, 80)")
        assert outline != "none" or name.startswith(("<body", '<div class="stage"')), name


def serious(page: Page) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{fault['id']}: {node['html'][:120]}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", ["desktop", "phone"])
def test_axe_finds_no_serious_violation(opened: Opened, emoji_page: Path, theme: str, place: str) -> None:
    settings = PHONE if place == "phone" else {}
    page = opened(emoji_page, bypass_csp=True, **settings)
    if theme == "dark":
        page.get_by_role("button", name="Switch between light and dark").click()
    assert serious(page) == []
    page.get_by_role("combobox", name="Search").fill("dog")
    page.locator(".search [role=option]").first.wait_for()
    assert serious(page) == []
    page.get_by_role("combobox", name="Search").press("Enter")
    page.locator(".panel h2").wait_for()
    rested(page)
    assert serious(page) == []
    page.keyboard.press("Escape")
    evaluated(page, "(app.state.pinned.value = -1, app.state.selection.value = [1, 2, 3, 1700, 1701])")
    assert serious(page) == []
    page.keyboard.press("t")
    page.locator(".table .row").first.wait_for()
    assert serious(page) == []
    page.locator(".table summary").click()
    page.get_by_role("button", name="Their links").wait_for()
    assert serious(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    evaluated(page, "(app.state.selection.value = [])")
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("slider", name="number from").press("ArrowRight")
    rested(page)
    assert serious(page) == []
    page.keyboard.press("Escape")
    assert serious(page) == []
    page.get_by_role("button", name="About this map").click()
    assert serious(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Help").click()
    assert serious(page) == []


def test_a_phone(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    mark = evaluated(page, "app.stage.marks.shown.thumbnails.find((mark) => mark.y > 300 && mark.x < 300)")
    page.touchscreen.tap(mark["x"], mark["y"])
    panel = page.locator(".panel")
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["height"] <= 0.5 * 780
    panel.get_by_role("button", name="Go there").click()
    rested(page)
    name = panel.locator("h2").inner_text()
    assert place_of(page, "image", name)[1] < box["y"], "not behind the panel"


def test_a_phone_that_is_turned_or_opens_the_table_still_shows_what_is_pinned(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, fresh=True, **PHONE)
    mark = evaluated(page, "app.stage.marks.shown.thumbnails.find((mark) => mark.y > 250 && mark.x < 300)")
    page.touchscreen.tap(mark["x"], mark["y"])
    panel = page.locator(".panel")
    name = panel.locator("h2").inner_text()

    def uncovered() -> bool:
        rested(page)
        x, y = place_of(page, "image", name)
        size = evaluated(page, "[app.stage.camera.width, app.stage.camera.height]")
        box = panel.bounding_box() if panel.is_visible() else None
        behind = box and box["x"] < x < box["x"] + box["width"] and box["y"] < y < box["y"] + box["height"]
        return 0 < x < size[0] and 0 < y < size[1] and not behind

    assert uncovered()
    page.set_viewport_size({"width": 780, "height": 390})
    page.wait_for_function("() => innerWidth === 780")
    assert uncovered()
    page.set_viewport_size({"width": 390, "height": 780})
    page.wait_for_function("() => innerWidth === 390")
    assert uncovered()
    evaluated(page, "app.toggle('table')")
    assert uncovered()
    evaluated(page, "app.stage.camera.pan(0, 150)")
    evaluated(page, "app.toggle('table')")
    assert uncovered()


def test_two_fingers_zoom(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, **PHONE)
    before = evaluated(page, "app.stage.camera.k")
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, points: list[tuple[int, int]]) -> None:
        given = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(points)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": given})

    touch("touchStart", [(180, 400), (220, 400)])
    for spread in range(10, 110, 10):
        touch("touchMove", [(180 - spread, 400), (220 + spread, 400)])
    touch("touchEnd", [])
    rested(page)
    assert evaluated(page, "app.stage.camera.k") > 2.5 * before
    assert evaluated(page, "app.state.pinned.value") == -1


def test_at_200_percent_nothing_covers_anything(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, viewport={"width": 640, "height": 512}, device_scale_factor=2)
    boxes = {name: page.locator(name).bounding_box() for name in (".bar", ".legend", ".controls")}
    for name, box in boxes.items():
        assert box is not None
        assert box["x"] >= 0, name
        assert box["y"] >= 0, name
        assert box["x"] + box["width"] <= 640, name
        assert box["y"] + box["height"] <= 512, name
        for other, its in boxes.items():
            assert its is not None
            apart_x = box["x"] + box["width"] <= its["x"] or its["x"] + its["width"] <= box["x"]
            apart_y = box["y"] + box["height"] <= its["y"] or its["y"] + its["height"] <= box["y"]
            assert name == other or apart_x or apart_y, (name, other)


def test_two_taps_of_a_finger_zoom_and_pin_nothing(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, fresh=True, **PHONE)
    before = evaluated(page, "app.stage.camera.k")
    mark = evaluated(page, "app.stage.marks.shown.thumbnails[0]")
    page.touchscreen.tap(mark["x"], mark["y"])
    page.touchscreen.tap(mark["x"] + 12, mark["y"])  # fingers are not as exact as a mouse
    rested(page)
    assert evaluated(page, "app.stage.camera.k") > before
    assert evaluated(page, "app.state.pinned.value") == -1
