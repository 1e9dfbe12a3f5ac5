"""Blocks of vectors as the search reads them: checked, scaled with one factor, and projected onto principal axes."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float64, Int64
from mrsne.backends.dask.connection import Capacity
from mrsne.backends.dask.lists import Part, joined, rows_with_neighbors
from mrsne.backends.dask.tasks import compute, reduced
from mrsne.backends.projection import Projection
from mrsne.backends.rows import Dense, power_of_two, prepare
from mrsne.data.lazy import LazyData
from mrsne.data.vectors import DataError
from mrsne.parameters import ParameterError
from mrsne.threads import one_blas_thread

WIDEST = 8_192  # dimensions whose covariance is computed
MOMENTS = 4  # that one task adds up
FEWEST_ROWS = 2_000  # of a block that is smaller than it could be, so that all workers have one


class Blocks(NamedTuple):
    """The vectors of a domain, as futures of :class:`Part`."""

    domain: str
    parts: list[Any]
    starts: Int64  # the number of the first row of each, and of all rows


def prepare_blocks(
    data: LazyData, name: str, metric: str, n_pca: int | None, k: int, client: Any, capacity: Capacity
) -> tuple[Blocks, Projection | None]:
    """Return the vectors of a domain in blocks with room for k neighbours of each row, and how they were projected."""
    from dask import delayed

    array = data.vectors[name]
    largest = capacity.block_bytes
    array = array.rechunk((cut(array.chunks[0], largest // (array.shape[1] * array.dtype.itemsize)), -1))
    raw = array.to_delayed().ravel().tolist()
    starts = np.concatenate([[0], np.cumsum(array.chunks[0])]).astype(np.int64)
    # one pass that keeps nothing: the scale is known only when all blocks have been seen
    surveys = client.gather(compute(client, [delayed(survey)(block) for block in raw]))
    scale = common_scale(surveys, name, starts.tolist())
    rows = [delayed(prepared)(block, metric, scale) for block in raw]
    width, projection = array.shape[1], None
    if n_pca is not None and n_pca < width:
        if width > WIDEST:
            raise ParameterError(
                f"n_pca reduces vectors of at most {WIDEST} dimensions on a cluster, {name!r} has {width}"
            )
        parts = [delayed(moments)(block) for block in rows]
        total = reduced(parts, delayed(sum_moments), MOMENTS)
        projection = compute(client, delayed(principal_axes)(total, n_pca)).result()
        axes = delayed(projection, pure=False, traverse=False)
        rows = [delayed(projected)(block, axes) for block in rows]
        width = n_pca
    most = min(largest // (width * 4), rows_with_neighbors(largest, k))
    groups = grouped(starts, most, min(capacity.slots, -(-int(starts[-1]) // FEWEST_ROWS)))
    together = [delayed(numbered)(rows[a:b], int(starts[a])) for a, b in pairwise(groups)]
    return Blocks(name, list(compute(client, together)), starts[groups]), projection


def cut(lengths: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return the lengths of the pieces of chunks when none is longer than ``most``, and none spans two chunks."""
    pieces: list[int] = []
    for length in lengths:
        count = -(-length // max(1, most))
        pieces += [length // count + (number < length % count) for number in range(count)]
    return tuple(pieces)


def grouped(starts: Int64, most: int, fewest: int) -> list[int]:
    """Return where groups of neighbouring blocks begin: of at most ``most`` rows, and at least ``fewest`` groups."""
    height = max(1, min(most, -(-int(starts[-1]) // fewest)))
    groups = [0]
    for block in range(1, len(starts) - 1):
        if starts[block + 1] - starts[groups[-1]] > height:
            groups.append(block)
    return [*groups, len(starts) - 1]


def numbered(blocks: list[Dense], first: int) -> Part:
    rows = joined(blocks)
    return Part(np.arange(first, first + len(rows)), rows)


class Survey(NamedTuple):
    largest: float
    bad: int
    first: int  # of the bad rows


def survey(vectors: NDArray[Any]) -> Survey:
    """Find the largest number of a block, and rows that are not finite."""
    finite = np.isfinite(vectors).all(axis=1)
    return Survey(float(np.abs(vectors[finite]).max(initial=0)), int((~finite).sum()), int(finite.argmin()))


def common_scale(surveys: list[Survey], domain: str, starts: list[int]) -> float:
    """Return the factor for all blocks of a domain; raise where some rows are not finite."""
    for found, start in zip(surveys, starts, strict=False):
        if found.bad:
            total = sum(other.bad for other in surveys)
            raise DataError(f"vectors[{domain!r}] holds NaN or infinity in row {start + found.first}, {total} in all")
    return power_of_two(max(found.largest for found in surveys))


def prepared(vectors: NDArray[Any], metric: str, scale: float) -> Dense:
    """Return the rows of a block with the factor of their domain."""
    like = Dense(np.empty((0, vectors.shape[1]), np.float32), np.empty(0), scale)
    rows = prepare(np.ascontiguousarray(vectors), metric, like)
    assert isinstance(rows, Dense)
    return rows


def moments(rows: Dense) -> tuple[int, Float64, Float64]:
    X = rows.block(slice(None))
    mean = X.mean(axis=0)
    X -= mean
    with one_blas_thread():  # the same sums in every worker
        return len(X), mean, X.T @ X


def sum_moments(parts: list[Any]) -> tuple[int, Float64, Float64]:
    """Combine the moments of several blocks (Chan, Golub and LeVeque 1979)."""
    n, mean, squares = parts[0]
    squares = squares.copy()
    for more, other, their_squares in parts[1:]:
        apart = other - mean
        squares += their_squares + np.outer(apart, apart) * (n * more / (n + more))
        mean = mean + apart * (more / (n + more))
        n += more
    return n, mean, squares


def principal_axes(total: Any, n_components: int) -> Projection:
    """Return the projection that keeps the most variance, from the moments of all rows."""
    _, mean, squares = total
    with one_blas_thread():
        return Projection.from_covariance(mean, squares, n_components)


def projected(rows: Dense, projection: Projection) -> Dense:
    with one_blas_thread():
        return projection(rows)
