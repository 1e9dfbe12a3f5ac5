"""Which items describe which: tags describe photographs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import RelationalData


@dataclass(frozen=True)
class Descriptions:
    """Links from items to those that describe them.

    Attributes
    ----------
    links : CSR matrix of shape (items, words)
        1 where an item is linked to one that describes it.
    words : list of str
        Names of the describing items.
    domain : array of shape (items,)
        Number of each item's domain.
    """

    links: sparse.csr_matrix
    words: list[str]
    domain: NDArray[np.int64]


def read_descriptions(data: RelationalData, by: Sequence[str] | None = None) -> Descriptions | None:
    """Return what describes the items of some data; None where nothing with a name is linked.

    Of two kinds that are linked, the one describes the other whose items differ more in how many links they have (a few
    tags are frequent, whereas most photographs have some tags); where that has no names, the other describes it. Within
    one kind, an item describes those that it is linked to. By default only kinds count of which an item can have
    several, such as tags, and the others, such as its author, where there are none of these.

    Parameters
    ----------
    data : RelationalData
    by : list of str, optional
        Domains that describe others.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"photo": 2, "tag": 1}, {("photo", "tag"): [(0, "dog")]}, names={"tag": ["dog"]})
    >>> found = read_descriptions(data)
    >>> found.words, found.links.toarray().tolist()
    (['dog'], [[1.0], [0.0], [0.0]])
    """
    found = {pair: data.relation(*pair) for pair in _directions(data, by)}
    if by is None:
        several = {pair: W for pair, W in found.items() if np.diff(W.indptr).max(initial=0) > 1}
        found = several or found
    words: list[str] = []
    starts: dict[str, int] = {}
    ends: list[NDArray[np.int64]] = []
    for (described, describing), W in found.items():
        if describing not in starts:
            starts[describing] = len(words)
            words += data.shown_names(describing) or ()
        rows, columns = (W + W.T if described == describing else W).nonzero()
        ends.append(np.stack([rows + data.offsets[described], columns + starts[describing]]))
    if not ends:
        return None
    rows, columns = np.concatenate(ends, axis=1)
    links = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(data.n_items, len(words)))
    return Descriptions(links, words, np.repeat(np.arange(len(data.sizes)), list(data.sizes.values())))


def _directions(data: RelationalData, by: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return the pairs of linked kinds, each as the one that is described and the one that describes it."""
    found = []
    for a, b in data.relations:
        W = data.relation(a, b)
        b_describes = (_spread(W, 0), data.sizes[a]) >= (_spread(W, 1), data.sizes[b])
        described, describing = (a, b) if b_describes else (b, a)
        for pair in ((described, describing), (describing, described)):
            if data.shown_names(pair[1]) is not None and (by is None or pair[1] in by):
                found.append(pair)
                break
    return found


def _spread(W: sparse.csr_matrix, axis: int) -> float:
    """Return the standard deviation of the numbers of links of columns (0) or rows (1) that have any."""
    counts = W.getnnz(axis)
    return float(counts[counts > 0].std()) if counts.any() else 0.0
