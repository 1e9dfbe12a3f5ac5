"""P̃ made on a GPU, or on Triton's interpreter, beside the processor's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

from mrsne import RelationalData, joint_affinities
from mrsne.affinity import joint
from mrsne.affinity.settings import graph_plan
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.graph import neighbor_graph
from mrsne.backends.cpu.link_vectors import singular_vectors
from mrsne.backends.cpu.probabilities import neighbor_probabilities, symmetrized
from mrsne.backends.gpu.backend import GpuBackend
from mrsne.backends.gpu.entries import LIMIT
from mrsne.backends.gpu.graph import neighbor_probabilities as probabilities_there
from mrsne.backends.gpu.graph import symmetrized as symmetrized_there
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.relations import DeviceProducts
from mrsne.backends.gpu.relations import singular_vectors as singular_vectors_there
from mrsne.backends.rows import prepare

# the interpreter computes lanes that are masked too
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("perplexity", [1.5, 10.0, 29.9, 1.0])
def test_probabilities(device: str, perplexity: float) -> None:
    random = np.random.default_rng(0)
    squared = random.random((12, 30)) * 10.0 ** random.integers(-8, 8, size=(12, 1)) + random.random((12, 1))
    squared[0] = 3.0  # all at one distance
    squared[1, :20] = 1.0  # more at the smallest distance than the perplexity allows
    squared[2, 0] = 1e12
    expected = neighbor_probabilities(squared, perplexity)
    found = probabilities_there(torch.from_numpy(squared).to(device), perplexity).cpu().numpy()
    # where nearly all neighbours count the same, the entropy hardly tells one bandwidth from another
    np.testing.assert_allclose(found, expected, rtol=1e-5 if 1 < perplexity < 29 else 1e-4, atol=1e-8)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize(("n", "k"), [(60, 7), (50, 33), (12, 1), (5, 4)])
def test_symmetry(device: str, n: int, k: int) -> None:
    random = np.random.default_rng(1)
    likely = random.random(n) ** 4 + 1e-3  # some are everybody's neighbours
    indices = np.empty((n, k), np.int32)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        weights = likely[others] / likely[others].sum()
        indices[i] = random.choice(others, k, replace=False, p=weights)
    probabilities = random.random((n, k)).astype(np.float32)
    found = symmetrized_there(torch.tensor(indices).to(device), torch.tensor(probabilities).to(device)).to_csr()
    expected = symmetrized(indices, probabilities, np.arange(n))
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.data, expected.data, rtol=1e-6)
    assert abs(found - found.T).max() == 0


@pytest.mark.parametrize("settings", [{"affinity": "uniform"}, {"neighbors": "exact"}, {"neighbors": "approximate"}])
def test_the_graph_of_a_domain(device: str, settings: dict[str, str]) -> None:
    X = np.random.default_rng(4).normal(size=(100, 8))
    rows, plan = prepare(X, "euclidean"), graph_plan(100, 5.0, **settings)
    expected, _ = neighbor_graph(rows, plan)
    found, recall = GpuBackend(device=device).neighbor_graph(rows, plan)
    assert abs(expected - found.to_csr()).max() < 1e-5 * expected.max()
    assert recall == 1.0


def relational(kind: str) -> RelationalData:
    random = np.random.default_rng(5)
    photo: Any = random.normal(size=(36, 5))
    links = sparse.random(36, 9, 0.3, random_state=1, format="csr")
    if kind == "one":
        return RelationalData({"photo": photo})
    if kind == "two":
        return RelationalData({"photo": photo, "tag": random.normal(size=(9, 4))}, {("photo", "tag"): links})
    if kind == "missing":
        without = np.isin(np.arange(36), [0, 17, 35])
        return RelationalData({"tag": 9, "photo": photo}, {("photo", "tag"): links}, missing={"photo": without})
    assert kind == "within"
    friends = sparse.random(36, 36, 0.1, random_state=2, format="csr")
    return RelationalData({"photo": photo, "tag": 9}, {("photo", "tag"): links, ("photo", "photo"): friends})


@pytest.mark.parametrize(
    ("kind", "weights"),
    [
        ("one", "size"),
        ("two", 0.7),
        ("two", "balanced"),
        ("missing", "equal"),
        ("within", "size"),
        ("one", "auto"),
        ("two", "auto"),
        ("missing", "auto"),
        ("within", "auto"),
    ],
)
def test_the_whole_matrix(device: str, monkeypatch: pytest.MonkeyPatch, kind: str, weights: Any) -> None:
    data = relational(kind)
    norm = "auto" if weights == "auto" else "pmi"
    expected = joint_affinities(data, 4, norm, weights, neighbors="approximate")
    monkeypatch.setattr(joint, "choose_backend", lambda *given: GpuBackend(device=device))
    found = joint_affinities(data, 4, norm, weights, neighbors="approximate")
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.data, expected.data, rtol=1e-5)
    assert found.dtype == np.float32
    assert found.sum() == pytest.approx(1, abs=1e-5)


def test_singular_vectors_span_the_same_space(device: str) -> None:
    links = sparse.random(80, 60, 0.2, random_state=3, format="csr")
    found, expected = singular_vectors_there(links, 6, device), singular_vectors(links, 6)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=2e-3)
    exact = np.linalg.svd(links.toarray())[1][:6]
    np.testing.assert_allclose(np.linalg.norm(found, axis=0), exact, rtol=2e-3)


def test_neighbours_by_shared_links_are_those_of_the_processor(device: str) -> None:
    group = np.arange(120) % 8
    W = (np.random.default_rng(0).random((120, 48)) < 0.5) & (np.arange(48) % 8 == group[:, None])
    W[np.arange(120), group] = True
    data = RelationalData({"work": 120, "subject": 48}, {("work", "subject"): W.astype(float)})
    plan = graph_plan(120, 4, "approximate")
    graphs = []
    for backend in (GpuBackend(1, device), CpuBackend(1)):
        with backend.session():
            found = backend.link_neighbors(data, "work", lambda _: plan)
            assert found is not None
            neighbors, works = found
            assert works.all()
            rows, columns = neighbors.matrix.nonzero()
            assert (group[rows] == group[columns]).all()
            graph, _ = backend.neighbor_graph(neighbors, plan)
        graphs.append(graph.to_csr() if isinstance(graph, DeviceMatrix) else graph)
    there, here = graphs
    assert there.sum() == pytest.approx(1, abs=1e-5)
    assert abs(there - here).sum() < 0.05  # vectors differ by rounding, and so may the last of the nearest


@pytest.mark.parametrize("width", [1, 6, 33])
def test_products_with_links_are_those_of_scipy(device: str, width: int) -> None:
    """With a row that takes several programs, and one without an entry."""
    A = sparse.random(90, 3 * LIMIT, 0.02, "lil", np.float32, random_state=1)
    A[0] = 1.5
    A[1] = 0
    links = sparse.csr_matrix(A)
    random = np.random.default_rng(0)
    products = DeviceProducts(links, device)
    for found, matrix in ((products.times, links), (products.transposed_times, links.T)):
        X = random.normal(size=(matrix.shape[1], width)).astype(np.float32)
        result = found(torch.from_numpy(X).to(device)).cpu().numpy()
        expected = matrix.astype(np.float64) @ X.astype(np.float64)
        # at most 1,536 terms of at most 8, each rounded once, and added in runs
        np.testing.assert_allclose(result, expected, atol=1536 * 8 * 6e-8, rtol=1e-5)
        np.testing.assert_array_equal(result, found(torch.from_numpy(X).to(device)).cpu().numpy())


def test_entries_that_vanish_are_dropped(device: str) -> None:
    P = sparse.csr_matrix(np.array([[0, 1, 1e-40], [1, 0, 0], [1e-40, 0, 0]], dtype=np.float32))
    found = DeviceMatrix.of(P, device).without_zeros().to_csr()
    np.testing.assert_array_equal(found.toarray(), np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    assert found.nnz == 2


def test_given_distances_become_the_same_graph(device: str) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    for given in (distances, sparse.csr_matrix(distances)):
        data = RelationalData({"x": given})
        vectors, _ = GpuBackend(device=device).vectors(data, "x", "precomputed", None, 9)
        found, recall = GpuBackend(device=device).neighbor_graph(vectors, graph_plan(60, 3.0, "approximate"))
        expected = joint_affinities(data, 3.0, metric="precomputed", neighbors="approximate")
        assert recall == 1
        assert abs(found.to_csr() - expected).max() <= 1e-6 * expected.max()
