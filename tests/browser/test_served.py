"""The map from a server: parts for what is on screen, pictures in full size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from mrsne import Embedding, RelationalData
from mrsne.viewer.content import Content
from mrsne.viewer.pictures import PictureFolder
from mrsne.viewer.server import MapServer
from tests.browser.conftest import Opened, evaluated, place_of, rested

COUNT, TAGS = 5_000, 12
SIDE = 48  # pixels of a thumbnail, so that there are 361 on a sheet
# what could not be loaded is requested again after seconds, here sooner
IMPATIENT = "const { setTimeout } = window; window.setTimeout = (act, ms) => setTimeout(act, ms > 1000 ? ms / 20 : ms);"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MapServer]:
    """Pictures of plain colours in clusters, of which the first is there in full size."""
    folder = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(0)
    names = [f"picture {index}.png" for index in range(COUNT)]
    Image.new("RGB", (300, 200), (200, 30, 60)).save(folder / names[0])
    shades = random.integers(0, 255, (COUNT, 1, 1, 3), np.uint8)
    pictures = np.broadcast_to(shades, (COUNT, 16, 16, 3)).copy()
    centres = random.normal(size=(30, 2))
    places = centres[random.integers(30, size=COUNT)] + 0.04 * random.normal(size=(COUNT, 2))
    places[0] = (3, 3)
    links = [(index, int(random.integers(TAGS))) for index in range(COUNT)]
    data = RelationalData(
        {"image": COUNT, "tag": TAGS},
        {("image", "tag"): links},
        names={"image": names, "tag": [f"tag {index}" for index in range(TAGS)]},
        pictures={"image": pictures},
    )
    content = Content(Embedding({"image": places, "tag": centres[:TAGS]}), data, title="Many pictures", side=SIDE)
    with MapServer(content, {"image": PictureFolder(folder, names)}) as started:
        yield started


def test_a_view_loads_what_is_on_screen_and_only_once(opened: Opened, server: MapServer) -> None:
    page = opened(server.url, fresh=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    whole = evaluated(page, "app.stage.marks.shown.thumbnails.length")
    assert whole > 20
    x, y = place_of(page, "tag", "tag 3")
    page.mouse.move(x, y)
    for _ in range(6):
        page.mouse.wheel(0, -240)
    rested(page)
    assert evaluated(page, "app.stage.marks.shown.thumbnails.length") > 20
    sheets = [url for url in asked if "/part/sheet-" in url]
    everything = evaluated(page, "app.content.domains[0].tree.nodes.length")
    assert 0 < len(sheets) < 0.7 * everything, "13 of 27, on the way and there"
    assert len(set(sheets)) == len(sheets), "what is there is not asked for again"


def test_a_pinned_item_with_many_links_asks_for_little_and_then_for_nothing(opened: Opened, server: MapServer) -> None:
    page = opened(server.url, fresh=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    evaluated(page, f"(app.state.pinned.value = {COUNT} + 3)")
    assert evaluated(page, f"app.content.links.degree({COUNT} + 3)") > 200
    rested(page)
    first = len(asked)
    assert 0 < first <= 12 + 60, "for links on the map, and for the first of the list"
    for _ in range(5):
        evaluated(page, "app.stage.requestDraw()")
        rested(page)
    assert len(asked) == first


def test_a_sheet_that_could_not_be_had_is_asked_for_again(opened: Opened, server: MapServer) -> None:
    page = opened(server.url, checked=False, script=IMPATIENT)
    page.route("**/part/sheet-*", lambda route: route.abort())
    evaluated(page, "app.stage.camera.look({ x: app.content.x[5], y: app.content.y[5], k: 9000 })")
    page.wait_for_function("() => document.querySelector('.mrsne').app.stage.sheets.failures.size > 0")
    page.unroute("**/part/sheet-*")
    page.wait_for_function("() => document.querySelector('.mrsne').app.stage.sheets.loading.size === 0", timeout=20_000)
    rested(page)
    assert evaluated(page, "[...app.stage.sheets.failures.keys()].every((key) => app.stage.sheets.ready.has(key))")


def test_a_click_shows_the_picture_in_full_size(opened: Opened, server: MapServer) -> None:
    page = opened(server.url)
    page.get_by_role("combobox", name="Search").fill("picture 0.png")
    page.get_by_role("combobox", name="Search").press("Enter")
    picture = page.locator(".panel img")
    expect(picture).to_have_attribute("alt", "picture 0.png")
    page.wait_for_function("() => document.querySelector('.panel img').naturalWidth === 300")


def test_rows_that_pass_by_load_no_thumbnails(opened: Opened, server: MapServer) -> None:
    page = opened(server.url, fresh=True)
    page.keyboard.press("t")
    table = page.get_by_role("region", name="Table")
    expect(table.locator(".row").first).to_be_visible()
    rested(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(
        """async () => {
            const grid = document.querySelector(".table .grid");
            for (let top = 0; top < 90_000; top += 1500) {
                grid.scrollTop = top;
                await new Promise((resolve) => setTimeout(resolve, 20));
            }
        }"""
    )
    while_scrolling = len(asked)
    painted = "() => [...document.querySelectorAll('.table .thumb')].every((canvas) => "
    painted += "canvas.getContext('2d').getImageData(9, 9, 1, 1).data[3])"
    page.wait_for_function(painted)
    assert while_scrolling <= len(asked) <= table.locator(".row").count()
    assert while_scrolling <= 2, "those of the rows where it stopped for long"


def test_a_picture_that_is_gone_leaves_its_thumbnail(opened: Opened, server: MapServer) -> None:
    page = opened(server.url, checked=False)  # the browser reports the 404
    page.get_by_role("combobox", name="Search").fill("picture 1.png")
    page.get_by_role("combobox", name="Search").press("Enter")
    expect(page.locator(".panel canvas.preview")).to_be_visible()
    expect(page.locator(".panel img")).to_have_count(0)


def test_the_program_of_a_saved_page_is_the_same(server: MapServer, three_page: Path) -> None:
    program = three_page.read_text("utf-8").split('<script type="module">')[1]
    assert program in server.respond(server.url.split(str(server.port))[1]).content.decode("utf-8")
