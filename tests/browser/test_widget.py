"""A widget in a page whose own styles are not made for it, as those of a notebook."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mrsne import Embedding, RelationalData

pytest.importorskip("anywidget", reason="the extra notebook is not installed")

# JupyterLab's rules for lists of terms, and more of their kind
STYLES = """
body { margin: 0; letter-spacing: 3px; text-align: right; }
dt { float: left; width: 20%; clear: both; display: inline-block; font-weight: bold; }
dd { float: left; width: 80%; }
button, input { text-transform: uppercase; min-width: 300px; }
canvas { max-width: 50%; }
"""
# the state of the widget as anywidget passes it
PAGE = """<!doctype html><meta charset="utf-8"><style>{styles}</style><div id="cell" tabindex="0"></div>
<script type="module">
const state = {state};
for (const [name, text] of Object.entries(state.initial_parts)) {{
    state.initial_parts[name] = new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}}
if (location.hash) state.filters = JSON.parse(decodeURIComponent(location.hash.slice(1))); // as Python has set it
const model = {{
    get: (name) => state[name],
    set: (name, value) => (state[name] = value),
    save_changes: () => {{}},
    on: (name, listener) => (window.listeners[name] = listener),
    off: () => {{}},
    send: (message) => window.sent.push(message), // to a Python that does not answer
}};
window.listeners = {{}};
window.sent = [];
const program = new Blob([state._esm], {{ type: "text/javascript" }});
const {{ default: widget }} = await import(URL.createObjectURL(program));
window.remove = widget.render({{ model, el: document.getElementById("cell") }});
window.state = state;
</script>"""


@pytest.fixture(scope="module")
def widget_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = RelationalData(
        {"photograph": 300, "subject": 2},
        {("photograph", "subject"): [(0, 0), (1, 0), (2, 1)]},
        names={"subject": ["landscape", "portrait"]},
    )
    places = [[i % 20, i // 20] for i in range(300)]
    columns = {"photograph": {"year of acquisition": list(range(300))}}
    embedding = Embedding(
        {"photograph": places, "subject": [[3, 3], [9, 9]]}, settings={"perplexity": 4, "weights": 0.5}
    )
    widget = embedding.widget(data, columns=columns, theme="auto")
    keys = ("_esm", "stylesheet", "about", "height", "selection", "filters", "dimming", "linked_only")
    state = {name: getattr(widget, name) for name in keys if widget.has_trait(name)}
    state["initial_parts"] = {name: base64.b64encode(part).decode() for name, part in widget.initial_parts.items()}
    path = tmp_path_factory.mktemp("widget") / "widget.html"
    text = json.dumps(state).replace("</", "<\\/")
    path.write_text(PAGE.format(styles=STYLES, state=text), encoding="utf-8")
    return path


Shown = Callable[..., Page]


@pytest.fixture
def shown(browser: Browser, widget_page: Path) -> Iterator[Shown]:
    """Return a function that opens the page in a window of a size; no page may have an uncaught error."""
    contexts = []
    faults: list[str] = []

    def show(width: int, height: int, filters: str = "", moving: bool = False, script: str = "") -> Page:
        motion: Literal["no-preference", "reduce"] = "no-preference" if moving else "reduce"
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, reduced_motion=motion))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        if script:
            page.add_init_script(script)
        page.goto(widget_page.as_uri() + (f"#{quote(filters)}" if filters else ""))
        page.locator(".mrsne[data-ready=all]").wait_for()
        return page

    yield show
    for context in contexts:
        context.close()
    assert faults == []


def apart(one: Locator, other: Locator) -> bool:
    """Return whether two parts of the map do not cover each other."""
    a, b = one.bounding_box(), other.bounding_box()
    assert a is not None
    assert b is not None
    beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
    return beside or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]


def test_styles_of_the_page_do_not_reach_the_widget(shown: Shown) -> None:
    page = shown(1000, 600)
    page.get_by_role("combobox", name="Search").fill("photograph 7")
    page.keyboard.press("Enter")
    panel = page.locator(".panel")
    expect(panel.locator("h2")).to_have_text("photograph 7")
    term = panel.locator("dt")
    style = "(element) => { const { float, fontWeight, letterSpacing } = getComputedStyle(element); return "
    assert term.evaluate(style + "[float, fontWeight, letterSpacing]; }") == ["none", "400", "normal"]
    found = term.bounding_box()
    assert found is not None
    assert found["width"] > 100, "a word stands on one line"
    zoom = page.get_by_role("button", name="Zoom in").bounding_box()
    assert zoom is not None
    assert zoom["width"] == 44


def test_styles_of_the_widget_do_not_reach_the_page(shown: Shown) -> None:
    page = shown(1000, 600)
    page.evaluate("document.body.append(Object.assign(document.createElement('div'), { className: 'mrsne' }))")
    assert page.evaluate("getComputedStyle(document.body.lastChild).position") == "static"


@pytest.mark.parametrize("width", [1000, 700, 500])
def test_the_panel_does_not_cover_the_toolbar(shown: Shown, width: int) -> None:
    page = shown(width, 600)
    page.evaluate("document.querySelector('.mrsne-widget').app.state.selection.value = [...Array(200).keys()]")
    expect(page.locator(".panel h2")).to_have_text("200 items selected")
    assert apart(page.locator(".panel"), page.locator(".controls"))


def test_keys_stay_in_the_widget_until_there_is_nothing_left_to_close(shown: Shown) -> None:
    page = shown(1000, 600)
    page.evaluate("addEventListener('keydown', (event) => (window.heard = event.key))")
    page.get_by_role("combobox", name="Search").fill("portrait")
    page.keyboard.press("Enter")
    expect(page.locator(".panel h2")).to_have_text("portrait")
    page.locator(".panel .entry").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".panel h2")).to_have_text("photograph 2")
    expect(page.locator(".panel")).to_be_focused()  # and not on a button that is gone
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()
    assert page.evaluate("window.heard") is None
    page.keyboard.press("Escape")
    expect(page.locator("#cell")).to_be_focused()
    page.keyboard.press("b")
    assert page.evaluate("window.heard") == "b"


@pytest.mark.parametrize("width", [1000, 500])
def test_the_table_is_the_maps_own_in_a_notebook_too(shown: Shown, width: int) -> None:
    page = shown(width, 600)
    page.evaluate("addEventListener('keydown', (event) => (window.heard = event.key))")
    page.get_by_role("button", name="Table").click()
    table = page.get_by_role("region", name="Table")
    expect(table.get_by_role("grid")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    chosen = table.locator(".row[aria-selected=true]")
    expect(chosen.get_by_role("gridcell").first).to_have_text("photograph 1")
    table.get_by_role("columnheader", name="year of acquisition").get_by_role("button").click()
    expect(table.locator("[aria-sort=ascending]")).to_have_text("year of acquisition")
    cell = chosen.get_by_role("gridcell").first.evaluate("(cell) => getComputedStyle(cell).letterSpacing")
    assert cell == "normal", "styles of the page do not reach it"
    assert apart(table, page.locator(".controls"))
    assert apart(table, page.locator(".legend"))
    assert page.evaluate("window.heard") is None
    table.get_by_role("button", name="Close the table").click()
    expect(page.locator(".panel h2")).to_have_text("photograph 1")


def test_filters_come_from_python_and_go_there(shown: Shown) -> None:
    page = shown(1000, 600, '{"photograph":{"year of acquisition":{"from":10,"to":19,"missing":false}}}')
    note = page.locator(".filter-note")
    expect(note).to_contain_text("12 of 302 items")
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("slider", name="year of acquisition to", exact=True).press("End")
    name = "filters.photograph['year of acquisition']"
    page.wait_for_function(f"() => window.state.{name}.to === undefined && window.state.{name}.from === 10")
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("() => JSON.stringify(window.state.filters) === '{}'")
    page.get_by_label("Dim the rest").check()
    assert page.evaluate("window.state.dimming") is True
    style = "(element) => { const { fontSize, letterSpacing } = getComputedStyle(element); return "
    assert page.locator(".filters h2").evaluate(style + "[fontSize, letterSpacing]; }") == ["17px", "normal"]


def test_a_map_that_was_removed_tells_python_nothing(shown: Shown) -> None:
    page = shown(1000, 600, moving=True)
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("button", name="Play through year").click()
    page.wait_for_function("() => JSON.stringify(window.state.filters) !== '{}'")
    page.evaluate("window.app = document.querySelector('.mrsne-widget').app; window.remove()")
    told = page.evaluate("window.state.filters")
    ruled = "[...app.state.filters.value.rules.values()].map(({ from, to }) => `${from} ${to}`)"
    rules = page.evaluate(ruled)
    page.wait_for_timeout(1200)
    assert page.evaluate(ruled) == rules, "it does not play on"
    page.evaluate("app.state.filters.value = { rules: new Map(), linked: true }")
    page.evaluate("app.state.dimming.value = true; app.state.selection.value = [3]")
    page.wait_for_timeout(500)
    assert page.evaluate("window.state.filters") == told
    assert page.evaluate("[window.state.dimming, window.state.selection]") == [False, {}]


def test_a_python_that_does_not_answer_is_told_of_and_may_still_answer(shown: Shown) -> None:
    soon = "const later = setTimeout; window.setTimeout = (act, time) => later(act, time === 20_000 ? 300 : time)"
    page = shown(1000, 600, script=soon)
    page.evaluate("document.querySelector('.mrsne-widget').app.state.pinned.value = 3")
    reasons = page.locator(".reasons")
    expect(reasons.locator(".hint")).to_have_text("Python is not answering: it is busy or not running.")
    assert page.evaluate("window.sent") == [{"part": "reasons-0"}]
    page.evaluate("window.listeners['msg:custom']({ part: 'reasons-0', error: 'no memory' }, [])")
    expect(reasons).to_have_count(0)
    expect(page.locator(".panel h2")).to_have_text("photograph 3")


def test_a_theme_that_was_chosen_for_the_map_stays(shown: Shown) -> None:
    page = shown(1000, 600)
    root = page.locator(".mrsne")
    switch = "(theme) => (document.body.dataset.jpThemeLight = String(theme === 'light'))"
    for theme in ("dark", "light"):
        page.evaluate(switch, theme)
        expect(root).to_have_attribute("data-theme", theme)
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(root).to_have_attribute("data-theme", "dark")
    for theme in ("dark", "light"):
        page.evaluate(switch, theme)
        page.wait_for_timeout(100)
        expect(root).to_have_attribute("data-theme", "dark")
