"""The connected components of a graph: found where no single thread walks through its rows, and cut for sums."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mrsne.arrays import Int64

LONGEST_RUN = 4096  # rows; fixed, so that sums do not depend on the number of threads


class RunEdges(NamedTuple):
    """Rows that are listed component by component, cut into runs."""

    begins: Int64  # of each run
    ends: Int64
    first: Int64  # the first run of each component


def cut_into_runs(starts: Int64, longest: int = LONGEST_RUN) -> RunEdges:
    """Cut components, whose rows begin at ``starts`` and of which the last ends there, into runs of rows."""
    pieces = [np.arange(first, last, longest) for first, last in pairwise(starts.tolist())]
    counts = np.array([len(piece) for piece in pieces])
    begins = np.concatenate(pieces)
    ends = np.minimum(begins + longest, np.repeat(starts[1:], counts))
    return RunEdges(begins, ends, np.cumsum(counts) - counts)


def propagated_labels(
    labels: Any, lowest_around: Callable[[Any], Any], scatter_minimum: Callable[[Any, Any], Any], library: Any
) -> Any:
    """Return the lowest number in its component for every item, by label propagation.

    Every item takes the lowest label around it, and tells the item whose label it had; labels of labels follow. The
    arrays are those of a library, numpy or torch.
    """
    while True:
        lowest = lowest_around(labels)
        new = library.minimum(scatter_minimum(labels, lowest), lowest)
        for _ in range(2):
            new = library.minimum(new, new[new])
        if (new == labels).all():
            return labels
        labels = new


def scatter_minimum(labels: Int64, values: Int64) -> Int64:
    """Return labels of which number ``labels[i]`` is lowered to ``values[i]``, for all i."""
    result = labels.copy()
    np.minimum.at(result, labels, values)
    return result
