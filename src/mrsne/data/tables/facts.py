"""What can be seen of a column: its values, how often they repeat, and what its heading says."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from mrsne.arrays import Int64
from mrsne.data.tables.table import Coded, Column
from mrsne.data.tables.vocabulary import vocabulary

SAMPLE = 5000  # different values whose words are counted
WORD = re.compile(r"<[^>]*>|\S+@\S+|[^\W\d_]{2,}")  # an address of mail counts as one
SINGULARS = {  # that follow no rule
    "alias": "alias", "aliases": "alias", "calories": "calorie", "canvas": "canvas", "clothes": "clothes",
    "cookies": "cookie", "lens": "lens", "movies": "movie", "news": "news", "rookies": "rookie", "series": "series",
    "species": "species", "starwars": "starwars",
}  # fmt: skip
# in the order of trust: the more surely a column of that name tells items apart, the smaller
ID_HEADINGS = {
    "id": 0, "identifier": 1, "uuid": 1, "guid": 1, "uid": 1, "key": 2, "accession number": 2, "accession no": 2,
    "acno": 2, "inventory number": 2, "object number": 2, "object id": 2, "objectid": 2, "item id": 2, "record id": 2,
    "doi": 3, "isbn": 3, "package": 3, "slug": 3, "sku": 3, "barcode": 3, "code": 4, "index": 5, "number": 6, "no": 6,
}  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """What can be seen of the values of a column."""

    present: int  # rows with a value
    different: int  # values
    repeated: float  # share of the rows with a value that have it in common with another row
    largest: float  # share of the rows with a value that have the most frequent one
    words: float  # mean number of words in a value
    shared: float  # share of the values that several rows have
    others: float  # mean number of other rows with the same value
    lists: bool  # whether there are lists, not only texts


def facts_of(column: Column) -> Facts:
    """Look at a column."""
    if isinstance(column, Coded):
        counts = column.counts()
        present = int(counts.sum())
        texts = [value for value in column.values[:SAMPLE] if isinstance(value, str)]
        words = float(np.mean([len(WORD.findall(text)) for text in texts])) if texts else 0.0
        lists = any(isinstance(value, tuple) for value in column.values)
        used = counts[counts > 0]
        return Facts(present, len(used), *_shares(used), words, *_sharing(used), lists)
    if column.ndim == 2:
        return Facts(len(column), len(column), 0.0, 0.0, 0.0, 0.0, 0.0, True)
    missing = np.isnat(column) if column.dtype.kind == "M" else np.isnan(column) if column.dtype.kind == "f" else None
    values = column if missing is None else column[~missing]
    _, counts = np.unique(values, return_counts=True)
    return Facts(len(values), len(counts), *_shares(counts), 0.0, *_sharing(counts), False)


def _sharing(counts: Int64) -> tuple[float, float]:
    """Return the share of values that several rows have, and with how many others a row has its value in common."""
    others = (counts * (counts - 1.0)).sum() / max(int(counts.sum()), 1)
    return float(np.count_nonzero(counts > 1) / max(len(counts), 1)), float(others)


def _shares(counts: Int64) -> tuple[float, float]:
    """Return the share of rows whose value is repeated, and of those with the most frequent one."""
    total = max(int(counts.sum()), 1)
    return float(counts[counts > 1].sum() / total), float(counts.max(initial=0) / total)


def _words(heading: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading)  # objectID is an object id
    return [word for word in re.split(r"[\W_]+", spaced.casefold()) if word]


def is_id_heading(heading: str) -> bool:
    """Return whether a heading names what tells items apart."""
    words = _words(heading)
    return " ".join(words) in ID_HEADINGS or words[-1:] in (["id"], ["uuid"], ["identifier"])


def is_bare_id_heading(heading: str) -> bool:
    """Return whether a heading names the ids of the rows, and not those of something else as "player_id" does."""
    return " ".join(_words(heading)) in ID_HEADINGS


def is_about(heading: str, group: str) -> bool:
    """Return whether one of a group of words is in a heading."""
    return not vocabulary(group).isdisjoint(_words(heading))


def ends_in(heading: str, group: str) -> bool:
    """Return whether the last word of a heading is one of a group."""
    return not vocabulary(group).isdisjoint(_words(heading)[-1:])


def is_label_heading(heading: str) -> bool:
    """Return whether a heading names what people read: "title", "object_name", "nom du lieu", "name.common"."""
    first, second, *_ = *_words(heading), "", ""
    is_first = first in vocabulary("labels") and second in vocabulary("of")
    is_part = heading.casefold().split(".")[0] in vocabulary("labels")
    return is_first or is_part or ends_in(heading, "labels") or heading.endswith(tuple(vocabulary("endings_of_labels")))


def is_code_heading(heading: str) -> bool:
    """Return whether a heading names something with digits that is no quantity, such as a ticket or postal code."""
    first, second, *_ = *_words(heading), "", ""
    # "number" alone counts things
    is_code = ends_in(heading, "codes") or (bool(second) and ends_in(heading, "given_numbers"))
    return is_code or first in ("id", "isbn13") or heading.casefold() == "index" or heading.endswith("ID")


def is_class_heading(heading: str) -> bool:
    """Return whether a heading names what a map should show and not be made of, such as "class" and "target_name"."""
    return is_about(heading, "classes") and vocabulary("classes").union(("name", "names", "id", "type")) >= set(
        _words(heading)
    )


def singular(heading: str) -> str:
    """Return the name of one of what a heading names."""
    name = re.sub(r"(?<=.)(?:[ _.](?:ids?|name|names|list)|(?-i:(?<=[a-z])I[dD]s?))$", "", heading.strip(), flags=re.I)
    folded = name.casefold()
    for plural, one in SINGULARS.items():
        if folded.endswith(plural):
            return name[: len(name) - len(plural) + len(one)]
    if folded.endswith("ies") and len(name) > 4:
        return name[:-3] + "y"
    if folded.endswith(("sses", "shes", "ches", "xes")):
        return name[:-2]
    if folded.endswith("s") and len(name) > 3 and folded[-2:] not in ("ss", "us", "is"):
        return name[:-1]
    return name
