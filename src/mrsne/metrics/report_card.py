"""The report card: how far a map can be trusted, from all items or from a sample of them where there are many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float64, Int64
from mrsne.data.outline import Pair, check_known
from mrsne.data.relational import RelationalData
from mrsne.metrics.arguments import METRICS, Map, check_map, metrics_of, positions, sample_of
from mrsne.metrics.card import HELD_OUT, SCORES, Report
from mrsne.metrics.distances import distances_of, exclude_self, for_each_query, knows_all_distances, squared_distances
from mrsne.metrics.holding_out import read_held_out
from mrsne.metrics.links import has_place, relations_of
from mrsne.metrics.memory import Memory, memory_of
from mrsne.metrics.mixing import mixing
from mrsne.metrics.neighborhoods import (
    NEEDS_ALL,
    kept_shares,
    penalty_scale,
    rank_penalties,
    scores_by_vector,
    tied_membership,
)
from mrsne.metrics.prediction import Scores, score_held_out
from mrsne.parameters import ParameterError, check_integer, check_option, describe, random_numbers


def report(
    embedding: Map,
    data: RelationalData,
    *,
    held_out: Mapping[Pair, Any] | None = None,
    k: int = 10,
    metric: str | Mapping[str, str] | None = None,
    sample: int | None = 2000,
    random_state: Any = 0,
) -> Report:
    """Return the report card of a map, which says how far it can be trusted.

    Few scores that do not overlap: how well links that the map has not seen are predicted (``held_out_recall_10``,
    ``held_out_mrr``), how far neighbours on the map are neighbours by vector (``trustworthiness``), whether linked
    domains are mixed (``mixing``), and which part of the neighbours is kept (``neighbors_kept``, the
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
    metric : {"euclidean", "cosine", "precomputed"}, or a mapping of domains to these, optional
        Distance between vectors; by default that of the map.
    sample : int or None, default=2000
        Most query items of each domain, and a tenth of the most held-out links; None for all.
        Memory is bounded by blocks of queries.
    random_state : int, RandomState or None, default=0
        Chooses the sample.

    Returns
    -------
    report : Report
        A mapping of scores that prints as a table. ``item_scores`` says how well each item is placed.

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
    metrics, random = None if metric is None else _read_metrics(metric, data), random_numbers(random_state)
    links = None if held_out is None else _read_links(held_out, data)
    card = score_map(embedding, data, k=k, metrics=metrics, sample=sample, random=random)
    if links is None:
        return card
    return card.with_scores(*score_held_out(embedding, data, links, sample=sample, random=random))


def score_map(
    embedding: Map,
    data: RelationalData,
    *,
    k: int = 10,
    metrics: Mapping[str, str] | None = None,
    sample: int | None = 2000,
    random: np.random.RandomState,
) -> Report:
    """Return the report card of a map, without held-out links; distances of vectors are by default those of the map.

    An Embedding remembers it if it is of all items, so that the page and a report share it.
    """
    known = {name: np.flatnonzero(has_place(data, name)) for name in data.sizes}
    queries = {name: sample_of(items, sample, random) for name, items in known.items()}
    distances = {**metrics_of(embedding, data), **(metrics or {})}
    is_sample = any(len(queries[name]) < len(items) for name, items in known.items())

    def score() -> Report:
        Y = {name: positions(embedding, name) for name in data.sizes}
        scores: Scores = {name: {} for name in SCORES if name not in HELD_OUT}
        chances: Scores = {"trustworthiness": {}}
        for a, b in data.relations:
            if a != b and min(len(known[a]), len(known[b])) >= k:  # fewer do not show how they are spread
                places = (np.searchsorted(known[a], queries[a]), np.searchsorted(known[b], queries[b]))
                scores["mixing"][a, b] = mixing(Y[a][known[a]], Y[b][known[b]], places, k)
        item_scores = {}
        for domain, items in queries.items():
            item_scores[domain], found = _score_items(Y, data, domain, items, k, distances[domain])
            for name, value in found.items():
                scores[name][domain] = value
            if "trustworthiness" in found:
                n = data.count_vectors(domain)
                by_chance = (n - 1 - k) * (n - k) / (2 * (n - 1))
                chances["trustworthiness"][domain] = 1 - penalty_scale(n, k) * k * by_chance
        notes = [
            f"neighbours by vector, {name}: that {NEEDS_ALL}"
            for name in data.sizes
            if data.count_vectors(name) and not knows_all_distances(data, name, distances[name])
        ]
        return Report(scores, chances, item_scores, sample if is_sample else None, tuple(notes))

    memory = Memory() if is_sample else memory_of(embedding)
    return memory.get("report", data, (k, distances), score)  # type: ignore[no-any-return]


def _score_items(
    Y: Mapping[str, Float64], data: RelationalData, domain: str, queries: Int64, k: int, metric: str
) -> tuple[Float64, dict[str, float]]:
    """Return how well each item of a domain is placed, NaN if it is not a query, and the scores of the domain."""
    by_vector, by_links = np.full(data.sizes[domain], np.nan), np.full(data.sizes[domain], np.nan)
    scores = {}
    n = data.count_vectors(domain)
    with_vector = queries[~data.missing[domain][queries]]
    if n > 2 * k + 1 and len(with_vector) and knows_all_distances(data, domain, metric):
        distances, present = distances_of(data, domain, metric, quick=True)
        places = np.searchsorted(present, with_vector)
        scored = [rank_penalties, kept_shares]
        penalties, kept = scores_by_vector(distances, Y[domain][present], places, k, scored).T
        by_vector[with_vector] = beyond_chance(kept, k / (len(present) - 1))
        scores["trustworthiness"] = 1 - penalty_scale(n, k) * float(penalties.mean())
    by_links[queries] = _neighbours_by_links(Y, data, domain, queries, k)
    means = {}
    for name, values in (("kept_by_vector", by_vector), ("kept_by_links", by_links)):
        means[name] = float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
        if not np.isnan(means[name]):
            scores[name] = max(means[name], 0.0)
    both = float(harmonic_mean(*means.values()))
    if not np.isnan(both):
        scores["neighbors_kept"] = both
    return np.asarray(harmonic_mean(by_vector, by_links)), scores


def _neighbours_by_links(
    Y: Mapping[str, Float64], data: RelationalData, domain: str, queries: Int64, k: int
) -> Float64:
    """Return which part of its links each item keeps, beyond chance: the mean over the relations it has links in."""
    total, relations = np.zeros(len(queries)), np.zeros(len(queries))
    for other, W in relations_of(data, domain):

        def block(rows: slice, other: str = other, W: sparse.csr_matrix = W) -> Float64:
            items = queries[rows]
            distances = squared_distances(Y[domain][items], Y[other])
            if other == domain:
                exclude_self(distances, items, np.inf)
            return kept_links(distances, np.asarray(W[items].toarray() > 0), k)

        kept = for_each_query(len(queries), data.sizes[other], block)
        total += np.nan_to_num(kept)
        relations += ~np.isnan(kept)
    return np.where(relations > 0, total / np.maximum(relations, 1), np.nan)


def _read_metrics(metric: Any, data: RelationalData) -> dict[str, str]:
    if not isinstance(metric, Mapping):
        return dict.fromkeys(data.sizes, check_option("metric", metric, METRICS))
    check_known("metric", metric, data.sizes)
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


def kept_links(in_map: Float64, linked: Bool, k: int) -> Float64:
    """Return, for each query, the share of its m linked items that are among its max(m, k) nearest, beyond chance.

    NaN for queries without links, and for those whose max(m, k) nearest are all the candidates, which are at finite
    distances.
    """
    number = linked.sum(axis=1)
    candidates = np.isfinite(in_map).sum(axis=1)
    places = np.maximum(number, k)
    asked = (number > 0) & (places < candidates)
    scores = np.full(len(in_map), np.nan)
    if asked.any():
        distances, places = in_map[asked], places[asked]
        nearest = np.sort(np.partition(distances, places.max() - 1, axis=1)[:, : places.max()], axis=1)
        last = np.take_along_axis(nearest, places[:, None] - 1, axis=1)
        kept = (tied_membership(distances, last, places) * linked[asked]).sum(axis=1) / number[asked]
        scores[asked] = beyond_chance(kept, places / candidates[asked])
    return scores


def beyond_chance(score: Any, chance: Any) -> Any:
    """Return a score on a scale where chance is 0 and the best is 1."""
    return (score - chance) / (1 - chance)


def harmonic_mean(a: Any, b: Any) -> Any:
    """Return the harmonic mean of two scores between 0 and 1; where one is not known, the other."""
    a, b = np.clip(a, 0, 1), np.clip(b, 0, 1)
    total = a + b
    mean = 2 * a * b / np.where(total > 0, total, 1)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, mean))
