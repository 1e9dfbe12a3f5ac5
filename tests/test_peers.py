"""The divergence at the end of a run beside that of openTSNE, on the same affinities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from openTSNE import TSNEEmbedding
from scipy import sparse

import mrsne
from mrsne import MRSNE
from tests import reference
from tests.conftest import Animals, clusters


class Precomputed:
    """Affinities as openTSNE takes them."""

    def __init__(self, P: sparse.csr_matrix) -> None:
        self.P = P.astype(np.float64)
        self.n_samples = P.shape[0]


THEIRS = ((250, 12.0), (500, 1.0))  # openTSNE's default run: iterations and exaggeration
OURS = ((50, 12.0), (100, 12**0.5), (100, 12**0.25), (500, 1.0))


def opentsne_divergence(
    P: sparse.csr_matrix, start: Any, n_jobs: int = 1, schedule: Any = THEIRS, **settings: Any
) -> float:
    """KL at the end of a run of openTSNE.

    On one thread by default: two take several times as long for a few hundred points.
    """
    run = TSNEEmbedding(start.astype(np.float64), Precomputed(P), n_jobs=n_jobs, random_state=0, **settings)
    for iterations, exaggeration in schedule:
        run.optimize(iterations, exaggeration=exaggeration, momentum=0.8, max_step_norm=5, inplace=True)
    return mrsne.kl_gradient(P, np.asarray(run), method="exact")[0]


def test_a_run_from_the_same_start_ends_where_opentsnes_does() -> None:
    """With one array, the same start and the same schedule it is ordinary t-SNE."""
    model = MRSNE(init="random", random_state=1, neighbors="approximate", schedule="stages", early_exaggeration=12)
    Y = model.fit_transform(clusters(300))
    assert isinstance(Y, np.ndarray)
    start = 1e-4 * np.random.RandomState(1).standard_normal((300, 2))
    theirs = opentsne_divergence(model.affinities_, start, schedule=OURS, negative_gradient_method="bh", theta=0.1)
    assert abs(model.kl_divergence_ - theirs) < 0.01 * theirs


def test_default_run_ends_no_worse_than_opentsne(animals: Animals) -> None:
    model = MRSNE(random_state=0)
    embedding = model.fit_transform(animals.data)
    P = model.affinities_
    kl = reference.divergence(P.toarray().astype(np.float64), embedding.stacked)
    assert abs(kl - model.kl_divergence_) < 1e-4
    starts = [1e-4 * np.random.RandomState(seed).standard_normal((P.shape[0], 2)) for seed in range(3)]
    assert kl < 1.01 * np.median([opentsne_divergence(P, start) for start in starts])


@pytest.mark.slow
def test_default_run_ends_no_worse_than_opentsne_on_20000_points() -> None:
    model = MRSNE(random_state=0)
    Y = model.fit_transform(clusters(20_000, n_clusters=25))
    kl = mrsne.kl_gradient(model.affinities_, Y, method="exact")[0]
    start = 1e-4 * np.random.RandomState(0).standard_normal((20_000, 2))
    assert kl < 1.01 * opentsne_divergence(model.affinities_, start, n_jobs=2)
