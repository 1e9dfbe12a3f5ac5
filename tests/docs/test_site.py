"""The checks of the built site find what is wrong with one; the site itself is checked by `make docs`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def check_site() -> ModuleType:
    specification = importlib.util.spec_from_file_location("check_site", ROOT / "tools" / "check_site.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["check_site"] = module  # dataclasses look for their module there
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text('<a href="a.html#here">a</a> <a href="https://example.org">elsewhere</a>')
    (tmp_path / "a.html").write_text('<h1 id="here">A</h1> <a href="#here">up</a> <img src="b.png">')
    (tmp_path / "b.png").touch()
    return tmp_path


def test_a_good_site_has_nothing_wrong(check_site: ModuleType, site: Path) -> None:
    assert check_site.check(site) == []


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ('<a href="c.html">', "c.html, which is not there"),
        ('<a href="index.html#there">', "index.html has no place called there"),
        ('<img src="c.png">', "c.png, which is not there"),
        ('<script src="https://example.org/x.js"></script>', "fetches https://example.org/x.js from elsewhere"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "fetches //example.org/x.css from elsewhere"),
        ('<iframe src="http://example.org"></iframe>', "fetches http://example.org from elsewhere"),
    ],
)
def test_what_is_wrong_is_said(check_site: ModuleType, site: Path, page: str, sentence: str) -> None:
    (site / "wrong.html").write_text(page)
    (found,) = check_site.check(site)
    assert found.startswith("wrong.html")
    assert sentence in found


def test_style_sheets_may_not_fetch_fonts(check_site: ModuleType, site: Path) -> None:
    (site / "style.css").write_text("@import url(https://example.org/font.css);")
    assert check_site.check(site) == ["style.css fetches https://example.org/font.css from elsewhere"]


def test_answers_are_two_clicks_away_at_most(check_site: ModuleType, site: Path) -> None:
    (site / "a.html").write_text('<h1 id="here">A</h1> <a href="c.html">c</a>')
    (site / "c.html").write_text('<h1 id="there">C</h1> <a href="folder/">d</a>')
    (site / "folder").mkdir()
    (site / "folder" / "index.html").write_text('<h1 id="where">D</h1> <a href="../e.html">e</a>')
    (site / "alone.html").write_text('<h1 id="x">nobody leads here</h1>')
    assert check_site.too_far(site, {"A?": "a.html#here", "C?": "c.html#there"}) == []
    (found,) = check_site.too_far(site, {"D?": "folder/index.html#where"})
    assert "3 clicks" in found
    (found,) = check_site.too_far(site, {"X?": "alone.html#x"})
    assert "no number of clicks" in found
    assert len(check_site.too_far(site, {"C?": "c.html#elsewhere", "F?": "f.html#f"})) == 2


@pytest.mark.parametrize(
    "page", ["tutorials/photos.md", "guides/questions.md", "project/citing.md", "lessons/reading.rst"]
)
def test_the_start_page_answers_what_newcomers_ask(page: str) -> None:
    start = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert f"({page}" in start
    assert "mrsne.Embedding.to_html" in start


def test_the_citation_and_the_package_have_one_version() -> None:
    import mrsne

    for path in ("CITATION.cff", "docs/project/citing.md"):
        assert mrsne.__version__ in (ROOT / path).read_text(encoding="utf-8"), path
    assert f"## {mrsne.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
