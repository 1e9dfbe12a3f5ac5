"""How fast a map opens and answers in a browser: ``python -m benchmarks.page``.

Opens standalone pages in headless chromium with software WebGL, so that the figures hold for a computer without a
GPU. Times are medians over fresh browsers.

- first picture: from opening the file until thumbnails (or names, where there are none) are drawn on the canvas
- hover: from the pointer's event until the next frame after the links and the card are drawn
- pan: from the pointer's event until the frame in which the map has moved
- table: from the key until the frame in which all items are listed; from a click on a heading until they are sorted by
  their links, and by their names for the first time, with the longest time between two frames meanwhile; from moving
  the scroll bar until the frame with other rows
- brush: from a step of a histogram's brush until the frame in which the map shows what passes, and all histograms their
  counts, with the sections of five columns open (two of numbers, years, dates, categories)
- category: the same for a category that is switched off or on
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
    const placeOf = (item) => [stage.camera.screenX(content.x[item]), stage.camera.screenY(content.y[item])];
    let item = (number * 7919) % content.count;
    while (stage.regions.at(...placeOf(item)) >= 0) item = (item + 1) % content.count; // not behind a region's name
    const place = {{ clientX: placeOf(item)[0], clientY: placeOf(item)[1] }};
    const began = performance.now();
    stage.element.dispatchEvent(new PointerEvent("pointermove", {{ ...place, pointerType: "mouse", bubbles: true }}));
    await {FRAME};
    if (state.hovered.value < 0 && state.hoveredRegion.value < 0) throw new Error("nothing was hovered");
    return performance.now() - began;
}}"""
PAN = f"""async () => {{
    const {{ stage }} = document.querySelector(".mrsne").app;
    const began = performance.now();
    stage.camera.pan(7, 3);
    await {FRAME};
    return performance.now() - began;
}}"""
# the map, and the histograms of the other columns; where a frame of all dots takes longer, a sample of them comes first
FILTERED = f"""async (number) => {{
    const {{ state }} = document.querySelector(".mrsne").app;
    const began = performance.now();
    const {{ rules }} = state.filters.value;
    const rule = {{ kind: "range", from: 1955 + number, to: 1980 + number, missing: false }};
    state.filters.value = {{ linked: false, rules: new Map(rules).set("0.2", rule) }};
    await {FRAME};
    await {FRAME};
    return performance.now() - began;
}}"""
SWITCHED = f"""async (number) => {{
    const {{ state }} = document.querySelector(".mrsne").app;
    const began = performance.now();
    const {{ rules }} = state.filters.value;
    const rule = {{ kind: "category", off: new Set([number % 4]), missing: true }};
    state.filters.value = {{ linked: false, rules: new Map(rules).set("0.4", rule) }};
    await {FRAME};
    await {FRAME};
    return performance.now() - began;
}}"""

# until the rows are others: one frame more than it takes to compute them
SORT = f"""async (key) => {{
    const table = document.querySelector(".table");
    const rows = () => table.querySelector("[aria-sort=ascending]")?.querySelector("button").dataset.key;
    let [began, last, longest] = [performance.now(), performance.now(), 0];
    table.querySelector(`[data-key=${{key}}]`).click();
    do {{
        await {FRAME};
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
    }} while (rows() !== key);
    return [last - began, longest];
}}"""
OPEN = f"""async () => {{
    const {{ app }} = document.querySelector(".mrsne");
    const began = performance.now();
    app.toggle('table');
    do await {FRAME};
    while (!document.querySelector(".table .row"));
    return performance.now() - began;
}}"""
SCROLL = f"""async (number) => {{
    const grid = document.querySelector(".table .grid");
    const before = grid.querySelector(".row").dataset.at;
    const began = performance.now();
    grid.scrollTop = ((number * 0.618) % 1) * (grid.scrollHeight - grid.clientHeight);
    await {FRAME};
    if (grid.querySelector(".row").dataset.at === before) throw new Error("the rows are the same");
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
    price = np.where(random.random(count) < 0.1, np.nan, np.exp(random.normal(6, 2, count)))
    places_of = np.array([f"place {i}" for i in range(40)])[np.minimum(39, random.geometric(0.12, count) - 1)]
    known = {"price": price, "score": random.normal(size=count), "year": random.integers(1950, 2025, count)}
    known["day"] = np.datetime64("2001-01-01") + random.integers(0, 8000, count).astype("m8[D]")
    known["place"] = places_of
    data = RelationalData({"image": count, "tag": tags}, {("image", "tag"): W}, names, columns={"image": known})
    return Embedding({"image": places[0], "tag": places[1]}), data


def measured(browser: Browser, page_file: Path, rounds: int) -> dict[str, float]:
    """Return seconds to the first picture, and milliseconds of all else, from one fresh page."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page: Page = context.new_page()
    began = time.perf_counter()
    page.goto(page_file.as_uri())
    drawn = "() => Number(document.querySelector('.stage')?.dataset.thumbnails ?? 0) + "
    drawn += "Number(document.querySelector('.stage')?.dataset.names ?? 0) > 0"
    page.wait_for_function(drawn, polling="raf", timeout=120_000)
    first = time.perf_counter() - began
    page.wait_for_timeout(3000)
    hovers = [page.evaluate(HOVER, number) for number in range(1, rounds + 1)]
    moves = [page.evaluate(PAN) for _ in range(rounds)]
    page.keyboard.press("0")
    page.wait_for_timeout(4000)
    found = {"first picture": first, "hover": statistics.median(hovers), "pan": statistics.median(moves)}
    found["table"] = page.evaluate(OPEN)
    page.wait_for_timeout(6000)  # until the dots are drawn anew
    found["sorted by links"], _ = page.evaluate(SORT, "links")
    found["sorted by name"], found["longest frame of that"] = page.evaluate(SORT, "name")
    found["scroll"] = statistics.median(page.evaluate(SCROLL, number) for number in range(1, rounds + 1))
    page.evaluate("document.querySelector('.mrsne').app.toggle('table')")
    if page.evaluate("document.querySelector('.mrsne').app.content.domains[0].columns.length") >= 5:
        page.keyboard.press("f")
        page.evaluate("document.querySelectorAll('.filters details').forEach((each) => (each.open = true))")
        page.wait_for_timeout(6000)
        found["brush"] = statistics.median(page.evaluate(FILTERED, number) for number in range(rounds))
        found["category"] = statistics.median(page.evaluate(SWITCHED, number) for number in range(rounds))
    context.close()
    return found


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
            size = path.stat().st_size / 1e6
            times = {name: statistics.median(result[name] for result in results) for name in results[0]}
            listed = ", ".join(f"{name} {value:.0f} ms" for name, value in times.items() if name != "first picture")
            print(
                f"{title}: page {size:.1f} MB, written in {writing:.1f} s; first picture "
                f"{times['first picture']:.2f} s, {listed}"
            )


if __name__ == "__main__":
    main()
