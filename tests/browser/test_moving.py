"""Load, pan, zoom, fly; what is shown at which zoom."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from mrsne import Embedding, RelationalData
from tests.browser.conftest import DOTS, MOTION, Opened, evaluated, place_of, rested


def test_a_page_opens_from_disk_with_pictures_and_names(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    assert page.title() == "Emoji and their keywords"
    assert evaluated(page, "app.content.count") == 1636 + 997
    assert evaluated(page, "app.stage.accelerated")
    shown = evaluated(page, "app.stage.marks.shown")
    assert len(shown["thumbnails"]) > 40
    assert len(shown["names"]) > 10


def test_dragging_moves_the_map_with_the_pointer(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    before = place_of(page, "tag", "dog")
    page.mouse.move(600, 400)
    page.mouse.down()
    page.mouse.move(680, 450, steps=4)
    page.mouse.up()
    rested(page)
    after = place_of(page, "tag", "dog")
    assert after == pytest.approx((before[0] + 80, before[1] + 50), abs=0.5)
    assert evaluated(page, "app.state.pinned.value") == -1, "a drag is not a click"


def test_the_wheel_zooms_about_the_pointer(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    under = "[app.stage.camera.mapX(300), app.stage.camera.mapY(500)]"
    before, there = evaluated(page, "app.stage.camera.k"), evaluated(page, under)
    page.mouse.move(300, 500)
    for _ in range(5):
        page.mouse.wheel(0, -200)
    rested(page)
    assert evaluated(page, "app.stage.camera.k") > 3 * before
    assert evaluated(page, under) == pytest.approx(there, abs=1e-9)


def test_more_is_shown_and_larger_as_one_zooms_in(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    middle = (
        "(() => { const b = app.stage.camera.box(); return [b.x1 - b.x0, ...Object.values(app.stage.marks.shown)] })()"
    )
    width, names, thumbnails = evaluated(page, middle)
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
        rested(page)
    closer, near_names, near_thumbnails = evaluated(page, middle)
    assert closer < width / 8
    assert near_thumbnails[0]["width"] > 1.3 * thumbnails[0]["width"]
    shown, near = (len(names) + len(thumbnails)) / width**2, (len(near_names) + len(near_thumbnails)) / closer**2
    assert near > 4 * shown, "so many in each part of the map"


def test_dots_are_larger_where_one_has_zoomed_in(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    size = "app.stage.dotSize"
    before = evaluated(page, size)
    evaluated(page, "app.stage.camera.look({ ...app.stage.camera.whole, k: 12 * app.stage.camera.k })")
    rested(page)
    assert evaluated(page, size) == 10 > before
    evaluated(page, "app.stage.camera.look(app.stage.camera.whole)")
    rested(page)
    assert evaluated(page, size) == before


def test_sixty_pictures_are_pictures_and_fill_the_room_they_have(
    opened: Opened, emoji: tuple[Embedding, RelationalData], tmp_path: Path
) -> None:
    pictures = emoji[1].pictures
    assert pictures is not None
    few = RelationalData({"image": 60}, {}, pictures={"image": pictures["image"][:60]})
    places = np.random.default_rng(0).uniform(size=(60, 2))
    Embedding({"image": places}).to_html(tmp_path / "few.html", few)
    page = opened(tmp_path / "few.html")
    rested(page)
    marks = evaluated(page, "app.stage.marks.shown.thumbnails")
    assert len(marks) > 50
    assert np.median([mark["width"] for mark in marks]) > 40
    for i, a in enumerate(marks):
        for b in marks[:i]:
            apart = max(abs(a["x"] - b["x"]), abs(a["y"] - b["y"]))
            assert apart >= (a["width"] + b["width"]) / 2 - 0.01, "no picture covers another"


def test_names_do_not_overlap(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    for _ in range(3):
        names = evaluated(page, "app.stage.marks.shown.names")
        for index, a in enumerate(names):
            for b in names[:index]:
                apart_x = abs(a["x"] - b["x"]) * 2 >= a["width"] + b["width"]
                apart_y = abs(a["y"] - b["y"]) * 2 >= a["height"] + b["height"]
                assert apart_x or apart_y, (a, b)
        page.get_by_role("button", name="Zoom in").click()
        rested(page)


def test_names_that_say_most_are_shown_first(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    shown, everything, said = evaluated(
        page,
        """(() => {
            const { prominence } = app.content;
            const said = (item) => app.stage.regions.says(app.content.name(item));
            const tags = Array.from({ length: app.content.count - 1636 }, (_, at) => 1636 + at);
            const all = tags.filter((item) => !said(item)).map((item) => prominence[item]).sort((a, b) => b - a);
            const names = app.stage.marks.shown.names.map((mark) => mark.item);
            return [names.map((item) => prominence[item]), all, names.filter(said).length];
        })()""",
    )
    assert shown == sorted(shown, reverse=True)
    assert shown[0] in everything[:20]  # the others may be where a region has its name
    octaves = (sum(shown) / len(shown) - sum(everything) / len(everything)) / 1024
    assert octaves > 1  # twice as much
    assert said == 0


def test_deep_zoom_does_not_jitter(opened: Opened, tmp_path: Path) -> None:
    """A dot of a map far from the origin, zoomed in a hundred times, moves as far as the map does."""
    path = tmp_path / "map.html"
    Embedding({"a": [[1e4, 1e4], [1e4 + 1, 1e4 + 1], [1e4 + 0.99, 1e4 + 0.99]]}).to_html(path, theme="light")
    page = opened(path)
    middle_of_ink = f"""(() => {{
        const {{ data, width }} = {DOTS};
        let [sum, x] = [0, 0];
        for (let at = 3; at < data.length; at += 4) {{
            sum += data[at];
            x += data[at] * (((at - 3) / 4) % width + 0.5);
        }}
        return x / sum;
    }})()"""
    evaluated(page, "app.stage.camera.look({ x: app.content.x[2], y: app.content.y[2], k: 50000 })")
    rested(page)
    found = []
    for _ in range(6):
        found.append(evaluated(page, middle_of_ink))
        evaluated(page, "app.stage.camera.pan(10, 0)")
        rested(page)
    moves = [b - a for a, b in itertools.pairwise(found)]
    assert moves == pytest.approx([10.0] * 5, abs=0.6)


def test_the_whole_map_again(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, **MOTION)
    whole = evaluated(page, "app.stage.camera.view")
    evaluated(page, "app.stage.camera.look({ x: 0.5, y: 0.2, k: 9000 })")
    page.get_by_role("button", name="Show the whole map").click()
    rested(page)
    assert evaluated(page, "app.stage.camera.view") == pytest.approx(whole)


def test_a_lost_context_leaves_a_map(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    evaluated(page, "(app.state.selection.value = [1, 2, 3])")
    lose = "(window.lost = app.stage.points).gl.getExtension('WEBGL_lose_context').loseContext()"
    evaluated(page, lose)
    page.wait_for_function("() => document.querySelector('.mrsne').app.stage.points !== window.lost")
    rested(page)
    assert evaluated(page, "app.stage.accelerated"), "in a new context"
    assert evaluated(page, "app.stage.points.layers.selected") == 3
    expect(page.locator(".warning")).to_have_count(0)
    evaluated(page, lose)
    expect(page.locator(".warning")).to_contain_text("WebGL is not available")
    before = place_of(page, "tag", "dog")
    page.mouse.move(600, 400)
    page.mouse.down()
    page.mouse.move(650, 400, steps=3)
    page.mouse.up()
    rested(page)
    assert place_of(page, "tag", "dog")[0] == pytest.approx(before[0] + 50, abs=0.5)
    assert evaluated(page, "app.stage.marks.shown.thumbnails.length") > 40


def test_zoom_has_an_end(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, "#at=0,0,999999")
    assert evaluated(page, "app.stage.camera.k") == 2_000_000
    page.get_by_role("button", name="Zoom in").click()
    rested(page)
    assert evaluated(page, "app.stage.camera.k") == 2_000_000


def test_quick_clicks_all_count(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, **MOTION)
    before = evaluated(page, "app.stage.camera.k")
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    rested(page)
    assert evaluated(page, "app.stage.camera.k") == pytest.approx(before * 1.8**4)


def test_the_whole_map_is_beside_the_panels(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page)
    left = evaluated(page, "app.stage.camera.screenX(-1)")
    legend, controls = (page.locator(name).bounding_box() for name in (".legend", ".controls"))
    assert legend is not None
    assert controls is not None
    assert left > legend["x"] + legend["width"]
    assert evaluated(page, "app.stage.camera.screenX(1)") < controls["x"]


def test_without_webgl_there_is_a_message_and_a_map(opened: Opened, emoji_page: Path) -> None:
    blocked = """
        const original = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.startsWith("webgl") ? null : original.call(this, kind, ...rest);
        };"""
    page = opened(emoji_page, script=blocked)
    assert not evaluated(page, "app.stage.accelerated")
    assert "WebGL is not available" in page.locator(".warning").inner_text()
    assert len(evaluated(page, "app.stage.marks.shown.thumbnails")) > 40
    inked = """(() => {
        const canvas = app.stage.element.querySelector("canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, at) => at % 4 === 3 && value > 0).length;
    })()"""
    assert evaluated(page, inked) > 5000
    x, y = place_of(page, "tag", "dog")
    page.mouse.click(x, y)
    page.get_by_role("heading", name="dog", exact=True).wait_for()


def test_what_the_page_does_besides_is_not_counted_as_drawing(opened: Opened, tmp_path: Path) -> None:
    Embedding({"dot": [[i % 150, i // 150] for i in range(15_000)]}).to_html(tmp_path / "map.html")
    page = opened(tmp_path / "map.html")
    rested(page)
    evaluated(
        page,
        """(() => {
            const { points, camera } = app.stage;
            points.perDot = 0;
            points.draw(camera, () => {});
            for (const end = performance.now() + 1500; performance.now() < end; ); // such as sorting a table
        })()""",
    )
    rested(page)
    assert evaluated(page, "app.stage.points.perDot * app.content.count") < 1000


def test_another_screen_with_more_pixels_shows_the_same(opened: Opened, emoji_page: Path) -> None:
    page = opened(emoji_page, fresh=True)
    evaluated(page, "Object.assign(app.root.style, { inset: '0 auto auto 0', width: '900px', height: '600px' })")
    rested(page)
    screen = page.context.new_cdp_session(page)
    sizes = "[...document.querySelectorAll('.stage > canvas')].map((canvas) => canvas.width / canvas.clientWidth)"
    scales = "[app.stage.base, app.stage.top].map((canvas) => canvas.getContext('2d').getTransform().a)"
    for number, density in enumerate((2, 1.5, 1)):
        # the window becomes another one, but the map stays as large as it is
        window = {"width": 1200, "height": 801 + number, "deviceScaleFactor": density, "mobile": False}
        screen.send("Emulation.setDeviceMetricsOverride", window)
        page.wait_for_function("(density) => devicePixelRatio === density", arg=density)
        evaluated(page, "(app.state.pinned.value = given)", number)  # which is drawn on the layer on top
        rested(page)
        assert page.evaluate(sizes) == [density] * 3
        assert evaluated(page, scales) == [density] * 2
