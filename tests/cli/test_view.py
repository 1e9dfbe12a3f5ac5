"""`mrsne view`: a saved map in the browser, or as one page."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mrsne import Embedding, RelationalData
from mrsne.cli.view import picture_folders, read_columns
from mrsne.data.archive import write_archive
from mrsne.data.files.problems import Problems
from mrsne.model.saved_map import SavedMap
from mrsne.viewer.server import MapServer
from tests.cli.conftest import Invoke

NAMES = ["a.png", "more/b.png", "c.png"]


def saved_map(folder: Path) -> Path:
    """Write a map as `mrsne map` does: three pictures in a folder, and two things without names or vectors."""
    photos = folder / "photos"
    (photos / "more").mkdir(parents=True)
    for name in NAMES:
        Image.new("RGB", (40, 30), "red").save(photos / name)
    data = RelationalData(
        {"image": 3, "thing": 2},
        {("image", "thing"): [(0, 0), (1, 1)]},
        names={"image": NAMES},
        pictures={"image": np.zeros((3, 8, 8, 3), np.uint8)},
    )
    Embedding({"image": [[0, 0], [1, 1], [0, 1]], "thing": [[1, 0], [2, 2]]}).save(folder / "map.npz")
    write_archive(data, folder / "map.data.npz", {"settings": {}, "folder": str(photos)})
    return folder / "map.npz"


def about_in(page: str) -> Any:
    found = re.search(r'id="mrsne-about">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


def served(*arguments: str | Path) -> tuple[subprocess.Popen[str], str, list[str]]:
    """Start the command, and return it with the address and the lines that it printed before."""
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a job in the background ignores it, and so would its child
    process = subprocess.Popen(
        [sys.executable, "-m", "mrsne", "view", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        if line.startswith("address: "):
            return process, line.removeprefix("address: ").strip(), lines
        lines.append(line.strip())
    pytest.fail(process.communicate()[1])


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        content: bytes = answer.read()
        return content


def interrupted(server: MapServer) -> None:
    raise KeyboardInterrupt


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    path = saved_map(tmp_path)
    (tmp_path / "years.csv").write_text("picture,year,kind\na,2001,dog\nmore/b.png,,cat\nz.png,2005,cow\n")
    process, url, before = served(path, "--columns", f"image={tmp_path / 'years.csv'}")
    about = about_in(read(url).decode())
    picture = read(f"{url}picture/0/1")
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    assert f"ended: {url}" in printed
    assert before == ["left out or incomplete: 1 × row for an item that is not there"]
    assert picture == (tmp_path / "photos" / "more" / "b.png").read_bytes()
    image, thing = about["domains"]
    assert (image["pictures"], "pictures" in thing, about["title"]) == (True, False, "photos")
    assert image["columns"] == [
        {"name": "year", "kind": "number", "categories": None},
        {"name": "kind", "kind": "category", "categories": ["cat", "dog"]},
    ]


def test_a_program_reads_the_address_as_json(tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MapServer, "serve", interrupted)
    code, printed, errors = invoke("view", saved_map(tmp_path), "--json")
    assert (code, errors) == (0, "")
    assert json.loads(printed)["address"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize("given", ["map.npz", "map.html", "map.png"])
def test_a_page_is_written_instead(given: str, tmp_path: Path, invoke: Invoke) -> None:
    saved_map(tmp_path)
    page = tmp_path / "new" / "page.html"
    code, printed, errors = invoke("view", tmp_path / given, "-o", page, "--theme", "dark")
    assert (code, errors) == (0, "")
    assert printed == f"page: {page}\n"
    about = about_in(page.read_text())
    assert (about["source"], about["theme"]) == ("page", "dark")
    assert "pictures" not in about["domains"][0]


def test_the_browser_opens_at_the_address(tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved_map(tmp_path)
    found: list[str] = []
    monkeypatch.setattr(MapServer, "serve", interrupted)
    monkeypatch.setattr(webbrowser, "open", found.append)
    for arguments, opens in ((["--open"], 1), (["--no-open"], 0), ([], 0)):  # here is no terminal
        found.clear()
        code, printed, errors = invoke("view", path, *arguments)
        assert (code, errors, len(found)) == (0, "", opens)
        assert all(f"address: {url}\n" in printed for url in found)


def test_a_port_can_be_chosen_but_not_taken(tmp_path: Path, invoke: Invoke) -> None:
    path = saved_map(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, _, errors = invoke("view", path, "--port", str(port), "--no-open")
    assert (code, errors) == (1, f"mrsne: --port {port} cannot be used (Address already in use)\n")


def test_folders_of_pictures(tmp_path: Path) -> None:
    saved = SavedMap.load(saved_map(tmp_path))
    assert saved.collection.folder == tmp_path / "photos"
    problems = Problems()
    assert picture_folders([], saved, problems)["image"].folder == tmp_path / "photos"
    given = [f"image={tmp_path / 'photos' / 'more'}"]
    assert picture_folders(given, saved, problems)["image"].folder == tmp_path / "photos" / "more"
    assert not problems
    (tmp_path / "photos").rename(tmp_path / "moved")
    assert picture_folders([], saved, problems) == {}
    assert problems[0].kind.startswith("folder of pictures that is gone")


def test_a_map_of_an_earlier_version_has_no_folder(tmp_path: Path) -> None:
    path = saved_map(tmp_path)
    data = RelationalData.load(tmp_path / "map.data.npz")
    write_archive(data, tmp_path / "map.data.npz", {"settings": {"weights": "size"}})
    saved = SavedMap.load(path)
    assert (saved.collection.folder, saved.settings) == (None, {"weights": "size"})
    assert picture_folders([], SavedMap.load(path), Problems()) == {}


def columns(tmp_path: Path, domain: str, table: str) -> tuple[dict[str, Any], dict[str, int]]:
    saved = SavedMap.load(saved_map(tmp_path))
    (tmp_path / "table.csv").write_text(table)
    problems = Problems()
    found = read_columns([f"{domain}={tmp_path / 'table.csv'}"], saved, problems)[domain]
    return {name: list(values) for name, values in found.items()}, problems.counts()


def test_columns_by_name_have_gaps_where_rows_are_missing(tmp_path: Path) -> None:
    table = "photo;size;word\nc.png;3;x\nmore/b.png; 1.5 ;\nlost.png;7;y\nc.png;9;z\n"
    found, problems = columns(tmp_path, "image", table)
    assert np.isnan(found["size"][0])
    assert (found["size"][1:], found["word"]) == ([1.5, 3.0], [None, None, "x"])
    assert problems == {"row for an item that is not there": 1, "second row for the same item": 1}


def test_columns_by_position(tmp_path: Path) -> None:
    assert columns(tmp_path, "thing", "item,a,,a,empty\n1,x,4,1,\n-1,y,5\n2,y,5\n0,1\n") == (
        {
            "a": ["1", "x"],
            "column 3": [pytest.approx(np.nan, nan_ok=True), 4.0],
            "a (2)": [pytest.approx(np.nan, nan_ok=True), 1.0],
        },
        {
            "row for an item that is not there": 2,
            "second column with the same heading": 1,
            "column without a value": 1,
        },
    )


def test_a_named_domain_takes_positions_too_where_no_name_fits(tmp_path: Path) -> None:
    found, _ = columns(tmp_path, "image", "item,size\n2,5\n0,4\n1,3\n")
    assert found == {"size": [4.0, 3.0, 5.0]}


ERRORS: list[tuple[list[str], str]] = [
    (["nowhere.npz"], "there is no map 'nowhere.npz'; mrsne fit and mrsne map write one"),
    (["nowhere.html"], "there is no map 'nowhere.npz' beside 'nowhere.html'"),
    (["photos"], "the map must end in .npz, or in .html, .htm, .png, .svg, .pdf with a map beside it, got 'photos'"),
    (["map.data.npz"], "is not a saved embedding, or is damaged"),
    (["alone.npz"], "the data of 'alone.npz' is not beside it"),
    (["map.npz", "--theme", "blue"], "--theme must be one of 'auto', 'light', 'dark', got 'blue'"),
    (["map.npz", "-o", "map.png"], "--output must end in .html, .htm, got 'map.png'"),
    (["map.npz", "-o", "map.html", "--pictures", "image=photos"], "--pictures is for looking at a map in the browser"),
    (["map.npz", "--pictures", "photos"], "--pictures must be DOMAIN=FOLDER, got 'photos'"),
    (
        ["map.npz", "--pictures", "tag=photos"],
        "--pictures names the domain 'tag', but the domains are 'image', 'thing'",
    ),
    (["map.npz", "--pictures", "image=nowhere"], "--pictures image=nowhere: 'nowhere' is not a folder"),
    (["map.npz", "--pictures", "thing=photos"], "--pictures needs the names of files, but the items of 'thing' have"),
    (["map.npz", "--pictures", "image=photos", "--pictures", "image=."], "--pictures gives 'image' two folders"),
    (["map.npz", "--columns", "tag=good.csv"], "--columns names the domain 'tag', but the domains are"),
    (["map.npz", "--columns", "image=nowhere.csv"], "there is no table 'nowhere.csv'"),
    (["map.npz", "--columns", "image=one.csv"], "'one.csv' needs a row of headings"),
    (
        ["map.npz", "--columns", "image=other.csv"],
        "no row of 'other.csv' is for an item of the map; line 2 has 'zebra'",
    ),
    (["map.npz", "--columns", "image=good.csv", "--columns", "image=good.csv"], "gives 'image' two columns 'size'"),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=[message[:40] for _, message in ERRORS])
def test_errors_are_messages(
    arguments: list[str], message: str, tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_map(tmp_path)
    Embedding({"a": [[0, 0]]}).save(tmp_path / "alone.npz")
    (tmp_path / "good.csv").write_text("item,size\na.png,1\n")
    (tmp_path / "one.csv").write_text("item\na.png\n")
    (tmp_path / "other.csv").write_text("item,size\nzebra,1\n")
    monkeypatch.chdir(tmp_path)
    code, _, errors = invoke("view", *arguments)
    assert code == 1
    assert errors.startswith("mrsne: ")
    assert message in errors
