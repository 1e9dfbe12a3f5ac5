"""metric="precomputed": distances in place of vectors, as users of scikit-learn have them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from mrsne import MRSNE, Embedding, RelationalData, joint_affinities, metrics
from mrsne.data.vectors import DataError
from mrsne.metrics.summaries import brief_scores
from mrsne.parameters import ParameterError
from tests.conftest import clusters

X = clusters(150, dimension=5).astype(np.float64)
D = pairwise_distances(X)


def affinities(vectors: Any, metric: str, **settings: Any) -> sparse.csr_matrix:
    return joint_affinities(RelationalData({"x": vectors}), metric=metric, perplexity=10, **settings)


@pytest.mark.parametrize("neighbors", ["exact", "approximate"])
@pytest.mark.parametrize("affinity", ["gaussian", "uniform"])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix, sparse.coo_matrix])
def test_distances_give_the_affinities_of_the_vectors_they_are_of(neighbors: str, affinity: str, form: Any) -> None:
    expected = affinities(X, "euclidean", neighbors=neighbors, affinity=affinity)
    found = affinities(form(D), "precomputed", neighbors=neighbors, affinity=affinity)
    assert abs(found - expected).max() <= 1e-4 * expected.max()
    assert found.has_canonical_format


def test_known_neighbours_are_enough() -> None:
    expected = affinities(D, "precomputed", neighbors="approximate")
    found = affinities(kneighbors_graph(X, 30, mode="distance"), "precomputed")
    assert abs(found - expected).max() <= 1e-6 * expected.max()


def test_items_with_few_known_neighbours_get_a_lower_perplexity() -> None:
    few = sparse.lil_matrix(kneighbors_graph(X, 30, mode="distance"))
    few[7, few.rows[7][3:]] = 0
    graph = sparse.csr_matrix(few)
    graph.eliminate_zeros()
    with pytest.warns(
        UserWarning, match=r"lowered for 1 of 150 items of 'x', .* fewer than 30 neighbours \(at least 3"
    ):
        found = affinities(graph, "precomputed")
    others = np.arange(150) != 7
    with pytest.warns(UserWarning, match="lowered for 150 of 150"):
        MRSNE(metric="precomputed", max_iter=1).fit(kneighbors_graph(X, 12, mode="distance"))
    mutual = affinities(kneighbors_graph(X, 30, mode="distance"), "precomputed")
    pairs = found[others][:, others] - mutual[others][:, others]
    assert abs(pairs).max() <= 1e-6 * mutual.max()  # nobody else is changed


def test_explicit_zeros_are_neighbours_at_no_distance() -> None:
    graph = kneighbors_graph(np.repeat(X[:50], 2, axis=0), 30, mode="distance", include_self=False)
    assert (graph.data == 0).any()
    P = affinities(graph, "precomputed")
    twins = np.arange(100) ^ 1
    assert (np.asarray(P[np.arange(100), twins]).ravel() > 0).all()


def test_equal_distances_do_not_make_a_few_items_neighbours_of_all() -> None:
    far = 1.0 - np.eye(400)
    P = affinities(far, "precomputed", neighbors="approximate")
    assert np.diff(P.indptr).max() <= 2 * 30


def test_distances_of_any_size() -> None:
    expected = affinities(D, "precomputed")
    for factor in (1e-200, 1e200):
        assert abs(affinities(factor * D, "precomputed") - expected).max() <= 1e-6 * expected.max()


def test_items_without_distances_live_by_their_links() -> None:
    missing = np.arange(150) % 10 == 0
    links = {("x", "tag"): np.eye(3)[np.arange(150) % 3]}
    given = np.where(missing[:, None] | missing, 0, D)
    data = RelationalData({"x": given, "tag": 3}, links, missing={"x": missing})
    same = RelationalData({"x": X, "tag": 3}, links, missing={"x": missing})
    for settings in ({"weights": "size"}, {"weights": "auto", "relation_norm": "auto"}):
        found = joint_affinities(data, 10, metric="precomputed", **settings)  # type: ignore[arg-type]
        expected = joint_affinities(same, 10, **settings)  # type: ignore[arg-type]
        assert abs(found - expected).max() <= 1e-4 * expected.max()


def change(row: int, column: int, value: float) -> Any:
    changed = D.copy()
    changed[row, column] = value
    return changed


ALONE = sparse.csr_matrix(np.where(np.arange(150)[:, None] == 7, 0, D))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (X, "the distances between all items of 'x', a matrix of shape (150, 150), got shape (150, 5)"),
        (change(3, 4, -1), "distances of 0 or more, got -1 for 'x'"),
        (change(3, 4, 99), "that from 3 to 4 is 99 and back"),
        (change(5, 5, 10), "item 5 is at distance 10 from itself; are these similarities?"),
        (np.exp(-D), "item 0 is at distance 1 from itself; are these similarities?"),
        (change(3, 4, np.nan), "holds NaN or infinity in 1 of 150 rows, first in row 3"),
        (ALONE, "but 1 of 150 items have none, first item 7"),
    ],
)
def test_what_is_wrong_with_distances_is_said(given: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        affinities(given, "precomputed")


def test_there_is_nothing_to_reduce() -> None:
    with pytest.raises(ParameterError, match="n_pca must be None for 'x': metric='precomputed' has no vectors"):
        affinities(D, "precomputed", n_pca=3)


def test_new_items_are_placed_by_their_distances_to_the_fitted_ones() -> None:
    model = MRSNE(perplexity=10, metric="precomputed", random_state=0)
    Y = model.fit_transform(D[:120, :120])
    reference = MRSNE(perplexity=10, random_state=0).fit(X[:120])
    new = pairwise_distances(X[120:], X[:120])
    placed = model.transform(new)
    nearest = new.argmin(axis=1)
    spread = Y.std()
    assert np.median(np.linalg.norm(placed - Y[nearest], axis=1)) < 0.2 * spread
    apart = np.linalg.norm(reference.transform(X[120:]) - reference.embedding_[nearest], axis=1)
    assert np.median(apart) < 0.2 * spread  # as by vector
    known = sparse.csr_matrix(np.where(new <= np.sort(new, axis=1)[:, [15]], new, 0))
    np.testing.assert_allclose(model.transform(known), placed, atol=1e-4)
    np.testing.assert_array_equal(model.transform(D[:3, :120]), Y[:3])  # at distance 0: the same item
    with pytest.raises(ValueError, match="has 50 features, but MRSNE is expecting 120"):
        model.transform(new[:, :50])
    with pytest.raises(DataError, match="distances of 0 or more"):
        model.transform(-new)


def test_scores_take_the_distances_of_the_map(tmp_path: Path) -> None:
    tags = {("x", "tag"): np.eye(12)[np.arange(150) % 12]}
    data = RelationalData({"x": D, "tag": 12}, tags)
    embedding = MRSNE(perplexity=10, metric="precomputed", random_state=0).fit_transform(data)
    embedding.save(tmp_path / "map.npz")
    data.save(tmp_path / "map.data.npz")
    expected = metrics.report(embedding, RelationalData({"x": X, "tag": 12}, tags), metric="euclidean")
    for known in (embedding, Embedding.load(tmp_path / "map.npz")):
        found = metrics.report(known, data)
        assert found["trustworthiness"]["x"] == pytest.approx(expected["trustworthiness"]["x"], abs=1e-4)
        assert metrics.trustworthiness(known, data) == pytest.approx(expected["trustworthiness"]["x"], abs=1e-4)
        assert brief_scores(known, data)["trustworthiness"]["x"] == pytest.approx(
            expected["trustworthiness"]["x"], abs=1e-3
        )


def test_what_known_neighbours_do_not_tell_is_said() -> None:
    data = RelationalData({"x": kneighbors_graph(X, 90, mode="distance")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        embedding = MRSNE(metric="precomputed", random_state=0).fit_transform(data)
    assert "neighbours by vector, x: that needs vectors, or the distances of all pairs" in str(
        metrics.report(embedding, data)
    )
    assert brief_scores(embedding, data)["trustworthiness"] == {}
    with pytest.raises(ParameterError, match="'x' has distances to known neighbours only"):
        metrics.trustworthiness(embedding, data)
