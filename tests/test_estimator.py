from __future__ import annotations

import logging
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openTSNE import TSNEEmbedding
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mrsne
from mrsne import MRSNE, Embedding, RelationalData
from tests import reference
from tests.conftest import Animals, clusters


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([MRSNE(perplexity=5, max_iter=60, random_state=0)])
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def tagged() -> RelationalData:
    """Sixty photos of three subjects, one tag for each subject and one nobody uses."""
    random = np.random.default_rng(0)
    subject = np.repeat(np.arange(3), 20)
    photos = 4 * np.eye(3)[subject] + random.normal(size=(60, 3))
    return RelationalData({"photo": photos, "tag": 4}, {("photo", "tag"): np.eye(4)[subject]})


class Precomputed:
    """Affinities as openTSNE takes them."""

    def __init__(self, P: sparse.csr_matrix) -> None:
        self.P = P.astype(np.float64)
        self.n_samples = P.shape[0]


def opentsne_divergence(P: sparse.csr_matrix, start: Any, **settings: Any) -> float:
    """KL at the end of openTSNE's default run: 250 iterations with exaggeration 12, then 500."""
    run = TSNEEmbedding(start.astype(np.float64), Precomputed(P), n_jobs=2, random_state=0, **settings)
    run.optimize(250, exaggeration=12, momentum=0.8, max_step_norm=5, inplace=True)
    run.optimize(500, momentum=0.8, max_step_norm=5, inplace=True)
    return mrsne.kl_gradient(P, np.asarray(run), method="exact")[0]


def test_one_array_is_ordinary_tsne() -> None:
    """From the same start with the same schedule the divergence is that of an established t-SNE."""
    model = MRSNE(init="random", random_state=1, neighbors="approximate")
    Y = model.fit_transform(clusters(1500))
    assert isinstance(Y, np.ndarray)
    start = 1e-4 * np.random.RandomState(1).standard_normal((1500, 2))
    theirs = opentsne_divergence(model.affinities_, start, negative_gradient_method="bh", theta=0.1)
    assert abs(model.kl_divergence_ - theirs) < 0.02 * theirs


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
    assert kl < 1.01 * opentsne_divergence(model.affinities_, start)


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
def test_the_same_bits_on_one_thread_and_on_two(n: int, n_components: int, method: str) -> None:
    random = np.random.default_rng(0)
    links = sparse.random(n, 50, density=0.05, random_state=1, format="csr")
    data = RelationalData({"photo": clusters(n), "tag": random.normal(size=(50, 5))}, {("photo", "tag"): links})
    settings: dict[str, Any] = {"n_components": n_components, "method": method, "max_iter": 120, "random_state": 5}
    one, two = (MRSNE(n_jobs=n_jobs, **settings).fit_transform(data) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.stacked, two.stacked)


def test_photos_gather_around_their_tag_and_strays_stay_outside() -> None:
    data = tagged()
    with pytest.warns(UserWarning, match=r"items without vector and link that count: 1 \(1 of 'tag'\)"):
        embedding = MRSNE(perplexity=10, random_state=0).fit_transform(data)
    assert isinstance(embedding, Embedding)
    nearest = pairwise_distances(embedding["photo"], embedding["tag"]).argmin(axis=1)
    assert (nearest == np.repeat(np.arange(3), 20)).mean() > 0.95
    radius = np.linalg.norm(embedding.stacked - embedding.stacked.mean(axis=0), axis=1)
    assert radius.argmax() == 63


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


def test_parameters_per_domain() -> None:
    data = RelationalData({"photo": clusters(90), "tag": clusters(40, 1)}, {("photo", "tag"): np.ones((90, 40))})
    model = MRSNE(perplexity={"photo": 10, "tag": 4}, metric={"photo": "cosine", "tag": "euclidean"}, max_iter=60)
    P = model.fit(data).affinities_.toarray().astype(np.float64)
    expected = reference.neighbor_graph(clusters(40, 1), 4.0)
    block = P[90:, 90:] / P[90:, 90:].sum()
    np.testing.assert_allclose(block, expected, rtol=1e-5, atol=1e-12)


def test_clone_pickle_and_pipeline() -> None:
    model = MRSNE(perplexity={"photo": 4.0}, weights={"photo": 1.0}, random_state=0)
    assert clone(model).get_params() == model.get_params()
    with pytest.warns(UserWarning, match="items without vector and link"):
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


def test_a_converged_run_stays_as_it_is(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"perplexity": 3, "max_iter": 5000, "min_grad_norm": 1e-4, "random_state": 0}
    runs = [MRSNE(checkpoint=tmp_path / "run", **settings).fit(clusters(40)) for _ in range(3)]
    assert len({run.n_iter_ for run in runs}) == 1
    np.testing.assert_array_equal(runs[0].embedding_, runs[2].embedding_)
    longer = MRSNE(checkpoint=tmp_path / "run", **{**settings, "max_iter": 9000}).fit(clusters(40))
    assert longer.n_iter_ == runs[0].n_iter_


