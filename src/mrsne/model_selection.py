"""Links held out, to choose settings by how well they are predicted."""

from __future__ import annotations

from typing import Any

from mrsne.data.relational import RelationalData
from mrsne.metrics.holding_out import HeldOut, hold_out

__all__ = ["split_links"]


def split_links(data: RelationalData, fraction: float = 0.1, random_state: Any = 0) -> tuple[RelationalData, HeldOut]:
    """Return data without some of its links, and these, to see whether they are predicted.

    Of items that have at least three links to a kind; every item keeps one.

    Parameters
    ----------
    data : RelationalData
    fraction : float, default=0.1
        Of these links, in every relation.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    rest : RelationalData
    held_out : dict of (str, str) to CSR matrix
        For :meth:`mrsne.LinkPredictor.score`, :meth:`mrsne.MRSNE.score` and :func:`mrsne.metrics.report`.

    See Also
    --------
    mrsne.metrics.hold_out : The same, with more to choose.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_shapes(100, random_state=0)
    >>> rest, held_out = mrsne.model_selection.split_links(data, 0.2)
    >>> models = [mrsne.MRSNE(perplexity=p, max_iter=100, random_state=0) for p in (5, 15)]
    >>> best = max(models, key=lambda model: model.fit(rest).score(held_out))
    """
    return hold_out(data, fraction, random_state=random_state)
