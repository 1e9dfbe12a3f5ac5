"""How evenly two domains are mixed."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne.metrics.distances import squared_distances
from mrsne.metrics.mixing import mixing


def everyone(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(len(A)), np.arange(len(B))


@pytest.mark.parametrize("sizes", [(400, 400), (1000, 40), (30, 900)])
def test_domains_spread_alike_are_mixed_whatever_their_sizes(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    A, B = (random.normal(size=(n, 2)) for n in sizes)
    assert mixing(A, B, everyone(A, B)) > 0.9


@pytest.mark.parametrize("sizes", [(400, 400), (1000, 40)])
def test_domains_apart_or_crowded_into_a_spot_are_not_mixed(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    A, B = (random.normal(size=(n, 2)) for n in sizes)
    assert mixing(A, B + 20, everyone(A, B)) < 0.01
    assert mixing(A, B / 1000, everyone(A, B)) < 0.15


def test_it_is_its_definition() -> None:
    random = np.random.default_rng(1)
    A, B = random.normal(size=(37, 2)), random.normal(size=(23, 2)) + 0.7
    means = []
    for own, other in ((A, B), (B, A)):
        entropies = []
        wanted = min(2 * 3 / min(len(own) - 1, len(other)), 0.2)
        for i in range(len(own)):
            to_own = np.delete(squared_distances(own[i : i + 1], own)[0], i)
            to_other = squared_distances(own[i : i + 1], other)[0]
            for edge in np.sort(np.concatenate([to_own, to_other])):
                p, q = np.mean(to_own <= edge), np.mean(to_other <= edge)
                if p + q >= wanted - 1e-9:
                    break
            shares = [share for share in (p / (p + q), q / (p + q)) if share > 0]
            entropies.append(-sum(share * np.log2(share) for share in shares))
        means.append(np.mean(entropies))
    assert mixing(A, B, everyone(A, B), k=3) == pytest.approx(np.mean(means), abs=1e-12)
