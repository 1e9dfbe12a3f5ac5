"""Data whose items have classes that the naming of regions does not see."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne import RelationalData, datasets
from mrsne.datasets.emoji import emoji_groups
from mrsne.encoders.images import encode_pictures
from mrsne.encoders.words import encode_words

from .class_words import Parts

SUBGROUPS = Path(__file__).with_name("emoji_subgroups.json")
FEWEST = 3  # items of a tag
OF_A_FOLDER = 250  # clip arts at most, at random, so that 1,853 icons do not fill the map
SECTIONS = {  # what the names of Debian's sections stand for
    "admin": "administration",
    "cli-mono": "mono ecma",
    "devel": "development",
    "doc": "documentation",
    "gnu-r": "statistics",
    "httpd": "web server",
    "introspection": "library",
    "java": "java",
    "javascript": "javascript",
    "libdevel": "library development",
    "libs": "library shared",
    "localization": "language dictionary",
    "mail": "mail",
    "misc": "miscellaneous",
    "net": "network",
    "oldlibs": "library transitional",
    "otherosfs": "filesystem emulator",
    "tex": "tex typesetting",
    "utils": "utility",
    "vcs": "version control",
    "x11": "x11 window",
}


@dataclass(frozen=True)
class Case:
    """Data with classes.

    Attributes
    ----------
    data : RelationalData
    described, describing : str
        Domains.
    classes : dict of str to list
        By the name of a classification, the titles of the classes of each described item; several or none are allowed.
    parts : dict
        Titles of the classes that another consists of.
    """

    data: RelationalData
    described: str
    describing: str
    classes: Mapping[str, Sequence[Sequence[str]]]
    parts: Parts = field(default_factory=dict)


def available(arguments: Namespace) -> dict[str, Callable[[], Case]]:
    """Return the cases whose data are bundled, on this computer, or given by path."""
    found: dict[str, Callable[[], Case]] = {"emoji": emoji, "icons": icons, "debian": partial(debian, arguments.debian)}
    if arguments.openclipart:
        found["openclipart"] = partial(openclipart, arguments.openclipart, arguments.cache)
    if arguments.tabler:
        found["tabler"] = partial(tabler, arguments.tabler)
    if arguments.fontawesome:
        found["fontawesome"] = partial(fontawesome, arguments.fontawesome)
    return found


def emoji() -> Case:
    found = json.loads(SUBGROUPS.read_text())
    groups, subgroups = emoji_groups(), [found["titles"][number] for number in found["subgroup"]]
    classes = {"groups": one_each(groups), "subgroups": one_each(subgroups)}
    return Case(datasets.load_emoji(), "image", "tag", classes, inner(groups, subgroups))


def icons() -> Case:
    data = datasets.load_icons()
    return Case(data, "icon", "alias", {"first tag": one_each(list(data.columns["icon"]["tag"]))})


def debian(path: str | None) -> Case:
    data = datasets.load_debian(path)
    sections = [None if value is None else str(value).split("/")[-1] for value in data.columns["package"]["section"]]
    titles = [None if name is None else SECTIONS.get(name, name) for name in sections]
    return Case(data, "package", "tag", {"sections": one_each(titles)})


def openclipart(path: str, cache: str | None) -> Case:
    """Return the clip art of Debian's openclipart-svg and openclipart-png, in folders, with the tags of its authors."""
    root = Path(path)
    folders: dict[tuple[str, ...], list[tuple[Path, list[str]]]] = defaultdict(list)
    for file in sorted((root / "svg").rglob("*.svg")):
        place = file.relative_to(root / "svg")
        picture = (root / "png" / place).with_suffix(".png")
        subject = re.search(r"<dc:subject>.*?</dc:subject>", file.read_text(errors="replace"), re.DOTALL)
        tags = re.findall(r"<rdf:li>\s*([^<]*[^<\s])\s*</rdf:li>", subject[0]) if subject else []
        if tags and picture.exists() and place.parts[0] != "unsorted":
            folders[place.parts[:-1]].append((picture, [tag.lower() for tag in tags]))
    random = np.random.default_rng(0)
    chosen = [
        (folder, *files[number])
        for folder, files in folders.items()
        for number in sorted(random.permutation(len(files))[:OF_A_FOLDER])
    ]
    encoded = encode_pictures([picture for _, picture, _ in chosen], cache=None if cache is None else Path(cache))
    known = np.flatnonzero(np.isfinite(encoded.vectors).all(axis=1))
    kept = [chosen[row] for row in known]
    outer = [folder[0].replace("_", " ") for folder, _, _ in kept]
    subfolders = [folder[:2][-1].replace("_", " ") for folder, _, _ in kept]
    classes = {"folders": one_each(outer), "subfolders": one_each(subfolders)}
    return tagged([tags for *_, tags in kept], classes, inner(outer, subfolders), encoded.vectors[known])


def tabler(path: str) -> Case:
    """Return the icons of the npm package @tabler/icons, from its icons.json: no vectors, tags and categories."""
    entries = json.loads(Path(path).read_text()).values()
    tags = [[str(tag).lower() for tag in entry["tags"]] for entry in entries]
    return tagged(tags, {"categories": one_each([entry.get("category") for entry in entries])})


def fontawesome(path: str) -> Case:
    """Return the icons of the npm package @fortawesome/fontawesome-free, from its folder metadata."""
    categories: dict[str, list[str]] = defaultdict(list)
    for block in re.split(r"\n(?=\S)", Path(path, "categories.yml").read_text()):
        label = re.search(r"label: '?([^'\n]+)", block)
        for icon in re.findall(r"^ +- '?([^'\n]+)", block, re.MULTILINE) if label else ():
            categories[icon].append(label[1].strip() if label else "")
    entries = json.loads(Path(path, "icon-families.json").read_text())
    tags = [
        [*(str(term).lower() for term in entry["search"]["terms"]), *name.split("-")] for name, entry in entries.items()
    ]
    return tagged(tags, {"categories": [categories[name] for name in entries]})


def tagged(
    tags: Sequence[Sequence[str]],
    classes: Mapping[str, Sequence[Sequence[str]]],
    parts: Parts | None = None,
    vectors: NDArray[np.float32] | None = None,
) -> Case:
    """Return data of items with tags; those of fewer than three items, and items without others, are left out."""
    counts = Counter(tag for own in tags for tag in set(own))
    words = sorted(tag for tag, count in counts.items() if count >= FEWEST)
    position = {word: number for number, word in enumerate(words)}
    linked = [sorted({position[tag] for tag in own if tag in position}) for own in tags]
    kept = [item for item, own in enumerate(linked) if own]
    pairs = [(new, word) for new, item in enumerate(kept) for word in linked[item]]
    meaning = encode_words(words)
    data = RelationalData(
        {"item": len(kept) if vectors is None else vectors[kept], "tag": meaning},
        {("item", "tag"): pairs},
        names={"tag": words},
        missing={"tag": np.isnan(meaning).any(axis=1)},
    )
    return Case(data, "item", "tag", {name: [own[item] for item in kept] for name, own in classes.items()}, parts or {})


def one_each(titles: Sequence[object]) -> list[list[str]]:
    return [[str(title)] if title else [] for title in titles]


def inner(outer: Sequence[str], parts: Sequence[str]) -> Parts:
    found: dict[str, set[str]] = defaultdict(set)
    for title, part in zip(outer, parts, strict=True):
        found[title].add(part)
    return {title: sorted(own) for title, own in found.items()}
