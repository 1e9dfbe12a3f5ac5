"""Two maps side by side: what is done in one is done in the other."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mrsne import Embedding, RelationalData, metrics
from tests.browser.conftest import Opened, evaluated, rested
from tests.browser.test_access import serious

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture(scope="module")
def two_maps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grid of photos and its words; in the second map one photo is elsewhere, one word gone, and two photos new."""
    grid = np.array([[x, y] for x in range(10) for y in range(10)], float)
    words = np.array([[2, 2], [7, 2], [2, 7]], float)
    names = {"photo": [f"photo {i}" for i in range(100)], "word": ["cat", "dog", "sea"]}
    links = {("photo", "word"): [(i, i % 3) for i in range(100)]}
    first = Embedding(
        {"photo": grid, "word": words}, data=RelationalData({"photo": 100, "word": 3}, links, names=names)
    )
    later = np.concatenate([[[4.5, 4.5], [5.5, 5.5]], grid])
    later[2 + 11] = [9.5, 9.5]
    new_names = {"word": ["cat", "dog"], "photo": ["new 0", "new 1", *names["photo"]]}
    new_links = {("photo", "word"): [(i + 2, i % 3) for i in range(100) if i % 3 < 2]}
    second = Embedding(
        {"word": 2 * words[:2, ::-1], "photo": 2 * later[:, ::-1]},
        data=RelationalData({"word": 2, "photo": 102}, new_links, names=new_names),
    )
    path = tmp_path_factory.mktemp("compare") / "two.html"
    metrics.compare(first, second).to_html(path, titles=("before", "after"), title="Two maps", theme="light")
    return path


def centre_of(page: Page, number: int, name: str) -> tuple[float, float]:
    """Return where on the page an item of a map is."""
    x, y = evaluated(
        page,
        """(() => {
            const [content, stage] = [app.contents[given[0]], app.stages[given[0]]];
            const items = Array.from({ length: content.count }, (_, at) => at);
            const item = items.find((at) => content.name(at) === given[1]);
            const box = stage.element.getBoundingClientRect();
            return [box.left + stage.camera.screenX(content.x[item]), box.top + stage.camera.screenY(content.y[item])];
        })()""",
        [number, name],
    )
    return x, y


def named(page: Page, signal: str) -> list[str | None]:
    """Return the names of the items that a signal holds in both maps; None where there is none."""
    found: list[str | None] = evaluated(
        page,
        "app.states.map((state, at) => state[given].value < 0 ? null : app.contents[at].name(state[given].value))",
        signal,
    )
    return found


