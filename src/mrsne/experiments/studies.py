"""The data sets on which the methods are compared, and how maps of each are scored."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne import __version__
from mrsne.data import RelationalData
from mrsne.datasets import (
    load_arrays,
    load_awa2,
    load_debian,
    load_emoji,
    load_flickr,
    load_icons,
    make_classes,
    make_groups,
    make_shapes,
)
from mrsne.experiments.awa2 import awa2_thumbnails, is_awa2
from mrsne.experiments.methods import PERPLEXITY
from mrsne.metrics.links import linked_domains
from mrsne.parameters import ParameterError, check_number, check_option

ACROSS = {"awa2": (1, 2, 3, 5, 10, 20, 30, 50), "flickr": (1, 2, 5, 10, 20, 50, 100, 200, 500)}
WITHIN = {"awa2": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), "flickr": (1, 2, 5, 10, 20, 50, 100, 200, 500)}
MOST_DRAWN = 2_000  # icons or packages, about as many as the paper has pictures: Algorithm 1 takes all pairs
STUDIES = {
    "awa2": "Animals with Attributes 2, or a stand-in: --data names its folder or an npz file",
    "flickr": "tagged pictures, or a stand-in: --data names their folder or an npz file",
    "debian": "Debian's packages, their tags and maintainers, from apt's lists or what apt-cache dumpavail prints",
    "icons": "bundled icons, the words for them and their authors",
    "emoji": "the bundled emoji and their keywords",
    "shapes": "drawn pictures of coloured shapes, with thumbnails",
    "groups": "made-up items in groups",
}


@dataclass
class Study:
    """A data set, and how maps of it are scored.

    Attributes
    ----------
    name : str
    title : str
        What the data is.
    data : RelationalData
    query, target : str
        The domain of the query items, and the one they are linked to. Scores for further domains they are linked to
        are named after those.
    within : str
        What counts as a true link between two query items.
    paper : str or None
        The data set of the paper whose published numbers are shown.
    same_data : bool
        Whether it is that data set itself.
    pictures : dict
        Thumbnails by domain.
    perplexity : float
        Of MR-SNE, of PMvGE's neighbour graphs, and of the t-SNE that brings K > 2 dimensions into the plane.
    """

    name: str
    title: str
    data: RelationalData
    query: str
    target: str
    within: str
    paper: str | None = None
    same_data: bool = False
    pictures: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    perplexity: float = PERPLEXITY

    @property
    def targets(self) -> list[str]:
        """The domains that the queries are linked to, the target first."""
        others = [name for name in linked_domains(self.query, self.data) if name != self.target]
        return [self.target, *others]

    def ending(self, target: str) -> str:
        """Return what the keys of scores against a domain end with: nothing for the target, else its name."""
        return "" if target == self.target else f"_{target}"

    def ks_across(self, target: str) -> list[int]:
        """Return each k of the paper's tables that a domain has items for."""
        return [k for k in ACROSS[self.paper or "awa2"] if k <= self.data.sizes[target]]

    @property
    def ks_within(self) -> list[int]:
        """Each k of the paper's tables that the query's own domain has other items for."""
        return [k for k in WITHIN[self.paper or "awa2"] if k < self.data.sizes[self.query]]

    def fingerprint(self) -> str:
        """Return a hash of the data and of how its maps are scored."""
        digest = hashlib.sha256(
            repr((__version__, self.name, self.within, self.query, self.target, self.perplexity, self.data)).encode()
        )
        for part in (*self.data.vectors.values(), *self.data.relations.values(), *self.data.missing.values()):
            for array in _arrays(part):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]


def _arrays(part: Any) -> tuple[NDArray[Any], ...]:
    """Return the arrays that hold a dense or sparse matrix; none for None."""
    if part is None:
        return ()
    return (part,) if isinstance(part, np.ndarray) else (part.indptr, part.indices, part.data)


