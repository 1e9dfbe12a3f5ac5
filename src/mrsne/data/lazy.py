"""Data that is read block by block on the workers of a cluster, and never gathered."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Bool, Float64
from mrsne.data.outline import Outline, Pair, check_domains, check_known, check_labels, check_names, check_pairs
from mrsne.data.relations import edge_columns, read_links, read_relation
from mrsne.data.vectors import DataError, read_vectors

BLOCK_BYTES = 2**26  # of vectors in a block that is made from an array in memory

IN_MEMORY_ONLY = {
    "relation": "every worker has some of the links, and nobody has all",
    "subset": "take one of the dask collections it is made of",
    "missing": "every item of a domain with vectors has one",
    "pictures": "thumbnails are for data in memory",
    "columns": "give them to to_html",
}


class Triples(NamedTuple):
    """Rows, columns and weights of links, or of other entries of a matrix that is not put together yet."""

    rows: NDArray[np.integer[Any]]
    columns: NDArray[np.integer[Any]]
    weights: Float64

    @property
    def keys(self) -> NDArray[np.integer[Any]]:
        """Entries belong to the block that has their row."""
        return self.rows

    def take(self, which: Any) -> Self:
        return type(self)(self.rows[which], self.columns[which], self.weights[which])

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def placed(self, first_row: int, first_column: int, scale: float, transposed: bool) -> Self:
        """Return them in a larger matrix, times a scale; with rows and columns exchanged if transposed."""
        ends = (self.rows + first_row).astype(np.int32), (self.columns + first_column).astype(np.int32)
        i, j = ends[::-1] if transposed else ends
        return type(self)(i, j, self.weights * scale)


def is_lazy(given: Any) -> bool:
    """Return whether something is a dask array, dataframe or other collection."""
    return hasattr(given, "__dask_graph__")


class LazyData(Outline):
    """What :class:`mrsne.RelationalData` returns where a domain or a relation is a dask collection.

    ``vectors`` are dask arrays with all columns in one block, ``relations`` lists of delayed triples, one for each part
    of a table; they are checked when they are read, on the workers.
    """

    __slots__ = ("relations", "vectors")

    vectors: Mapping[str, Any]
    relations: Mapping[Pair, Any]

    def __init__(
        self, vectors: Any, relations: Any, names: Any, missing: Any, pictures: Any, labels: Any, columns: Any
    ) -> None:
        check_domains(vectors)
        for argument, given in (("missing", missing), ("pictures", pictures), ("columns", columns)):
            if given:
                raise DataError(f"{argument} is for data in memory; with dask collections it must be left out")
        check_known("names", names, vectors)
        arrays: dict[str, Any] = {}
        sizes: dict[str, int] = {}
        known_names: dict[str, tuple[str, ...]] = {}
        for name, given in vectors.items():
            arrays[name], sizes[name], index = _read_lazily(name, given)
            named = (names or {}).get(name, index)
            if named is not None:
                known_names[name] = check_names(name, named, sizes[name])
        links: dict[Pair, Any] = {}
        for pair, given in check_pairs(relations, sizes):
            known = (known_names.get(pair[0]), known_names.get(pair[1]))
            links[pair] = _read_links(pair, given, (sizes[pair[0]], sizes[pair[1]]), known)
        self._fill(sizes, names=known_names, labels=check_labels(labels, sizes), vectors=arrays, relations=links)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(self.relations)

    def has_vector(self, domain: str) -> Bool:
        """Return which items of a domain have a vector: all or none."""
        return np.full(self.sizes[domain], self.vectors[domain] is not None)

    def __repr__(self) -> str:
        links = (f"{a}-{b}: links in {len(triples)} parts" for (a, b), triples in self.relations.items())
        return f"RelationalData on a cluster({self._described(links)})"

    def __getattr__(self, name: str) -> Any:
        advice = IN_MEMORY_ONLY.get(name)
        if advice is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise AttributeError(f"data on a cluster has no {name!r}: {advice}")

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("data on a cluster cannot be pickled; build it where it is needed")


def _read_lazily(domain: str, given: Any) -> tuple[Any, int, list[str] | None]:
    """Return a dask array in blocks of whole rows, the number of items, and names that come with them."""
    import dask.array

    argument = f"vectors[{domain!r}]"
    index = None
    if not is_lazy(given):
        array, size, without, index = read_vectors(domain, given, None)
        if array is None:
            return None, size, index
        if not isinstance(array, np.ndarray):
            raise DataError(f"{argument} is a sparse matrix; with dask collections vectors must be dense")
        assert not without.any()
        rows = max(1, min(size, BLOCK_BYTES // (array.shape[1] * array.itemsize)))
        given = dask.array.from_array(array, chunks=(rows, -1))
    elif hasattr(given, "to_dask_array"):
        kinds = dict(given.dtypes) if hasattr(given, "columns") else {}
        texts = [str(name) for name, kind in kinds.items() if getattr(kind, "kind", "O") not in "fiub"]
        if texts:
            raise DataError(f"{argument} must hold real numbers, but the column {texts[0]!r} does not")
        given = given.to_dask_array(lengths=True)
    if getattr(given, "ndim", None) != 2:
        raise DataError(f"{argument} must be a dask array of shape (items, dimensions) or a dask dataframe")
    if any(np.isnan(length) for axis in given.chunks for length in axis):
        given = given.compute_chunk_sizes()
    if 0 in given.shape:
        raise DataError(f"{argument} has shape {given.shape}; a domain needs at least one item and one dimension")
    if given.dtype.kind not in "fiub":
        raise DataError(f"{argument} must hold real numbers, got {given.dtype}")
    if given.dtype.kind != "f":
        given = given.astype(np.float64)
    if len(given.chunks[1]) > 1 or 0 in given.chunks[0]:
        given = given.rechunk((tuple(length for length in given.chunks[0] if length), -1))
    return given, int(given.shape[0]), index


def _read_links(pair: Pair, given: Any, shape: tuple[int, int], names: Any) -> list[Any]:
    """Return delayed triples, from a dask dataframe or from what one machine takes."""
    from dask import delayed

    if is_lazy(given):
        if not hasattr(given, "to_delayed") or not hasattr(given, "columns"):
            raise DataError(f"relations[{pair!r}] must be a dask dataframe of links, got {type(given).__name__}")
        edge_columns(pair, dict.fromkeys(given.columns, ()))  # raises where columns are not those of links
        known = delayed(names, pure=False, traverse=False)
        return [delayed(read_triples, pure=True)(part, pair, shape, known) for part in given.to_delayed()]
    W = read_relation(pair, given, shape, names).tocoo()
    return [delayed(Triples(W.row, W.col, W.data), pure=False, traverse=False)]


def read_triples(table: Any, pair: Pair, shape: tuple[int, int], names: Any) -> Triples:
    columns = edge_columns(pair, table)
    assert columns is not None
    links = Triples(*read_links(pair, columns, shape, names))
    return links.take(links.weights > 0)
