"""``mrsne map`` again on the same folder: what is known is not computed, and what has changed is noticed."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mrsne.encoders import decoding
from mrsne.encoders.cache import FILE, Cache, with_checksum
from mrsne.metrics.summaries import brief_scores
from tests.cli.conftest import run, summary_of
from tests.data.files.hostile_files import in_another_process
from tests.encoders.hubs import offer_timm
from tests.encoders.models import save_mean_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    for index in range(24):
        path = tmp_path / "photos" / ("sea", "wood", "town")[index % 3] / f"{index}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(random.integers(0, 256, (20, 30, 3), dtype=np.uint8)).save(path)
    save_mean_model(tmp_path / "mean.onnx")
    return tmp_path / "photos"


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A number for every picture file that Pillow is given to decode."""
    calls: list[int] = []
    original = decoding.decoded_picture

    def counting(source: Any) -> Any:
        calls.append(1)
        return original(source)

    monkeypatch.setattr("mrsne.encoders.decoding.decoded_picture", counting)
    return calls


def make(folder: Path, *options: str | Path, output: str = "map.html") -> Any:
    base = folder.parent
    fixed = ("--image-model", base / "mean.onnx", "--cache", base / "cache", "-o", base / output)
    return summary_of("map", folder, *fixed, *options)


def content(folder: Path, name: str = "map.html") -> bytes:
    return (folder.parent / name).read_bytes()


def test_nothing_new_leaves_the_map_as_it_is(folder: Path, decoded: list[int]) -> None:
    first = make(folder)
    assert (first["up_to_date"], len(decoded)) == (False, 24)
    before = (folder.parent / "map.html").stat()
    second = make(folder)
    after = (folder.parent / "map.html").stat()
    assert (second["up_to_date"], len(decoded)) == (True, 24)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    own = {"up_to_date", "seconds", "pictures_from_cache", "pictures_per_second"}
    assert {key: first[key] for key in first.keys() - own} == {key: second[key] for key in second.keys() - own}
    assert (first["pictures_from_cache"], second["pictures_from_cache"]) == (0, 24)


def test_people_are_told(folder: Path) -> None:
    arguments = ("map", folder, "--cache", folder.parent / "cache", "-o", folder.parent / "map.html")
    run(*arguments)
    code, printed, _ = run(*arguments)
    assert code == 0
    assert printed.startswith("up to date: nothing has changed since this map was made; --fresh makes it again\n")
    assert "pictures: 24\n" in printed
    assert "to explore it" in printed


