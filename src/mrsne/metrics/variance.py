"""Experiment 3: how far one domain spreads beside another."""

from __future__ import annotations

from mrsne.metrics.arguments import Map, positions
from mrsne.parameters import ParameterError


def variance_ratio(embedding: Map, a: str, b: str) -> float:
    """Return how much farther one domain spreads than another: r = tr Σ̂ᵃ / tr Σ̂ᵇ, Experiment 3 of the paper.

    Near 1 both fill the same area; far above 1 domain ``b`` is crowded together, near 0 domain ``a`` is.

    Parameters
    ----------
    embedding : Embedding
    a, b : str
        Domains with at least two items each.

    Returns
    -------
    ratio : float
        Of the traces of the sample covariances; infinite if all items of ``b`` are on one spot.

    See Also
    --------
    mrsne.metrics.report : Its mixing sees what this score does not.

    Examples
    --------
    >>> import mrsne
    >>> embedding = mrsne.Embedding({"image": [[0, 0], [4, 0]], "tag": [[1, 0], [3, 0]]})
    >>> mrsne.metrics.variance_ratio(embedding, "image", "tag")
    4.0
    """
    traces = []
    for domain in (a, b):
        Y = positions(embedding, domain)
        if len(Y) < 2:
            raise ParameterError(f"variance_ratio needs at least two items of {domain!r}, got {len(Y)}")
        traces.append(float(Y.var(axis=0, ddof=1).sum()))
    if traces[1] == 0:
        return float("nan") if traces[0] == 0 else float("inf")
    return traces[0] / traces[1]
