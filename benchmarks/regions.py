"""Are regions called what they are, and how long does it take: ``python -m benchmarks.regions``.

On data whose items have classes that the naming does not see (``region_cases``), a region that has a majority class,
one of more than half of its items with a class, is named rightly if one of its words says that class: by its title, by
a synonym, or by a similar meaning (``class_words`` has the rules). Each share is printed beside that of

- the three most frequent of the words that are linked to the region's items
- the most frequent of them
- chance: names of other regions with a majority class of the level

Names that tell a class need not tell regions apart, so the share of regions of a level whose first word comes first in
no other name is printed, too. With ``--time N``, regions of a map of N items are timed beside its fit.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy import sparse

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.regions.result import Region

from . import region_cases
from .class_words import WAYS, says
from .region_cases import Case

FEW = 5  # regions with a majority class: fewer say nothing
HEADER = (
    f"| data, classes | level | regions | with a majority | {' | '.join(f'by {way}' for way in WAYS)} | own names |"
)


def majority(case: Case, classes: Sequence[Sequence[str]], region: Region) -> str | None:
    """Return the class of more than half of a region's items that have one."""
    known = [classes[item] for item in region.members[case.described] if classes[item]]
    counts = Counter(title for titles in known for title in set(titles))
    best, count = counts.most_common(1)[0] if known else ("", 0)
    return best if count > len(known) / 2 else None


def frequent(case: Case, region: Region, n_words: int) -> list[str]:
    """Return the words that most of a region's items are linked to."""
    W = case.data.relation(case.described, case.describing)[region.members[case.described]]
    counts = np.asarray((W > 0).sum(axis=0)).ravel()
    names = case.data.names[case.describing]
    return [names[word] for word in np.argsort(-counts, kind="stable")[:n_words] if counts[word]]


def distinct(names: Sequence[Sequence[str]]) -> float:
    """Return the share of names whose first word comes first in no other."""
    first = Counter(words[0] for words in names if words)
    return sum(count == 1 for count in first.values()) / len(names)


def percent(shares: Sequence[float]) -> str:
    return f"**{100 * shares[0]:.0f}** ({', '.join(f'{100 * share:.0f}' for share in shares[1:])})"


def score(name: str, case: Case, embedding: Embedding, show: bool) -> Iterator[str]:
    """Yield rows of a table, and what was called rightly or not."""
    regions = embedding.regions(case.data)
    namings: list[Callable[[Region], Sequence[str]]] = [
        lambda region: region.words,
        lambda region: frequent(case, region, 3),
        lambda region: frequent(case, region, 1),
    ]
    for level in range(regions.n_levels):
        there = regions.at(level)
        for kind, classes in case.classes.items():
            known = [(region, title) for region in there if (title := majority(case, classes, region)) is not None]
            if len(known) < FEW:
                continue
            cells = []
            for way in WAYS:
                shares = [
                    float(np.mean([says(called(region), title, case.parts, way) for region, title in known]))
                    for called in namings
                ]
                other = [
                    says(region.words, title, case.parts, way)
                    for region, _ in known
                    for own, title in known
                    if own is not region
                ]
                cells.append(percent([*shares, float(np.mean(other))]))
            own = percent([distinct([called(region) for region in there]) for called in namings[:2]])
            yield f"| {name}, {kind} | {level} | {len(there)} | {len(known)} | {' | '.join(cells)} | {own} |"
            for region, title in known if show else ():
                right = [way for way in WAYS if says(region.words, title, case.parts, way)]
                yield f"    {title}: {region.name} ({', '.join(right) or 'not said'})"


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
    parser.add_argument(
        "cases", nargs="*", help="emoji, icons, debian, openclipart, tabler, fontawesome; by default all"
    )
    parser.add_argument("--debian", help="what `apt-cache dumpavail` prints; by default the lists of this computer")
    parser.add_argument("--openclipart", help="usr/share/openclipart of the Debian packages openclipart-svg and -png")
    parser.add_argument("--tabler", help="icons.json of the npm package @tabler/icons")
    parser.add_argument("--fontawesome", help="metadata of the npm package @fortawesome/fontawesome-free")
    parser.add_argument("--cache", help="folder that keeps the vectors of pictures")
    parser.add_argument("--map", nargs="*", default=[], metavar="CASE=FILE", help="maps that were saved before")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--time", type=int, nargs="*", default=[], help="numbers of items, instead of scores")
    parser.add_argument("--show", action="store_true", help="print the names")
    arguments = parser.parse_args()
    for n in arguments.time:
        timed(n)
    if arguments.time:
        return
    saved = dict(given.split("=", 1) for given in arguments.map)
    cases = region_cases.available(arguments)
    print(HEADER, "|---" * HEADER.count(" | ") + "|---|", sep="\n")
    for name in arguments.cases or cases:
        case = cases[name]()
        for seed in arguments.seeds if name not in saved else arguments.seeds[:1]:
            made = Embedding.load(saved[name]) if name in saved else MRSNE(random_state=seed).fit_transform(case.data)
            print(*score(name, case, made, arguments.show), sep="\n", flush=True)


if __name__ == "__main__":
    main()
