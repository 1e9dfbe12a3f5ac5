"""Maps in a real browser: Debian's chromium, or any other that is installed, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from mrsne import Embedding, RelationalData
from mrsne.datasets.emoji import emoji_groups, load_emoji

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]

Opened = Callable[..., Page]

expect.set_options(timeout=20_000)  # a busy machine without a graphics card takes its time


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


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Return a function that opens a map and waits until it is drawn; every page must stay without errors and alone."""
    faults: list[str] = []
    contexts = []

    def open_page(
        place: Path | str, fragment: str = "", script: str = "", checked: bool = True, **settings: Any
    ) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 800}, **settings})
        contexts.append(context)
        page = context.new_page()
        address = place.as_uri() if isinstance(place, Path) else place
        if checked:
            page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.on("request", lambda request: faults.extend(outside(request.url, address)))
        if script:
            page.add_init_script(script)
        page.goto(address + fragment)
        page.wait_for_selector(".mrsne[data-ready=all]", timeout=60_000)
        page.wait_for_function("document.querySelector('.stage').dataset.names !== undefined")
        rested(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


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
                await new Promise((resolve) => setTimeout(resolve, 60));
                const now = JSON.stringify([stage.camera.view, stage.element.dataset]);
                const drawing = stage.frame || stage.decorating || stage.points.pending;
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
    """The emoji in a map that takes no time: two principal components, and keywords in the midst of their emoji."""
    data = load_emoji()
    X = np.asarray(data.vectors["image"], dtype=np.float64)
    U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    images = U[:, :2] * S[:2]
    W = data.relations["image", "tag"].T
    tags = (W @ images) / np.asarray(W.sum(axis=1))
    return Embedding({"image": images, "tag": tags}, data=data), data


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
