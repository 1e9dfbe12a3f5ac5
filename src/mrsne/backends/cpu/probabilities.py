"""Distances into P: each item gets the bandwidth that gives it the perplexity, and what is not mutual is made so."""

import math

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32, Float64, Int32, Int64
from mrsne.loops import inlined, kernel
from mrsne.matrices import matrix_of

ENTROPY_TOLERANCE = 1e-10  # nats
MOST_STEPS = 200
FIRST_GUESS = 3.0  # of b, where the distances of a row go from 0 to 1
LONGEST_STEP = 1.5  # of log b
RUNS = 16  # of rows, each with its own counts of all items


@kernel("f8[:,:] f8 f4[:,:]!")
def conditional_probabilities(start, stop, squared, log_perplexity, probabilities):
    """Compute p_{j|i} ∝ exp(−‖x_i−x_j‖²/2s_i²), eq. (1), with s_i such that the entropy of row i is the wanted one.

    Newton's method for log b, b = 1/2s², between the largest b known to be too small and the smallest known to be too
    large: the entropy H falls as b rises, dH/d log b = −b² Var(d) with the distances' variance under p. Distances are
    measured from the smallest in the row, so that no exponential underflows altogether. A row of which more neighbours
    are there than the perplexity allows ends as uniform over those.
    """
    k = squared.shape[1]
    weights = np.empty(k)
    for i in range(start, stop):
        nearest = squared[i, 0]
        farthest = nearest
        for j in range(k):
            nearest = min(nearest, squared[i, j])
            farthest = max(farthest, squared[i, j])
        scale = farthest - nearest
        if scale <= 0:
            for j in range(k):
                probabilities[i, j] = 1.0 / k
            continue
        low, high, b = 0.0, np.inf, FIRST_GUESS
        total = 1.0
        for _ in range(MOST_STEPS):
            total, first, second = 0.0, 0.0, 0.0
            for j in range(k):
                distance = (squared[i, j] - nearest) / scale
                weight = math.exp(-b * distance)
                weights[j] = weight
                total += weight
                first += weight * distance
                second += weight * distance * distance
            mean = first / total
            excess = math.log(total) + b * mean - log_perplexity
            if abs(excess) < ENTROPY_TOLERANCE:
                break
            if excess > 0:
                low = b
            else:
                high = b
            slope = max(b * b * (second / total - mean * mean), 1e-300)
            b *= math.exp(min(max(excess / slope, -LONGEST_STEP), LONGEST_STEP))
            if not low < b < high:
                b = 2 * low if high == np.inf else (low + high) / 2
            if b > 1e30 or high - low <= 1e-15 * b:
                break
        for j in range(k):
            probabilities[i, j] = weights[j] / total


def neighbor_probabilities(squared: Float64, perplexity: float) -> Float32:
    """Turn squared distances to neighbours into probabilities of the given perplexity, each row summing to 1."""
    probabilities = np.empty(squared.shape, np.float32)
    conditional_probabilities.over(len(squared), squared, entropy_of(perplexity, squared.shape[1]), probabilities)
    return probabilities


def known_probabilities(near: sparse.csr_matrix, k: int, perplexity: float | None) -> sparse.csr_matrix:
    """Turn the squared distances to known neighbours, of which rows have up to k, into rows that sum to 1.

    Rows with fewer than 3·perplexity have a third of their number as perplexity.
    """
    counts, p = np.diff(near.indptr), np.empty(near.nnz, np.float32)
    for count in np.unique(counts[counts > 0]).tolist():
        at = near.indptr[:-1][counts == count][:, None] + np.arange(count)
        if perplexity is None:
            p[at] = 1 / count
        else:
            enough = count >= min(k, math.ceil(3 * perplexity))
            p[at] = neighbor_probabilities(near.data[at], perplexity if enough else count / 3)
    return sparse.csr_matrix((p, near.indices, near.indptr), shape=near.shape)


def entropy_of(perplexity: float, k: int) -> float:
    """Return the entropy of a row of k probabilities, in nats; below five items all k others count the same."""
    return min(math.log(perplexity) if perplexity > 1 else math.inf, math.log(k))


def symmetrized(indices: Int32, probabilities: Float32, order: Int64) -> sparse.csr_matrix:
    """Return (P + Pᵀ)/2n, where row i of P has k entries at ``indices[i]``; both arrays are sorted in place."""
    n, k = indices.shape
    _sort_rows.over(n, indices, probabilities.view(np.uint32))
    counterpart = np.empty((n, k), np.int32)
    _find_counterparts.over(n, order, indices, counterpart)
    counts = np.zeros((RUNS, n), np.int32)
    _count_others.over(RUNS, indices, counterpart, counts)
    others = np.empty(n, np.int64)
    _add_up.over(n, counts, others)
    indptr = np.concatenate([[0], np.cumsum(others + k)])
    columns, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    scale = 1 / (2 * n)
    _fill_own.over(n, order, indices, probabilities, counterpart, indptr, scale, columns, values)
    _fill_others.over(RUNS, indices, probabilities, counterpart, indptr, scale, counts, columns, values)
    _merge.over(n, k, indptr, columns, values)
    return matrix_of(indptr, columns, values, n)


