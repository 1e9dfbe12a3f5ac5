"""P̃ with weights="auto" is what docs/algorithm.md says, computed item by item in double precision.

Three domains of which one has vectors, relations to both others, and a graph inside the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mrsne
from mrsne import RelationalData
from tests.affinity.test_weights import conditional

Array = NDArray[Any]
SIZES = {"work": 40, "subject": 20, "artist": 15}
PERPLEXITY = {"work": 6.0, "subject": 4.0, "artist": 3.0}


@pytest.fixture(scope="module")
def data() -> RelationalData:
    rng = np.random.default_rng(1)
    subjects = rng.uniform(0.5, 2, (40, 20)) * (rng.random((40, 20)) < 0.2)
    artists = (rng.random((40, 15)) < 0.2) * 1.0
    alike = rng.uniform(0.5, 1, (40, 40)) * (rng.random((40, 40)) < 0.05)
    np.fill_diagonal(alike, 0)
    subjects[3], artists[3], alike[3], alike[:, 3] = 0, 0, 0, 0  # a work without links
    relations = {("work", "subject"): subjects, ("work", "artist"): artists, ("work", "work"): alike}
    vectors = artists @ rng.normal(size=(15, 4)) + 0.2 * rng.normal(size=(40, 4))  # that tell a little of the links
    return RelationalData({"work": vectors, "subject": 20, "artist": 15}, relations)


def links_of(data: RelationalData, domain: str) -> dict[str, Array]:
    """Return the links of a domain to each domain, those inside it undirected."""
    found = {}
    for a, b in data.relations:
        if domain in (a, b):
            other = b if domain == a else a
            W = data.relation(domain, other).toarray()
            found[other] = (W + W.T) / 2 if a == b else W
    return found


def unit_rows(X: Array) -> Array:
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return np.asarray(X / np.where(length > 0, length, 1))


def weighted(links: dict[str, Array]) -> Array:
    """Return x_i: links by TF-IDF, each relation's part of length 1."""
    parts = [W * (1 + np.log((1 + len(W)) / (1 + (W > 0).sum(axis=0)))) for W in links.values()]
    return np.hstack([unit_rows(part) for part in parts])


def agreement_of(x: Array, vectors: Array) -> float:
    linked = x.any(axis=1)
    x, vectors = unit_rows(x[linked]), vectors[linked]
    cosine = x @ x.T
    others = ~np.eye(len(x), dtype=bool)
    squared = ((vectors[:, None] - vectors[None]) ** 2).sum(axis=2)
    nearest = np.argsort(np.where(others, squared, np.inf), axis=1)[:, :5]
    by_vector = np.take_along_axis(cosine, nearest, axis=1).mean()
    by_links = np.sort(np.where(others, cosine, -np.inf), axis=1)[:, -5:].mean()
    by_chance = cosine[others].mean()
    return float((by_vector - by_chance) / (by_links - by_chance))


def neighbors_and_share(data: RelationalData, domain: str) -> tuple[Array, Array, float]:
    """Return p_{j|i}, which items have neighbours, and the share of the links."""
    x = weighted(links_of(data, domain))
    vectors: Any = data.vectors[domain]
    if vectors is not None:
        share = float(np.clip(1 - agreement_of(x, vectors), 2 / 3, 0.9))
        return conditional(vectors, PERPLEXITY[domain]), np.ones(len(vectors), dtype=bool), share
    x = unit_rows(x[:, (x > 0).sum(axis=0) >= 2])
    linked = np.flatnonzero(x.any(axis=1))
    U, S, _ = np.linalg.svd(x[linked], full_matrices=False)
    width = min(50, len(linked) - 1, x.shape[1] - 1)
    derived = unit_rows((U * S)[:, :width])
    p = np.zeros((len(x), len(x)))
    for i, item in enumerate(linked):
        alike = [j for j in range(len(linked)) if j != i and x[linked[j]] @ x[item] >= 0.1]
        perplexity = min(PERPLEXITY[domain], (len(linked) - 1) / 3)
        if len(alike) < 3 * perplexity:
            perplexity = len(alike) / 3
        p[item, linked[alike]] = conditional(derived[[i, *alike]], perplexity)[0, 1:]
    return p, np.asarray(p.any(axis=1)), 0.8


def by_definition(data: RelationalData) -> Array:
    P = np.zeros((data.n_items, data.n_items))
    for domain, start in data.offsets.items():
        links = links_of(data, domain)
        p, has_neighbors, share = neighbors_and_share(data, domain)
        for i in range(SIZES[domain]):
            own = {other: W[i] for other, W in links.items() if W[i].any()}
            number = sum(w.sum() ** 2 / (w**2).sum() for w in own.values())
            mass = np.log2(1 + max(number, 1))
            to_links = (share if has_neighbors[i] else 1.0) if own else 0.0
            for other, w in own.items():
                at = data.offsets[other]
                P[start + i, at : at + len(w)] += mass * to_links / len(own) * w / w.sum()
            P[start + i, start : start + len(p)] += mass * (1 - to_links) * p[i]
    P += P.T
    return np.asarray(P / P.sum())


def test_affinities_of_three_domains_are_those_of_the_documented_construction(data: RelationalData) -> None:
    P = mrsne.joint_affinities(data, PERPLEXITY, "auto", "auto").toarray()
    expected = by_definition(data)
    assert 2 / 3 < neighbors_and_share(data, "work")[2] < 0.9
    np.testing.assert_allclose(P, expected, atol=1e-6 * expected.max())  # some roundings of single precision
