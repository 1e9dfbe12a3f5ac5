"""Words of several languages by which headings and dates are understood, and what headings mean."""

import functools
import re
import tomllib
from importlib import resources

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


@functools.cache
def vocabulary(group: str) -> frozenset[str]:
    return frozenset(_groups()[group])


@functools.cache
def _groups() -> dict[str, list[str]]:
    text = resources.files("mrsne.data.tables").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def words_in(heading: str) -> list[str]:
    """Return the words and numbers of a heading: of "FromNodeId", from, node and id."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z\d])", " ", heading)
    return [word for word in re.split(r"[\W_]+", spaced.casefold()) if word]


def is_id_heading(heading: str) -> bool:
    """Return whether a heading names what tells items apart."""
    words = words_in(heading)
    return " ".join(words) in ID_HEADINGS or words[-1:] in (["id"], ["uuid"], ["identifier"])


def is_about(heading: str, group: str) -> bool:
    """Return whether one of a group of words is in a heading."""
    return not vocabulary(group).isdisjoint(words_in(heading))


def ends_in(heading: str, group: str) -> bool:
    """Return whether the last word of a heading is one of a group."""
    return not vocabulary(group).isdisjoint(words_in(heading)[-1:])


def is_label_heading(heading: str) -> bool:
    """Return whether a heading names what people read: "title", "object_name", "nom du lieu", "name.common"."""
    first, second, *_ = *words_in(heading), "", ""
    is_first = first in vocabulary("labels") and second in vocabulary("of")
    is_part = heading.casefold().split(".")[0] in vocabulary("labels")
    return is_first or is_part or ends_in(heading, "labels") or heading.endswith(tuple(vocabulary("endings_of_labels")))


def is_code_heading(heading: str) -> bool:
    """Return whether a heading names something with digits that is no quantity, such as a ticket or postal code."""
    first, second, *_ = *words_in(heading), "", ""
    # "number" alone counts things
    is_code = ends_in(heading, "codes") or (bool(second) and ends_in(heading, "given_numbers"))
    return is_code or first in ("id", "isbn", "isbn13") or heading.casefold() == "index" or heading.endswith("ID")


def is_class_heading(heading: str) -> bool:
    """Return whether a heading names what a map should show and not be made of, such as "class" and "target_name"."""
    return is_about(heading, "classes") and vocabulary("classes").union(("name", "names", "id", "type")) >= set(
        words_in(heading)
    )


def is_plural(heading: str) -> bool:
    """Return whether a heading names several things, such as "subjects" and "keywords_en"."""
    return is_about(heading, "lists") or any(singular(word) != word for word in words_in(heading))


def singular(heading: str) -> str:
    """Return the name of one of what a heading names."""
    name = re.sub(r"(?<=.)(?:[ _.-](?:ids?|name|names|list)|(?-i:(?<=[a-z])I[dD]s?))$", "", heading.strip(), flags=re.I)
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
