"""Products of queries with points, and the smallest of the many values that follow from them."""

from typing import Any

import numpy as np

from mrsne.arrays import Float32, Floating, Int32, Int64
from mrsne.loops import inlined, kernel

QUERIES = 512  # at a time: with TILE points their products stay in the second-level cache
TILE = 1024
LARGEST = float(np.finfo(np.float32).max) / 4  # value that is compared
GROUP = 32  # values looked at together: most groups hold none that is small enough
BISECTIONS = 24  # at most, of the range of values for a limit
ROOM = 6  # times as many values as are wanted fit before the largest are thrown out
_f = np.float32


def squares_of(points: Floating) -> Floating:
    return np.asarray(np.einsum("ij,ij->i", points, points))


def products_of(
    asked: Floating, points: Floating, squares: Floating, out: Float32 | None = None
) -> tuple[Float32, Float32]:
    """Return products of queries with points, and what lacks twice these to be the squared distance, but for ‖q‖²."""
    if points.dtype == np.float32:
        return np.matmul(asked, points.T, out=out), squares
    products = asked @ points.T
    products -= squares / 2
    products -= squares_of(asked)[:, None] / 2
    return np.clip(products, -LARGEST, LARGEST).astype(np.float32), np.zeros(len(points), np.float32)


class Shortlist:
    """The k smallest values, and where they came from, of each of some queries; others are dropped now and then."""

    def __init__(self, k: int, capacity: int) -> None:
        self.k = k
        self.values = np.empty((capacity, ROOM * k + GROUP), np.float32)
        self.places = np.empty((capacity, ROOM * k + GROUP), np.int32)
        self.counts = np.empty(capacity, np.int64)
        self.limits = np.empty(capacity, np.float32)
        self.size = 0

    @property
    def memory(self) -> tuple[Any, ...]:
        """What compiled loops need: values, places, counts, limits and k."""
        return self.values, self.places, self.counts, self.limits, self.k

    def begin(self, size: int) -> None:
        """Forget everything, for this many new queries."""
        self.size = size
        self.counts[:size] = 0
        self.limits[:size] = np.inf

    def add(self, products: Float32, squares: Float32, first: int, queries: Int64) -> None:
        """Offer the values ‖x_j‖² − 2 x_i·x_j, the squared distances but for ‖x_i‖², of some queries and points."""
        _add.alone(len(queries), products, squares, first, queries, *self.memory)

    def tighten(self) -> None:
        _tighten.alone(self.size, *self.memory)

    def found(self) -> Int32:
        """Return the places of the k smallest values in no order; -1 where there were fewer."""
        _select.alone(self.size, self.values, self.places, self.counts, self.k)
        places = self.places[: self.size, : self.k].copy()
        places[np.arange(self.k) >= self.counts[: self.size, None]] = -1
        return places


@inlined
def move_smallest(values, places, count, k):
    """Reorder the first ``count`` values, and their places with them, until the k smallest stand first."""
    low, high = 0, count - 1
    while low < high:
        a, b, c = values[low], values[(low + high) >> 1], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                places[i], places[j] = places[j], places[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break


@inlined
def squeeze(values, places, count, k):
    """Drop large values until not many more than the k smallest are left; return how many, and a limit above them.

    Counting the values below a limit takes far less time than sorting them. Where too many are as large as the largest,
    all stay, and the limit is infinity.
    """
    low = high = values[0]
    for position in range(1, count):
        low = values[position] if values[position] < low else low
        high = values[position] if values[position] > high else high
    candidates = values[:count]
    limit = _f(np.inf)
    for _ in range(BISECTIONS):
        middle = low + (high - low) * _f(0.5)
        below = 0
        for position in range(candidates.shape[0]):
            below += 1 if candidates[position] < middle else 0
        if below < k:
            low = middle
        else:
            high = limit = middle
            if below <= k + k // 8:
                break
    kept = 0
    for position in range(count):  # write always, step forward only if it counts: no branch to mispredict
        value, place = values[position], places[position]
        values[kept], places[kept] = value, place
        kept += 1 if value < limit else 0
    return kept, limit


@inlined
def largest_of(values, k):
    largest = values[0]
    for position in range(1, k):
        largest = max(largest, values[position])
    return largest


@inlined
def offer(products, squares, first, query, values, places, counts, limits, k):
    """Offer the values of a query and points from place ``first`` on; see :meth:`Shortlist.add`."""
    room = values.shape[1]
    limit, count = limits[query], counts[query]
    kept, origins = values[query], places[query]
    for begin in range(0, products.shape[0], GROUP):
        part, square = products[begin : begin + GROUP], squares[begin : begin + GROUP]
        hits = 0
        for j in range(part.shape[0]):
            hits += 1 if square[j] - _f(2) * part[j] < limit else 0
        if hits == 0:
            continue
        for j in range(part.shape[0]):  # write always, step forward only if it counts: no branch to mispredict
            value = square[j] - _f(2) * part[j]
            kept[count] = value
            origins[count] = first + begin + j
            count += 1 if value < limit else 0
        if count > room - GROUP:
            count, tighter = squeeze(kept, origins, count, k)
            limit = min(limit, tighter)
            if count > room - GROUP:  # too many values are the same
                move_smallest(kept, origins, count, k)
                count, limit = k, largest_of(kept, k)
    limits[query], counts[query] = limit, count


@inlined
def tighten(query, values, places, counts, limits, k):
    """Throw out most values of a query that are not among the k smallest."""
    if counts[query] > k + k // 2:
        counts[query], tighter = squeeze(values[query], places[query], counts[query], k)
        limits[query] = min(limits[query], tighter)


@kernel("f4[:,:] f4[:] i8 i8[:] f4[:,:]! i4[:,:]! i8[:]! f4[:]! i8")
def _add(start, stop, products, squares, first, queries, values, places, counts, limits, k):
    for row in range(start, stop):
        offer(products[row], squares, first, queries[row], values, places, counts, limits, k)


@kernel("f4[:,:]! i4[:,:]! i8[:]! f4[:]! i8")
def _tighten(start, stop, values, places, counts, limits, k):
    for query in range(start, stop):
        tighten(query, values, places, counts, limits, k)


@kernel("f4[:,:]! i4[:,:]! i8[:]! i8")
def _select(start, stop, values, places, counts, k):
    for query in range(start, stop):
        if counts[query] > 2 * k:
            counts[query], _ = squeeze(values[query], places[query], counts[query], k)
        if counts[query] > k:
            move_smallest(values[query], places[query], counts[query], k)
