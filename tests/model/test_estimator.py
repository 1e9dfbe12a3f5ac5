from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mrsne
from mrsne import MRSNE, Embedding, RelationalData
from tests import reference
from tests.conftest import clusters, tagged


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        MRSNE(perplexity=5, max_iter=60, random_state=0),
        MRSNE(perplexity=5, max_iter=60, random_state=0, metric="precomputed"),
    ]
)
def test_it_keeps_scikit_learns_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("n", "n_components", "method"),
    [
        (700, 1, "exact"),
        (700, 2, "exact"),
        (700, 3, "exact"),
        (700, 5, "exact"),
        (7000, 1, "fft"),
        (7000, 2, "fft"),
        (700, 3, "fft"),
        pytest.param(30_000, 2, "auto", marks=pytest.mark.slow),
    ],
)
def test_the_same_bits_on_any_number_of_threads(n: int, n_components: int, method: str) -> None:
    random = np.random.default_rng(0)
    links = sparse.random(n, 50, density=0.05, random_state=1, format="csr")
    data = RelationalData({"photo": clusters(n), "tag": random.normal(size=(50, 5))}, {("photo", "tag"): links})
    settings: dict[str, Any] = {"n_components": n_components, "method": method, "max_iter": 120, "random_state": 5}
    alone = MRSNE(n_jobs=1, **settings).fit_transform(data)
    for n_jobs in (2, 3, 7, 16):
        np.testing.assert_array_equal(MRSNE(n_jobs=n_jobs, **settings).fit_transform(data).stacked, alone.stacked)


def test_photos_gather_around_their_tag_and_strays_stay_outside() -> None:
    data = tagged()
    with pytest.warns(UserWarning, match=r"1 item has neither a vector nor a link .* \(1 of 'tag'\), so nothing"):
        embedding = MRSNE(perplexity=10, random_state=0).fit_transform(data)
    assert isinstance(embedding, Embedding)
    nearest = pairwise_distances(embedding["photo"], embedding["tag"]).argmin(axis=1)
    assert (nearest == np.repeat(np.arange(3), 20)).mean() > 0.95
    radius = np.linalg.norm(embedding.stacked - embedding.stacked.mean(axis=0), axis=1)
    assert radius.argmax() == 63


def test_warnings_point_at_the_line_that_fits() -> None:
    with pytest.warns(UserWarning, match="neither a vector nor a link") as caught:
        MRSNE(perplexity=10, max_iter=10, random_state=0).fit_transform(tagged())
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]


def test_items_without_a_vector_live_by_their_links() -> None:
    random = np.random.default_rng(0)
    subject = np.repeat(np.arange(3), 30)
    photos = 5 * np.eye(3)[subject] + random.normal(size=(90, 3))
    missing = np.zeros(90, dtype=bool)
    missing[::10] = True
    photos[missing] = np.nan
    data = RelationalData(
        {"photo": photos, "tag": 3}, {("photo", "tag"): np.eye(3)[subject]}, missing={"photo": missing}
    )
    model = MRSNE(perplexity=8, weights="equal", random_state=0)
    embedding = model.fit_transform(data)
    assert model.affinities_[np.flatnonzero(missing)][:, :90].nnz == 0
    nearest = pairwise_distances(embedding["photo"], embedding["tag"]).argmin(axis=1)
    assert (nearest[missing] == subject[missing]).all()


def test_sparse_vectors_are_the_same_as_dense_ones() -> None:
    X = np.random.default_rng(0).poisson(0.4, (300, 40)).astype(float)
    dense = MRSNE(random_state=0, max_iter=100).fit_transform(X)
    np.testing.assert_array_equal(MRSNE(random_state=0, max_iter=100).fit_transform(sparse.csc_matrix(X)), dense)


def test_cosine_ignores_length() -> None:
    X = clusters(200)
    long = X * np.random.default_rng(0).uniform(0.5, 3, (200, 1))
    first, second = (MRSNE(metric="cosine", perplexity=10).fit(given).affinities_ for given in (X, long))
    np.testing.assert_allclose(first.toarray(), second.toarray(), rtol=1e-3, atol=1e-9)
    other = MRSNE(perplexity=10).fit(long).affinities_
    assert np.abs(other - first).max() > 1e-5


def test_perplexity_and_metric_may_be_given_by_domain() -> None:
    data = RelationalData({"photo": clusters(90), "tag": clusters(40, 1)}, {("photo", "tag"): np.ones((90, 40))})
    model = MRSNE(perplexity={"photo": 10, "tag": 4}, metric={"photo": "cosine", "tag": "euclidean"}, max_iter=60)
    P = model.fit(data).affinities_.toarray().astype(np.float64)
    expected = reference.neighbor_graph(clusters(40, 1), 4.0)
    block = P[90:, 90:] / P[90:, 90:].sum()
    np.testing.assert_allclose(block, expected, rtol=1e-5, atol=1e-12)


def test_it_can_be_cloned_pickled_and_put_into_a_pipeline() -> None:
    model = MRSNE(perplexity={"photo": 4.0}, weights={"photo": 1.0}, random_state=0)
    assert clone(model).get_params() == model.get_params()
    with pytest.warns(UserWarning, match="neither a vector nor a link"):
        fitted = MRSNE(perplexity=10, max_iter=60, random_state=0).fit(tagged())
    again = pickle.loads(pickle.dumps(fitted))
    assert again.embedding_ == fitted.embedding_
    new = {"photo": np.eye(3)}
    assert again.transform(new) == fitted.transform(new)
    pipeline = make_pipeline(StandardScaler(), MRSNE(perplexity=5, max_iter=60))
    assert pipeline.fit_transform(clusters(40)).shape == (40, 2)


