"""The data sets on which the methods are compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.data.relational import RelationalData
from mrsne.datasets.arrays import load_arrays
from mrsne.datasets.awa2 import load_awa2
from mrsne.datasets.classes import make_classes
from mrsne.datasets.debian import load_debian
from mrsne.datasets.emoji import load_emoji
from mrsne.datasets.files import read_thumbnails
from mrsne.datasets.flickr import load_flickr
from mrsne.datasets.groups import make_groups
from mrsne.datasets.icons import load_icons
from mrsne.datasets.shapes import make_shapes
from mrsne.experiments.methods import PERPLEXITY
from mrsne.experiments.study import Study
from mrsne.parameters import ParameterError, check_number, check_option

SAMPLE = 2_000  # icons or packages, about as many as the paper has pictures: Algorithm 1 takes all pairs
MIN_LINKS = 3  # of an alias or author among the drawn icons
AWA2_PICTURES = 37_322  # in the 50 classes of AwA2
AWA2_SHAPE = {"image": (2_500, 2_048), "tag": (85, 300)}  # items and dimensions, as the paper uses it


@dataclass(frozen=True)
class Content:
    """What a study shows: data, thumbnails by domain, and whether it is the paper's own data set."""

    title: str
    data: RelationalData
    pictures: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    same_data: bool = False


@dataclass(frozen=True)
class Source:
    """Where the data of a study comes from, and how maps of it are scored."""

    load: Callable[[], Content]
    query: str
    target: str
    within: str = "shared"
    paper: str | None = None
    load_from: Callable[[Path], Content] | None = None  # for data that a user brings


def load_study(
    name: str,
    path: str | os.PathLike[str] | None = None,
    within: str | None = None,
    perplexity: float = PERPLEXITY,
) -> Study:
    """Return the study of this name, of the data at ``path`` if it is given; ``within`` is by study unless given.

    ``path`` is for "awa2" and "flickr" the folder of the published files, or an npz file as for
    :func:`mrsne.datasets.load_arrays`; without it, made-up data of the same kind is used. For "debian" it is a file
    with what ``apt-cache dumpavail`` prints; without it, this computer's package lists are used.

    Examples
    --------
    >>> load_study("shapes").data
    RelationalData(picture: 600 items, 192-d; tag: 14 items, no vectors; picture-tag: 1740 links)
    """
    check_option("study", name, STUDIES)
    check_number("perplexity", perplexity, above=1)
    if within is not None:
        check_option("within", within, ("shared", "identical"))
    source = STUDIES[name]
    if path is None:
        content = source.load()
    elif source.load_from is None:
        raise ParameterError(f"{name!r} is bundled, so it takes no data; data is for 'awa2', 'flickr' and 'debian'")
    elif not Path(path).exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r} with the data of {name!r}")
    else:
        content = source.load_from(Path(path))
    return Study(
        name,
        content.title,
        content.data,
        source.query,
        source.target,
        within or source.within,
        source.paper,
        content.same_data,
        content.pictures,
        perplexity=float(perplexity),
    )


def _emoji() -> Content:
    data = load_emoji()
    return Content("1,636 emoji and 997 keywords", data, data.pictures)


def _shapes() -> Content:
    data, pictures = make_shapes(600, random_state=0)
    return Content("600 drawn pictures of coloured shapes and the words for them", data, {"picture": pictures})


def _groups() -> Content:
    title = "made-up items in five groups, with vectors and links that show them"
    return Content(title, make_groups(random_state=0)[0])


def _icons() -> Content:
    """Return icons drawn at random, with the aliases and authors that enough of them have."""
    data = load_icons()
    icons = np.sort(np.random.default_rng(0).choice(data.sizes["icon"], SAMPLE, replace=False))
    selection = {"icon": icons}
    for name in ("alias", "author"):
        links = np.asarray((data.relation("icon", name)[icons] > 0).sum(axis=0)).ravel()
        selection[name] = np.flatnonzero(links >= MIN_LINKS)
    data = data.subset(selection)
    return Content(f"{data.sizes['icon']:,} icons, their aliases and authors", data, data.pictures)


def _debian(path: Path | None = None) -> Content:
    data = load_debian(path, n_packages=SAMPLE)
    return Content(f"{data.sizes['package']:,} Debian packages, their tags and maintainers", data)


def _like_awa2() -> Content:
    data, _ = make_classes(random_state=0)
    return Content("made-up pictures of 20 classes whose attributes they have", _with_tag_names(data, "attribute"))


def _like_flickr() -> Content:
    sizes, dimensions = {"image": 1000, "tag": 613}, {"image": 64, "tag": 0}
    data, _ = make_groups(sizes, n_groups=40, dimensions=dimensions, links_per_item=6, strays=0.2, random_state=0)
    return Content("made-up pictures in 40 groups, and tags without vectors", _with_tag_names(data, "tag"))


def _with_tag_names(data: RelationalData, word: str) -> RelationalData:
    """Return the data with names that maps can show."""
    vectors = {domain: data.sizes[domain] if X is None else X for domain, X in data.vectors.items()}
    names = {"tag": [f"{word} {index}" for index in range(data.sizes["tag"])]}
    return RelationalData(vectors, dict(data.relations), names=names)


def _arrays(path: Path) -> Content:
    data = load_arrays(path)
    return Content(path.name, data, data.pictures)


def _flickr(path: Path) -> Content:
    if path.is_file():
        return _arrays(path)
    data = load_flickr(path)  # the paper does not say which pictures of Flickr it uses
    return Content(f"{path.resolve().name}: tagged pictures", data, data.pictures)


def _awa2(path: Path) -> Content:
    if path.is_file():
        return _arrays(path)
    data = load_awa2(path)
    genuine = is_awa2(path, data)
    title = "Animals with Attributes 2" if genuine else f"{path.resolve().name}: laid out as AwA2, but not AwA2"
    return Content(title, data, awa2_thumbnails(path, data), genuine)


def is_awa2(folder: Path, data: RelationalData) -> bool:
    """Return whether a folder laid out like AwA2 is that data set, as the paper uses it.

    It must have all 37,322 pictures of 50 classes, 85 attributes, ResNet vectors of 2,048 and word vectors of 300
    dimensions.
    """
    shapes = {name: None if X is None else X.shape for name, X in data.vectors.items()}
    return shapes == AWA2_SHAPE and _picture_count(folder) == AWA2_PICTURES


def _picture_count(folder: Path) -> int:
    for file in sorted(folder.rglob("AwA2-labels.txt")):
        return sum(1 for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip())
    for file in sorted(folder.rglob("res101.mat")):
        from scipy.io import whosmat

        return max((max(shape) for name, shape, _ in whosmat(file) if name == "image_files"), default=0)
    return 0


def awa2_thumbnails(folder: Path, data: RelationalData) -> dict[str, NDArray[np.uint8]]:
    """Return thumbnails of AwA2's pictures, if all of them are there."""
    files = {file.name: file for file in folder.rglob("JPEGImages/*/*.jpg")}
    names = data.names["image"]
    return {"image": read_thumbnails([files[name] for name in names])} if files.keys() >= set(names) else {}


STUDIES = {
    "awa2": Source(_like_awa2, "image", "tag", "identical", "awa2", _awa2),
    "flickr": Source(_like_flickr, "image", "tag", "shared", "flickr", _flickr),
    "debian": Source(_debian, "package", "tag", load_from=_debian),
    "icons": Source(_icons, "icon", "alias"),
    "emoji": Source(_emoji, "image", "tag"),
    "shapes": Source(_shapes, "picture", "tag"),
    "groups": Source(_groups, "image", "tag"),
}
