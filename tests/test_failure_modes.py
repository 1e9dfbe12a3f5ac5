"""What makes other t-SNE tools fail, each on the input that did it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mrsne
from mrsne.backends.grid import MOST_CELLS, STEP, choose_grid
from tests.conftest import clusters
from tests.search import nearest_neighbors


def test_a_map_that_expands_does_not_blow_up_the_grid() -> None:
    """A few items fly far off: the grid stays bounded, and the forces right."""
    random = np.random.default_rng(0)
    Y = random.normal(0, 12, (8000, 2)).astype(np.float32)
    Y[:8] = 40_000 * random.normal(size=(8, 2))
    _, shape, _ = choose_grid(np.ptp(Y, axis=0).astype(np.float64), STEP)
    assert np.prod(shape) <= MOST_CELLS[2]
    P = sparse.csr_matrix(([0.5, 0.5], ([0, 1], [1, 0])), shape=(8000, 8000))
    force, expected = (mrsne.kl_gradient(P, Y, method=method)[1] for method in ("fft", "exact"))
    assert np.linalg.norm(force - expected) < 1e-2 * np.linalg.norm(expected)


@pytest.mark.parametrize("method", ["exact", "fft"])
@pytest.mark.parametrize("max_iter", [1, 60])
def test_a_layout_that_diverges_says_so(method: str, max_iter: int) -> None:
    """Clipped steps keep the default schedule finite up to absurd rates; the paper's schedule has none."""
    models = [
        mrsne.MRSNE(method=method, learning_rate=1e300, max_iter=max_iter, perplexity=5),
        mrsne.MRSNE.paper(method=method, learning_rate=1e30, max_iter=max_iter, perplexity=5),
    ]
    for model in models:
        with pytest.raises(ValueError, match="the layout diverged at iteration"):
            model.fit(clusters(500))


def test_disconnected_pieces_stay_on_the_map() -> None:
    """Small components only repel each other; the map stays bounded, and as good on the mesh as with all pairs."""
    pairs = np.arange(8000)
    P = sparse.csr_matrix((np.full(8000, 1 / 8000), (pairs, pairs ^ 1)), shape=(8000, 8000))
    on_mesh, exact = (mrsne.embed(P, method=method, max_iter=500, random_state=0) for method in ("fft", "exact"))
    assert np.abs(on_mesh).max() < 500
    kl, expected = (mrsne.kl_gradient(P, Y, method="exact")[0] for Y in (on_mesh, exact))
    assert kl < 1.01 * expected


@pytest.mark.parametrize("neighbors", ["exact", "approximate"])
def test_thousands_of_identical_rows_spread_over_a_patch(neighbors: str) -> None:
    X = np.concatenate([np.zeros((3000, 8)), clusters(500, dimension=8)])
    model = mrsne.MRSNE(neighbors=neighbors, max_iter=300, random_state=0)
    Y = model.fit_transform(X)
    assert np.isfinite(Y).all()
    # identical items spread over a patch instead of piling up on one spot; with all pairs, whose attraction is the same
    # for all of them, exaggeration rounds some onto each other
    assert len(np.unique(Y[:3000], axis=0)) > (1500 if neighbors == "exact" else 2900)
    assert np.ptp(Y[:3000], axis=0).min() > 0.2


def test_only_identical_rows_still_give_a_finite_map() -> None:
    Y = mrsne.MRSNE(perplexity=5, random_state=0).fit_transform(np.ones((200, 3)))
    assert np.isfinite(Y).all()


def test_vectors_and_starts_that_are_not_finite_are_refused() -> None:
    X = clusters(60)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        mrsne.MRSNE(perplexity=5).fit(X)
    with pytest.raises(ValueError, match=r"vectors\['photo'\] holds NaN or infinity in 1 of 60 rows, first in row 3"):
        mrsne.RelationalData({"photo": X})
    start = np.zeros((60, 2))
    start[1, 1] = np.inf
    with pytest.raises(ValueError, match="init must hold finite numbers, got 1 that are not"):
        mrsne.MRSNE(perplexity=5, init=start).fit(clusters(60))


@pytest.mark.parametrize("n", [500, 25_000])
def test_neighbours_are_real_and_never_the_item_itself(n: int) -> None:
    """Every second row is repeated, so that for many items another one is as near as itself."""
    X = clusters(n, dimension=6)
    X[1::2] = X[::2]
    indices, squared, *_ = nearest_neighbors(X, 30)
    assert indices.min() >= 0
    assert (indices != np.arange(n)[:, None]).all()
    assert all(len(set(row)) == 30 for row in indices[::97].tolist())
    assert (np.diff(squared, axis=1) >= 0).all()