def test_resuming_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings: dict[str, Any] = {"perplexity": 5, "max_iter": 60, "checkpoint": tmp_path / "run", "random_state": 0}
    first = MRSNE(**settings).fit_transform(clusters(50))
    with caplog.at_level(logging.INFO, "mrsne"):
        second = MRSNE(**settings).fit_transform(clusters(50))
    assert "resuming from" in caplog.text
    np.testing.assert_array_equal(first, second)


def test_checkpoints_of_other_runs_and_broken_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    settings: dict[str, Any] = {"perplexity": 5, "max_iter": 60, "checkpoint": path, "random_state": 0}
    MRSNE(**settings).fit(clusters(50))
    with pytest.raises(
        ValueError, match=r"belongs to another run: it holds a map of 50 items .* this run has 51 items"
    ):
        MRSNE(**settings).fit(clusters(51))
    with pytest.raises(ValueError, match="belongs to another run"):
        MRSNE(**settings).fit(clusters(50, seed=1))
    for changed in (
        {"learning_rate": 20.0},
        {"random_state": 1},
        {"init": "random"},
        {"momentum": 0.5},
        {"method": "fft"},
    ):
        with pytest.raises(ValueError, match="belongs to another run"):
            MRSNE(**{**settings, **changed}).fit(clusters(50))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"run.npz' is damaged or not a checkpoint .* delete it or give another"):
        MRSNE(**settings).fit(clusters(50))


def test_a_checkpoint_beyond_the_end_is_refused(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"perplexity": 5, "checkpoint": tmp_path / "run.npz", "random_state": 0}
    MRSNE(max_iter=900, **settings).fit(clusters(50))
    with pytest.raises(ValueError, match="is at iteration 900, beyond max_iter=800"):
        MRSNE(max_iter=800, **settings).fit(clusters(50))


BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"perplexity": 1}, "perplexity must be a finite number greater than 1, got 1"),
    ({"perplexity": {"photo": 0.5}}, r"perplexity\['photo'\] must be a finite number greater than 1, got 0.5"),
    ({"perplexity": {"word": 5}}, "perplexity names the domain 'word'"),
    ({"perplexity": {}}, "perplexity has no value for the domain 'photo'"),
    ({"perplexity": "30"}, "perplexity must be a finite number"),
    ({"relation_norm": "PMI"}, "relation_norm must be one of 'unnorm', 'norm', 'pmi', got 'PMI'"),
    ({"weights": "sizes"}, "weights must be one of 'size', 'equal', 'balanced' or a mapping, got 'sizes'"),
    ({"weights": {"photo": 1}}, r"weights has no value for \('photo', 'tag'\)"),
    ({"weights": {"photo": 0, ("photo", "tag"): 0}}, "weights must have a positive value"),
    (
        {"weights": {"photo": -1, ("photo", "tag"): 1}},
        r"weights\['photo'\] must be a finite number of at least 0, got -1",
    ),
    ({"weights": {"photo": 1, "tag": 1, ("photo", "tag"): 1}}, "weights names 'tag', but it can weight 'photo'"),
    ({"metric": "manhattan"}, "metric must be one of 'euclidean', 'cosine', got 'manhattan'"),
    ({"neighbors": "annoy"}, "neighbors must be one of 'auto', 'exact', 'approximate', got 'annoy'"),
    ({"method": "bh"}, "method must be one of 'auto', 'exact', 'fft', got 'bh'"),
    ({"method": "fft", "n_components": 4}, "method='fft' needs n_components of 1, 2 or 3, got 4"),
    ({"n_components": 0}, "n_components must be a whole number of at least 1, got 0"),
    ({"n_components": 2.0}, "n_components must be a whole number of at least 1, got 2.0"),
    ({"max_iter": 0}, "max_iter must be a whole number of at least 1, got 0"),
    ({"init": "pca"}, r"init must be 'spectral', 'random' or an array of shape \(64, 2\), got 'pca'"),
    ({"init": np.zeros((3, 2))}, r"init must have shape \(64, K\)"),
    ({"init": np.zeros((64, 3))}, "init has 3 columns, but n_components is 2"),
    ({"init": {"photo": np.zeros((60, 2))}}, "init must have 4 positions for the domain 'tag', got none"),
    ({"early_exaggeration": 0.5}, "early_exaggeration must be a finite number of at least 1, got 0.5"),
    ({"learning_rate": "fast"}, "learning_rate must be 'auto' or a number greater than 0, got 'fast'"),
    ({"learning_rate": -1.0}, "learning_rate must be a finite number greater than 0, got -1.0"),
    ({"learning_rate": 1e300}, "the layout diverged at iteration 1: learning_rate"),
    ({"momentum": 1.0}, "momentum must be at least 0 and less than 1, got 1.0"),
    ({"callbacks": 3}, "callbacks must be a callable or a list of callables, got 3"),
    ({"n_jobs": 0}, "n_jobs must be None or a non-zero integer"),
    ({"schedule": "fast"}, "schedule must be one of 'default', 'paper', got 'fast'"),
    ({"schedule": "paper"}, "schedule='paper' needs a number as learning_rate"),
    ({"min_grad_norm": -1}, "min_grad_norm must be a finite number of at least 0"),
    ({"random_state": "seed"}, "seed"),
    ({"init": np.zeros((64, 2))}, "init puts all items on one spot"),
    ({"init": {"photo": np.zeros((60, 2)), "tag": np.zeros((4, 3))}}, "the same number of columns for every domain"),
    ({"init": {"photo": [], "word": []}}, "init names the domain 'word'"),
    ({"init": [["a", "b"]] * 64}, "init must be an array of numbers"),
    ({"weights": np.ones(2)}, "weights must be one of 'size', 'equal', 'balanced' or a mapping"),
    ({"metric": {"photo": "l1"}}, r"metric\['photo'\] must be one of"),
    ({"checkpoint": 3}, "checkpoint must be a path or None, got 3"),
    ({"checkpoint": "no/such/folder/run.npz"}, "checkpoint must be in an existing folder"),
]


