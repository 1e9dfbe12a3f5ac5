"""Data made of other data: with new items after those that were there, or with other names for its domains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Int64, UInt8
from mrsne.data.files.problems import Problems
from mrsne.data.interchange.rows import one_column
from mrsne.data.relational import RelationalData, arguments_of


@dataclass(frozen=True)
class NewItems:
    """New items of one domain, as :meth:`mrsne.Collection.read_new` returns them.

    Attributes
    ----------
    domain : str
    names : list of str
    vectors : array or sparse matrix of shape (n, d), or None
    without : boolean array of shape (n,)
        Which of them have no vector.
    links : mapping of str to CSR matrix of shape (n, items of that domain)
    labels : list of str or None
    columns : mapping of str to values
    pictures : array or None
    left_out : list of Problem
        What could not be used, and why.
    values : mapping of str to list of str
        Items of other kinds that are new too, of which ``links`` have the last columns.

    See Also
    --------
    mrsne.SavedMap : Places them in a map.

    Examples
    --------
    >>> import mrsne
    >>> works = {"id": ["N1", "N2", "N3"], "subjects": ["sea; ship", "sea", "lake"]}
    >>> new = mrsne.Collection.from_table(works).read_new({"id": ["N4"], "subjects": ["sea"]})
    >>> new.domain, new.names, new.links["subject"].toarray()
    ('item', ['N4'], array([[0., 1., 0.]]))
    """

    domain: str
    names: list[str]
    vectors: Any = None
    without: Bool | None = None
    links: Mapping[str, sparse.csr_matrix] = field(default_factory=dict)
    labels: Sequence[str] | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    pictures: UInt8 | None = None
    left_out: Problems = field(default_factory=Problems)
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def outline(self) -> RelationalData:
        """Return names and labels of the items, without vectors and links."""
        labels = {} if self.labels is None else {self.domain: list(self.labels)}
        return RelationalData({self.domain: len(self)}, names={self.domain: self.names}, labels=labels)

    def subset(self, kept: Int64, left_out: Problems) -> Self:
        """Return some of the items, with what could not be used."""

        def of_kept(values: Any) -> Any:
            if values is None:
                return None
            return [values[i] for i in kept.tolist()] if isinstance(values, Sequence) else values[kept]

        parts = {name: of_kept(getattr(self, name)) for name in ("names", "vectors", "without", "labels", "pictures")}
        links = {kind: W[kept] for kind, W in self.links.items()}
        columns = {heading: of_kept(values) for heading, values in self.columns.items()}
        return replace(self, **parts, links=links, columns=columns, left_out=left_out)


def grown(data: RelationalData, new: NewItems) -> RelationalData:
    """Return data with new items after the others of their domain."""
    domain, size, parts = new.domain, len(new), arguments_of(data)
    old = data.vectors[domain]
    if old is None:
        parts["vectors"][domain] += size
    else:
        own: Any = np.zeros((size, old.shape[1])) if new.vectors is None else new.vectors
        without = np.full(size, new.vectors is None) if new.vectors is None or new.without is None else new.without
        if sparse.issparse(old):
            parts["vectors"][domain] = sparse.vstack([old, sparse.csr_matrix(own)]).tocsr()
        else:
            dense = own.toarray() if sparse.issparse(own) else own
            parts["vectors"][domain] = np.concatenate([old, dense.astype(old.dtype)])
        parts["missing"][domain] = np.concatenate([data.missing[domain], without])
    if domain in data.names:
        parts["names"][domain] = (*data.names[domain], *new.names)
    if domain in data.labels:
        parts["labels"][domain] = (*data.labels[domain], *(new.labels or new.names))
    if domain in data.pictures:
        thumbnails = data.pictures[domain]
        added = np.zeros((size, *thumbnails.shape[1:]), np.uint8) if new.pictures is None else new.pictures
        parts["pictures"][domain] = np.concatenate([thumbnails, added])
    if domain in data.columns:
        known = data.columns[domain].items()
        parts["columns"][domain] = {name: _joined(values, new.columns.get(name), size) for name, values in known}
    parts["relations"] = {pair: _widened(pair, W, new) for pair, W in data.relations.items()}
    return RelationalData(**parts)


def _widened(pair: tuple[str, str], W: sparse.csr_matrix, new: NewItems) -> sparse.csr_matrix:
    """Return a relation with the links of the new items, on whichever side they are."""
    a, b = pair
    if new.domain not in pair:
        return W
    if a == b:
        links = new.links.get(a, sparse.csr_matrix((len(new), W.shape[1])))
        return sparse.bmat([[W, None], [links, sparse.csr_matrix((len(new), len(new)))]]).tocsr()
    other = b if a == new.domain else a
    links = new.links.get(other, sparse.csr_matrix((len(new), W.shape[1 if a == new.domain else 0])))
    return sparse.vstack([W, links]).tocsr() if a == new.domain else sparse.hstack([W, links.T]).tocsr()


def _joined(old: Any, new: Any, size: int) -> Any:
    if isinstance(old, np.ndarray) and new is not None:
        new = np.asarray(new).astype(old.dtype) if np.asarray(new).dtype.kind in "iufM" else None
    return one_column([old, new], [len(old), size])


def renamed(data: RelationalData, names: Mapping[str, str]) -> RelationalData:
    def new(key: Any) -> Any:
        return tuple(map(new, key)) if isinstance(key, tuple) else names.get(key, key)

    parts = arguments_of(data).items()
    return RelationalData(**{part: {new(key): value for key, value in found.items()} for part, found in parts})