def test_the_start_may_be_given_by_domain_and_is_not_changed() -> None:
    data = RelationalData({"photo": clusters(50), "tag": 5}, {("photo", "tag"): np.ones((50, 5))})
    start = {"photo": np.random.default_rng(0).normal(size=(50, 2)), "tag": np.zeros((5, 2))}
    before = {name: Y.copy() for name, Y in start.items()}
    first = MRSNE(perplexity=5, init=start, max_iter=60).fit_transform(data)
    stacked = np.concatenate(list(start.values()))
    assert MRSNE(perplexity=5, init=stacked, max_iter=60).fit_transform(data) == first
    assert MRSNE(perplexity=5, init=Embedding(start), max_iter=60).fit_transform(data) == first
    for name, Y in start.items():
        np.testing.assert_array_equal(Y, before[name])


def test_callbacks_see_the_map_and_may_stop() -> None:
    seen: list[tuple[int, float, Embedding]] = []

    def look(iteration: int, kl: float, embedding: Embedding) -> bool:
        seen.append((iteration, kl, embedding))
        return iteration == 150

    data = RelationalData({"photo": clusters(60), "tag": 5}, {("photo", "tag"): np.eye(60, 5)})
    model = MRSNE(perplexity=5, callbacks=look, random_state=0).fit(data)
    assert [iteration for iteration, _, _ in seen] == [50, 100, 150]
    assert model.n_iter_ == 150
    assert list(seen[-1][2]) == ["photo", "tag"]
    assert seen[-1][2] == model.embedding_
    assert seen[-1][1] == pytest.approx(model.kl_divergence_)


def test_a_converged_run_stops() -> None:
    model = MRSNE(perplexity=3, max_iter=20_000, random_state=0, min_grad_norm=1e-4).fit(clusters(40))
    assert 250 < model.n_iter_ < 20_000


def test_a_graph_without_clusters_is_not_called_converged_while_it_is_a_point() -> None:
    """On a graph of many long links exaggeration shrinks the map to a point, where the gradient is zero too."""
    random = np.random.default_rng(0)
    Y = mrsne.embed(random.random((80, 80)) ** 8, random_state=0)
    assert np.ptp(Y, axis=0).min() > 1


def test_progress_goes_to_stderr_and_nothing_is_printed_otherwise(capfd: pytest.CaptureFixture[str]) -> None:
    MRSNE(perplexity=5, max_iter=60).fit(clusters(50))
    silent = capfd.readouterr()
    assert silent.out == ""
    assert silent.err == ""
    MRSNE(perplexity=5, max_iter=60, verbose=True).fit(clusters(50))
    spoken = capfd.readouterr()
    assert spoken.out == ""
    assert "Layout" in spoken.err
    assert "KL" in spoken.err
    assert "60/60" in spoken.err


def test_models_of_version_0_1_0_are_read() -> None:
    model = MRSNE(perplexity=5, max_iter=50, random_state=0).fit(clusters(50))
    state = dict(vars(model))
    state["affinities_"] = state.pop("_affinities").gather()
    older = MRSNE.__new__(MRSNE)
    older.__setstate__(state)
    assert older.affinities_ is model.affinities_
    np.testing.assert_array_equal(older.transform(clusters(50)[:3]), model.transform(clusters(50)[:3]))


def test_a_fit_that_is_interrupted_leaves_the_model_as_it_was() -> None:
    def interrupt(iteration: int, kl: float, embedding: object) -> bool:
        raise KeyboardInterrupt

    X = clusters(50)
    model = MRSNE(perplexity=5, max_iter=60, random_state=0).fit(X)
    before, P = model.transform(X[:3]), model.affinities_
    with pytest.raises(KeyboardInterrupt):
        model.set_params(callbacks=interrupt).fit(2 * X)
    assert model.affinities_ is P
    np.testing.assert_array_equal(model.transform(X[:3]), before)


def test_features_of_an_earlier_fit_are_forgotten() -> None:
    model = MRSNE(perplexity=5, max_iter=50).fit(clusters(50))
    assert model.n_features_in_ == 24
    assert not hasattr(model.fit(RelationalData({"photo": clusters(50)})), "n_features_in_")


def test_a_map_may_have_fifty_dimensions() -> None:
    assert MRSNE(n_components=50, max_iter=5).fit_transform(clusters(210)).shape == (210, 50)


def test_tiny_affinities_are_affinities_all_the_same() -> None:
    P = mrsne.joint_affinities(RelationalData({"photo": clusters(60)}), perplexity=5).astype(np.float64)
    first, second = (mrsne.embed(P * scale, max_iter=50, random_state=0) for scale in (1, 1e-50))
    np.testing.assert_allclose(first, second, rtol=1e-2)
    repeated = sparse.coo_matrix(([0.25] * 4, ([0, 0, 1, 1], [1, 1, 0, 0]))).tocsr(copy=False)
    assert mrsne.kl_gradient(repeated, [[0.0], [1.0]])[0] == pytest.approx(0, abs=1e-6)


def test_importing_is_light() -> None:
    program = "import sys, mrsne; print({'numpy', 'scipy', 'sklearn', 'numba', 'matplotlib'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