@pytest.mark.filterwarnings("ignore:items without vector and link")
@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=[str(p)[:40] for p, _ in BAD_PARAMETERS])
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MRSNE(**{"perplexity": 5, **parameters}).fit(tagged())


def test_a_dict_is_not_data() -> None:
    with pytest.raises(ValueError, match="got a dict; wrap it in RelationalData"):
        MRSNE().fit({"photo": clusters(50)})  # type: ignore[arg-type]


def test_features_of_an_earlier_fit_are_forgotten() -> None:
    model = MRSNE(perplexity=5, max_iter=50).fit(clusters(50))
    assert model.n_features_in_ == 24
    assert not hasattr(model.fit(RelationalData({"photo": clusters(50)})), "n_features_in_")


def test_many_dimensions_of_a_middling_graph() -> None:
    assert MRSNE(n_components=50, max_iter=5).fit_transform(clusters(210)).shape == (210, 50)


def test_tiny_affinities_are_affinities_all_the_same() -> None:
    P = mrsne.joint_affinities(RelationalData({"photo": clusters(60)}), perplexity=5).astype(np.float64)
    first, second = (mrsne.embed(P * scale, max_iter=50, random_state=0) for scale in (1, 1e-50))
    np.testing.assert_allclose(first, second, rtol=1e-2)
    repeated = sparse.coo_matrix(([0.25] * 4, ([0, 0, 1, 1], [1, 1, 0, 0]))).tocsr(copy=False)
    assert mrsne.kl_gradient(repeated, [[0.0], [1.0]])[0] == pytest.approx(0, abs=1e-6)


def test_too_many_items_for_many_dimensions() -> None:
    P = sparse.diags_array([np.ones(20_001), np.ones(20_001)], offsets=[-1, 1], shape=(20_002, 20_002), format="csr")
    with pytest.raises(ValueError, match="can only be computed exactly, for at most 20000 items, got 20002"):
        mrsne.embed(P, n_components=4)


def test_a_small_domain_lowers_the_perplexity_with_one_warning() -> None:
    data = RelationalData(
        {"photo": clusters(200), "tag": clusters(85), "place": clusters(10)},
        {("photo", "tag"): np.ones((200, 85)), ("photo", "place"): np.ones((200, 10))},
    )
    with pytest.warns(UserWarning, match="perplexity is lowered") as caught:
        MRSNE(max_iter=50).fit(data)
    assert [str(warning.message) for warning in caught] == [
        "perplexity is lowered to (n - 1)/3: 28 for 'tag' (85 items), 3 for 'place' (10 items)"
    ]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_smallest_inputs(n: int) -> None:
    Y = MRSNE(random_state=0).fit_transform(np.arange(2.0 * n).reshape(n, 2) ** 2)
    assert Y.shape == (n, 2)
    assert np.isfinite(Y).all()


def test_nothing_to_embed() -> None:
    with pytest.raises(ValueError, match="data has nothing to embed"):
        MRSNE().fit(RelationalData({"tag": 5}))
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        MRSNE().fit(np.ones((1, 3)))


def test_importing_is_light() -> None:
    program = "import sys, mrsne; print({'numpy', 'scipy', 'sklearn', 'numba', 'matplotlib'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
