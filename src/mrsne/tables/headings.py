"""What headings say: ids, labels, texts, and the singular that names a kind of item."""

from __future__ import annotations

import re

# in the order of trust: the more surely a column of that name tells items apart, the smaller
ID_HEADINGS = {
    "id": 0, "identifier": 1, "uuid": 1, "guid": 1, "uid": 1, "key": 2, "accession number": 2, "accession no": 2,
    "acno": 2, "inventory number": 2, "object number": 2, "object id": 2, "objectid": 2, "item id": 2, "record id": 2,
    "doi": 3, "isbn": 3, "package": 3, "slug": 3, "sku": 3, "barcode": 3, "code": 4, "index": 5, "number": 6, "no": 6,
}  # fmt: skip
LABELS = ("title", "name", "label", "headline", "caption", "heading")
TEXTS = (
    "text", "abstract", "description", "summary", "content", "body", "comment", "note", "notes", "review", "caption",
    "message", "synopsis", "overview", "bio", "biography", "plot",
)  # fmt: skip


def _words(heading: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading)  # objectID is an object id
    return [word for word in re.split(r"[\W_]+", spaced.casefold()) if word]


def is_id_heading(heading: str) -> bool:
    """Return whether a heading names what tells items apart.

    Examples
    --------
    >>> is_id_heading("ID"), is_id_heading("Accession_Number"), is_id_heading("objectID"), is_id_heading("artist")
    (True, True, True, False)
    """
    words = _words(heading)
    return " ".join(words) in ID_HEADINGS or words[-1:] in (["id"], ["uuid"], ["identifier"])


def is_label_heading(heading: str) -> bool:
    """Return whether a heading names what people read, such as "title" and "object_name"."""
    return _words(heading)[-1:] in [[word] for word in LABELS]


def is_text_heading(heading: str) -> bool:
    """Return whether a heading names a text about the item, such as "abstract" and "short description"."""
    return any(word in TEXTS for word in _words(heading))


def singular(heading: str) -> str:
    """Return the name of one of what a heading names.

    Examples
    --------
    >>> singular("Subjects"), singular("categories"), singular("artist_id"), singular("artist.name"), singular("genus")
    ('Subject', 'category', 'artist', 'artist', 'genus')
    """
    name = re.sub(r"(?<=.)[ _.](?:ids?|name|names|list)$", "", heading.strip(), flags=re.IGNORECASE)
    folded = name.casefold()
    if folded.endswith("ies") and len(name) > 4:
        return name[:-3] + "y"
    if folded.endswith(("sses", "shes", "ches", "xes")):
        return name[:-2]
    if folded.endswith("s") and len(name) > 3 and folded[-2:] not in ("ss", "us", "is"):
        return name[:-1]
    return name
