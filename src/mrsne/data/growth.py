"""Data made of other data: with new items after those that were there, or with other names for its domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Int64, UInt8
from mrsne.data.files.problems import Problems
from mrsne.data.relational import RelationalData


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

    def __len__(self) -> int:
        return len(self.names)

    def outline(self) -> RelationalData:
        """Return names and labels of the items, without vectors and links."""
        labels = {} if self.labels is None else {self.domain: list(self.labels)}
        return RelationalData({self.domain: len(self)}, names={self.domain: self.names}, labels=labels)

    def chosen(self, kept: Int64, left_out: Problems) -> NewItems:
        """Return some of the items, with what could not be used."""
        positions = kept.tolist()
        return NewItems(
            self.domain,
            [self.names[i] for i in positions],
            None if self.vectors is None else self.vectors[kept],
            None if self.without is None else self.without[kept],
            {kind: W[kept] for kind, W in self.links.items()},
            None if self.labels is None else [self.labels[i] for i in positions],
            {
                heading: values[kept] if isinstance(values, np.ndarray) else [values[i] for i in positions]
                for heading, values in self.columns.items()
            },
            None if self.pictures is None else self.pictures[kept],
            left_out,
        )


def grown(data: RelationalData, new: NewItems) -> RelationalData:
    """Return data with new items after the others of their domain."""
    domain, size = new.domain, len(new)
    vectors: dict[str, Any] = {name: data.sizes[name] if X is None else X for name, X in data.vectors.items()}
    missing = {name: mask for name, mask in data.missing.items() if data.vectors[name] is not None}
    if data.vectors[domain] is None:
        vectors[domain] = data.sizes[domain] + size
    else:
        own = np.zeros((size, vectors[domain].shape[1])) if new.vectors is None else new.vectors
        without = np.full(size, new.vectors is None) if new.vectors is None or new.without is None else new.without
        vectors[domain] = _stacked(data.vectors[domain], own)
        missing[domain] = np.concatenate([data.missing[domain], without])
    names, labels = dict(data.names), dict(data.labels)
    if domain in names:
        names[domain] = (*names[domain], *new.names)
    if domain in labels:
        labels[domain] = (*labels[domain], *(new.labels or new.names))
    pictures = dict(data.pictures)
    if domain in pictures:
        blank = np.zeros((size, *pictures[domain].shape[1:]), np.uint8)
        pictures[domain] = np.concatenate([pictures[domain], blank if new.pictures is None else new.pictures])
    columns: dict[str, Any] = {name: dict(found) for name, found in data.columns.items()}
    if domain in columns:
        known = columns[domain].items()
        columns[domain] = {name: _joined(values, new.columns.get(name), size) for name, values in known}
    relations = {pair: _widened(pair, W, new) for pair, W in data.relations.items()}
    return RelationalData(vectors, relations, names, missing, pictures, labels, columns)


def _stacked(old: Any, new: Any) -> Any:
    if sparse.issparse(old):
        return sparse.vstack([old, sparse.csr_matrix(new)]).tocsr()
    dense = new.toarray() if sparse.issparse(new) else new
    return np.concatenate([old, dense.astype(old.dtype)])


def _widened(pair: tuple[str, str], W: sparse.csr_matrix, new: NewItems) -> sparse.csr_matrix:
    """Return a relation with the links of the new items, on whichever side they are."""
    a, b = pair
    if new.domain not in pair:
        return W
    if a == b:
        return sparse.block_diag([W, sparse.csr_matrix((len(new), len(new)))]).tocsr()
    other = b if a == new.domain else a
    links = new.links.get(other, sparse.csr_matrix((len(new), W.shape[1 if a == new.domain else 0])))
    return sparse.vstack([W, links]).tocsr() if a == new.domain else sparse.hstack([W, links.T]).tocsr()


def _joined(old: Any, new: Any, size: int) -> Any:
    if isinstance(old, tuple):
        texts = [None] * size if new is None else [None if value is None else str(value) for value in new]
        return np.array([*old, *texts], dtype=object)
    if new is None or getattr(np.asarray(new).dtype, "kind", "O") not in "iufM":
        new = np.full(size, np.datetime64("NaT") if old.dtype.kind == "M" else np.nan)
    return np.concatenate([old, np.asarray(new).astype(old.dtype)])


def renamed(data: RelationalData, names: Mapping[str, str]) -> RelationalData:
    """Return data whose domains are called otherwise."""

    def new(name: str) -> str:
        return names.get(name, name)

    return RelationalData(
        {new(name): data.sizes[name] if X is None else X for name, X in data.vectors.items()},
        {(new(a), new(b)): W for (a, b), W in data.relations.items()},
        {new(name): known for name, known in data.names.items()},
        {new(name): mask for name, mask in data.missing.items() if data.vectors[name] is not None},
        {new(name): pictures for name, pictures in data.pictures.items()},
        {new(name): labels for name, labels in data.labels.items()},
        {new(name): columns for name, columns in data.columns.items()},
    )
