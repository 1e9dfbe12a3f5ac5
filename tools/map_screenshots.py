"""Takes the pictures of the interactive map in docs/ (needs chromium and the extra dev)."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from mrsne import MRSNE, datasets
from mrsne.data.growth import renamed
from mrsne.datasets.emoji import emoji_groups

DOCS = Path(__file__).parents[1] / "docs"
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def save(page: Page, name: str) -> None:
    """Save what is on screen, when nothing moves any more."""
    page.wait_for_timeout(2500)
    Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(DOCS / name, quality=88, method=6)


def opened(browser: Browser, path: Path, width: int, height: int, **settings: Any) -> Page:
    """Open the map and wait until it is there."""
    page = browser.new_page(viewport={"width": width, "height": height}, **settings)
    page.goto(path.as_uri())
    page.wait_for_selector(".mrsne[data-ready=all]")
    page.wait_for_timeout(2000)
    return page


def main() -> None:
    """Map the emoji and take all pictures."""
    data = renamed(datasets.load_emoji(), {"image": "emoji", "tag": "keyword"})  # as mrsne demo calls them
    embedding = MRSNE(random_state=0).fit_transform(data)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "emoji.html")
        columns = {"emoji": {"group": emoji_groups()}}
        embedding.to_html(path, data, columns=columns, title="Emoji and their keywords")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = opened(browser, path, 1280, 800)
        save(page, "map-overview.webp")
        page.keyboard.press("/")
        page.keyboard.type("dog")
        page.keyboard.press("Enter")
        save(page, "map.webp")
        page = opened(browser, path, 1280, 800, color_scheme="dark")
        page.select_option("select", "0.0")
        page.evaluate(
            """() => {
                const { state, content } = document.querySelector(".mrsne").app;
                const faces = content.regions.all.find((region) => region.words[0] === "face");
                state.selection.value = content.regions.members(faces.index);
            }"""
        )
        save(page, "map-dark.webp")
        page = opened(browser, path, 390, 780, device_scale_factor=2)
        page.get_by_role("combobox", name="Search").fill("pizza")
        page.get_by_role("combobox", name="Search").press("Enter")
        save(page, "map-phone.webp")
        browser.close()


if __name__ == "__main__":
    main()
