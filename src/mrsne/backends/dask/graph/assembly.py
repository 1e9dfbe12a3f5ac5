"""P̃ in blocks of rows on the workers of a cluster, from entries that are on any of them."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.dask.connection import Capacity
from mrsne.backends.dask.matrix.matrix import ClusterMatrix
from mrsne.backends.dask.search.blocks import rows_with_neighbors
from mrsne.backends.dask.shuffle import shuffled
from mrsne.data.triples import Triples

SHARES = 4  # blocks that the rows of a worker are put together in
SMALLEST = np.finfo(np.float32).tiny


def assemble(entries: list[Any], n: int, k: int, capacity: Capacity, client: Any) -> ClusterMatrix:
    """Put the entries of an n × n matrix, futures of :class:`Triples`, together; k is how many a row has, about."""
    submit = partial(client.submit, pure=False)
    starts = row_starts(n, capacity, k)
    pieces = shuffled(entries, starts, submit)
    ranges = pairwise(starts.tolist())
    blocks = [
        submit(row_block, inside, first, last - first, n) for inside, (first, last) in zip(pieces, ranges, strict=True)
    ]
    return ClusterMatrix(client, blocks, starts).coalesced(capacity.workers)  # whose cores share a block


def row_starts(n: int, capacity: Capacity, k: int) -> NDArray[np.int64]:
    """Return where blocks of rows begin while they are put together, and n: some for each worker, none too large.

    Examples
    --------
    >>> row_starts(100, Capacity(workers=1, slots=2, block_bytes=2**20), 10).tolist()
    [0, 25, 50, 75, 100]
    """
    most = rows_with_neighbors(capacity.block_bytes, k)
    count = min(n, capacity.workers * max(SHARES, -(-n // (most * capacity.workers))))
    return np.linspace(0, n, count + 1).astype(np.int64)


def row_block(pieces: list[Triples], first: int, height: int, width: int) -> sparse.csr_matrix:
    """Return a block of rows of a matrix, the first of which has a number, from the entries in it; equals add up."""
    i, j, w = Triples.joined([Triples(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)), *pieces])
    total = sparse.coo_matrix((w, (i - first, j)), shape=(height, width)).tocsr()
    total.sum_duplicates()
    total.data = total.data.astype(np.float32)
    total.data[total.data < SMALLEST] = 0
    total.eliminate_zeros()
    block = sparse.csr_matrix((height, width), dtype=np.float32)
    block.indptr, block.indices, block.data = total.indptr.astype(np.int64), total.indices.astype(np.int32), total.data
    return block
