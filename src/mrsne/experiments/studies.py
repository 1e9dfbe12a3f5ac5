"""The data sets on which the methods are compared."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from mrsne import datasets
from mrsne.arrays import UInt8
from mrsne.data.relational import RelationalData, arguments_of
from mrsne.datasets.files import read_thumbnails
from mrsne.experiments.study import PERPLEXITY, Study
from mrsne.parameters import ParameterError, check_number, check_option

SAMPLE = 2_000  # icons or packages, about as many as the paper has pictures: Algorithm 1 takes all pairs
MIN_LINKS = 3  # of an alias or author among the drawn icons
AWA2_PICTURES = 37_322  # in the 50 classes of AwA2
AWA2_SHAPE = {"image": (2_500, 2_048), "tag": (85, 300)}  # items and dimensions, as the paper uses it


def load_study(
    name: str, path: str | os.PathLike[str] | None = None, within: str | None = None, perplexity: float = PERPLEXITY
) -> Study:
    """Return the study of this name: of the data at ``path`` if it is given, else of bundled or made-up data."""
    check_option("study", name, STUDIES)
    check_number("perplexity", perplexity, above=1)
    if within is not None:
        check_option("within", within, ("shared", "identical"))
    if path is None:
        study = STUDIES[name]()
    elif name not in FROM_PATH:
        raise ParameterError(f"{name!r} is bundled, so it takes no data; data is for 'awa2', 'flickr' and 'debian'")
    elif not Path(path).exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r} with the data of {name!r}")
    else:
        study = FROM_PATH[name](Path(path))
    return replace(study, within=within or study.within, perplexity=float(perplexity))


def _shapes() -> Study:
    data, pictures = datasets.make_shapes(600, random_state=0)
    title = "600 drawn pictures of coloured shapes and the words for them"
    return Study("shapes", title, data, "picture", "tag", "shared", pictures={"picture": pictures})


def _groups() -> Study:
    title = "made-up items in five groups, with vectors and links that show them"
    return Study("groups", title, datasets.make_groups(random_state=0)[0], "image", "tag", "shared")


def _icons() -> Study:
    """Return icons drawn at random, with the aliases and authors that enough of them have."""
    data = datasets.load_icons()
    icons = np.sort(np.random.default_rng(0).choice(data.sizes["icon"], SAMPLE, replace=False))
    selection = {"icon": icons}
    for name in ("alias", "author"):
        links = np.asarray((data.relation("icon", name)[icons] > 0).sum(axis=0)).ravel()
        selection[name] = np.flatnonzero(links >= MIN_LINKS)
    data = data.subset(selection)
    title = f"{data.sizes['icon']:,} icons, their aliases and authors"
    return Study("icons", title, data, "icon", "alias", "shared")


def _debian(path: Path | None = None) -> Study:
    data = datasets.load_debian(path, n_packages=SAMPLE)
    title = f"{data.sizes['package']:,} Debian packages, their tags and maintainers"
    return Study("debian", title, data, "package", "tag", "shared")


def _awa2_stand_in() -> Study:
    data = _with_tag_names(datasets.make_classes(random_state=0)[0], "attribute")
    title = "made-up pictures of 20 classes whose attributes they have"
    return Study("awa2", title, data, "image", "tag", "identical", paper="awa2")


def _flickr_stand_in() -> Study:
    sizes, widths = {"image": 1000, "tag": 613}, {"image": 64, "tag": 0}
    made, _ = datasets.make_groups(sizes, n_groups=40, dimensions=widths, links_per_item=6, strays=0.2, random_state=0)
    title = "made-up pictures in 40 groups, and tags without vectors"
    return Study("flickr", title, _with_tag_names(made, "tag"), "image", "tag", "shared", paper="flickr")


def _with_tag_names(data: RelationalData, word: str) -> RelationalData:
    names = {"tag": [f"{word} {index}" for index in range(data.sizes["tag"])]}
    return RelationalData(**{**arguments_of(data), "names": names})


def _awa2(path: Path) -> Study:
    if path.is_file():
        return Study("awa2", path.name, datasets.load_arrays(path), "image", "tag", "identical", "awa2")
    data = datasets.load_awa2(path)
    genuine = is_awa2(path, data)
    title = "Animals with Attributes 2" if genuine else f"{path.resolve().name}: laid out as AwA2, but not AwA2"
    return Study("awa2", title, data, "image", "tag", "identical", "awa2", genuine, awa2_thumbnails(path, data))


def _flickr(path: Path) -> Study:
    if path.is_file():
        data, title = datasets.load_arrays(path), path.name
    else:  # the paper does not say which pictures of Flickr it uses
        data, title = datasets.load_flickr(path), f"{path.resolve().name}: tagged pictures"
    return Study("flickr", title, data, "image", "tag", "shared", "flickr")


def is_awa2(folder: Path, data: RelationalData) -> bool:
    """Return whether a folder laid out like AwA2 is that data set, by the sizes of what the paper uses."""
    shapes = {name: None if X is None else X.shape for name, X in data.vectors.items()}
    return shapes == AWA2_SHAPE and _picture_count(folder) == AWA2_PICTURES


def _picture_count(folder: Path) -> int:
    for file in sorted(folder.rglob("AwA2-labels.txt")):
        return sum(1 for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip())
    for file in sorted(folder.rglob("res101.mat")):
        from scipy.io import whosmat

        return max((max(shape) for name, shape, _ in whosmat(file) if name == "image_files"), default=0)
    return 0


def awa2_thumbnails(folder: Path, data: RelationalData) -> dict[str, UInt8]:
    files = {file.name: file for file in folder.rglob("JPEGImages/*/*.jpg")}
    names = data.names["image"]
    return {"image": read_thumbnails([files[name] for name in names])} if files.keys() >= set(names) else {}


STUDIES: dict[str, Callable[[], Study]] = {
    "awa2": _awa2_stand_in,
    "flickr": _flickr_stand_in,
    "debian": _debian,
    "icons": _icons,
    "emoji": lambda: Study("emoji", "1,636 emoji and 997 keywords", datasets.load_emoji(), "image", "tag", "shared"),
    "shapes": _shapes,
    "groups": _groups,
}
FROM_PATH: dict[str, Callable[[Path], Study]] = {"awa2": _awa2, "flickr": _flickr, "debian": _debian}
