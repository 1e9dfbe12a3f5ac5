"""The data sets on which the methods are compared, and how maps of each are scored."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne import __version__
from mrsne.data import RelationalData
from mrsne.datasets import load_arrays, load_awa2, load_emoji, load_flickr, make_classes, make_groups, make_shapes
from mrsne.parameters import ParameterError, check_option

ACROSS = {"awa2": (1, 2, 3, 5, 10, 20, 30, 50), "flickr": (1, 2, 5, 10, 20, 50, 100, 200, 500)}
WITHIN = {"awa2": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), "flickr": (1, 2, 5, 10, 20, 50, 100, 200, 500)}
STUDIES = {
    "awa2": "Animals with Attributes 2, or a stand-in: --data names its folder or an npz file",
    "flickr": "tagged pictures, or a stand-in: --data names their folder or an npz file",
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
        The domain of the query items, and the one they are linked to.
    within : str
        What counts as a true link between two query items.
    paper : str or None
        The data set of the paper whose published numbers are shown.
    same_data : bool
        Whether it is that data set itself.
    pictures : dict
        Thumbnails by domain.
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

    @property
    def ks_across(self) -> list[int]:
        """Each k of the paper's tables that the target domain has items for."""
        return [k for k in ACROSS[self.paper or "awa2"] if k <= self.data.sizes[self.target]]

    @property
    def ks_within(self) -> list[int]:
        """Each k of the paper's tables that the query's own domain has other items for."""
        return [k for k in WITHIN[self.paper or "awa2"] if k < self.data.sizes[self.query]]

    def fingerprint(self) -> str:
        """Return a hash of the data and of how its maps are scored."""
        digest = hashlib.sha256(
            repr((__version__, self.name, self.within, self.query, self.target, self.data)).encode()
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


def load_study(name: str, path: str | os.PathLike[str] | None = None, within: str | None = None) -> Study:
    """Return the study of this name.

    Parameters
    ----------
    name : {"awa2", "flickr", "emoji", "shapes", "groups"}
    path : path, optional
        For "awa2" and "flickr": the folder of the published files, or an npz file as for
        :func:`mrsne.datasets.load_arrays`. Without it, made-up data of the same kind is used.
    within : {"shared", "identical"}, optional
        What counts as a true link within the query's domain; "identical" for "awa2" and "shared" for the others unless
        given.

    Examples
    --------
    >>> load_study("shapes").data
    RelationalData(picture: 600 items, 192-d; tag: 14 items, no vectors; picture-tag: 1740 links)
    """
    check_option("study", name, STUDIES)
    if within is not None:
        check_option("within", within, ("shared", "identical"))
    if name not in ("awa2", "flickr"):
        if path is not None:
            raise ParameterError(f"{name!r} is bundled, so it takes no data; data is for 'awa2' and 'flickr'")
        if name == "emoji":
            data = load_emoji()
            title = "1,636 emoji and 997 keywords"
            return Study(name, title, data, "image", "tag", within or "shared", pictures=dict(data.pictures))
        if name == "shapes":
            data, pictures = make_shapes(600, random_state=0)
            title = "600 drawn pictures of coloured shapes and the words for them"
            return Study(name, title, data, "picture", "tag", within or "shared", pictures={"picture": pictures})
        title = "made-up items in five groups, with vectors and links that show them"
        return Study(name, title, make_groups(random_state=0)[0], "image", "tag", within or "shared")
    within = within or ("identical" if name == "awa2" else "shared")
    if path is None:
        title, data = _stand_in(name)
        return Study(name, title, data, "image", "tag", within, paper=name)
    if not Path(path).exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r} with the data of {name!r}")
    if Path(path).is_file():
        return Study(name, Path(path).name, load_arrays(path), "image", "tag", within, paper=name)
    if name == "flickr":
        # the paper does not say which pictures of Flickr it uses
        return Study(name, "Flickr", load_flickr(path), "image", "tag", within, paper=name)
    data = load_awa2(path)
    thumbnails = _awa2_thumbnails(Path(path), data)
    return Study(
        name, "Animals with Attributes 2", data, "image", "tag", within, name, same_data=True, pictures=thumbnails
    )


def _stand_in(name: str) -> tuple[str, RelationalData]:
    if name == "awa2":
        return "made-up pictures of 20 classes whose attributes they have", make_classes(random_state=0)[0]
    sizes, dimensions = {"image": 1000, "tag": 613}, {"image": 64, "tag": 0}
    data = make_groups(sizes, n_groups=40, dimensions=dimensions, links_per_item=6, strays=0.2, random_state=0)[0]
    return "made-up pictures in 40 groups, and tags without vectors", data


def _awa2_thumbnails(folder: Path, data: RelationalData, side: int = 48) -> dict[str, NDArray[np.uint8]]:
    """Return thumbnails of AwA2's pictures, if all of them are there."""
    from mrsne.encoders.decoding import open_picture

    files = {file.name: file for file in folder.rglob("JPEGImages/*/*.jpg")}
    names = data.names["image"]
    if not all(name in files for name in names):
        return {}
    thumbnails = np.full((len(names), side, side, 4), 0, np.uint8)
    for index, name in enumerate(names):
        with open_picture(files[name]) as picture:
            thumbnail = picture.convert("RGBA")
            thumbnail.thumbnail((side, side))
            left, top = (side - thumbnail.width) // 2, (side - thumbnail.height) // 2
            thumbnails[index, top : top + thumbnail.height, left : left + thumbnail.width] = np.asarray(thumbnail)
    return {"image": thumbnails}
