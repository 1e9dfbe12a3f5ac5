"""How fast a map opens and answers in a browser: ``python -m benchmarks.page``.

Opens standalone pages in headless chromium with software WebGL, so that the figures hold for a computer without a
GPU. Times are medians over fresh browsers.

- first picture: from opening the file until thumbnails (or names, where there are none) are drawn on the canvas
- hover: from the pointer's event until the next frame after the links and the card are drawn
- pan: from the pointer's event until the frame in which the map has moved
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from scipy import sparse

from mrsne import MRSNE, Embedding, RelationalData, datasets

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
FRAME = "new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))"
HOVER = f"""async (number) => {{
    const {{ stage, content, state }} = document.querySelector(".mrsne").app;
    const item = (number * 7919) % content.count;
    const place = {{ clientX: stage.camera.screenX(content.x[item]), clientY: stage.camera.screenY(content.y[item]) }};
    const began = performance.now();
    stage.element.dispatchEvent(new PointerEvent("pointermove", {{ ...place, pointerType: "mouse", bubbles: true }}));
    await {FRAME};
    if (state.hovered.value < 0) throw new Error("nothing was hovered");
    return performance.now() - began;
}}"""
PAN = f"""async () => {{
    const {{ stage }} = document.querySelector(".mrsne").app;
    const began = performance.now();
    stage.camera.pan(7, 3);
    await {FRAME};
    return performance.now() - began;
}}"""


def made(count: int) -> tuple[Embedding, RelationalData]:
    """Return clusters of named items with three links each to a hundredth as many tags."""
    random = np.random.default_rng(0)
    tags = max(10, count // 100)
    centres = 20 * random.normal(size=(200, 2))
    places = [centres[random.integers(200, size=size)] + random.normal(size=(size, 2)) for size in (count, tags)]
    rows, columns = np.repeat(np.arange(count), 3), random.integers(tags, size=3 * count)
    W = sparse.csr_matrix((np.ones(3 * count), (rows, columns)), shape=(count, tags))
    names = {"image": [f"photo {i}.jpg" for i in range(count)], "tag": [f"tag {i}" for i in range(tags)]}
    data = RelationalData({"image": count, "tag": tags}, {("image", "tag"): W}, names)
    return Embedding({"image": places[0], "tag": places[1]}), data


def measured(browser: Browser, page_file: Path, rounds: int) -> tuple[float, float, float]:
    """Return seconds to the first picture, and milliseconds of a hover and of a move, from one fresh page."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page: Page = context.new_page()
    began = time.perf_counter()
    page.goto(page_file.as_uri())
    drawn = "Number(document.querySelector('.stage')?.dataset.thumbnails ?? 0) + "
    drawn += "Number(document.querySelector('.stage')?.dataset.names ?? 0) > 0"
    page.wait_for_function(drawn, polling="raf", timeout=120_000)
    first = time.perf_counter() - began
    page.wait_for_timeout(3000)
    hovers = [page.evaluate(HOVER, number) for number in range(1, rounds + 1)]
    moves = [page.evaluate(PAN) for _ in range(rounds)]
    context.close()
    return first, statistics.median(hovers), statistics.median(moves)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("google-chrome")
    emoji = datasets.load_emoji()
    maps: dict[str, Callable[[], tuple[Embedding, RelationalData]]] = {
        "emoji (2,633 items)": lambda: (MRSNE(random_state=0).fit_transform(emoji), emoji)
    }
    maps |= {f"{size:,} items": partial(made, size) for size in arguments.sizes}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for title, make in maps.items():
            embedding, data = make()
            path = Path(folder, "map.html")
            began = time.perf_counter()
            embedding.to_html(path, data)
            writing = time.perf_counter() - began
            results = []
            for _ in range(arguments.repeats):
                browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
                results.append(measured(browser, path, 20))
                browser.close()
            first, hover, pan = (statistics.median(column) for column in zip(*results, strict=True))
            size = path.stat().st_size / 1e6
            print(
                f"{title}: page {size:.1f} MB, written in {writing:.1f} s; first picture {first:.2f} s, "
                f"hover {hover:.0f} ms, pan {pan:.0f} ms"
            )


if __name__ == "__main__":
    main()