def test_both_maps_are_there_and_what_changed_is_listed(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    expect(page.locator(".pane h2")).to_have_text(["before103 items", "after104 items"])
    expect(page.locator(".moved")).to_contain_text("102 items in both maps: of their 10 nearest")
    assert page.locator(".moved .rows .name").first.text_content() == "photo 11"
    page.get_by_label("What changed most").select_option("moved farthest")
    expect(page.locator(".moved .rows .note").first).to_contain_text("radii")
    assert page.locator(".moved .rows .name").first.text_content() == "photo 11"


def test_what_moved_most_is_seen_where_it_was_and_where_it_is(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.locator(".moved .rows .entry").first.click()
    rested(page)
    assert named(page, "pinned") == ["photo 11", "photo 11"]
    for number in (0, 1):
        for place in (0, 1):  # in each map, the places that both have it at
            x, y = evaluated(
                page,
                """(() => {
                    const [map, place] = given;
                    const [stage, content] = [app.stages[map], app.contents[place]];
                    const item = app.states[place].pinned.value;
                    const [from, to] = [content.about, app.contents[map].about];
                    const at = (value, axis) => (value * from.reach + from.centre[axis] - to.centre[axis]) / to.reach;
                    const { camera } = stage;
                    const [x, y] = [at(content.x[item], 0), at(content.y[item], 1)];
                    return [camera.screenX(x) / camera.width, camera.screenY(y) / camera.height];
                })()""",
                [number, place],
            )
            assert 0 < x < 1
            assert 0 < y < 1


def test_pointing_and_clicking_in_one_does_the_same_in_the_other(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.mouse.move(*centre_of(page, 0, "photo 42"))
    assert named(page, "hovered") == ["photo 42", "photo 42"]
    expect(page.locator(".item-tooltip:visible")).to_have_count(2)
    page.mouse.click(*centre_of(page, 1, "photo 77"))
    assert named(page, "pinned") == ["photo 77", "photo 77"]
    expect(page.locator(".moved .chosen")).to_have_text("photo 77")
    expect(page.locator(".moved .pinned h3")).to_have_text(["before", "after"])
    expect(page.locator(".moved .pinned")).to_contain_text("in both")
    page.keyboard.press("Escape")
    assert named(page, "pinned") == [None, None]


def test_an_item_of_one_map_only_is_shown_as_such(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.mouse.click(*centre_of(page, 1, "new 0"))
    assert named(page, "pinned") == [None, "new 0"]
    expect(page.locator(".moved .pinned")).to_contain_text("Only in “after”.")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="2 only in “after”").click()
    expect(page.locator(".moved .rows .name")).to_have_text(["new 0", "new 1"])
    expect(page.locator(".moved .rows .note")).to_have_text(["only in 2", "only in 2"])
    page.get_by_role("button", name="Clear the selection").click()
    page.get_by_role("button", name="1 only in “before”").click()
    expect(page.locator(".moved .rows .name")).to_have_text(["sea"])


def test_a_lasso_in_one_selects_in_both(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.get_by_role("button", name="Select with a lasso").click()
    x, y = centre_of(page, 0, "photo 11")
    corners = [(x - 12, y - 12), (x + 12, y - 12), (x + 12, y + 12), (x - 12, y + 12)]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in [*corners[1:], corners[0]]:
        page.mouse.move(*corner, steps=4)
    page.mouse.up()
    selected = evaluated(
        page, "app.states.map((state, at) => state.selection.value.map((i) => app.contents[at].name(i)))"
    )
    assert selected == [["photo 11"], ["photo 11"]]
    expect(page.locator(".moved")).to_contain_text("1 selected item in both maps")


def test_a_click_on_the_name_of_a_region_shows_where_its_items_are_in_the_other_map(
    tmp_path: Path, opened: Opened
) -> None:
    random = np.random.default_rng(0)
    corners = np.repeat([[0, 0], [0, 30], [30, 0], [30, 30]], 60, axis=0)
    links = {("photo", "word"): [(i, i // 60) for i in range(240)]}
    data = RelationalData({"photo": 240, "word": 4}, links, names={"word": ["cat", "dog", "sea", "sky"]})
    first = Embedding({"photo": corners + random.normal(size=(240, 2)), "word": corners[::60]}, data=data)
    second = Embedding({name: Y[:, ::-1] for name, Y in first.items()}, data=data)
    path = tmp_path / "two.html"
    metrics.compare(first, second).to_html(path, titles=("before", "after"), title="Two maps", theme="light")
    page = opened(path, fresh=True)
    shown = "app.stages[0].regions.shown.find((mark) => app.contents[0].regions.all[mark.item].name === 'dog')"
    x, y = evaluated(
        page,
        f"""(() => {{
            const box = app.stages[0].element.getBoundingClientRect();
            const {{ x, y }} = {shown};
            return [box.left + x, box.top + y];
        }})()""",
    )
    page.mouse.click(x, y)
    selected = evaluated(page, "app.states.map((state) => state.selection.value)")
    assert selected[0] == selected[1]
    assert set(selected[0]) <= {*range(60, 120), 241}
    assert len(selected[0]) > 50


def test_the_list_keeps_the_focus(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.locator(".moved .rows .entry").first.press("Enter")
    assert named(page, "pinned") == ["photo 11", "photo 11"]
    expect(page.locator(".moved")).to_be_focused()
    page.get_by_role("button", name="2 only in “after”").press("Enter")
    expect(page.locator(".moved")).to_be_focused()
    page.get_by_role("button", name="Clear the selection").press("Enter")
    expect(page.locator(".moved")).to_be_focused()


def test_what_is_hidden_is_shown_when_one_goes_there(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.locator(".legend label", has_text="photo").locator("input").uncheck()
    page.locator(".moved .rows .entry").first.click()
    assert evaluated(page, "app.states.map((state) => [...state.hidden.value])") == [[], []]
    expect(page.locator(".legend label", has_text="photo").locator("input")).to_be_checked()


def test_both_are_shown_whole_again_when_the_page_changes_its_size(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    outside = """app.stages.flatMap(({ camera, content }) => [...content.x.keys()].filter((item) => {
        const [x, y] = [camera.screenX(content.x[item]), camera.screenY(content.y[item])];
        return x < 0 || y < 0 || x > camera.width || y > camera.height;
    }))"""
    for width, height in ((700, 900), (1300, 420)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("(width) => innerWidth === width", arg=width)
        rested(page)
        assert evaluated(page, outside) == []
    evaluated(page, "app.stage.camera.look({ x: 0.2, y: 0.1, k: 900 })")
    rested(page)
    page.set_viewport_size({"width": 1200, "height": 800})
    rested(page)
    assert evaluated(page, "app.stage.camera.view") == pytest.approx({"x": 0.2, "y": 0.1, "k": 900})


def test_without_webgl_there_is_a_note_beside_two_maps(two_maps: Path, opened: Opened) -> None:
    blocked = """
        const original = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.startsWith("webgl") ? null : original.call(this, kind, ...rest);
        };"""
    page = opened(two_maps, fresh=True, script=blocked)
    expect(page.locator(".warning")).to_have_count(1)
    expect(page.locator(".warning")).to_contain_text("WebGL is not available")


def test_headings_leave_out_no_level(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    evaluated(page, "app.go(0, 11)")
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((each) => Number(each.tagName[1]))")
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), levels


def test_two_maps_can_be_removed(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    evaluated(page, "app.destroy()")
    expect(page.locator(".mrsne > *")).to_have_count(0)
    page.keyboard.press("d")
    assert evaluated(page, "app.state.theme.value.name") == "light", "keys are no longer the maps'"


def test_both_move_as_one_until_that_is_switched_off(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    same = """(() => {
        const [one, other] = app.stages.map(({ camera: { x, y, k }, content: { about: { centre, reach } } }) =>
            [centre[0] + reach * x, centre[1] + reach * y, k / reach]);
        return one.every((value, at) => Math.abs(value - other[at]) < 1e-3 * Math.abs(value) + 1e-3);
    })()"""
    assert evaluated(page, same)
    page.mouse.move(*centre_of(page, 1, "photo 42"))
    page.mouse.wheel(0, -400)
    rested(page)
    assert evaluated(page, "app.stages[0].camera.k > 1.5 * app.stages[0].camera.whole.k")
    assert evaluated(page, same)
    toggle = page.get_by_role("button", name="Move as one")
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "false")
    page.mouse.move(*centre_of(page, 1, "photo 42"))
    page.mouse.wheel(0, 200)
    rested(page)
    assert not evaluated(page, same)


def test_the_search_finds_what_only_the_larger_map_has(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.get_by_role("combobox", name="Search").fill("new 1")
    page.locator(".search [role=option]").first.wait_for()
    page.keyboard.press("Enter")
    assert named(page, "pinned") == [None, "new 1"]


def test_colours_and_switches_are_those_of_both(two_maps: Path, opened: Opened) -> None:
    page = opened(two_maps, fresh=True)
    page.get_by_label("Colour by").select_option(label="Neighbours kept")
    assert evaluated(page, "app.states.map((state) => state.colour.value)") == ["placed", "placed"]
    page.get_by_label("Colour by").select_option(label="in which maps (photo)")
    assert evaluated(page, "app.states.map((state) => state.colour.value)") == ["0.2", "1.2"]
    page.locator(".legend label", has_text="word").locator("input").uncheck()
    assert evaluated(page, "app.states.map((state) => [...state.hidden.value])") == [[1], [0]]


@pytest.mark.parametrize("place", ["desktop", "phone"])
def test_axe_finds_no_serious_violation_beside_two_maps(two_maps: Path, opened: Opened, place: str) -> None:
    page = opened(two_maps, fresh=True, bypass_csp=True, **(PHONE if place == "phone" else {}))
    assert serious(page) == []
    evaluated(page, "app.go(0, 11)")
    rested(page)
    page.keyboard.press("d")
    assert serious(page) == []
    boxes = [pane.bounding_box() for pane in page.locator(".pane").all()]
    stacked = [round(box["x"]) for box in boxes if box]
    assert (len(set(stacked)) == 1) == (place == "phone"), "above each other on a phone, beside each other elsewhere"
