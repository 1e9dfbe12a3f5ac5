"""The table below the map: its rows, their order, the way to their items, and what is saved of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from mrsne import Embedding, RelationalData
from tests.browser.conftest import Opened, evaluated, rested
from tests.browser.test_access import PHONE

DAYS = ["2001-05-17", "NaT", "1999-12-31", "2020-02-29"]


@pytest.fixture(scope="module")
def works_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four works with every sort of column, and two subjects; labels take the place of ids."""
    path = tmp_path_factory.mktemp("works") / "works.html"
    data = RelationalData(
        {"work": 4, "subject": 2},
        {("work", "subject"): [(0, 0), (3, 0), (3, 1)]},
        names={"work": ["N10", "N9", "N8", "N11"], "subject": ["sea", "air"]},
        labels={"work": ["Sea", "<b>Untitled</b>", "=1+1", "Harbour"]},
    )
    columns: dict[str, Any] = {
        "year": [1900.0, 1850.0, np.nan, 1851.0],
        "medium": ["oil", "ink", None, "ink"],
        "acquired": np.array(DAYS, dtype="datetime64[D]"),
    }
    places = {"work": [[0, 0], [0, 20], [20, 0], [20, 20]], "subject": [[10, 10], [12, 10]]}
    Embedding(places).to_html(path, data, columns={"work": columns}, title="Works", report=False)
    return path


