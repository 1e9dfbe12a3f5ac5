"""Are regions called what they are, and how long does it take: ``python -m benchmarks.regions``.

On data whose items have a class that the naming does not see (the emoji's Unicode groups, the first tag of an icon,
the section of a Debian package), a region that has a majority class, one of more than half of its items with a class,
is named rightly if one of its words says that class:

- by name: a word of the class's own name, singular or plural, or a longer word that begins with it
- by meaning: also a word whose bundled word vector has a cosine of at least 0.5 with one of the class's name

Names that tell a class need not tell regions apart, so the share of regions of a level whose first word comes first in
no other name is printed, too. The baseline calls a region by the three most frequent of the linked words. With ``--time
N``, regions of a map of N items are timed beside its fit.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from mrsne import MRSNE, Embedding, RelationalData, datasets
from mrsne.datasets.emoji import emoji_groups
from mrsne.encoders import encode_words
from mrsne.regions.result import Region

CLOSE = 0.5  # cosine of two words that mean nearly the same
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
    """Data, its described and describing domain, and the class of each described item."""

    data: RelationalData
    described: str
    describing: str
    classes: Sequence[str | None]


def emoji(_: str | None) -> Case:
    return Case(datasets.load_emoji(), "image", "tag", emoji_groups())


def icons(_: str | None) -> Case:
    data = datasets.load_icons()
    return Case(data, "icon", "alias", [str(tag) if tag else None for tag in data.columns["icon"]["tag"]])


def debian(path: str | None) -> Case:
    data = datasets.load_debian(path)
    sections = [None if value is None else str(value).split("/")[-1] for value in data.columns["package"]["section"]]
    return Case(data, "package", "tag", [None if name is None else SECTIONS.get(name, name) for name in sections])


CASES: dict[str, Callable[[str | None], Case]] = {"emoji": emoji, "icons": icons, "debian": debian}


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without what a plural adds."""
    found = [word for word in re.split(r"[^a-z0-9+]+", text.lower()) if len(word) > 1]
    return [word if len(word) < 4 else re.sub(r"(?<=[^s])s$", "", word.replace("ies", "y")) for word in found]


def says(words: Iterable[str], about: str, by_meaning: bool) -> bool:
    """Return whether one of the words says a class."""
    said = [token for word in words for token in tokens(word)]
    wanted = tokens(about)
    if any(a == b or (len(b) > 3 and a.startswith(b)) for a in said for b in wanted):
        return True
    if not by_meaning or not said or not wanted:
        return False
    X, Z = (np.nan_to_num(encode_words(list(part))) for part in (said, wanted))
    X, Z = (part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-9) for part in (X, Z))
    return bool((X @ Z.T).max() >= CLOSE)


def majority(case: Case, region: Region) -> str | None:
    """Return the class of more than half of a region's items that have one."""
    counts = Counter(found for item in region.members[case.described] if (found := case.classes[item]) is not None)
    if not counts:
        return None
    best, count = counts.most_common(1)[0]
    return best if count > counts.total() / 2 else None


def frequent(case: Case, region: Region) -> list[str]:
    """Return the three words that most of a region's items are linked to."""
    W = case.data.relation(case.described, case.describing)[region.members[case.described]]
    counts = np.asarray((W > 0).sum(axis=0)).ravel()
    names = case.data.names[case.describing]
    return [names[word] for word in np.argsort(-counts, kind="stable")[:3] if counts[word]]


def distinct(names: Sequence[Sequence[str]]) -> float:
    """Return the share of names whose first word comes first in no other."""
    first = Counter(words[0] for words in names if words)
    return sum(count == 1 for count in first.values()) / len(names)


def score(name: str, case: Case, embedding: Embedding, show: bool) -> None:
    regions = embedding.regions(case.data)
    naming: list[Callable[[Region], Sequence[str]]] = [lambda region: region.words, partial(frequent, case)]
    for level in range(regions.n_levels):
        known = [(region, about) for region in regions.at(level) if (about := majority(case, region)) is not None]
        if not known:
            print(f"{name}, level {level}: none of {len(regions.at(level))} regions has a majority")
            continue
        shares = [
            np.mean([says(called(region), about, meaning) for region, about in known])
            for called in naming
            for meaning in (False, True)
        ]
        first = [distinct([called(region) for region in regions.at(level)]) for called in naming]
        print(
            f"{name}, level {level}: {len(regions.at(level))} regions, {len(known)} with a majority; "
            f"by name {shares[0]:.0%} (most frequent {shares[2]:.0%}), "
            f"by meaning {shares[1]:.0%} (most frequent {shares[3]:.0%}), "
            f"names of their own {first[0]:.0%} (most frequent {first[1]:.0%})"
        )
        for region, about in known if show else ():
            print(f"    {'+' if says(region.words, about, True) else '-'} {about}: {region.name}")


def timed(n: int) -> None:
    """Print seconds of a fit and of its regions: clustered vectors with a hundredth as many tags, three links each."""
    random = np.random.default_rng(0)
    group = random.integers(200, size=n)
    X = (4 * random.normal(size=(200, 64))[group] + random.normal(size=(n, 64))).astype(np.float32)
    tags = max(n // 100, 400)
    near = (group[:, None] * 2 + random.integers(2, size=(n, 3))) % tags
    columns = np.where(random.random((n, 3)) < 0.5, near, random.integers(tags, size=(n, 3))).ravel()
    W = sparse.csr_matrix((np.ones(3 * n), (np.repeat(np.arange(n), 3), columns)), shape=(n, tags))
    data = RelationalData({"item": X, "tag": tags}, {("item", "tag"): W}, {"tag": [f"tag {i}" for i in range(tags)]})
    MRSNE(random_state=0).fit(data.subset({"item": np.arange(2000)}))  # compiles
    began = time.perf_counter()
    embedding = MRSNE(random_state=0).fit_transform(data)
    fit = time.perf_counter() - began
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        regions = embedding.regions(data)
        seconds.append(time.perf_counter() - began)
    took = float(np.median(seconds))
    print(f"{n:,} items: fit {fit:.1f} s, regions {took:.2f} s ({took / fit:.1%}), {regions}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(CASES), help="emoji, icons, debian")
    parser.add_argument("--debian", help="what `apt-cache dumpavail` prints; by default the lists of this computer")
    parser.add_argument("--map", nargs="*", default=[], metavar="CASE=FILE", help="maps that were saved before")
    parser.add_argument("--time", type=int, nargs="*", default=[], help="numbers of items")
    parser.add_argument("--show", action="store_true", help="print the names")
    arguments = parser.parse_args()
    saved = dict(given.split("=", 1) for given in arguments.map)
    for name in arguments.cases if not arguments.time else ():
        case = CASES[name](arguments.debian)
        made = Embedding.load(saved[name]) if name in saved else MRSNE(random_state=0).fit_transform(case.data)
        score(name, case, made, arguments.show)
    for n in arguments.time:
        timed(n)


if __name__ == "__main__":
    main()
