"""Names are data: wherever one appears it is text, and nothing leaves the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mrsne import Embedding, RelationalData
from tests.browser.conftest import Opened, evaluated, place_of, rested

EVIL = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    '"><svg onload=alert(3)>',
    "'; alert(4); '",
    "{{constructor.constructor('alert(5)')()}}",
    "\u202egnp.exe",
    "two\nlines",
    "=HYPERLINK(1)",
    "]]>&lt;b&gt;\u2028\u0000\ud800",
]
WATCH = "window.fired = []; window.alert = (text) => window.fired.push(text);"


@pytest.fixture(scope="module")
def evil_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map in which everything that can be named has a name that would do harm as markup."""
    count = len(EVIL)
    image, tag = EVIL[0], EVIL[1]
    data = RelationalData(
        {image: count, tag: count},
        {(image, tag): np.eye(count) + np.eye(count, k=1)},
        names={image: [f"a {name}" for name in EVIL], tag: EVIL},
        pictures={image: np.full((count, 8, 8, 3), 90, np.uint8)},
    )
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    path = tmp_path_factory.mktemp("evil") / "<b>evil.html"
    columns = {image: {EVIL[3]: EVIL, "</option><script>": np.arange(count)}}
    Embedding({image: ring, tag: 0.6 * ring}).to_html(path, data, columns=columns, title=EVIL[1])
    return path


def shows(page: Page, selector: str, index: int) -> bool:
    """Return whether an element's text is a name, letter by letter but for white space."""
    text = "app.content.name(app.content.domains[1].start + given[1]).replace(/\\s+/g, ' ').trim()"
    return bool(evaluated(page, f"document.querySelector(given[0]).textContent === {text}", [selector, index]))


def harmless(page: Page) -> None:
    assert page.evaluate("window.fired") == []
    assert page.locator("body img, body script:not([type]), body b, svg[onload]").count() == 0


@pytest.mark.parametrize("index", range(len(EVIL)))
def test_a_name_is_text_everywhere(opened: Opened, evil_page: Path, index: int) -> None:
    page = opened(evil_page, script=WATCH)
    kind, name = EVIL[1], EVIL[index]
    assert page.title() == EVIL[1]
    expect(page.locator("h1")).to_have_text(EVIL[1])
    page.mouse.move(*place_of(page, kind, name))
    assert shows(page, ".item-tooltip strong", index)
    page.mouse.click(*place_of(page, kind, name))
    assert shows(page, ".panel h2", index)
    expect(page.locator(".panel .kind")).to_contain_text(kind)
    entry = page.locator(".panel .entry").first
    expect(entry.locator(".name")).to_contain_text("a ")
    entry.click()
    expect(page.locator(".panel h2")).to_contain_text("a ")
    expect(page.locator(".panel dd").first).to_be_visible()
    rested(page)
    harmless(page)


def test_lists_legend_search_and_table_show_text(opened: Opened, evil_page: Path) -> None:
    page = opened(evil_page, script=WATCH)
    expect(page.locator(".legend label .name")).to_have_text(EVIL[:2])
    page.get_by_label("Colour by").select_option(index=1)
    expect(page.locator(".categories .name")).to_have_count(len(EVIL))
    assert set(EVIL[:2]) <= set(page.locator(".categories .name").all_inner_texts())
    for text in ("<img", "</script", "alert(", "&lt;"):
        page.get_by_role("combobox", name="Search").fill(text)
        expect(page.locator(".search [role=option] .name").first).to_contain_text(text)
    evaluated(page, "(app.state.selection.value = Array.from({ length: app.content.count }, (_, item) => item))")
    assert set(EVIL[:2]) <= set(page.locator(".panel .name").all_inner_texts())
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export CSV").click()
    assert EVIL[0] in Path(waiting.value.path()).read_text("utf-8-sig")
    page.get_by_role("button", name="Table").click()
    expect(page.locator(".table .row").first).to_be_visible()
    assert set(EVIL[:2]) <= set(page.locator(".table .row .name").all_inner_texts())
    harmless(page)


def test_a_link_with_markup_in_it_is_harmless_and_shows_the_whole_map(opened: Opened, evil_page: Path) -> None:
    fragment = "#kind=%3C%2Fscript%3E&item=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&hide={&colour=%3C&at=1,x,-3"
    page = opened(evil_page, fragment, script=WATCH)
    harmless(page)
    assert evaluated(page, "app.stage.camera.view") == evaluated(page, "app.stage.camera.whole")
    assert evaluated(page, "app.state.pinned.value") == -1


def test_the_policy_allows_no_other_script_and_no_request(opened: Opened, three_page: Path) -> None:
    page = opened(three_page, checked=False)
    refused = page.evaluate(
        """async () => {
            const refused = [];
            document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.fired = true";
            document.body.append(script);
            await fetch("https://example.org/").catch(() => {});
            const image = new Image();
            image.src = "https://example.org/a.png";
            await new Promise((resolve) => setTimeout(resolve, 200));
            return [window.fired === undefined, refused.map((name) => name.replace("-elem", "")).sort()];
        }"""
    )
    assert refused == [True, ["connect-src", "img-src", "script-src"]]
