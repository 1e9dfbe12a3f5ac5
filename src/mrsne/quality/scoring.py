"""All scores of the report card, of a sample of the items where there are many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import Pair, RelationalData
from mrsne.quality.card import Report
from mrsne.quality.links import has_place, relations_of, undirected
from mrsne.quality.mixing import mixing
from mrsne.quality.neighborhoods import (
    beyond_chance,
    harmonic_mean,
    kept_links,
    kept_shares,
    membership,
    penalty_scale,
    rank_penalties,
)
from mrsne.quality.ordering import exclude_self, for_each_query, squared_distances
from mrsne.quality.prediction import TOP, predict_links
from mrsne.quality.vectors import quick_distances, vectors_of

LINKS_PER_ITEM = 10  # held-out links in the sample for each item in it: they take no vectors
Places: TypeAlias = Mapping[str, NDArray[Any]]
Scores: TypeAlias = dict[str, dict[Any, float]]


def score_map(
    coordinates: Places,
    data: RelationalData,
    *,
    k: int = 10,
    metrics: Mapping[str, str] | None = None,
    sample: int | None = 2000,
    random: np.random.RandomState,
    held_out: Mapping[Pair, sparse.csr_matrix] | None = None,
) -> Report:
    """Return the report card of a map.

    Parameters
    ----------
    coordinates : mapping of str to array of shape (n, K)
    data : RelationalData
        What the map was made from.
    k : int
        Number of neighbours.
    metrics : mapping of str to str, optional
        Distance of the vectors of a domain; "euclidean" where nothing is said.
    sample : int or None
        How many items of each domain are asked about at most.
    random : RandomState
        Chooses them.
    held_out : mapping of (str, str) to CSR matrix, optional
        Links that the map was made without.
    """
    Y = {name: np.asarray(places, dtype=np.float64) for name, places in coordinates.items()}
    known = {name: np.flatnonzero(has_place(data, name)) for name in data.sizes}
    queries = {name: _sample(items, sample, random) for name, items in known.items()}
    scores, chances = score_held_out(Y, data, held_out or {}, sample=sample, random=random)
    for name in ("trustworthiness", "mixing", "neighbors_kept", "kept_by_vector", "kept_by_links"):
        scores[name] = {}
    chances["trustworthiness"] = {}
    for a, b in data.relations:
        if a != b and min(len(known[a]), len(known[b])) >= k:  # fewer do not tell how they are spread
            positions = (np.searchsorted(known[a], queries[a]), np.searchsorted(known[b], queries[b]))
            scores["mixing"][a, b] = mixing(Y[a][known[a]], Y[b][known[b]], positions, k)
    item_scores = {}
    for name in data.sizes:
        item_scores[name] = _score_items(Y, data, name, queries[name], k, (metrics or {}).get(name), scores, chances)
    sampled = any(len(queries[name]) < len(items) for name, items in known.items())
    return Report(scores, chances, item_scores, sample if sampled else None)


def _sample(items: NDArray[np.int64], sample: int | None, random: np.random.RandomState) -> NDArray[np.int64]:
    """Return some of the items, or all, in their order."""
    if sample is None or len(items) <= sample:
        return items
    return np.sort(random.choice(items, sample, replace=False))


def score_held_out(
    coordinates: Places,
    data: RelationalData,
    held_out: Mapping[Pair, sparse.csr_matrix],
    *,
    sample: int | None = 2000,
    random: np.random.RandomState,
) -> tuple[Scores, Scores]:
    """Return how well held-out links are predicted, and how well by chance, by score and pair of domains."""
    scores: Scores = {"held_out_recall_10": {}, "held_out_mrr": {}}
    chances: Scores = {"held_out_recall_10": {}, "held_out_mrr": {}}
    most = None if sample is None else LINKS_PER_ITEM * sample
    for (a, b), links in held_out.items():
        Y = [np.asarray(coordinates[name], dtype=np.float64) for name in (a, b)]
        known = data.relation(a, b)
        if a == b:
            known, links = undirected(known), undirected(links)
        ends = np.stack(links.nonzero(), axis=1).astype(np.int64)
        chosen = ends[_sample(np.arange(len(ends)), most, random)]
        if not len(chosen):
            continue
        found = predict_links(Y[0], Y[1], known, chosen, same_domain=a == b)
        scores["held_out_mrr"][a, b] = found.reciprocal_rank
        chances["held_out_mrr"][a, b] = found.chance_of_reciprocal_rank
        if data.sizes[b] > TOP:  # otherwise all are among the ten nearest
            scores["held_out_recall_10"][a, b] = found.recall
            chances["held_out_recall_10"][a, b] = found.chance_of_recall
    return scores, chances


def _score_items(
    Y: Places,
    data: RelationalData,
    domain: str,
    queries: NDArray[np.int64],
    k: int,
    metric: str | None,
    scores: Scores,
    chances: Scores,
) -> NDArray[np.float64]:
    """Add the scores of a domain's own neighbourhoods, and return those of its items."""
    by_vector, by_links = np.full(data.sizes[domain], np.nan), np.full(data.sizes[domain], np.nan)
    n = data.count_vectors(domain)
    with_vector = queries[~data.missing[domain][queries]]
    if n > 2 * k + 1 and len(with_vector):
        penalty, by_vector[with_vector] = _neighbours_by_vector(Y[domain], data, domain, with_vector, k, metric)
        scores["trustworthiness"][domain] = 1 - penalty_scale(n, k) * penalty
        by_chance = (n - 1 - k) * (n - k) / (2 * (n - 1))
        chances["trustworthiness"][domain] = 1 - penalty_scale(n, k) * k * by_chance
    by_links[queries] = _neighbours_by_links(Y, data, domain, queries, k)
    means = {}
    for name, values in (("kept_by_vector", by_vector), ("kept_by_links", by_links)):
        means[name] = float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
        if not np.isnan(means[name]):
            scores[name][domain] = max(means[name], 0.0)
    both = float(harmonic_mean(*means.values()))
    if not np.isnan(both):
        scores["neighbors_kept"][domain] = both
    return np.asarray(harmonic_mean(by_vector, by_links))