@kernel("i4[:,:]! u4[:,:]!")
def _sort_rows(start, stop, indices, bits):
    """Sort each row by index; an index and the bits of its probability are moved as one word."""
    k = indices.shape[1]
    words = np.empty(k, np.uint64)
    for i in range(start, stop):
        for c in range(k):
            word = np.uint64(indices[i, c]) << np.uint64(32) | np.uint64(bits[i, c])
            place = c
            while place > 0 and words[place - 1] > word:
                words[place] = words[place - 1]
                place -= 1
            words[place] = word
        for c in range(k):
            indices[i, c] = words[c] >> np.uint64(32)
            bits[i, c] = np.uint32(words[c])


@inlined
def position_of(column, row):
    """Return where a column is in a sorted row, or -1."""
    first, size = 0, row.shape[0]
    while size > 1:  # always as many steps, and a step without a branch: none can be mispredicted
        half = size >> 1
        first += half if row[first + half] <= column else 0
        size -= half
    return first if row[first] == column else -1


@kernel("i8[:] i4[:,:] i4[:,:]!")
def _find_counterparts(start, stop, order, indices, counterpart):
    """Find where the entry (j, i) of each entry (i, j) is in row j; -1 where there is none."""
    for i in order[start:stop]:
        for c in range(indices.shape[1]):
            counterpart[i, c] = position_of(i, indices[indices[i, c]])


@kernel("i4[:,:] i4[:,:] i4[:,:]!")
def _count_others(start, stop, indices, counterpart, counts):
    """Count, in each run of rows, those that have an item as a neighbour without being a neighbour of it."""
    n, k = indices.shape
    for run in range(start, stop):
        for i in range(run * n // RUNS, (run + 1) * n // RUNS):
            for c in range(k):
                if counterpart[i, c] < 0:
                    counts[run, indices[i, c]] += 1


@kernel("i4[:,:]! i8[:]!")
def _add_up(start, stop, counts, others):
    """Turn the counts of all runs into how many there are before each run; ``others`` receives their sums."""
    others[start:stop] = 0
    for run in range(RUNS):
        for i in range(start, stop):
            count = counts[run, i]
            counts[run, i] = others[i]
            others[i] += count


@kernel("i8[:] i4[:,:] f4[:,:] i4[:,:] i8[:] f8 i4[:]! f4[:]!")
def _fill_own(start, stop, order, indices, probabilities, counterpart, indptr, scale, columns, values):
    for i in order[start:stop]:
        for c in range(indices.shape[1]):
            j = indices[i, c]
            p = np.float64(probabilities[i, c])
            if counterpart[i, c] >= 0:
                p += probabilities[j, counterpart[i, c]]
            columns[indptr[i] + c] = j
            values[indptr[i] + c] = p * scale


@kernel("i4[:,:] f4[:,:] i4[:,:] i8[:] f8 i4[:,:]! i4[:]! f4[:]!")
def _fill_others(start, stop, indices, probabilities, counterpart, indptr, scale, before, columns, values):
    n, k = indices.shape
    for run in range(start, stop):
        for i in range(run * n // RUNS, (run + 1) * n // RUNS):
            for c in range(k):
                if counterpart[i, c] < 0:
                    j = indices[i, c]
                    position = indptr[j] + k + before[run, j]
                    before[run, j] += 1
                    columns[position] = i
                    values[position] = np.float64(probabilities[i, c]) * scale


@kernel("i8 i8[:] i4[:]! f4[:]!")
def _merge(start, stop, k, indptr, columns, values):
    """Merge the first k entries of each row, sorted by column, with the rest, which are sorted too."""
    longest = 0
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i] - k)
    late_columns, late_values = np.empty(longest, np.int32), np.empty(longest, np.float32)
    for i in range(start, stop):
        first, end = indptr[i], indptr[i + 1]
        count = end - first - k
        for position in range(count):
            late_columns[position] = columns[first + k + position]
            late_values[position] = values[first + k + position]
        own = first + k - 1
        count -= 1
        for position in range(end - 1, first - 1, -1):
            if count < 0:
                break
            if own >= first and columns[own] > late_columns[count]:
                columns[position], values[position] = columns[own], values[own]
                own -= 1
            else:
                columns[position], values[position] = late_columns[count], late_values[count]
                count -= 1
