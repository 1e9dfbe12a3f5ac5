"""Follows every link of the built site, without a network: pages, anchors, pictures, and nothing from elsewhere.

It also counts the clicks from the start page to what newcomers ask first.

python tools/check_site.py docs/_build/html
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# what a browser fetches by itself when a page is opened; links that people click may lead anywhere
FETCHED = {
    ("audio", "src"), ("embed", "src"), ("iframe", "src"), ("img", "src"), ("img", "srcset"), ("input", "src"),
    ("link", "href"), ("object", "data"), ("script", "src"), ("source", "src"), ("source", "srcset"), ("track", "src"),
    ("video", "poster"), ("video", "src"),
}  # fmt: skip
NOT_FETCHED = {"canonical", "next", "prev", "author", "copyright", "index", "search"}
# what newcomers ask, and the page and heading with the answer
ANSWERS = {
    "How do I map my own photos?": "tutorials/photos.html#make-the-map",
    "What does the distance mean?": "lessons/reading.html#how-far-apart-groups-lie-means-little",
    "Why is my map a ball?": "guides/questions.html#why-is-my-map-a-ball",
    "Which parameters does to_html take?": "api/generated/mrsne.Embedding.html#mrsne.Embedding.to_html",
    "How do I cite it?": "project/citing.html#how-to-cite",
}
CLICKS = 2
NO_PAGES = "_static"  # live maps, which forbid themselves the network and have their own tests, and the theme's parts


@dataclass
class Page(HTMLParser):
    """What a page has: anchors to lead to, links, and what is fetched."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element asks for or is called."""
        found = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := found.get(key))}
        for key, value in found.items():
            if value is None:
                continue
            if (tag, key) in FETCHED and not (tag == "link" and found.get("rel") in NOT_FETCHED):
                self.fetched.append(value)
            elif tag == "a" and key == "href":
                self.links.append(value)


def pages_of(site: Path) -> dict[Path, Page]:
    """Return the pages of a site by path."""
    files = [path for path in sorted(site.rglob("*.html")) if path.relative_to(site).parts[0] != NO_PAGES]
    return {path: Page(path) for path in files}


def check(site: Path) -> list[str]:
    """Return what is wrong with a site, a sentence for each."""
    site = site.resolve()
    pages = pages_of(site)
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(site)
        wrong += [f"{name} fetches {url} from elsewhere" for url in page.fetched if _elsewhere(url)]
        for link in [*page.links, *(url for url in page.fetched if not url.startswith("data:"))]:
            if not urlsplit(link).scheme and not link.startswith("//"):
                wrong += [f"{name} links to {link}, {reason}" for reason in _broken(link, path, pages)]
    for sheet in site.rglob("*.css"):
        for url in re.findall(r"(?:url\(|@import\s+(?!url))[\"']?([^\"')\s;]+)", sheet.read_text(encoding="utf-8")):
            if _elsewhere(url):
                wrong.append(f"{sheet.relative_to(site)} fetches {url} from elsewhere")
    return wrong


def too_far(site: Path, answers: dict[str, str]) -> list[str]:
    """Return which answers are not there, or more than two clicks from the start page."""
    site = site.resolve()
    pages = pages_of(site)
    clicks, newest = {site / "index.html": 0}, [site / "index.html"]
    while newest:
        reached = [(page, _target(link, page)) for page in newest for link in pages[page].links if not _elsewhere(link)]
        newest = [target for _, target in reached if target in pages and target not in clicks]
        for page, target in reached:
            clicks.setdefault(target, clicks[page] + 1)
    wrong = []
    for question, answer in answers.items():
        path, _, anchor = answer.partition("#")
        if site / path not in pages or anchor not in pages[site / path].anchors:
            wrong.append(f"{question} has no answer: there is no {answer}")
        elif (count := clicks.get(site / path)) is None or count > CLICKS:
            wrong.append(f"{question} is answered in {answer}, {count or 'no number of'} clicks from the start page")
    return wrong


def _target(link: str, path: Path) -> Path:
    """Return the file that a link inside the site leads to."""
    parts = urlsplit(link)
    target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
    return target / "index.html" if target.is_dir() else target


def _elsewhere(url: str) -> bool:
    return url.startswith("//") or urlsplit(url).scheme in ("http", "https", "ftp", "ws", "wss")


def _broken(link: str, path: Path, pages: dict[Path, Page]) -> list[str]:
    """Return what is wrong with a link inside the site."""
    target = _target(link, path)
    if not target.is_file():
        return ["which is not there"]
    anchor = unquote(urlsplit(link).fragment)
    if target in pages and anchor and anchor not in pages[target].anchors:
        return [f"and {target.name} has no place called {anchor}"]
    return []


def main() -> None:
    """Check the site that is named, say what is wrong, and end with an error if anything is."""
    wrong = check(Path(sys.argv[1])) + too_far(Path(sys.argv[1]), ANSWERS)
    for sentence in wrong:
        print(sentence)
    if wrong:
        raise SystemExit(f"{len(wrong)} things are wrong with the site")


if __name__ == "__main__":
    main()