def _neighbours_by_vector(
    Y: NDArray[np.float64], data: RelationalData, domain: str, queries: NDArray[np.int64], k: int, metric: str | None
) -> tuple[float, NDArray[np.float64]]:
    """Return the mean penalty of trustworthiness, and which part of its neighbours each item keeps, beyond chance."""
    X, present = vectors_of(data, domain, metric or "euclidean")
    distances_by_vector, places = quick_distances(X), Y[present]
    positions = np.searchsorted(present, queries)

    def block(rows: slice) -> NDArray[np.float64]:
        items = positions[rows]
        by_vector, in_map = distances_by_vector(items), squared_distances(places[items], places)
        for distances in (by_vector, in_map):
            exclude_self(distances, items, np.inf)
        chances = membership(in_map, k)
        return np.stack([rank_penalties(by_vector, chances, k), kept_shares(by_vector, chances, k)], axis=1)

    penalties, kept = for_each_query(len(positions), len(places), block).T
    return float(penalties.mean()), beyond_chance(kept, k / (len(places) - 1))


def _neighbours_by_links(
    Y: Places, data: RelationalData, domain: str, queries: NDArray[np.int64], k: int
) -> NDArray[np.float64]:
    """Return which part of its links each item keeps, beyond chance: the mean over the relations it has links in."""
    total, relations = np.zeros(len(queries)), np.zeros(len(queries))
    for other, W in relations_of(data, domain):

        def block(rows: slice, other: str = other, W: sparse.csr_matrix = W) -> NDArray[np.float64]:
            items = queries[rows]
            distances = squared_distances(Y[domain][items], Y[other])
            if other == domain:
                exclude_self(distances, items, np.inf)
            return kept_links(distances, np.asarray(W[items].toarray() > 0), k)

        kept = for_each_query(len(queries), data.sizes[other], block)
        total += np.nan_to_num(kept)
        relations += ~np.isnan(kept)
    return np.where(relations > 0, total / np.maximum(relations, 1), np.nan)