@pytest.mark.parametrize("n", [1500, 25_000])
def test_a_stray_value_disturbs_nobody_else(n: int) -> None:
    X = clusters(n)
    expected = nearest_neighbors(X, 10, exactly=True)[0]
    X[7, 0] = 1e20
    indices = nearest_neighbors(X, 10)[0]
    assert indices.min() >= 0
    same = [len(set(a) & set(b)) for a, b in zip(indices[8::50].tolist(), expected[8::50].tolist(), strict=True)]
    assert np.mean(same) > 9.5


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_the_scale_of_vectors_does_not_matter(scale: float) -> None:
    X = clusters(1200).astype(np.float64)
    first, second = (mrsne.joint_affinities(mrsne.RelationalData({"x": given})) for given in (X, X * scale))
    np.testing.assert_allclose(first.toarray(), second.toarray(), rtol=1e-4, atol=1e-12)


def test_the_pieces_of_a_disconnected_graph_hold_together() -> None:
    """With a sparse W and no vectors, separate pieces, chains and single links are the normal case."""
    W = sparse.block_diag([np.ones((6, 3))] * 40 + [np.ones((1, 1))] * 30, format="csr")
    data = mrsne.RelationalData({"paper": W.shape[0], "word": W.shape[1]}, {("paper", "word"): W})
    model = mrsne.MRSNE(random_state=0)
    embedding = model.fit_transform(data)
    assert np.isfinite(embedding.stacked).all()
    # every piece holds together: a paper's nearest word is one of its own
    distance = np.linalg.norm(embedding["paper"][:, None] - embedding["word"][None], axis=2)
    own = W.toarray()[np.arange(W.shape[0]), distance.argmin(axis=1)] > 0
    assert own.mean() > 0.95


def test_affinities_survive_an_exception_during_exaggeration() -> None:
    P = mrsne.joint_affinities(mrsne.RelationalData({"photo": clusters(300)}))
    before = P.data.copy()

    def fail(iteration: int, kl: float, Y: Any) -> None:
        raise KeyError("a bug of the user's")

    with pytest.raises(KeyError, match="a bug of the user's"):
        mrsne.embed(P, callbacks=fail)
    np.testing.assert_array_equal(P.data, before)


def test_a_killed_process_goes_on_to_the_same_result(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.npz"
    vectors = tmp_path / "vectors.npy"
    np.save(vectors, clusters(2000))
    program = (
        "import sys, numpy as np, mrsne\n"
        "mrsne.MRSNE(random_state=3, max_iter=20000, min_grad_norm=0, checkpoint=sys.argv[2]).fit(np.load(sys.argv[1]))"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(vectors), str(checkpoint)])
    try:
        for _ in range(1200):
            if checkpoint.exists() and int(np.load(checkpoint)["iteration"]) >= 300:
                break
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    done = int(np.load(checkpoint)["iteration"])
    assert done >= 300
    settings: dict[str, Any] = {"random_state": 3, "max_iter": max(done, 750) + 120, "min_grad_norm": 0}
    resumed = mrsne.MRSNE(checkpoint=checkpoint, **settings)
    uninterrupted = mrsne.MRSNE(**settings)
    np.testing.assert_array_equal(
        resumed.fit_transform(np.load(vectors)), uninterrupted.fit_transform(np.load(vectors))
    )
    assert resumed.kl_divergence_ == uninterrupted.kl_divergence_


def test_an_interrupt_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    X = clusters(300)

    def press_ctrl_c(iteration: int, kl: float, Y: Any) -> None:
        if iteration == 150:
            raise KeyboardInterrupt

    settings: dict[str, Any] = {"random_state": 0, "max_iter": 400, "checkpoint": tmp_path / "run.npz"}
    with pytest.raises(KeyboardInterrupt):
        mrsne.MRSNE(callbacks=press_ctrl_c, **settings).fit(X)
    assert int(np.load(tmp_path / "run.npz")["iteration"]) == 150
    resumed = mrsne.MRSNE(**settings).fit_transform(X)
    np.testing.assert_array_equal(resumed, mrsne.MRSNE(random_state=0, max_iter=400).fit_transform(X))
