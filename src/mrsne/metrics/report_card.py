"""The report card: how far a map can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy import sparse
from sklearn.utils import check_random_state

from mrsne.data import Pair, RelationalData
from mrsne.metrics.arguments import check_map, positions
from mrsne.metrics.links import read_held_out
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError, check_integer, check_option, describe
from mrsne.quality.card import Report
from mrsne.quality.scoring import score_map
from mrsne.quality.vectors import METRICS


def report(
    embedding: Embedding,
    data: RelationalData,
    *,
    held_out: Mapping[Pair, Any] | None = None,
    k: int = 10,
    metric: str | Mapping[str, str] = "euclidean",
    sample: int | None = 2000,
    random_state: Any = 0,
) -> Report:
    """Return the report card of a map, which tells how far it can be trusted.

    Few scores that do not overlap: how well links that the map has not seen are predicted (``held_out_recall_10``,
    ``held_out_mrr``), how far neighbours on the map are neighbours by vector (``trustworthiness``), whether linked
    domains lie among each other (``mixing``), and which part of the neighbours is kept (``neighbors_kept``, the
    harmonic mean of ``kept_by_vector`` and ``kept_by_links``). ``docs/metrics.md`` has their equations, and shows what
    each of them does not see.

    Parameters
    ----------
    embedding : Embedding
    data : RelationalData
        The data the map was made from.
    held_out : mapping of (str, str) to matrix or edge table, optional
        Links that the map was made without, as :func:`hold_out` returns them. Without them two scores are left out.
    k : int, default=10
        Number of neighbours for all scores but ``held_out_recall_10``. Domains with fewer than 2k + 2 vectors have no
        scores by vector.
    metric : {"euclidean", "cosine"}, or a mapping of domains to these, default="euclidean"
        Distance between vectors.
    sample : int or None, default=2000
        How many items of each domain are asked about at most, and a tenth of how many held-out links; None for all.
        Memory is bounded by blocks of queries.
    random_state : int, RandomState or None, default=0
        Chooses the sample.

    Returns
    -------
    report : Report
        A mapping of scores that prints as a table. ``item_scores`` tells of every item how well it is placed.

    See Also
    --------
    mrsne.metrics.hold_out : Links to test a map with.
    mrsne.Embedding.to_html : Shows the report on the page.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_shapes(100, random_state=0)
    >>> rest, links = mrsne.metrics.hold_out(data)
    >>> embedding = mrsne.MRSNE(random_state=0).fit_transform(rest)
    >>> report = mrsne.metrics.report(embedding, rest, held_out=links)
    >>> list(report)[:4]
    ['held_out_recall_10', 'held_out_mrr', 'trustworthiness', 'mixing']
    >>> report["trustworthiness"]["picture"] > 0.8, report["held_out_mrr"]["picture", "tag"] > 0.3
    (True, True)
    """
    check_map(embedding, data)
    check_integer("k", k, minimum=1)
    if sample is not None:
        check_integer("sample", sample, minimum=1)
    return score_map(
        {name: positions(embedding, name) for name in data.sizes},
        data,
        k=k,
        metrics=_read_metrics(metric, data),
        sample=sample,
        random=check_random_state(random_state),
        held_out=None if held_out is None else _read_links(held_out, data),
    )


def _read_metrics(metric: Any, data: RelationalData) -> dict[str, str]:
    """Return the metric of every domain that has one."""
    if not isinstance(metric, Mapping):
        return dict.fromkeys(data.sizes, check_option("metric", metric, METRICS))
    for name in metric:
        if name not in data.sizes:
            raise ParameterError(f"metric names {name!r}, but the domains are {', '.join(map(repr, data.sizes))}")
    return {name: check_option(f"metric[{name!r}]", given, METRICS) for name, given in metric.items()}


def _read_links(held_out: Any, data: RelationalData) -> dict[Pair, sparse.csr_matrix]:
    """Return held-out links as matrices, of which the map was made without any."""
    if not isinstance(held_out, Mapping) or not held_out:
        raise ParameterError(f"held_out must be a mapping of pairs of domains to links, got {describe(held_out)}")
    found = {}
    for pair, links in held_out.items():
        found[pair] = read_held_out(data, pair, links)
        known = int((data.relation(*pair) > 0).multiply(found[pair] > 0).nnz)
        if known:
            raise ParameterError(
                f"held_out[{pair!r}] has {known} links that data has too; data must be what hold_out left, and the map "
                "made from that"
            )
    return found
