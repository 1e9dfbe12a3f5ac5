"""Debian's packages, their tags and their maintainers, from apt's own lists: three domains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData
from mrsne.datasets import DatasetError
from mrsne.experiments.word_lists import links_to_words

SOURCE = "apt-cache dumpavail"
FOLDED = re.compile(r"\n[ \t]+")
ADDRESS = re.compile(r"\s*<[^>]*>")


def load_debian(path: Path, *, n_packages: int = 3_000, min_count: int = 3, random_state: int = 0) -> RelationalData:
    """Read packages with tags, as ``apt-cache dumpavail`` prints them.

    Parameters
    ----------
    path : path
        A file with that text.
    n_packages : int, default=3000
        Drawn at random from the packages that have tags.
    min_count : int, default=3
        Tags and maintainers of fewer packages are left out.
    random_state : int, default=0

    Returns
    -------
    data : RelationalData
        Domain "package" with the words of its one-line description as a vector (TF-IDF, reduced to 100 dimensions);
        "tag" and "maintainer" without vectors.
    """
    packages = {package["Package"]: package for package in _paragraphs(Path(path)) if "Tag" in package}
    if len(packages) < 2:
        raise DatasetError(f"{str(path)!r} has {len(packages)} packages with tags; expected what `{SOURCE}` prints")
    names = sorted(packages)
    count = min(n_packages, len(names))
    chosen = np.sort(np.random.default_rng(random_state).choice(len(names), count, replace=False))
    names = [names[index] for index in chosen]
    tags = [[tag.strip() for tag in packages[name]["Tag"].split(",") if tag.strip()] for name in names]
    maintainers = [[ADDRESS.sub("", packages[name].get("Maintainer", "")).strip()] for name in names]
    tag_names, tag_links = links_to_words(tags, min_count, "tag")
    people, people_links = links_to_words(maintainers, min_count, "maintainer")
    return RelationalData(
        {
            "package": _vectors([packages[name].get("Description", "") for name in names]),
            "tag": len(tag_names),
            "maintainer": len(people),
        },
        {("package", "tag"): tag_links, ("package", "maintainer"): people_links},
        names={"package": names, "tag": tag_names, "maintainer": people},
    )


def _paragraphs(path: Path) -> Iterator[dict[str, str]]:
    """Yield the fields of each package; a line that begins with a space goes on with the one before."""
    for paragraph in path.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        lines = (line.partition(":") for line in FOLDED.sub(" ", paragraph.strip()).split("\n"))
        fields = {name: value.strip() for name, colon, value in lines if colon}
        if "Package" in fields:
            yield fields


def _vectors(texts: list[str]) -> NDArray[np.float32]:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(min_df=2, sublinear_tf=True, stop_words="english").fit_transform(texts)
    dimensions = min(100, words.shape[1] - 1, len(texts) - 1)
    reduced = TruncatedSVD(dimensions, random_state=0).fit_transform(words)
    lengths = np.linalg.norm(reduced, axis=1, keepdims=True)
    return np.asarray(reduced / np.where(lengths > 0, lengths, 1), dtype=np.float32)
