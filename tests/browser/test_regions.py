"""Regions on the map: named at every zoom, never one over another, selected by a click, listed in the contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mrsne import Embedding, RelationalData
from tests.browser.conftest import Opened, evaluated, rested
from tests.browser.test_access import PHONE, serious

SUBJECTS = ["beach", "city", "dog", "forest", "kitchen", "mountain", "portrait", "train"]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight subjects around a circle, each of four heaps; half of all pictures are wallpapers, a tag in the middle."""
    random = np.random.default_rng(0)
    each, heaps = 40, 4
    subject = np.repeat(np.arange(8), heaps * each)
    heap = np.repeat(np.arange(8 * heaps), each)
    around = 2 * np.pi * np.arange(8) / 8
    middles = 40 * np.stack([np.cos(around), np.sin(around)], axis=1)
    corners = np.array([[-5, -5], [-5, 5], [5, -5], [5, 5]])
    places = middles[subject] + corners[heap % heaps] + random.normal(size=(len(heap), 2))
    tags = [*SUBJECTS, *(f"{name} {number}" for name in SUBJECTS for number in range(heaps)), "wallpaper"]
    links = [(i, subject[i]) for i in range(len(heap))] + [(i, 8 + heap[i]) for i in range(len(heap))]
    links += [(i, 40) for i in range(0, len(heap), 2)]
    tag_places = [*middles, *(middles[h // heaps] + corners[h % heaps] for h in range(32)), [0, 0]]
    data = RelationalData({"photo": len(heap), "tag": len(tags)}, {("photo", "tag"): links}, names={"tag": tags})
    path = tmp_path_factory.mktemp("photographs") / "photographs.html"
    embedding = Embedding({"photo": places, "tag": tag_places})
    embedding.to_html(path, data, title="Photographs", theme="light", report=False)
    return path


def names(page: Page) -> list[str]:
    """Return the first words of the regions that are named on the screen."""
    return sorted(evaluated(page, "app.stage.regions.shown.map((mark) => app.content.regions.all[mark.item].words[0])"))


def look(page: Page, zoom: float, place: tuple[float, float] | None = None) -> None:
    """Zoom to so many times the whole map."""
    evaluated(
        page,
        "app.stage.camera.look({ ...app.stage.camera.whole, ...(given[1] ? { x: given[1][0], y: given[1][1] } : {}), "
        "k: given[0] * app.stage.camera.whole.k })",
        [zoom, place],
    )
    rested(page)


def middle_of(page: Page, word: str) -> tuple[float, float]:
    """Return where on the screen the name of a region is."""
    mark = evaluated(
        page, "app.stage.regions.shown.find((mark) => app.content.regions.all[mark.item].words[0] === given)", word
    )
    return mark["x"], mark["y"]


def overlaps(page: Page) -> list[Any]:
    """Return pairs of names, of regions and of items, that cover each other."""
    found: list[Any] = evaluated(
        page,
        """(() => {
            const { regions, marks } = app.stage;
            const ofRegions = regions.shown.map((mark) => ({ ...mark, name: app.content.regions.all[mark.item].name }));
            const ofItems = marks.shown.names.map((mark) => ({ ...mark, name: app.content.name(mark.item) }));
            const all = [...ofRegions, ...ofItems];
            const apart = (a, b, axis, side) => 2 * Math.abs(a[axis] - b[axis]) >= a[side] + b[side];
            const pairs = all.flatMap((a, at) => all.slice(at + 1).map((b) => [a, b]));
            const covering = pairs.filter(([a, b]) => !apart(a, b, "x", "width") && !apart(a, b, "y", "height"));
            return covering.map((pair) => pair.map((mark) => mark.name));
        })()""",
    )
    return found


def test_the_overview_names_the_regions_and_closer_views_their_parts(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    assert names(page) == SUBJECTS
    labels = page.locator(".region-label.shown strong")
    assert sorted(labels.all_inner_texts()) == SUBJECTS
    x, y = evaluated(page, "[app.content.regions.all[0].x, app.content.regions.all[0].y]")
    subject = evaluated(page, "app.content.regions.all[0].words[0]")
    look(page, 6, (x, y))
    assert names(page) == [f"{subject} {number}" for number in range(4)]
    shown = page.locator(".region-shapes path.shown")
    assert shown.count() >= 4


def test_a_tag_of_half_of_all_pictures_names_nothing_in_the_overview(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    on_screen = evaluated(page, "app.stage.marks.shown.names.map((mark) => app.content.name(mark.item))")
    assert "wallpaper" not in on_screen
    assert not any("wallpaper" in region for region in evaluated(page, "app.content.regions.all.map((r) => r.name)"))
    look(page, 8, (0, 0))
    on_screen = evaluated(page, "app.stage.marks.shown.names.map((mark) => app.content.name(mark.item))")
    assert "wallpaper" in on_screen  # it is there for someone who looks closely


def test_no_name_covers_another_at_any_zoom(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    counts = set()
    for zoom in (0.6, 1, 1.5, 2.2, 3.3, 5, 8, 14):
        look(page, zoom, (0.1, 0.05))
        assert overlaps(page) == []
        counts.add(len(names(page)))
    assert max(counts) > 4


def test_an_item_is_not_named_beside_a_region_of_the_same_name(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    on_screen = evaluated(page, "app.stage.marks.shown.names.map((mark) => app.content.name(mark.item))")
    assert not set(on_screen) & set(SUBJECTS)
    page.keyboard.press("c")
    page.get_by_label("Names on the map").uncheck()
    rested(page)
    assert names(page) == []
    on_screen = evaluated(page, "app.stage.marks.shown.names.map((mark) => app.content.name(mark.item))")
    assert set(on_screen) >= set(SUBJECTS)
    page.get_by_label("Names on the map").check()
    page.keyboard.press("Escape")


def test_closer_only_the_largest_word_of_a_region_stands_for_its_item(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    regions = "app.stage.regions.shown.map((mark) => app.content.regions.all[mark.item])"
    assert evaluated(page, f"{regions}.every((region) => region.words.every((word) => app.stage.regions.says(word)))")
    look(page, 5, (evaluated(page, "app.content.regions.all[0].x"), evaluated(page, "app.content.regions.all[0].y")))
    shown = evaluated(page, f"{regions}.map((region) => [region.depth, region.words])")
    deeper = [words for depth, words in shown if depth > 0 and len(words) > 1]
    assert deeper
    largest = {words[0] for _, words in shown}
    small = {word for words in deeper for word in words[1:]} - largest
    assert small
    assert not evaluated(page, "given.some((word) => app.stage.regions.says(word))", sorted(small))


def test_a_kind_that_is_left_alone_has_all_names_that_fit(opened: Opened, photographs: Path) -> None:
    named = "app.stage.marks.shown.names.map((mark) => app.content.name(mark.item))"
    page = opened(photographs, "#hide=" + quote('["photo"]'))
    assert "wallpaper" in evaluated(page, named), "a generic word steps back among others only"
    page = opened(photographs)
    assert "wallpaper" not in evaluated(page, named)


def test_a_click_on_a_name_selects_what_is_in_the_region(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    page.mouse.move(*middle_of(page, "dog"))
    expect(page.locator(".region-label.hovered strong")).to_have_text("dog")
    page.mouse.click(*middle_of(page, "dog"))
    panel = page.locator(".panel")
    expect(panel.locator("h2")).to_contain_text("dog")
    members = evaluated(page, "app.state.selection.value.filter((item) => app.content.domainOf[item] === 0)")
    assert set(members) <= set(range(320, 480))
    assert len(members) > 150  # but for some that are far from all others
    expect(panel).to_contain_text(f"{len(members)} of 1,280")
    expect(page.locator("[aria-live]")).to_contain_text("selected")
    part = evaluated(page, "app.content.regions.all.find((one) => one.parent === app.state.region.value).name")
    assert part.startswith("dog ")
    panel.get_by_role("button", name=part, exact=True).first.click()
    rested(page)
    expect(panel.locator("h2")).to_have_text(part)
    panel.locator(".path").get_by_role("button", name="dog", exact=True).click()  # back to what it is a part of
    expect(panel.locator("h2")).to_contain_text("dog")
    page.get_by_role("button", name="Clear the selection").click()
    expect(panel).to_be_hidden()
    assert evaluated(page, "app.state.region.value") == -1


def test_the_contents_list_all_regions_and_lead_there_by_keys(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, fresh=True)
    page.keyboard.press("c")
    tree = page.get_by_role("tree", name="Contents")
    expect(tree.get_by_role("treeitem")).to_have_count(8)
    first = tree.get_by_role("treeitem").first
    expect(first).to_be_focused()
    subject = evaluated(page, "app.content.regions.all[0].words[0]")
    name, count = evaluated(page, "[app.content.regions.all[0].name, app.content.regions.all[0].count]")
    expect(first).to_have_accessible_name(f"{name} {count}")
    page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("aria-expanded", "true")
    expect(tree.get_by_role("treeitem")).to_have_count(12)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    rested(page)
    chosen = evaluated(page, "app.content.regions.all[app.state.region.value].words[0]")
    assert chosen.startswith(f"{subject} ")
    expect(page.locator(".panel h2")).to_contain_text(chosen)
    shown = evaluated(page, "app.content.regions.all[app.state.region.value].box")
    x0, x1 = (evaluated(page, "app.stage.camera.screenX(given)", shown[side]) for side in ("x0", "x1"))
    contents, panel = (page.locator(name).bounding_box() for name in (".contents", ".panel"))
    assert contents is not None
    assert panel is not None
    assert contents["x"] + contents["width"] <= x0 < x1 <= panel["x"]  # beside both
    page.keyboard.press("ArrowLeft")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(first).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Escape")
    expect(page.locator(".contents")).to_be_hidden()
    expect(page.locator(".stage")).to_be_focused()


def test_a_button_opens_the_contents_and_pointing_at_a_row_shows_the_region(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    switch = page.get_by_role("button", name="Contents", exact=True)
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    row = page.get_by_role("treeitem").nth(2)
    row.hover()
    name = evaluated(page, "app.content.regions.all[app.state.hoveredRegion.value].name")
    assert name == row.get_attribute("title")
    expect(page.locator(".region-shapes path.hovered.shown")).to_have_count(1)
    row.locator(".turn").click()
    expect(row).to_have_attribute("aria-expanded", "true")
    assert evaluated(page, "app.state.region.value") == -1
    switch.click()
    expect(page.locator(".contents")).to_be_hidden()


def test_an_address_restores_the_region_and_back_leaves_it(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, fresh=True)
    page.mouse.click(*middle_of(page, "train"))
    expect(page.locator(".panel h2")).to_contain_text("train")
    address = page.url
    assert "region=train" in address
    other = opened(photographs, fragment=address.split(".html")[1])
    expect(other.locator(".panel h2")).to_contain_text("train")
    assert evaluated(other, "app.state.selection.value.length") == evaluated(page, "app.state.selection.value.length")
    name = evaluated(page, "app.content.regions.all[app.state.region.value].name")
    alone = opened(photographs, fragment=f"#region={quote(name)}")  # without a view, the region is in view
    assert evaluated(alone, "app.stage.camera.k") > 1.5 * evaluated(alone, "app.stage.camera.whole.k")
    page.go_back()
    expect(page.locator(".panel")).to_be_hidden()
    assert evaluated(page, "app.state.selection.value") == []


def test_back_from_a_region_returns_to_the_item_that_was_pinned(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, fresh=True)
    page.get_by_role("combobox", name="Search").fill("city 2")
    page.get_by_role("combobox", name="Search").press("Enter")
    heading = page.locator(".panel h2")
    expect(heading).to_have_text("city 2")
    rested(page)
    page.wait_for_timeout(300)  # the view is in the address
    view = evaluated(page, "app.stage.camera.view")
    page.keyboard.press("c")
    page.get_by_role("treeitem").first.click()
    chosen = evaluated(page, "app.content.regions.all[0].name")
    expect(heading).to_have_text(chosen)
    rested(page)
    entries = page.evaluate("history.length")
    page.get_by_role("treeitem").first.click()  # again
    rested(page)
    assert page.evaluate("history.length") == entries
    page.go_back()
    expect(heading).to_have_text("city 2")
    rested(page)
    assert evaluated(page, "app.stage.camera.view") == pytest.approx(view, rel=1e-4, abs=1e-4)
    assert evaluated(page, "app.state.region.value") == -1
    page.go_forward()
    expect(heading).to_have_text(chosen)


def test_a_double_click_on_a_name_is_one_place_to_go_back_to(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, fresh=True)
    evaluated(page, "(app.state.pinned.value = 3)")
    rested(page)
    entries = page.evaluate("history.length")
    page.mouse.dblclick(*middle_of(page, "kitchen"))
    rested(page)
    expect(page.locator(".panel h2")).to_contain_text("kitchen")
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(page.locator(".panel h2")).to_have_text("photo 3")


def test_the_panel_has_the_height_of_a_laptop_screen(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, viewport={"width": 1280, "height": 800})
    evaluated(page, "(app.state.pinned.value = 0)")
    expect(page.locator(".panel h2")).to_be_visible()
    panel, tools = (page.locator(name).bounding_box() for name in (".panel", ".controls"))
    assert panel is not None
    assert tools is not None
    assert panel["height"] > 600
    assert panel["x"] + panel["width"] <= tools["x"]


def test_a_lasso_ends_the_selection_of_a_region(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    page.mouse.click(*middle_of(page, "city"))
    expect(page.locator(".panel h2")).to_contain_text("city")
    evaluated(page, "void (app.state.selection.value = [1, 2, 3])")
    expect(page.locator(".panel h2")).to_have_text("3 items selected")
    assert evaluated(page, "app.state.region.value") == -1
    assert "region=" not in page.url


def test_with_a_filter_a_region_is_what_passes_of_it(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, fresh=True)
    rule = "{ kind: 'range', from: given, to: Infinity, missing: false }"
    setting = f"void (app.state.filters.value = {{ rules: new Map([['0.1', {rule}]]), linked: true }})"
    evaluated(page, setting, 1200)
    rested(page)
    region = evaluated(page, "app.stage.regions.shown[0].item")
    evaluated(page, "app.selectRegion(given)", region)
    chosen = evaluated(page, "app.state.selection.value")
    assert all(evaluated(page, "app.state.selection.value.map(app.stage.isShown)"))
    name = evaluated(page, "app.content.regions.all[given].name", region)
    expect(page.locator("[aria-live]").first).to_have_text(f"{name}: {len(chosen):,} items selected")
    expect(page.locator(".panel")).not_to_contain_text("not pass")
    evaluated(page, setting, 1e9)
    rested(page)
    evaluated(page, "app.goToRegion(given)", (region + 1) % 2)
    expect(page.locator(".flash")).to_contain_text("passes the filters")
    assert evaluated(page, "app.state.region.value") == region


def test_regions_of_which_nothing_is_shown_have_no_name(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    assert len(names(page)) == 8
    for kind in ("photo", "tag"):
        page.locator(".legend label", has_text=kind).locator("input").uncheck()
    rested(page)
    assert names(page) == []
    page.locator(".legend label", has_text="tag").locator("input").check()
    rested(page)
    assert len(names(page)) == 8


def test_escape_closes_the_contents_from_every_part_of_them(opened: Opened, photographs: Path) -> None:
    page = opened(photographs)
    evaluated(page, "(app.state.pinned.value = 3)")
    for part in (page.get_by_label("Names on the map"), page.get_by_role("button", name="Close the contents")):
        evaluated(page, "app.toggle('contents')")
        part.press("Escape")
        expect(page.locator(".contents")).to_be_hidden()
        expect(page.locator(".stage")).to_be_focused()
        assert evaluated(page, "app.state.pinned.value") == 3


def test_a_map_of_few_items_has_neither_regions_nor_contents(opened: Opened, three_page: Path) -> None:
    page = opened(three_page)
    assert names(page) == []
    expect(page.get_by_role("button", name="Contents", exact=True)).to_have_count(0)
    page.keyboard.press("c")
    expect(page.locator(".contents")).to_have_count(0)


def test_names_fade_instead_of_jumping_and_move_with_the_map_meanwhile(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, fresh=True, reduced_motion="no-preference")
    label = page.locator(".region-label", has=page.locator("strong", has_text="dog")).first
    fading = label.evaluate("(label) => parseFloat(getComputedStyle(label).transitionDuration)")
    assert fading > 0.1  # seconds
    before = label.evaluate("(label) => label.style.transform")
    look(page, 6, (0, 0))
    assert label.evaluate("(label) => label.style.transform") != before
    expect(label).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", ["desktop", "phone"])
def test_axe_finds_no_serious_violation_in_regions_and_contents(
    opened: Opened, photographs: Path, theme: str, place: str
) -> None:
    page = opened(photographs, bypass_csp=True, fresh=True, **(PHONE if place == "phone" else {}))
    if theme == "dark":
        page.keyboard.press("d")
    evaluated(page, "app.selectRegion(0)")
    assert serious(page) == []
    page.keyboard.press("c")
    expect(page.locator(".contents")).to_be_visible()
    assert serious(page) == []


def test_on_a_phone_a_tap_on_a_name_opens_the_panel_and_a_row_closes_the_contents(
    opened: Opened, photographs: Path
) -> None:
    page = opened(photographs, fresh=True, **PHONE)
    shown = names(page)
    assert len(shown) >= 4
    page.touchscreen.tap(*middle_of(page, shown[0]))
    expect(page.locator(".panel h2")).to_contain_text(shown[0])
    page.get_by_role("button", name="Contents", exact=True).tap()
    page.get_by_role("treeitem").nth(1).tap()
    rested(page)
    expect(page.locator(".contents")).to_be_hidden()
    expect(page.locator(".panel")).to_be_visible()
    chosen = evaluated(page, "app.content.regions.all[app.state.region.value]")
    panel = page.locator(".panel").bounding_box()
    assert panel is not None
    assert evaluated(page, "app.stage.camera.screenY(given)", chosen["y"]) < panel["y"]


def test_the_name_of_a_region_is_text_and_never_markup(opened: Opened, tmp_path: Path) -> None:
    evil = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", '"><svg onload=alert(3)>', "a\n#?&"]
    random = np.random.default_rng(0)
    corners = np.repeat([[0, 0], [0, 30], [30, 0], [30, 30]], 60, axis=0)
    links = {("photo", "tag"): [(i, i // 60) for i in range(240)]}
    data = RelationalData({"photo": 240, "tag": 4}, links, names={"tag": evil})
    path = tmp_path / "evil.html"
    Embedding({"photo": corners + random.normal(size=(240, 2)), "tag": corners[::60]}).to_html(path, data, report=False)
    page = opened(path, script="window.fired = []; window.alert = (text) => window.fired.push(text);", fresh=True)
    assert sorted(evaluated(page, "app.content.regions.top.map((region) => region.words[0])")) == sorted(evil)
    assert len(names(page)) >= 3  # they are long
    page.keyboard.press("c")
    for number in range(4):
        row = page.get_by_role("treeitem").nth(number)
        row.click()
        name = evaluated(page, "app.content.regions.all[app.state.region.value].words[0]")
        heading = page.locator(".panel h2").text_content() or ""
        assert heading.startswith(" ".join(name.split()))
        address = "new URLSearchParams(location.hash.slice(1)).get('region')"
        assert evaluated(page, f"app.content.regions.named({address})") == evaluated(page, "app.state.region.value")
    assert page.evaluate("window.fired") == []
    assert page.locator("body img, svg[onload]").count() == 0


def test_deep_in_the_map_the_regions_around_tell_where_one_is(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, fresh=True)
    where = page.get_by_role("navigation", name="Where on the map")
    expect(where).to_be_hidden()
    x, y = evaluated(page, "[app.content.x[0], app.content.y[0]]")  # a beach
    look(page, 60, (x, y))
    expect(where).to_be_visible()
    assert where.get_by_role("button").all_inner_texts()[0] == "beach"
    assert len(where.get_by_role("button").all_inner_texts()) == 2
    where.get_by_role("button", name="beach", exact=True).click()
    rested(page)
    expect(page.locator(".panel h2")).to_contain_text("beach")
    assert evaluated(page, "app.stage.camera.k / app.stage.camera.whole.k") < 10


def test_the_line_that_tells_where_one_is_keeps_the_focus(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, fresh=True)
    where = page.get_by_role("navigation", name="Where on the map")
    x, y = evaluated(page, "[app.content.x[0], app.content.y[0]]")
    look(page, 60, (x, y))
    beach = where.get_by_role("button", name="beach", exact=True)
    beach.focus()
    page.keyboard.press("+")
    page.wait_for_timeout(400)  # the view has come to rest
    expect(beach).to_be_focused()
    x, y = evaluated(page, "[app.content.x[400], app.content.y[400]]")  # a dog
    look(page, 60, (x, y))
    expect(where.get_by_role("button").first).to_have_text("dog")
    expect(where.get_by_role("button").last).to_be_focused()
    look(page, 1)
    expect(where).to_be_hidden()
    expect(page.locator(".stage")).to_be_focused()


def test_names_are_whole_on_a_narrow_screen(opened: Opened, photographs: Path) -> None:
    page = opened(photographs, **PHONE)
    width = evaluated(page, "app.stage.camera.width")
    cut = []
    for zoom in (1, 1.3, 1.7, 2.2):
        look(page, zoom)
        marks = evaluated(
            page,
            "app.stage.regions.shown.map((mark) => "
            "({ ...mark, place: app.stage.camera.screenX(app.content.regions.all[mark.item].x) }))",
        )
        assert marks
        placed = [mark for mark in marks if 0 <= mark["place"] <= width]
        cut += [mark for mark in placed if mark["x"] < mark["width"] / 2 or mark["x"] > width - mark["width"] / 2]
        assert overlaps(page) == []
    assert cut == []


def test_outlines_move_with_the_map(opened: Opened, photographs: Path) -> None:
    """They move as a picture until the map rests, and are drawn anew then: in the same places both times."""
    page = opened(photographs, fresh=True)
    rested(page)
    before = evaluated(page, "app.stage.regions.map.getAttribute('transform')")
    places = """(() => {
        const { regions, camera } = app.stage;
        return [...regions.drawn.values()].filter(({ shape }) => shape.classList.contains("shown")).map((each) => {
            const { left, right, top, bottom } = each.shape.getBoundingClientRect();
            const { x0, x1, y0, y1 } = each.region.box;
            const box = [camera.screenX(x0), camera.screenX(x1), camera.screenY(y1), camera.screenY(y0)];
            return [left, right, top, bottom].map((side, at) => side - box[at]);
        });
    })()"""
    for zoom in (1, 1.3):
        evaluated(page, "(app.stage.camera.pan(40, 25), app.stage.camera.zoom(given, 500, 300))", zoom)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        moving = evaluated(page, "app.stage.regions.shapes.style.transform")
        apart = evaluated(page, places)
        assert len(apart) >= 8
        assert np.abs(apart).max() < 3
        page.wait_for_function(
            "() => document.querySelector('.mrsne').app.stage.regions.shapes.style.transform === 'none'"
        )
        assert np.abs(evaluated(page, places)).max() < 3
        assert moving != "none"
    assert evaluated(page, "app.stage.regions.map.getAttribute('transform')") != before
