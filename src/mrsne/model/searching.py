"""Search by meaning: from words to the names that are near them, and over links and likeness to everything else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.arrays import Float64
from mrsne.data.relational import RelationalData, require_in_memory
from mrsne.parameters import ParameterError, check_integer, describe

if TYPE_CHECKING:
    from pandas import DataFrame

WORD = re.compile(r"[^\W_]+")
ALIKE = 0.5  # how near an item is whose neighbours in P̃ are all linked to the very name
HEADINGS = ("kind", "id", "label", "closeness", "by", "names")


def search(
    data: RelationalData, text: str, *, kind: str | None = None, k: int = 10, affinities: Any = None
) -> DataFrame:
    """Find what is near some words in meaning, although no name may contain them.

    Names that are near a word by the bundled word vectors lead to the items that are linked to them, and from there,
    with P̃, to items that are similar to these. A photo need not have a tag to be found.

    Parameters
    ----------
    data : RelationalData
        With names of at least one kind.
    text : str
        One or more English words. Words that say nothing, such as "of", are left out.
    kind : str, optional
        Only items of this domain; by default, all.
    k : int
        How many items at most.
    affinities : sparse matrix of shape (n, n), optional
        P̃, as :func:`mrsne.joint_affinities` returns it. By default it is computed.

    Returns
    -------
    found : DataFrame
        The nearest first: ``kind``, ``id`` and ``label`` of the item; ``closeness``, from 0 to 1, the mean over the
        words; ``by`` ("name", "links" or "similar items"); and ``names``, the nearest ones that led to it.

    Notes
    -----
    Word vectors know which words are used alike, so opposites are near each other: "happy" finds "sad", too.

    See Also
    --------
    mrsne.encoders.encode_words : The vectors of words.

    Examples
    --------
    >>> import mrsne
    >>> tags = ["dog", "sea", "ship"]
    >>> links = [(0, "dog"), (1, "sea"), (1, "ship"), (2, "ship"), (3, "sea")]
    >>> data = mrsne.RelationalData({"photo": 4, "tag": 3}, {("photo", "tag"): links}, names={"tag": tags})
    >>> mrsne.search(data, "a puppy")["label"].tolist()
    ['dog', '0']
    """
    known = require_in_memory(data, "search needs")
    if kind is not None and kind not in known.sizes:
        raise ParameterError(f"kind must be one of {', '.join(map(repr, known.sizes))}, got {describe(kind)}")
    check_integer("k", k, minimum=1)
    if not isinstance(text, str) or not (words := words_of(text)):
        raise ParameterError(f"text must be one or more words, got {describe(text)}")
    named = {name: names for name in known.sizes if (names := known.shown_names(name)) and name not in known.pictures}
    if not named:
        raise ParameterError("data has names of no kind without pictures, so words find nothing; give names")
    near = _near_names(known, named, text, words)
    own = np.maximum(near[0], near[1:].mean(axis=0))
    linked = _linked(known, near[1:])
    similar = _similar(known, linked, affinities)
    reached = np.stack([own, linked.mean(axis=0), similar.mean(axis=0)])
    closeness = reached.max(axis=0)
    if kind is not None:
        outside = np.ones(known.n_items, bool)
        outside[_rows(known, kind)] = False
        closeness[outside] = 0
    order = np.lexsort((-reached.sum(axis=0), -closeness))[:k]  # of equals, first those like others that are found
    order = order[closeness[order] > 0]
    return _table(known, order, closeness, reached, near[1:].max(axis=0))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without function words unless there is nothing else."""
    from mrsne.encoders.meaning import function_words

    words = list(dict.fromkeys(WORD.findall(text.casefold())))
    return [word for word in words if word not in function_words()] or words


def _near_names(data: RelationalData, named: dict[str, Any], text: str, words: list[str]) -> Float64:
    """Return how near each item's name is to the text and to each word, from 0 to 1; rows for text and words."""
    from mrsne.encoders.meaning import LEAST, similarities

    near = np.zeros((1 + len(words), data.n_items))
    for kind, names in named.items():
        rows = _rows(data, kind)
        near[:, rows] = similarities([text, *words], names)
        folded = np.array([name.casefold() for name in names])
        for row, word in enumerate([text.casefold().strip(), *words]):
            near[row, rows][folded == word] = 1
    near[near < LEAST] = 0
    return np.minimum(near, 1)


def _rows(data: RelationalData, kind: str) -> slice:
    return slice(data.offsets[kind], data.offsets[kind] + data.sizes[kind])


def _linked(data: RelationalData, near: Float64) -> Float64:
    """Return, for each word, how near the best of the names is that an item is linked to."""
    best = np.zeros_like(near)
    for (a, b), W in data.relations.items():
        links = W.tocoo()
        rows, columns = data.offsets[a] + links.row, data.offsets[b] + links.col
        for own, target in zip(near, best, strict=True):
            np.maximum.at(target, rows, own[columns])
            np.maximum.at(target, columns, own[rows])
    return best


def _similar(data: RelationalData, linked: Float64, affinities: Any) -> Float64:
    """Return, for each word, the mean nearness of an item's neighbours in P̃, halved."""
    from mrsne.affinity.joint import joint_affinities

    P = joint_affinities(data) if affinities is None else affinities
    if P.shape != (data.n_items, data.n_items):
        raise ParameterError(f"affinities must be of the {data.n_items} items of the data, got shape {P.shape}")
    totals = np.maximum(np.asarray(P.sum(axis=1)).ravel(), 1e-300)
    return np.asarray(ALIKE * (P @ linked.T).T / totals)


def _table(data: RelationalData, items: Any, closeness: Float64, reached: Float64, near: Float64) -> DataFrame:
    from mrsne.data.interchange.rows import frame_of

    rows = []
    for item in items.tolist():
        kind, place = _place(data, item)
        by = ("name", "links", "similar items")[int(reached[:, item].argmax())]
        ids, labels = data.names.get(kind), data.shown_names(kind)
        called = [str(place) if texts is None else texts[place] for texts in (ids, labels)]
        rows.append((kind, *called, round(float(closeness[item]), 3), by, _names(data, item, near)))
    columns = {heading: [row[column] for row in rows] for column, heading in enumerate(HEADINGS)}
    frame: DataFrame = frame_of(columns, "pandas")
    return frame


def _place(data: RelationalData, item: int) -> tuple[str, int]:
    """Return the kind of an item and its position in it."""
    kind = next(name for name in reversed(list(data.offsets)) if data.offsets[name] <= item)
    return kind, item - data.offsets[kind]


def _names(data: RelationalData, item: int, near: Float64) -> str:
    """Return up to three names near the words that an item has or is linked to, the nearest first."""
    kind, place = _place(data, item)
    linked = [item]
    for (a, b), W in data.relations.items():
        if a == kind:
            linked += (data.offsets[b] + W[[place]].indices).tolist()
        if b == kind:
            linked += (data.offsets[a] + W[:, [place]].nonzero()[0]).tolist()
    nearest = sorted({each for each in linked if near[each] > 0}, key=lambda each: (-near[each], each))[:3]
    found = [(data.shown_names(kind), at) for kind, at in (_place(data, each) for each in nearest)]
    return "; ".join(names[at] for names, at in found if names)
