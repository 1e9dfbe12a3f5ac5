"""RelationalData: named domains of items, their vectors, and the graphs between them."""

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeVar, cast

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float64, Int64, UInt8
from mrsne.data.conversions import Conversions
from mrsne.data.lazy import LazyData, is_lazy
from mrsne.data.outline import Outline, Pair, check_domains, check_known, check_labels, check_names, check_pairs
from mrsne.data.relations import domains_of, read_relation
from mrsne.data.vectors import DataError, Values, Vectors, check_plain, read_columns, read_vectors
from mrsne.parameters import describe

PARTS = ("vectors", "relations", "names", "missing", "labels", "pictures", "columns")
Data = TypeVar("Data", bound=Outline)


class RelationalData(Conversions, Outline):
    """Several kinds of items, feature vectors for each kind, and weighted links between them.

    Everything is checked once, here. The result does not change: relations are copied into one canonical form, and
    dense vectors are shared with the caller as read-only views, so that copies cost nothing.

    Parameters
    ----------
    vectors : mapping of str to array, sparse matrix, DataFrame or int, optional
        One entry per domain, in the order in which the domains are stacked. An array of shape (n, d) holds a vector for
        each of n items; a whole number stands for that many items without vectors. A DataFrame with a text index also
        gives the items' names.
    relations : mapping of (str, str) to array, sparse matrix or edge table, optional
        For a pair of domains (twice the same domain for a graph inside it), non-negative weights W of shape (n_a, n_b),
        or a table of links: a DataFrame or a dict of columns ``a``, ``b`` and optionally ``weight`` named after the
        domains (``source`` and ``target`` inside one domain), or a list of tuples ``(a, b)`` or ``(a, b, weight)``.
        Links name items by position or by name; repeated ones add up.

        Without ``vectors``, the domains are those of the relations, in the order in which they appear; each has as many
        items as its matrices, its names, or the positions in its links say, or the items that its links name.
    names : mapping of str to sequence of str, optional
        The names by which links refer to the items, unique within a domain.
    missing : mapping of str to boolean array, optional
        Marks items without a vector in a domain whose other items have one. Their rows are not looked at.
    pictures : mapping of str to array of shape (n, height, width, 3 or 4), uint8, optional
        Thumbnails of a domain's items, for plots and the map: red, green, blue and, if there is a fourth, opacity.
    labels : mapping of str to sequence of str, optional
        What people read in place of the names, on pages and in plots. Labels need not be unique.
    columns : mapping of str to mapping of str to values, optional
        What else is known of a domain's items, to colour, filter and search by: a DataFrame, or a mapping of headings
        to one value for each item. Numbers, dates or words; None or NaN where a value is missing.

    Where vectors or relations are dask arrays or dataframes, they are read on the workers of a cluster; see
    ``docs/scaling.md``.

    Attributes
    ----------
    vectors : mapping of str to array, CSR matrix or None
    relations : mapping of (str, str) to CSR matrix
    names : mapping of str to tuple of str
    missing : mapping of str to boolean array
        True where an item has no vector, for every domain.
    pictures : mapping of str to array
    labels : mapping of str to tuple of str
    columns : mapping of str to mapping of str to array or tuple
        Numbers with NaN, dates with NaT, or words with None where there is no value.
    sizes : mapping of str to int
    offsets : mapping of str to int
        Where each domain starts when all are stacked.
    n_items : int

    See Also
    --------
    mrsne.MRSNE : Makes a map of it.
    mrsne.datasets.load_emoji : Data to try.
    mrsne.encoders.encode_images : Vectors from pictures.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> data = mrsne.RelationalData(
    ...     vectors={"photo": np.eye(3), "tag": 2},
    ...     relations={("photo", "tag"): [(0, "dog"), (1, "dog"), (2, "cat")]},
    ...     names={"tag": ["dog", "cat"]},
    ... )
    >>> data
    RelationalData(photo: 3 items, 3-d; tag: 2 items, no vectors; photo-tag: 3 links)
    >>> data.relation("tag", "photo").toarray()
    array([[1., 1., 0.],
           [0., 0., 1.]])
    >>> mrsne.RelationalData(relations={("paper", "author"): [("p1", "Ada"), ("p2", "Ada"), ("p2", "Eve")]})
    RelationalData(paper: 2 items, no vectors; author: 2 items, no vectors; paper-author: 3 links)
    """

    __slots__ = ("columns", "missing", "pictures", "relations", "vectors")

    vectors: Mapping[str, Vectors]
    relations: Mapping[Pair, sparse.csr_matrix]
    missing: Mapping[str, Bool]
    pictures: Mapping[str, UInt8]
    columns: Mapping[str, Mapping[str, Values]]

    def __new__(
        cls,
        vectors: Mapping[str, Any] | None = None,
        relations: Mapping[Pair, Any] | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
        missing: Mapping[str, Any] | None = None,
        pictures: Mapping[str, Any] | None = None,
        labels: Mapping[str, Sequence[str]] | None = None,
        columns: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return an instance; a :class:`~mrsne.data.lazy.LazyData` where a dask collection is given."""
        given_parts = [part for part in (vectors, relations) if isinstance(part, Mapping)]
        if any(is_lazy(given) for part in given_parts for given in part.values()):
            return cast("Self", LazyData(vectors, relations, names, missing, pictures, labels, columns))
        if vectors is None and relations is not None:
            vectors, names = domains_of(relations, names)
        domains = check_domains(vectors)
        by_domain = {"names": names, "missing": missing, "pictures": pictures, "columns": columns}
        for argument, part in by_domain.items():
            check_known(argument, part, domains)
        found: dict[str, Vectors] = {}
        sizes: dict[str, int] = {}
        without: dict[str, Bool] = {}
        known: dict[str, tuple[str, ...]] = {}
        for name, given in domains.items():
            found[name], sizes[name], without[name], index = read_vectors(name, given, (missing or {}).get(name))
            named = (names or {}).get(name, index)
            if named is not None:
                known[name] = check_names(name, named, sizes[name])
        links: dict[Pair, sparse.csr_matrix] = {}
        for pair, given in check_pairs(relations, sizes):
            a, b = pair
            links[pair] = read_relation(pair, given, (sizes[a], sizes[b]), (known.get(a), known.get(b)))
            if a == b and links[pair].nnz == _self_links(links[pair]):
                raise DataError(f"relations[{pair!r}] has no link but of items to themselves, which do not count")
        thumbnails = {name: _check_pictures(name, given, sizes[name]) for name, given in (pictures or {}).items()}
        values = {name: read_columns(name, given, sizes[name]) for name, given in (columns or {}).items()}
        shown = (check_labels(labels, sizes), thumbnails, values)
        return _rebuilt(cls, dict(zip(PARTS, (found, links, known, without, *shown), strict=True)))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Pairs of domains between which an item is linked to another."""
        return tuple(
            pair for pair, W in self.relations.items() if W.nnz > (_self_links(W) if pair[0] == pair[1] else 0)
        )

    def has_vector(self, domain: str) -> Bool:
        """Return which items of a domain have a vector."""
        return ~self.missing[domain]

    def __reduce__(self) -> tuple[Any, ...]:
        parts = {part: dict(getattr(self, part)) for part in PARTS}
        return _rebuilt, (type(self), {**parts, "columns": {name: dict(own) for name, own in self.columns.items()}})

    def __repr__(self) -> str:
        links = (f"{a}-{b}: {W.nnz} links" for (a, b), W in self.relations.items())
        return f"RelationalData({self._described(links)})"

    def relation(self, a: str, b: str) -> sparse.csr_matrix:
        """Return the weights between two domains as a matrix of shape (n_a, n_b), whichever way round they were given.

        Parameters
        ----------
        a, b : str
            Names of the domains, the same twice for links inside a domain.

        Raises
        ------
        KeyError
            If there is no relation between the two.

        Examples
        --------
        >>> data = RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 1), (2, 0)]})
        >>> data.relation("tag", "photo").toarray()
        array([[0., 0., 1.],
               [1., 0., 0.]])
        """
        if (a, b) in self.relations:
            return self.relations[a, b]
        if (b, a) in self.relations:
            return self.relations[b, a].T.tocsr()
        raise KeyError(f"no relation between {a!r} and {b!r}; there are {sorted(self.relations)}")

    def subset(self, items: Mapping[str, Any]) -> "RelationalData":
        """Return the data of some items only.

        Parameters
        ----------
        items : mapping of str to boolean mask or positions
            Which items of a domain to keep, and in which order. Domains that are not named are kept whole.

        Examples
        --------
        >>> data = RelationalData({"photo": np.eye(3), "tag": 2}, {("photo", "tag"): np.eye(3, 2)})
        >>> data.subset({"photo": [2, 0]}).relations["photo", "tag"].toarray()
        array([[0., 0.],
               [1., 0.]])
        """
        check_known("items", items, self.sizes)
        kept = {name: _positions(name, items.get(name), size) for name, size in self.sizes.items()}
        for name, positions in kept.items():
            if len(positions) == 0:
                raise DataError(f"items[{name!r}] keeps no item; a domain needs at least one")

        def of_kept(name: str, values: Any) -> Any:
            if isinstance(values, Mapping):
                return {heading: of_kept(name, column) for heading, column in values.items()}
            return tuple(values[i] for i in kept[name]) if isinstance(values, tuple) else values[kept[name]]

        parts: dict[str, Any] = {
            "vectors": {name: None if X is None else X[kept[name]] for name, X in self.vectors.items()},
            "relations": {(a, b): W[kept[a]][:, kept[b]] for (a, b), W in self.relations.items()},
        }
        for part in PARTS[2:]:
            parts[part] = {name: of_kept(name, values) for name, values in getattr(self, part).items()}
        return _rebuilt(type(self), parts)


def require_in_memory(data: Any, purpose: str) -> RelationalData:
    if isinstance(data, RelationalData):
        return data
    if isinstance(data, Outline):
        raise DataError(f"data is on a cluster; {purpose} data in memory, for example of a sample of the items")
    raise DataError(f"data must be a RelationalData, got {describe(data)}")


def in_memory(data: Outline) -> RelationalData:
    """Return what of some data is in this process: all of it, or items and names without vectors and links."""
    if isinstance(data, RelationalData):
        return data
    return RelationalData(dict(data.sizes), names=dict(data.names), labels=dict(data.labels))


def arguments_of(data: RelationalData) -> dict[str, dict[Any, Any]]:
    """Return what data can be built from again, to change a part of it."""
    found = {name: data.sizes[name] if X is None else X for name, X in data.vectors.items()}
    missing = {name: mask for name, mask in data.missing.items() if data.vectors[name] is not None}
    others = ("relations", "names", "pictures", "labels", "columns")
    return {"vectors": found, "missing": missing, **{part: dict(getattr(data, part)) for part in others}}


def link_strength(data: RelationalData, domain: str) -> Float64:
    """Return the weight of all links of each item of a domain."""
    total = np.zeros(data.sizes[domain])
    for pair, W in data.relations.items():
        for side, name in enumerate(pair):
            if name == domain:
                total += np.asarray(W.sum(axis=1 - side)).ravel()
    return total


def _self_links(W: sparse.csr_matrix) -> int:
    return int(np.count_nonzero(W.diagonal()))


def _rebuilt(of: type[Data], parts: Mapping[str, Any]) -> Data:
    """Return data from parts that have been checked."""
    data = object.__new__(of)
    data._fill({name: len(mask) for name, mask in parts["missing"].items()}, **parts)
    return data


def _check_pictures(domain: str, given: Any, size: int) -> UInt8:
    check_plain(f"pictures[{domain!r}]", given)
    thumbnails = np.asarray(given)
    if thumbnails.dtype != np.uint8 or thumbnails.ndim != 4 or thumbnails.shape[3] not in (3, 4):
        wanted, found = "of shape (items, height, width, 3 or 4) of uint8", f"{thumbnails.dtype} of shape"
        raise DataError(f"pictures[{domain!r}] must be an array {wanted}, got {found} {thumbnails.shape}")
    if len(thumbnails) != size:
        raise DataError(f"pictures[{domain!r}] has {len(thumbnails)} pictures, but {domain!r} has {size} items")
    return thumbnails


def _positions(domain: str, given: Any, size: int) -> Int64:
    if given is None:
        return np.arange(size)
    chosen = np.asarray(given)
    if chosen.dtype == bool:
        if chosen.shape != (size,):
            raise DataError(f"items[{domain!r}] is a mask of shape {chosen.shape}, but {domain!r} has {size} items")
        return np.flatnonzero(chosen)
    if chosen.ndim != 1 or not (chosen.size == 0 or np.issubdtype(chosen.dtype, np.integer)):
        wanted = "a boolean mask or a list of positions"
        raise DataError(f"items[{domain!r}] must be {wanted}, got {chosen.dtype} of shape {chosen.shape}")
    if chosen.size and not (-size <= chosen.min() and chosen.max() < size):
        raise DataError(f"items[{domain!r}] has a position outside 0 … {size - 1}: {chosen.min()} … {chosen.max()}")
    return chosen.astype(np.int64) % max(size, 1)
