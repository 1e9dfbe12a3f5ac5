"""Maps in a real browser: Debian's chromium, or any other that is installed, driven by Playwright."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from mrsne import Embedding, RelationalData
from mrsne.datasets.emoji import emoji_groups, load_emoji

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# WebGL in software, but pages without it: that halves the work for the processor
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"]
FLAGS += ["--disable-background-networking"]
# flights take a second each; tests that are about them ask for MOTION
CALM: dict[str, Any] = {"viewport": {"width": 1200, "height": 800}, "reduced_motion": "reduce"}
MOTION = {"reduced_motion": "no-preference"}

MOST_OPEN = 10  # pages that stay open for the next test

Opened = Callable[..., Page]

expect.set_options(timeout=20_000)  # a busy machine without a GPU takes its time


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        reason = "there is no chromium; tools/browser.sh installs it or says how"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@dataclass(eq=False)
class OpenPage:
    """A page, what went wrong on it, and what it looked like when it was opened."""

    page: Page
    faults: list[str]
    look: Any = None


def open_page(browser: Browser, address: str, script: str, checked: bool, settings: dict[str, Any]) -> OpenPage:
    """Open a map in a context of its own and wait until it is drawn."""
    context = browser.new_context(**{**CALM, **settings})
    page = context.new_page()
    faults: list[str] = []
    if checked:
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: faults.extend(outside(request.url, address)))
    if script:
        page.add_init_script(script)
    page.goto(address)
    page.wait_for_selector(".mrsne[data-ready=all]", timeout=60_000)
    page.wait_for_function("() => document.querySelector('.stage').dataset.names !== undefined")
    page.wait_for_selector(".stage[data-tiles]", timeout=60_000)
    rested(page)
    return OpenPage(page, faults, page.evaluate(LOOK))


@pytest.fixture(scope="session")
def pages(browser: Browser) -> dict[str, OpenPage]:
    """Pages that are open, by address and settings: opening one takes longer than most tests."""
    return {}


@pytest.fixture
def opened(browser: Browser, pages: dict[str, OpenPage]) -> Iterator[Opened]:
    """Return a function that opens a map, or one that is open already and looks as if it had just been opened.

    A page is opened anew where the test says so (``fresh``) or asks for a part of the map (``fragment``), and where the
    last test has left something behind. No page may report an error or load anything from outside.
    """
    used: list[OpenPage] = []
    alone: list[OpenPage] = []

    def get(
        place: Path | str,
        fragment: str = "",
        script: str = "",
        checked: bool = True,
        fresh: bool = False,
        **settings: Any,
    ) -> Page:
        address = place.as_uri() if isinstance(place, Path) else place
        key = json.dumps([address, script, checked, settings], sort_keys=True)
        found = pages.get(key)
        if found in used or fresh or fragment:
            alone.append(open_page(browser, address + fragment, script, checked, settings))
            return alone[-1].page
        if found is not None and not restored(found):
            pages.pop(key).page.context.close()
            found = None
        if found is None:
            if len(pages) == MOST_OPEN:
                pages.pop(next(key for key, each in pages.items() if each not in used)).page.context.close()
            found = open_page(browser, address, script, checked, settings)
        pages.pop(key, None)
        pages[key] = found  # at the end: used last
        used.append(found)
        return found.page

    yield get
    faults = [fault for each in (*used, *alone) for fault in each.faults]
    for each in used:
        each.faults.clear()
    for each in alone:
        each.page.context.close()
    assert faults == []


# everything of a page that a test can change and the next would notice
LOOK = """() => {
    const root = document.querySelector(".mrsne");
    const { state, stage } = root.app;
    const { hovered, pinned, selection, hidden, colour, mode, theme } = state;
    const box = root.querySelector(".search input");
    return {
        state: [hovered.value, pinned.value, selection.value, [...hidden.value], colour.value, mode.value],
        theme: theme.value.name,
        view: stage.camera.view,
        shown: [stage.element.dataset.names, stage.element.dataset.thumbnails, stage.element.className],
        accelerated: stage.accelerated,
        legend: root.querySelector(".legend").open,
        box: [box.value, box.getAttribute("aria-expanded"), root.querySelectorAll(".search li").length],
        others: root.querySelectorAll(
            "dialog[open], .flash, :is(.panel, .contents, .filters, .table, .hint):not([hidden])"
        ).length,
        filters: [state.filters.value.rules.size, state.filters.value.linked, state.dimming.value],
        regions: [state.regions.value, state.hoveredRegion.value, stage.element.dataset.regions],
        active: document.activeElement.className,
        fired: window.fired,
    };
}"""

RESTORE = """(before) => {
    const root = document.querySelector(".mrsne");
    const { state, stage } = root.app;
    root.querySelector("dialog[open]")?.close();
    root.querySelector(".legend").open = before.legend;
    const box = root.querySelector(".search input");
    box.value = "";
    box.dispatchEvent(new Event("input")); // no suggestions
    root.removeAttribute("data-keyed");
    state.table.value = { open: false, kind: -1, sort: null };
    state.mode.value = "pan";
    state.pinned.value = -1;
    state.selection.value = [];
    state.colour.value = "";
    state.dimming.value = false;
    if (state.filters.value.rules.size) state.filters.value = { rules: new Map(), linked: false };
    if (root.querySelector(".filters:not([hidden])")) root.app.toggle('filters');
    if (state.hidden.value.size) state.hidden.value = new Set();
    if (state.theme.value.name !== before.theme) root.app.switchTheme();
    stage.camera.look(before.view);
    stage.element.focus({ preventScroll: true });
    state.hovered.value = -1;
}"""


def restored(found: OpenPage) -> bool:
    """Undo what a test has done to a page, and return whether it looks as it did when it was opened."""
    page = found.page
    page.mouse.up()
    page.mouse.move(0, 0)
    page.evaluate(RESTORE, found.look)
    rested(page)
    same: bool = page.evaluate(LOOK) == found.look
    return same


def outside(url: str, address: str) -> list[str]:
    """Return the address of a request, if it leaves the page."""
    own = url.startswith(("blob:", "data:", address.split("#")[0]))
    return [] if own else [f"request to {url}"]


def rested(page: Page) -> None:
    """Wait until the view has stopped moving and all thumbnails on screen are drawn."""
    page.evaluate(
        """async () => {
            const { stage } = document.querySelector(".mrsne").app;
            let before = "";
            for (let still = 0; still < 4; ) {
                await new Promise((resolve) => setTimeout(resolve, 30));
                const now = JSON.stringify([stage.camera.view, stage.element.dataset]);
                const moved = stage.points.canvas.style.transform !== ""; // and not drawn yet
                const drawing = stage.frame || stage.decorating || stage.points.pending || moved;
                const busy = drawing || stage.camera.flight || stage.sheets.loading.size;
                still = now === before && !busy ? still + 1 : 0;
                before = now;
            }
        }"""
    )


def evaluated(page: Page, script: str, argument: Any = None) -> Any:
    """Return a value of the map; ``app`` is the map, ``given`` the argument."""
    return page.evaluate(
        f"(given) => {{ const app = document.querySelector('.mrsne').app; return {script}; }}", argument
    )


# the pixels of the dots, as an ImageData; a browser keeps what WebGL has drawn until it has shown it
DOTS = """(() => {
    const { points, camera } = app.stage;
    points.render(camera, points.layers);
    const { width, height } = points.canvas;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    context.drawImage(points.canvas, 0, 0);
    return context.getImageData(0, 0, width, height);
})()"""


def place_of(page: Page, kind: str, name: str) -> tuple[float, float]:
    """Return where on the screen an item is."""
    x, y = evaluated(
        page,
        """(() => {
            const domain = app.content.domains.find((each) => each.about.name === given[0]);
            const item = domain.start + domain.names.indexOf(given[1]);
            return [app.stage.camera.screenX(app.content.x[item]), app.stage.camera.screenY(app.content.y[item])];
        })()""",
        [kind, name],
    )
    return x, y


@pytest.fixture(scope="session")
def emoji() -> tuple[Embedding, RelationalData]:
    """The emoji in a map that takes no time: two components of their vectors, and keywords amid their emoji."""
    data = load_emoji()
    X = np.asarray(data.vectors["image"], dtype=np.float64)
    X = X - X.mean(axis=0)
    axes = np.random.default_rng(0).normal(size=(X.shape[1], 2))
    for _ in range(5):  # power iterations, which are quicker than all components
        axes = np.linalg.qr(X.T @ (X @ axes))[0]
    images = X @ axes
    W = data.relations["image", "tag"].T
    tags = (W @ images) / np.asarray(W.sum(axis=1))
    weights = {"image": 0.28, ("image", "tag"): 0.72}
    return Embedding({"image": images, "tag": tags}, data=data, weights=weights), data


@pytest.fixture(scope="session")
def emoji_page(emoji: tuple[Embedding, RelationalData], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("emoji") / "emoji map.html"
    embedding, data = emoji
    columns = {"image": {"group": emoji_groups(), "number": np.arange(data.sizes["image"])}}
    embedding.to_html(path, data, columns=columns, title="Emoji and their keywords", theme="light")
    return path


@pytest.fixture(scope="session")
def three_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three kinds on a grid: papers with weighted links to words and to people, people linked among themselves."""
    path = tmp_path_factory.mktemp("three") / "three.html"
    data = RelationalData(
        {"paper": 9, "word": 3, "person": 2},
        {
            ("paper", "word"): [(0, 0, 1.0), (1, 0, 5.0), (2, 0, 3.0), (3, 1, 1.0), (4, 1, 2.0), (5, 2, 1.0)],
            ("paper", "person"): [(0, 0), (1, 0), (8, 1)],
            ("person", "person"): [(0, 1)],
        },
        names={"word": ["graph", "map", "tree"], "person": ["Ada", "Emmy"]},
    )
    papers = [[x, y] for x in (0, 10, 20) for y in (0, 10, 20)]
    Embedding({"paper": papers, "word": [[4, 4], [12, 4], [4, 14]], "person": [[16, 16], [16, 4]]}).to_html(
        path, data, title="Papers"
    )
    return path
