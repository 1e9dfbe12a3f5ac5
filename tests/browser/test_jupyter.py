"""Maps in a real JupyterLab: live, run again, saved and opened again."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Locator, Page, expect

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("jupyterlab") is None, reason="JupyterLab is not installed: pip install jupyterlab"
    ),
]

PATIENCE = 60_000  # milliseconds
SMALL = """
import numpy as np
from mrsne import Embedding, RelationalData
data = RelationalData({"dot": 300, "tag": 2}, {("dot", "tag"): [(0, 0), (1, 1)]}, names={"tag": ["first", "second"]})
embedding = Embedding({"dot": np.random.default_rng(0).normal(size=(300, 2)), "tag": [[0, 0], [1, 1]]}, data=data)
"""
EMOJI = """
import numpy as np
from mrsne import Embedding
from mrsne.datasets.emoji import emoji_groups, load_emoji
data = load_emoji()
X = np.asarray(data.vectors["image"], float)
U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
images = U[:, :2] * S[:2]
W = data.relations["image", "tag"].T
embedding = Embedding({"image": images, "tag": (W @ images) / np.asarray(W.sum(axis=1))}, data=data)
"""


@dataclass
class Lab:
    """A JupyterLab that listens to this machine only, with settings of its own."""

    address: str
    folder: Path
    environment: dict[str, str]

    def jupyter(self, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "jupyter", *arguments],
            env=self.environment,
            cwd=self.folder,
            check=True,
            timeout=120,
        )

    def write(self, name: str, *cells: str) -> None:
        made = [{"cell_type": "code", "source": cell.strip(), "metadata": {}, "outputs": []} for cell in cells]
        described = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        content = {
            "cells": [cell | {"execution_count": None, "id": str(at)} for at, cell in enumerate(made)],
            "metadata": described,
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (self.folder / name).write_text(json.dumps(content))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("jupyter")
    folder = home / "notebooks"
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    for made in (folder, settings):
        made.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"checkForUpdates": false, "fetchNews": "false"}')
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings_given = [f"--port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}"]
    settings_given += [
        "--ip=127.0.0.1",
        "--no-browser",
        "--allow-root",
        "--IdentityProvider.token=",
        "--LabApp.news_url=",
    ]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--expose-app-in-browser", *settings_given],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,  # so that kernels end with it
        )
    try:
        address = f"http://127.0.0.1:{port}/"
        _wait_for(address + "api", process, home / "log")
        yield Lab(address, folder, environment)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.25)
    pytest.fail(f"JupyterLab did not start: {log.read_text()}")


Notebook = Callable[..., Page]


@pytest.fixture
def notebook(lab: Lab, browser: Browser) -> Iterator[Notebook]:
    """Return a function that opens a notebook; no page may have an uncaught error."""
    faults: list[str] = []
    contexts = []

    def open_notebook(name: str, script: str = "") -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: faults.append(str(error)))
        if script:
            page.add_init_script(script)
        page.goto(f"{lab.address}lab/tree/{name}?reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_selector("#jupyterlab-splash", state="detached")
        return page

    yield open_notebook
    for context in contexts:
        context.close()
    # anywidget waits two seconds for each widget, which is not long for many of them on a small machine
    assert [fault for fault in faults if "[anywidget] Failed to initialize" not in fault] == []


def run_all(page: Page) -> None:
    page.wait_for_function("window.jupyterapp.shell.currentWidget?.context?.sessionContext?.isReady")
    page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")


def run(page: Page, cell: int, source: str | None = None) -> Locator:
    """Run a cell, with another text if one is given, and return its output."""
    found = page.locator(".jp-Notebook .jp-Cell").nth(cell)
    found.locator(".cm-content").click()
    if source is not None:
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(source)
    page.keyboard.press("Control+Enter")
    return found.locator(".jp-OutputArea")


def widget(page: Page, count: int = 1) -> Locator:
    """Wait until so many widgets are drawn, and return the last."""
    expect(page.locator(".mrsne[data-ready=all]")).to_have_count(count, timeout=PATIENCE)
    page.locator(".mrsne").last.scroll_into_view_if_needed()
    return page.locator(".mrsne").last


def frame(page: Page, at: int = 0) -> Frame:
    """Return a frame when its map is drawn."""
    element = page.locator("iframe").nth(at)
    element.scroll_into_view_if_needed()
    handle = element.element_handle()
    found = handle.content_frame() if handle else None
    assert found is not None
    found.wait_for_selector(".mrsne[data-ready=all]", timeout=PATIENCE)
    return found


def lassoed(page: Page, box: Any, reach: float) -> None:
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.keyboard.down("Shift")
    page.mouse.move(x - reach, y - reach)
    page.mouse.down()
    for right, down in ((1, -1), (1, 1), (-1, 1), (-1, -1)):
        page.mouse.move(x + right * reach, y + down * reach, steps=5)
    page.mouse.up()
    page.keyboard.up("Shift")


def test_a_widget_shows_the_map_and_shares_its_selection(lab: Lab, notebook: Notebook) -> None:
    made = 'w = embedding.widget(columns={"image": {"group": emoji_groups()}}, height=420)\nw'
    lab.write("live.ipynb", EMOJI, made, "")
    page = notebook("live.ipynb")
    run_all(page)
    shown = widget(page)
    expect(shown.locator(".stage")).to_have_attribute("data-thumbnails", re.compile("[1-9]"), timeout=PATIENCE)
    box = shown.bounding_box()
    assert box is not None
    assert box["height"] == 420
    assert shown.evaluate("(root) => root.app.stage.camera.k === root.app.stage.camera.whole.k"), "all of it at first"

    picture = shown.evaluate("(root) => root.app.stage.marks.shown.thumbnails[0]")
    page.mouse.move(box["x"] + picture["x"], box["y"] + picture["y"])
    expect(shown.locator(".item-tooltip")).to_be_visible()
    lassoed(page, box, 70)
    title = shown.locator(".panel h2")
    expect(title).to_have_text(re.compile("items selected"))
    counted = run(page, 2, "print('selected', sum(map(len, w.selection.values())), sorted(w.selection))")
    number = re.sub(r"\D", "", title.text_content() or "")
    expect(counted).to_contain_text(f"selected {number} ['image', 'tag']")

    run(page, 2, "w.selection = {'tag': [3, 1], 'image': {7}}")
    expect(title).to_have_text("3 items selected")
    assert shown.evaluate("(root) => [...root.app.state.selection.value]") == [7, 1637, 1639]
    run(page, 2, "w.selection = {}")
    expect(shown.locator(".panel")).to_be_hidden()


def test_a_map_is_there_while_a_later_cell_runs(lab: Lab, notebook: Notebook) -> None:
    lab.write("busy.ipynb", SMALL, "embedding.widget()", "import time; time.sleep(600)")
    page = notebook("busy.ipynb")
    run_all(page)
    widget(page)
    assert page.locator(".jp-InputPrompt").nth(2).text_content() == "[*]:"


@pytest.mark.parametrize("part", [".stage", ".legend"])
def test_keys_of_the_map_are_not_keys_of_the_notebook(lab: Lab, notebook: Notebook, part: str) -> None:
    lab.write("keys.ipynb", SMALL, "embedding.widget(height=420)")
    page = notebook("keys.ipynb")
    run_all(page)
    shown = widget(page)
    cells = page.locator(".jp-Notebook .jp-Cell")
    shown.locator(part).click(position={"x": 6, "y": 60})
    for (
        key
    ) in "bddlxacvz00mykj":  # insert below, delete, line numbers, cut, insert above, copy, paste, undo, restart, ...
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    expect(cells).to_have_count(2)
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    page.keyboard.press("Escape")  # the lasso
    page.keyboard.press("/")
    page.keyboard.type("second")
    page.keyboard.press("Enter")
    expect(shown.locator(".panel h2")).to_have_text("second")

    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-dirty")).to_have_count(0)
    shown.locator(".stage").focus()
    page.keyboard.press("Escape")
    expect(shown.locator(".panel")).to_be_hidden()
    page.keyboard.press("Escape")  # nothing is left to close: out of the map
    page.keyboard.press("b")
    expect(cells).to_have_count(3)
    shown.locator(".stage").focus()
    cells.nth(1).locator(".jp-InputPrompt").click()
    page.keyboard.press("b")
    expect(cells).to_have_count(4)


def test_the_wheel_zooms_the_map_and_leaves_the_notebook_where_it_is(lab: Lab, notebook: Notebook) -> None:
    lab.write("wheel.ipynb", SMALL, "embedding.widget(height=420)", "\n" * 60)
    page = notebook("wheel.ipynb")
    run_all(page)
    shown = widget(page)
    before, near = shown.bounding_box(), shown.evaluate("(root) => root.app.stage.camera.k")
    assert before is not None
    page.mouse.move(before["x"] + 400, before["y"] + 200)
    page.mouse.wheel(0, -200)
    page.wait_for_function("(near) => document.querySelector('.mrsne-widget').app.stage.camera.k > near", arg=near)
    assert shown.bounding_box() == before


# listeners on what outlives a map, and WebGL contexts, are counted
COUNTED = """(() => {
    const living = new Set(), contexts = [], known = new Map();
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    const number = (value) => known.get(value) ?? (known.set(value, known.size), known.get(value));
    const key = (kind, listener, options) =>
        `${kind} ${number(listener)} ${Boolean(typeof options === "object" ? options?.capture : options)}`;
    const outlives = (target) => target === undefined || target === window || target === document;
    EventTarget.prototype.addEventListener = function (kind, listener, options) {
        if (outlives(this) && listener) living.add(key(kind, listener, options));
        return addEventListener.call(this, kind, listener, options);
    };
    EventTarget.prototype.removeEventListener = function (kind, listener, options) {
        if (outlives(this)) living.delete(key(kind, listener, options));
        return removeEventListener.call(this, kind, listener, options);
    };
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        const context = getContext.call(this, kind, ...rest);
        if (kind === "webgl2" && context && !contexts.includes(context)) contexts.push(context);
        return context;
    };
    const own = ["keydown", "keyup", "blur", "mouseup", "mousemove", "resize", "orientationchange", "popstate"];
    window.counted = () => ({
        listeners: own.map((kind) => [...living].filter((each) => each.startsWith(`${kind} `)).length),
        contexts: contexts.filter((context) => !context.isContextLost()).length,
    });
})()"""


def test_a_cell_that_runs_again_leaves_nothing_behind(lab: Lab, notebook: Notebook) -> None:
    lab.write("again.ipynb", SMALL, "embedding.widget()")
    page = notebook("again.ipynb", COUNTED)
    run_all(page)
    widget(page)
    page.wait_for_timeout(500)
    before = page.evaluate("counted()")
    assert before["contexts"] == 1
    for _ in range(4):
        page.evaluate("document.querySelector('.mrsne-widget').app.root.dataset.old = ''")
        run(page, 1)
        expect(page.locator(".mrsne[data-ready=all]:not([data-old])")).to_have_count(1, timeout=PATIENCE)
    for _ in range(3):  # without waiting for the map
        run(page, 1)
    page.wait_for_timeout(3000)
    widget(page)
    page.wait_for_timeout(500)
    assert page.evaluate("counted()") == before


def test_more_maps_than_there_are_contexts_of_webgl_all_show_their_dots(lab: Lab, notebook: Notebook) -> None:
    lab.write("many.ipynb", SMALL, *["embedding.widget(height=200)"] * 18)
    page = notebook("many.ipynb", COUNTED)
    run_all(page)
    for cell in range(1, 19):
        page.locator(".jp-Notebook .jp-Cell").nth(cell).scroll_into_view_if_needed()
        page.wait_for_timeout(200)
    widget(page, 18)
    page.wait_for_timeout(1000)
    assert page.evaluate("counted()")["contexts"] <= 16
    inked = """(roots) => roots.map((root) => {
        const { points, camera } = root.app.stage;
        points.render?.(camera, points.layers); // a browser keeps what WebGL has drawn until it has shown it
        const { canvas } = points;
        const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
        const context = copy.getContext("2d");
        context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        return data.filter((value, at) => at % 4 === 0 && value < 200 && data[at + 3] > 0).length;
    })"""
    assert min(page.locator(".mrsne").evaluate_all(inked)) > 500


def test_a_widget_follows_the_theme_of_jupyterlab(lab: Lab, notebook: Notebook) -> None:
    lab.write("theme.ipynb", SMALL, "embedding.widget()")
    page = notebook("theme.ipynb")
    run_all(page)
    shown = widget(page)
    expect(shown).to_have_attribute("data-theme", "light")
    try:
        for theme, expected in (("JupyterLab Dark", "dark"), ("JupyterLab Light", "light")):
            page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
            expect(shown).to_have_attribute("data-theme", expected)
    finally:
        page.evaluate("window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' })")


def test_a_frame_does_not_take_the_focus_and_its_keys_and_table_work(lab: Lab, notebook: Notebook) -> None:
    lab.write("frame.ipynb", SMALL, "embedding")
    page = notebook("frame.ipynb")
    run_all(page)
    inside = frame(page)
    box = page.locator("iframe").bounding_box()
    assert box is not None
    assert box["height"] == 560
    assert not inside.evaluate("document.hasFocus()")
    lassoed(page, box, 120)
    expect(inside.locator(".panel h2")).to_have_text(re.compile("items selected"))
    with page.expect_download() as download:
        inside.get_by_role("button", name="Export CSV").click()
    assert download.value.suggested_filename == "selection.csv"
    inside.locator(".stage").focus()
    for key in "bdd":
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    inside.get_by_role("combobox", name="Search").fill("second")
    page.keyboard.press("Enter")
    expect(inside.locator(".panel h2")).to_have_text("second")
    expect(inside.get_by_role("button", name="Copy link")).to_have_count(0)
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


@pytest.fixture(scope="module")
def executed(lab: Lab) -> Lab:
    """Notebooks that were run elsewhere: with the state of the widget, trusted; without it, trusted or not."""
    lab.write("saved.ipynb", EMOJI, "embedding", "embedding.widget()")
    lab.jupyter("nbconvert", "--to", "notebook", "--execute", "saved.ipynb", "--output", "state.ipynb")
    content = json.loads((lab.folder / "state.ipynb").read_text())
    content["metadata"].pop("widgets")
    (lab.folder / "saved.ipynb").write_text(json.dumps(content))
    lab.jupyter("trust", "state.ipynb", "saved.ipynb")
    content["metadata"]["changed"] = True
    (lab.folder / "stranger.ipynb").write_text(json.dumps(content))
    return lab


def test_a_saved_notebook_shows_an_embedding_without_running(executed: Lab, notebook: Notebook) -> None:
    page = notebook("saved.ipynb")
    inside = frame(page)
    inside.wait_for_function("() => Number(document.querySelector('.stage').dataset.thumbnails) > 0")
    assert (executed.folder / "saved.ipynb").stat().st_size < 2 * 2_600_000, "two frames"


def test_a_saved_widget_with_its_state_shows_without_running(executed: Lab, notebook: Notebook) -> None:
    page = notebook("state.ipynb")
    shown = widget(page)
    expect(shown.locator(".stage")).to_have_attribute("data-thumbnails", re.compile("[1-9]"), timeout=PATIENCE)


def test_a_notebook_of_a_stranger_says_why_there_is_no_map(executed: Lab, notebook: Notebook) -> None:
    page = notebook("stranger.ipynb")
    shown = page.locator(".jp-OutputArea-output")
    expect(shown).to_have_text(["A map of 2,633 items; to see it, trust this notebook or run it."] * 2)


def test_a_notebook_as_a_page_shows_embedding_and_widget(executed: Lab, browser: Browser) -> None:
    executed.jupyter("nbconvert", "--to", "html", "saved.ipynb")
    context = browser.new_context(offline=True)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto((executed.folder / "saved.html").as_uri(), wait_until="commit")
    for at in range(2):
        frame(page, at).wait_for_function("() => Number(document.querySelector('.stage').dataset.thumbnails) > 0")
    context.close()
    assert [fault for fault in faults if "require is not defined" not in fault] == [], "the page's own, when offline"
