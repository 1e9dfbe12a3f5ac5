"""Blocks of vectors as the search reads them: checked, scaled alike, and projected where that is asked for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mrsne.affinity.projection import Projection
from mrsne.affinity.rows import Dense, power_of_two, prepare
from mrsne.data.vectors import DataError
from mrsne.parameters import ParameterError

WIDEST = 8_192  # dimensions whose covariance is computed


class Survey(NamedTuple):
    """What one look at a block tells."""

    largest: float
    bad: int


def survey(vectors: NDArray[Any]) -> Survey:
    """Look for the largest number of a block, and for rows that are not finite."""
    finite = np.isfinite(vectors).all(axis=1)
    return Survey(float(np.abs(vectors[finite]).max(initial=0)), int((~finite).sum()))


def common_scale(surveys: list[Survey], domain: str, starts: list[int]) -> float:
    """Return the factor for all blocks of a domain; raise where some rows are not finite."""
    for found, start in zip(surveys, starts, strict=False):
        if found.bad:
            total = sum(other.bad for other in surveys)
            raise DataError(
                f"vectors[{domain!r}] holds NaN or infinity in {total} rows, the first in the block from row {start}"
            )
    return power_of_two(max(found.largest for found in surveys))


def prepared(vectors: NDArray[Any], metric: str, scale: float) -> Dense:
    """Return the rows of a block with the factor of their domain."""
    like = Dense(np.empty((0, vectors.shape[1]), np.float32), np.empty(0), scale)
    rows = prepare(np.ascontiguousarray(vectors), metric, like)
    assert isinstance(rows, Dense)
    return rows


def moments(rows: Dense) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Return number, sum and second moments of a block's rows."""
    X = rows.block(slice(None))
    return len(X), X.sum(axis=0), X.T @ X


def principal_axes(parts: list[Any], n_components: int) -> Projection:
    """Return the projection that keeps the most variance, from the moments of all blocks."""
    n = sum(part[0] for part in parts)
    mean = sum(part[1] for part in parts) / n
    covariance = sum(part[2] for part in parts) - n * np.outer(mean, mean)
    d = len(mean)
    _, axes = scipy.linalg.eigh(covariance, subset_by_index=(d - n_components, d - 1))
    axes = axes[:, ::-1]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return Projection(mean, axes * signs)


def projected(rows: Dense, projection: Projection) -> Dense:
    """Return the rows of a block in the coordinates of the axes."""
    return projection(rows)


def check_width(domain: str, dimensions: int) -> None:
    """Raise where the covariance of a domain would not fit."""
    if dimensions > WIDEST:
        raise ParameterError(
            f"n_pca reduces vectors of at most {WIDEST} dimensions on a cluster, {domain!r} has {dimensions}"
        )