def test_files_are_called_as_this_run_calls_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths from the folder where the map was made lead nowhere from another one."""
    base = folder.parent
    (folder / "sea" / "empty.png").touch()
    keys = ("map", "data", "coordinates", "left_out_table", "page")
    found = []
    for here in (base, folder):
        monkeypatch.chdir(here)
        output = os.path.relpath(base / "map.html")
        found.append(
            summary_of("map", folder, "--image-model", base / "mean.onnx", "--cache", base / "cache", "-o", output)
        )
        assert all(Path(found[-1][key]).is_file() for key in keys)
        assert found[-1]["page"] == output
    assert [each["up_to_date"] for each in found] == [False, True]
    assert found[0]["page_url"] == found[1]["page_url"]


def test_the_page_is_the_same_from_the_cache_and_from_the_pictures(folder: Path, decoded: list[int]) -> None:
    make(folder)
    first = content(folder)
    assert make(folder, "--fresh")["up_to_date"] is False
    assert len(decoded) == 24
    assert content(folder) == first
    base = folder.parent
    (base / "map.html").unlink()
    options = ("--image-model", base / "mean.onnx", "--cache", base / "empty", "--fresh")
    summary_of("map", folder, *options, "-o", base / "map.html")
    assert len(decoded) == 48
    assert content(folder) == first


def test_other_tags_make_another_map_without_decoding(folder: Path, decoded: list[int]) -> None:
    table = folder.parent / "tags.csv"
    table.write_text("picture,tag\n" + "".join(f"{index}.png,{index % 4}\n" for index in range(24)))
    make(folder, "--tags", table)
    first = content(folder)
    assert make(folder, "--tags", table)["up_to_date"] is True
    table.write_text("picture,tag\n" + "".join(f"{index}.png,{index % 5}\n" for index in range(24)))
    changed = make(folder, "--tags", table)
    assert (changed["up_to_date"], changed["items"]["tag"], len(decoded)) == (False, 5, 24)
    assert content(folder) != first


def add_a_picture(folder: Path) -> None:
    Image.new("RGB", (9, 9), "red").save(folder / "sea" / "new.png")


def replace_a_picture(folder: Path) -> None:
    """By one of the same size and times."""
    path = folder / "sea" / "0.png"
    Image.new("RGB", (30, 20), "red").save(folder.parent / "red.bmp")
    before = path.stat()
    path.write_bytes((folder.parent / "red.bmp").read_bytes().ljust(before.st_size, b"\0")[: before.st_size])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def remove_a_picture(folder: Path) -> None:
    (folder / "sea" / "0.png").unlink()


def rename_a_folder(folder: Path) -> None:
    (folder / "sea").rename(folder / "ocean")


def edit_the_page(folder: Path) -> None:
    with open(folder.parent / "map.html", "a") as page:
        page.write("<!-- mine -->")


def delete_the_map(folder: Path) -> None:
    (folder.parent / "map.npz").unlink()


def change_the_model(folder: Path) -> None:
    from onnx import helper

    from tests.encoders.models import save_model

    save_model(folder.parent / "mean.onnx", helper.make_node("ReduceMax", ["x"], ["y"], axes=[2, 3], keepdims=0))


CHANGES = [
    add_a_picture,
    replace_a_picture,
    remove_a_picture,
    rename_a_folder,
    edit_the_page,
    delete_the_map,
    change_the_model,
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_has_changed_is_noticed(change: Any, folder: Path) -> None:
    make(folder)
    assert make(folder)["up_to_date"] is True
    change(folder)
    assert make(folder)["up_to_date"] is False
    assert make(folder)["up_to_date"] is True


@pytest.mark.parametrize("change", [edit_the_page, delete_the_map])
def test_what_happens_to_the_files_while_scores_are_computed_is_noticed(
    change: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*arguments: Any) -> Any:
        change(folder)
        return brief_scores(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr("mrsne.metrics.summaries.brief_scores", meanwhile)
        make(folder)
    assert make(folder)["up_to_date"] is False
    assert make(folder)["up_to_date"] is True


@pytest.mark.parametrize("option", [["--seed", "1"], ["--theme", "dark"], ["--min-count", "2"], ["--stop-tags", "sea"]])
def test_another_option_makes_another_map(option: list[str], folder: Path) -> None:
    make(folder)
    assert make(folder, *option)["up_to_date"] is False


def test_another_program_makes_another_map(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(folder)
    monkeypatch.setattr("mrsne.data.finished_maps.metadata.version", lambda library: "99")
    assert make(folder)["up_to_date"] is False


def test_a_network_by_name_may_be_another_and_its_map_is_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for weight, n_known in ((1.0, 0), (1.0, 24), (2.0, 0)):
        offer_timm(monkeypatch, weight)
        summary = make(folder, "--image-model", "timm:small")
        assert (summary["up_to_date"], summary["pictures_from_cache"]) == (False, n_known)


def set_record(folder: Path, stored: Any) -> None:
    database = sqlite3.connect(folder.parent / "cache" / FILE, isolation_level=None)
    database.execute("UPDATE entries SET content = ? WHERE kind = 'summaries of maps'", (stored,))
    assert database.execute("SELECT changes()").fetchone() == (1,)


@pytest.mark.parametrize("damage", ["not JSON", "[]", b'["a", {}, {}]', 7, None])
def test_a_damaged_record_makes_the_map_again(damage: Any, folder: Path) -> None:
    make(folder)
    set_record(folder, damage)
    assert make(folder)["up_to_date"] is False
    assert make(folder)["up_to_date"] is True


SHAPES = [
    "not JSON",
    "[]",
    "7",
    "[1, 2]",
    "[INPUTS, {}, {}]",
    "[INPUTS, {}, []]",
    '[INPUTS, {"map.html": "digest"}]',
    "[INPUTS, [], {}]",
    '[INPUTS, {}, {"left_out": []}]',
    '[INPUTS, {}, {"left_out": [["kind"]], "picture_files": 1, "unreadable_pictures": 0}]',
    '[INPUTS, {}, {"left_out": [], "picture_files": "1", "unreadable_pictures": 0}]',
    "\x00\xff",
    "[" * 100_000,
]


@pytest.mark.parametrize("record", SHAPES)
def test_a_record_of_another_shape_makes_the_map_again(record: str, folder: Path) -> None:
    """Its checksum is right: another version of the program may have written it."""
    make(folder)
    with Cache(folder.parent / "cache") as cache:
        (key,) = cache.keys("summaries of maps")
        inputs = json.loads(cache.get("summaries of maps", key) or b"")[0]
    set_record(folder, with_checksum(record.replace("INPUTS", json.dumps(inputs)).encode("latin-1")))
    arguments = ("--image-model", folder.parent / "mean.onnx", "--cache", folder.parent / "cache")
    code, printed, errors = run("map", folder, *arguments, "-o", folder.parent / "map.html")
    assert code == 0
    assert not printed.startswith("up to date")
    assert "cache.sqlite' has damaged summaries" in errors
    assert make(folder)["up_to_date"] is True


def test_unreadable_pictures_do_not_stand_in_the_way(folder: Path) -> None:
    (folder / "sea" / "broken.png").write_bytes(b"no picture")
    (folder / "sea" / "empty.png").touch()
    first = make(folder)
    second = make(folder)
    assert second["up_to_date"] is True
    assert first["left_out"] == second["left_out"] == {"unreadable_picture": 2}
    assert (second["unreadable_pictures"], second["pictures_from_cache"]) == (2, 24)


def test_pipes_in_the_place_of_text_files_hold_nothing_up(folder: Path) -> None:
    """No writer ever comes; whoever opened one would wait for ever."""
    for path in sorted(folder.rglob("*.png"))[1:]:
        path.with_suffix(".txt").write_text("sea")
    os.mkfifo(sorted(folder.rglob("*.png"))[0].with_suffix(".txt"))
    script = """
from mrsne.cli import main
folder, model, cache, output = sys.argv[1:]
main(["map", folder, "--text-files", "--image-model", model, "--cache", cache, "-o", output, "--json"])
"""
    base = folder.parent
    for up_to_date in ("false", "true"):
        result = in_another_process(script, folder, base / "mean.onnx", base / "cache", base / "map.html")
        assert f'"up_to_date": {up_to_date}' in result.stdout, result.stderr
