"""`mrsne demo`: the bundled emoji and their keywords."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image
import pytest

from mrsne import Embedding, RelationalData, datasets
from mrsne.cli.demo import page_for
from tests.cli.conftest import Invoke, summary_of
from tests.cli.json_keys import check_keys


def test_demo_writes_map_and_picture_and_says_how_good_it_is(tmp_path: Path) -> None:
    summary = summary_of("demo", "-o", tmp_path / "out")
    check_keys("demo", summary, ["emoji", "keyword"])
    assert (summary["items"], summary["links"]) == ({"emoji": 1636, "keyword": 997}, {"emoji": {"keyword": 6726}})
    assert summary["hit_rate_10"]["emoji"]["keyword"] > 0.8
    embedding = Embedding.load(tmp_path / "out" / "emoji.npz")
    assert embedding["keyword"].shape == (997, 2)
    assert embedding.weights is not None
    weight = embedding.weights["emoji", "keyword"]
    assert summary["weights"]["links"]["emoji"]["keyword"] == pytest.approx(weight, abs=1e-4)
    picture = matplotlib.image.imread(tmp_path / "out" / "emoji.png")
    assert picture.shape[:2] == (1800, 1800)
    assert picture.std() > 0.05


@pytest.mark.slow  # a second whole demo
def test_a_page_alone_is_a_file_and_not_a_folder(tmp_path: Path) -> None:
    page = tmp_path / "new" / "x.html"
    summary = summary_of("demo", "-o", page)
    check_keys("demo", summary, ["emoji", "keyword"])
    assert (summary["page"], summary["picture"]) == (str(page), None)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(file.name for file in page.parent.iterdir()) == ["x.coordinates.csv", "x.data.npz", "x.html", "x.npz"]


def test_a_folder_stays_a_folder_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "pages.html").mkdir()
    (tmp_path / "v1.2").mkdir()
    for name in ("pages.html", "v1.2", "new"):
        assert page_for(tmp_path / name) == tmp_path / name / "emoji.html"


@pytest.mark.parametrize("name", ["x.png", "x.npz", "v1.3"])
def test_another_ending_is_refused_before_anything_is_done(name: str, tmp_path: Path, invoke: Invoke) -> None:
    code, _, errors = invoke("demo", "-o", tmp_path / name)
    message = f"mrsne: --output must be a folder, or a page that ends in .html or .htm, got {str(tmp_path / name)!r}"
    assert (code, errors.startswith(message)) == (1, True)
    assert list(tmp_path.iterdir()) == []


def packages(path: Path, count: int = 60) -> Path:
    """Write packages as `apt-cache dumpavail` prints them."""
    tags = ("game::strategy", "role::program", "interface::x11", "implemented-in::c", "use::editing")
    entries = [
        f"Package: pkg-{i}\nVersion: 1\nInstalled-Size: {10 + i}\nMaintainer: Team {'ABCDEFG'[i % 7]} <t{i % 7}@b.c>\n"
        f"Section: {('games', 'libs')[i % 2]}\nDescription: a small program number {i} that edits files of kind "
        f"{i % 5}\n"
        f"Tag: {tags[i % 5]}, {tags[(i + 1 + i % 3) % 5]},\n {tags[(i + 2) % 5]}\n"
        for i in range(count)
    ]
    path.write_text("\n".join(entries))
    return path


def test_debian_reads_what_apt_prints(tmp_path: Path) -> None:
    file = packages(tmp_path / "avail.txt")
    summary = summary_of("demo", "debian", "--data", file, "-o", tmp_path / "debian.html")
    check_keys("demo", summary, ["package", "tag", "maintainer"])
    assert summary["items"] == {"package": 60, "maintainer": 7, "tag": 5}
    data = RelationalData.load(tmp_path / "debian.data.npz")
    assert set(data.columns["package"]) >= {"section", "installed size", "description"}
    assert data.names["maintainer"][0] == "Team A"


def test_a_computer_without_package_lists_says_how_to_get_them(
    tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mrsne.datasets.debian.LISTS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, errors = invoke("demo", "debian", "-o", tmp_path / "out.html")
    assert (code, "there are no package lists of apt here" in errors, "--data FILE" in errors) == (1, True, True)


def test_lists_that_apt_keeps_as_text_are_read_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages(tmp_path / "deb.example.org_dists_stable_Packages")
    monkeypatch.setattr("mrsne.datasets.debian.LISTS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert datasets.load_debian(n_packages=20).sizes["package"] == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["flags"], "the demo must be one of 'emoji', 'icons', 'debian', got 'flags'"),
        (["icons", "--data", "x.txt"], "--data is for the demo 'debian'; 'icons' is bundled"),
    ],
)
def test_other_demos_are_refused(arguments: list[str], message: str, tmp_path: Path, invoke: Invoke) -> None:
    code, _, errors = invoke("demo", *arguments, "-o", tmp_path / "x.html")
    assert (code, message in errors) == (1, True)


@pytest.mark.slow
def test_icons_are_a_map_of_three_kinds(tmp_path: Path) -> None:
    summary = summary_of("demo", "icons", "-o", tmp_path / "icons.html")
    check_keys("demo", summary, ["icon", "alias", "author"])
    assert summary["items"]["icon"] == 7447
    assert summary["hit_rate_10"]["icon"]["alias"] > 0.5