@pytest.fixture(scope="module")
def many_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More rows than a page can be tall."""
    path = tmp_path_factory.mktemp("many") / "many.html"
    count = 300_000
    places = np.random.default_rng(0).uniform(size=(count, 2))
    Embedding({"dot": places}).to_html(path, columns={"dot": {"value": np.arange(count)[::-1]}}, title="Many")
    return path


def opened_table(page: Page) -> Locator:
    page.keyboard.press("t")
    table = page.get_by_role("region", name="Table")
    expect(table).to_be_visible()
    rested(page)
    return table


def top_of(part: Locator) -> float:
    box = part.bounding_box()
    assert box is not None
    return box["y"]


def column(table: Locator, title: str) -> list[str]:
    titles = table.get_by_role("columnheader").all_inner_texts()
    at = titles.index(title)
    return [row.get_by_role("gridcell").nth(at).inner_text() for row in table.locator(".row").all()]


def sort_by(table: Locator, title: str, order: str) -> None:
    heading = table.get_by_role("columnheader", name=title, exact=True)
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", order)


def saved(page: Page, choice: str) -> list[list[str]]:
    page.locator(".table summary").click()
    with page.expect_download() as waiting:
        page.locator(".table .choices").get_by_role("button", name=choice).click()
    return list(csv.reader(io.StringIO(Path(waiting.value.path()).read_text("utf-8-sig"), newline="")))


def test_it_tells_all_that_is_known_of_a_kind(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    titles = ["Name", "Id", "Links", "year", "medium", "acquired"]
    assert table.get_by_role("columnheader").all_inner_texts() == titles
    rows = [row.get_by_role("gridcell").all_inner_texts() for row in table.locator(".row").all()]
    assert rows == [
        ["Sea", "N10", "1", "1900", "oil", "2001-05-17"],
        ["<b>Untitled</b>", "N9", "0", "1850", "ink", "–"],
        ["=1+1", "N8", "0", "–", "–", "1999-12-31"],
        ["Harbour", "N11", "2", "1851", "ink", "2020-02-29"],
    ]
    expect(table.get_by_role("tab")).to_have_text(["work4", "subject2"])
    table.get_by_role("tab", name="subject").click()
    expect(table.get_by_role("columnheader")).to_have_text(["Name", "Links"])
    assert column(table, "Name") == ["sea", "air"]


def test_headings_sort_with_missing_values_last(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    sort_by(table, "year", "ascending")
    assert column(table, "year") == ["1850", "1851", "1900", "–"]
    sort_by(table, "year", "descending")
    assert column(table, "year") == ["1900", "1851", "1850", "–"]
    expect(page.locator("[aria-live]")).to_have_text("4 rows, sorted by year, descending")
    sort_by(table, "year", "none")
    assert column(table, "Id") == ["N10", "N9", "N8", "N11"]
    table.get_by_role("columnheader", name="Id").get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(table.get_by_role("columnheader", name="Id").get_by_role("button")).to_be_focused()
    assert column(table, "Id") == ["N8", "N9", "N10", "N11"]


def test_it_lists_what_is_selected_or_in_view_and_shown(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    evaluated(page, "(app.state.selection.value = [3, 5, 1])")
    expect(table.get_by_role("tab")).to_have_text(["work2", "subject1"])
    expect(table.locator(".about")).to_have_text("Selected")
    assert column(table, "Id") == ["N9", "N11"]
    page.locator(".legend label", has_text="work").get_by_role("checkbox").click()
    expect(table.get_by_role("tab")).to_have_text(["work0", "subject1"])
    assert column(table, "Name") == ["air"], "the chosen kind has nothing to list"
    page.locator(".legend label", has_text="work").get_by_role("checkbox").click()
    evaluated(page, "(app.state.selection.value = [])")
    expect(table.locator(".about")).to_have_text("In view")
    assert column(table, "Id") == ["N10", "N9", "N8", "N11"]
    evaluated(page, "app.stage.camera.look({ x: -1, y: -1, k: 900 })")
    expect(table.locator(".row")).to_have_count(1)
    assert column(table, "Id") == ["N10"]
    evaluated(page, "app.stage.camera.look({ x: 0, y: 1.4, k: 2000 })")
    expect(table.locator(".hint")).to_have_text("Nothing is in view.")


def test_a_row_leads_to_its_item_and_the_map_to_its_row(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    row = table.locator(".row", has_text="Harbour")
    box = row.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 50, box["y"] + 5)
    page.mouse.move(box["x"] + 60, box["y"] + 9)
    assert evaluated(page, "app.state.hovered.value") == 3
    row.click()
    expect(page.locator(".panel h2")).to_have_text("Harbour")
    rested(page)
    assert evaluated(page, "[Math.sign(app.stage.camera.x), Math.sign(app.stage.camera.y)]") == [1, 1]
    page.wait_for_timeout(400)  # until the view counts as at rest
    expect(row).to_have_attribute("aria-selected", "true")
    expect(table.locator(".row")).to_have_count(4)
    expect(table.locator(".about")).to_have_text("In the previous view")
    table.get_by_role("button", name="List this view").click()
    expect(table.locator(".row")).to_have_count(1)
    evaluated(page, "(app.state.pinned.value = -1, app.state.selection.value = [0, 1, 2])")
    expect(table.locator(".row")).to_have_count(3)
    evaluated(page, "(app.state.pinned.value = 2)")
    expect(table.locator(".row[aria-selected=true]")).to_contain_text("=1+1")


def test_by_keys(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    grid = table.get_by_role("grid")
    expect(grid).to_be_focused()

    def current() -> str:
        return table.locator(f"#{grid.get_attribute('aria-activedescendant')}").inner_text().split("\n")[0]

    assert current() == "Sea"
    for key, name in [("ArrowDown", "<b>Untitled</b>"), ("End", "Harbour"), ("ArrowUp", "=1+1"), ("Home", "Sea")]:
        page.keyboard.press(key)
        assert current() == name
    assert evaluated(page, "app.state.hovered.value") == 0
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".panel h2")).to_have_text("<b>Untitled</b>")
    expect(grid).to_be_focused()
    table.get_by_role("tab", name="work").focus()
    page.keyboard.press("ArrowRight")
    expect(table.get_by_role("tab", name="subject")).to_be_focused()
    assert column(table, "Name") == ["sea", "air"]
    before = evaluated(page, "app.stage.camera.height")
    table.get_by_role("separator").focus()
    page.keyboard.press("ArrowUp")
    rested(page)
    assert evaluated(page, "app.stage.camera.height") < before
    page.keyboard.press("Escape")
    expect(table).to_be_hidden()
    expect(page.locator(".stage")).to_be_focused()


def test_the_map_is_beside_the_table_not_behind(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    page.keyboard.press("Escape")
    expect(table).to_be_hidden()
    opened_table(page)
    top = top_of(table)
    places = "Array.from(app.content.y, (y) => app.stage.camera.screenY(y))"
    assert max(evaluated(page, places)) < top
    grip = table.get_by_role("separator").bounding_box()
    assert grip is not None
    page.mouse.move(600, grip["y"] + 6)
    page.mouse.down()
    page.mouse.move(600, 300, steps=4)
    page.mouse.up()
    rested(page)
    assert top_of(table) == pytest.approx(300, abs=2)
    assert max(evaluated(page, places)) < 300
    for part in (".legend", ".controls"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 301, part


def test_what_is_listed_is_saved_as_sorted(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    evaluated(page, "(app.state.selection.value = [0, 2, 3, 4])")
    sort_by(table, "year", "ascending")
    rows = saved(page, "Items")
    assert rows[0] == ["kind", "id", "label", "x", "y", "links", "year", "medium", "acquired"]
    assert [row[:3] + row[5:] for row in rows[1:]] == [
        ["work", "N11", "Harbour", "2", "1851", "ink", "2020-02-29"],
        ["work", "N10", "Sea", "1", "1900", "oil", "2001-05-17"],
        ["work", "N8", "=1+1", "0", "", "", "1999-12-31"],
    ]
    assert [float(value) for value in rows[1][3:5]] == pytest.approx([20, 20], abs=1e-5)
    assert saved(page, "Their links") == [
        ["kind", "id", "linked_kind", "linked_id", "weight"],
        ["work", "N11", "subject", "sea", "1"],
        ["work", "N11", "subject", "air", "1"],
        ["work", "N10", "subject", "sea", "1"],
    ]
    page.locator(".table summary").click()
    expect(page.locator(".table code")).to_have_count(0)  # there are no pictures


def test_the_focus_is_still_in_the_table_after_a_choice(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    table.get_by_role("grid").press("Enter")
    again = table.get_by_role("button", name="List this view")
    again.press("Enter")
    expect(again).to_be_hidden()
    expect(table.get_by_role("grid")).to_be_focused()
    menu = table.locator("summary")
    for choice in ("Items", "Their links"):
        menu.press("Enter")
        rested(page)  # the choices are new
        with page.expect_download():
            table.locator(".choices").get_by_role("button", name=choice).press("Enter")
        expect(menu).to_be_focused()
        expect(table.locator(".choices")).to_be_hidden()
    menu.press("Enter")
    rested(page)  # the choices are new
    table.locator(".choices button").first.focus()
    evaluated(page, "void (app.state.selection.value = [0, 2])")  # which lists other rows and closes the menu
    expect(table.locator(".row")).to_have_count(2)
    expect(menu).to_be_focused()


def test_a_kind_without_rows_cannot_be_chosen(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    evaluated(page, "(app.state.selection.value = [4, 5])")
    expect(table.get_by_role("tab", selected=True)).to_contain_text("subject")
    expect(table.get_by_role("tab", name="work")).to_be_disabled()
    evaluated(page, "(app.state.selection.value = [0, 4])")
    expect(table.get_by_role("tab", name="work")).to_be_enabled()


def test_a_screen_reader_is_told_that_the_table_is_busy(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    evaluated(page, "app.panel('table').tell('Sorting …')")
    expect(table).to_have_attribute("aria-busy", "true")
    evaluated(page, "app.panel('table').tell()")
    assert table.get_attribute("aria-busy") is None


def test_pictures_are_copied_by_a_command(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    table = opened_table(page)
    painted = "() => [...document.querySelectorAll('.table .thumb')].every((canvas) => "
    painted += "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean))"
    page.wait_for_function(painted)
    page.locator(".table summary").click()
    saved = "mrsne export map.npz --items items.csv --copy pictures"
    expect(table.locator("code")).to_have_text(saved)
    page.locator(".table summary").click()
    name = evaluated(page, "app.content.regions.all[0].name")
    evaluated(page, "app.selectRegion(0)")
    rested(page)
    page.locator(".table summary").click()
    expect(table.locator("code")).to_have_text(f'mrsne export map.npz --region "{name}" --copy pictures')
    page.locator(".table summary").click()
    rule = "{ kind: 'category', off: new Set([0]), missing: true }"
    evaluated(page, f"(app.state.filters.value = {{ rules: new Map([['0.0', {rule}]]), linked: false }})")
    rested(page)
    page.locator(".table summary").click()
    expect(table.locator("code")).to_have_text(saved)  # a part of the region


def test_the_address_has_the_table_and_its_order(opened: Opened, works_page: Path) -> None:
    page = opened(works_page)
    table = opened_table(page)
    sort_by(table, "medium", "ascending")
    sort_by(table, "medium", "descending")
    evaluated(page, "app.stage.camera.zoom(0.5)")
    page.wait_for_function("() => location.hash.includes('%2C0.5&table=work&sort=-1')")
    again = opened(works_page, fragment=page.evaluate("location.hash"))
    there = again.get_by_role("region", name="Table")
    expect(there.get_by_role("columnheader", name="medium")).to_have_attribute("aria-sort", "descending")
    assert column(there, "medium") == ["oil", "ink", "ink", "–"]
    assert evaluated(again, "app.stage.camera.k / app.stage.camera.whole.k") == pytest.approx(0.5, rel=1e-5)


def test_of_many_rows_only_those_on_screen_are_in_the_page(opened: Opened, many_page: Path) -> None:
    page = opened(many_page)
    table = opened_table(page)
    grid = table.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", "300001")
    assert table.locator(".row").count() < 30
    page.keyboard.press("End")
    last = table.locator(".row").last
    expect(last).to_contain_text("dot 299999")
    expect(last).to_have_attribute("aria-rowindex", "300001")
    row, room = last.bounding_box(), grid.bounding_box()
    assert row is not None
    assert room is not None
    assert row["y"] + row["height"] == pytest.approx(room["y"] + room["height"], abs=2)
    sort_by(table, "value", "ascending")
    expect(table.locator(".row").first).to_contain_text("dot 299999")
    assert column(table, "value")[:3] == ["0", "1", "2"]
    seen: list[int] = []
    box = grid.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    for _ in range(12):
        page.mouse.wheel(0, 120)
        page.wait_for_timeout(60)
        seen += [int(value) for value in column(table, "value")]
    assert set(seen) >= set(range(max(seen))), "no row is skipped"
    assert table.locator(".row").count() < 30


def test_on_a_phone_it_is_a_sheet_and_the_panel_makes_room(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, **PHONE)
    table = opened_table(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = table.bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 390)
    assert box["y"] + box["height"] == pytest.approx(780, abs=1)
    table.locator(".row").nth(1).tap()
    rested(page)
    expect(page.locator(".panel")).to_be_hidden()
    x, y = evaluated(page, "[app.stage.camera.screenX(app.content.x[1]), app.stage.camera.screenY(app.content.y[1])]")
    assert 0 < x < 390
    assert 80 < y < box["y"]
    table.get_by_role("button", name="Close the table").tap()
    expect(page.locator(".panel h2")).to_be_visible()