def load_study(
    name: str,
    path: str | os.PathLike[str] | None = None,
    within: str | None = None,
    perplexity: float = PERPLEXITY,
) -> Study:
    """Return the study of this name.

    Parameters
    ----------
    name : {"awa2", "flickr", "debian", "icons", "emoji", "shapes", "groups"}
    path : path, optional
        For "awa2" and "flickr": the folder of the published files, or an npz file as for
        :func:`mrsne.datasets.load_arrays`; without it, made-up data of the same kind is used. For "debian": a file with
        what ``apt-cache dumpavail`` prints; without it, this computer's package lists.
    within : {"shared", "identical"}, optional
        What counts as a true link within the query's domain; "identical" for "awa2" and "shared" for the others unless
        given.
    perplexity : float, default=30
        Of every method that has one.

    Examples
    --------
    >>> load_study("shapes").data
    RelationalData(picture: 600 items, 192-d; tag: 14 items, no vectors; picture-tag: 1740 links)
    """
    check_option("study", name, STUDIES)
    check_number("perplexity", perplexity, above=1)
    if within is not None:
        check_option("within", within, ("shared", "identical"))
    study = _with_data(name, path) if name in ("awa2", "flickr", "debian") else _bundled(name, path)
    return replace(study, within=within or study.within, perplexity=float(perplexity))


def _bundled(name: str, path: Any) -> Study:
    if path is not None:
        raise ParameterError(f"{name!r} is bundled, so it takes no data; data is for 'awa2', 'flickr' and 'debian'")
    if name == "emoji":
        data = load_emoji()
        return Study(name, "1,636 emoji and 997 keywords", data, "image", "tag", "shared", pictures=dict(data.pictures))
    if name == "shapes":
        data, pictures = make_shapes(600, random_state=0)
        title = "600 drawn pictures of coloured shapes and the words for them"
        return Study(name, title, data, "picture", "tag", "shared", pictures={"picture": pictures})
    if name == "icons":
        data = _fewer_icons(load_icons())
        title = f"{data.sizes['icon']:,} icons, their aliases and authors"
        return Study(name, title, data, "icon", "alias", "shared", pictures=dict(data.pictures))
    title = "made-up items in five groups, with vectors and links that show them"
    return Study(name, title, make_groups(random_state=0)[0], "image", "tag", "shared")


def _with_data(name: str, path: str | os.PathLike[str] | None) -> Study:
    if path is not None and not Path(path).exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r} with the data of {name!r}")
    if name == "debian":
        data = load_debian(path, n_packages=MOST_DRAWN)
        title = f"{data.sizes['package']:,} Debian packages, their tags and maintainers"
        return Study(name, title, data, "package", "tag", "shared")
    within = "identical" if name == "awa2" else "shared"
    if path is None:
        title, data = _stand_in(name)
        return Study(name, title, data, "image", "tag", within, paper=name)
    if Path(path).is_file():
        data = load_arrays(path)
        return Study(name, Path(path).name, data, "image", "tag", within, paper=name, pictures=dict(data.pictures))
    if name == "flickr":
        # the paper does not say which pictures of Flickr it uses
        data = load_flickr(path)
        title = f"{Path(path).resolve().name}: tagged pictures"
        return Study(name, title, data, "image", "tag", within, paper=name, pictures=dict(data.pictures))
    data = load_awa2(path)
    genuine = is_awa2(Path(path), data)
    title = "Animals with Attributes 2" if genuine else f"{Path(path).resolve().name}: laid out as AwA2, but not AwA2"
    thumbnails = awa2_thumbnails(Path(path), data)
    return Study(name, title, data, "image", "tag", within, name, same_data=genuine, pictures=thumbnails)


def _fewer_icons(data: RelationalData, count: int = MOST_DRAWN, min_links: int = 3) -> RelationalData:
    """Return icons drawn at random, with the aliases and authors that at least so many of them have."""
    icons = np.sort(np.random.default_rng(0).choice(data.sizes["icon"], count, replace=False))
    kept = {"icon": icons}
    for name in ("alias", "author"):
        links = np.asarray((data.relation("icon", name)[icons] > 0).sum(axis=0)).ravel()
        kept[name] = np.flatnonzero(links >= min_links)
    return data.subset(kept)


def _stand_in(name: str) -> tuple[str, RelationalData]:
    """Return made-up data of the paper's kind, with names that maps can show."""
    if name == "awa2":
        title, made = "made-up pictures of 20 classes whose attributes they have", make_classes(random_state=0)[0]
    else:
        sizes, dimensions = {"image": 1000, "tag": 613}, {"image": 64, "tag": 0}
        title = "made-up pictures in 40 groups, and tags without vectors"
        made = make_groups(sizes, n_groups=40, dimensions=dimensions, links_per_item=6, strays=0.2, random_state=0)[0]
    word = "attribute" if name == "awa2" else "tag"
    names = {"tag": [f"{word} {index}" for index in range(made.sizes["tag"])]}
    vectors = {domain: made.sizes[domain] if X is None else X for domain, X in made.vectors.items()}
    return title, RelationalData(vectors, dict(made.relations), names=names)
