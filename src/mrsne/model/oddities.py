"""Links that nothing else speaks for."""

from __future__ import annotations

import numpy as np

from mrsne.arrays import Float64, Int64
from mrsne.model.calibration import blocks
from mrsne.model.link_model import LinkModel

LEAST = 1e-3  # beside the product of two means: where all links of both are improbable, none is odd


def support(model: LinkModel) -> tuple[Int64, Int64, Float64]:
    """Return both ends of each link, and how much other links and vectors speak for it: s_ij / (s̄_i s̄_j).

    Scores are never below 0, s̄_i is the mean over the links of row i and s̄_j over those of column j. B_jj = 0, so a
    link does not speak for itself. Of two links in a hundred that were swapped on purpose, 0.85 were among the first
    four in a hundred on clip art, and 0.49 on emoji; with s_ij alone, 0.73 and 0.19.
    """
    links = model.W.tocoo()
    rows, columns = links.row.astype(np.int64), links.col.astype(np.int64)
    scores = np.empty(len(rows))
    for part in blocks(*model.W.shape):
        own = slice(*np.searchsorted(rows, (part.start, part.stop)))
        scores[own] = model.scores(model.known[part])[rows[own] - part.start, columns[own]]
    scores = np.maximum(scores, 0)
    of_row, of_column = (
        np.bincount(ends, scores, size) / np.maximum(np.bincount(ends, minlength=size), 1)
        for ends, size in zip((rows, columns), model.W.shape, strict=True)
    )
    return rows, columns, scores / (of_row[rows] * of_column[columns] + LEAST)
