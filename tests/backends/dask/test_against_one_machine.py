"""What a cluster of two processes computes, beside what one machine does."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from mrsne import MRSNE, RelationalData, embed, joint_affinities, kl_gradient
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.layout.start import spectral_layout

N = 1200


def vectors(n: int = N, dimension: int = 12) -> NDArray[np.float64]:
    random = np.random.default_rng(0)
    return 3 * random.normal(size=(8, dimension))[np.arange(n) % 8] + random.normal(size=(n, dimension))


def table(W: sparse.csr_matrix, a: str, b: str) -> Any:
    links = W.tocoo()
    return dd.from_pandas(pd.DataFrame({a: links.row, b: links.col, "weight": links.data}), npartitions=3)


def both(kind: str = "two") -> tuple[RelationalData, RelationalData]:
    """The same data in memory and in blocks."""
    X = vectors()
    blocks = da.from_array(X, chunks=(350, 5))
    W = sparse.random(N, 15, 0.1, random_state=1, format="csr")
    if kind == "one":
        return RelationalData({"photo": X}), RelationalData({"photo": blocks})
    if kind == "two":
        tags = np.random.default_rng(1).normal(size=(15, 4))
        return (
            RelationalData({"photo": X, "tag": tags}, {("photo", "tag"): W}),
            RelationalData({"photo": blocks, "tag": tags}, {("photo", "tag"): table(W, "photo", "tag")}),
        )
    friends = sparse.random(N, N, 0.002, random_state=2, format="csr")
    return (
        RelationalData({"tag": 15, "photo": X}, {("tag", "photo"): W.T.tocsr(), ("photo", "photo"): friends}),
        RelationalData(
            {"tag": 15, "photo": blocks},
            {("tag", "photo"): W.T.tocsr(), ("photo", "photo"): table(friends, "source", "target")},
        ),
    )


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("one", {}),
        ("two", {}),
        ("two", {"relation_norm": "norm", "weights": 0.6, "metric": "cosine"}),
        ("within", {"relation_norm": "unnorm", "weights": "equal", "perplexity": 10}),
        ("one", {"n_pca": 5, "affinity": "uniform"}),
        ("two", {"neighbors": "exact", "perplexity": 10}),
        ("two", {"relation_norm": "conditional", "weights": 0.4}),
    ],
)
def test_affinities(client: Client, kind: str, settings: dict[str, Any]) -> None:
    one, many = both(kind)
    settings = {"neighbors": "approximate", **settings}
    expected = joint_affinities(one, **settings)
    found: Any = joint_affinities(many, **settings)
    assert found.shape == expected.shape
    assert abs(found.to_csr() - expected).max() <= 1e-6 * expected.max()
    np.testing.assert_array_equal(found.row_lengths(), np.diff(expected.indptr))
    np.testing.assert_allclose(found.row_sums(), np.asarray(expected.sum(axis=1)).ravel(), rtol=1e-5)


@pytest.mark.parametrize("kind", ["one", "two"])
def test_weights_of_its_own_without_what_only_one_machine_can_ask(
    client: Client, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster does not compare vectors with links, nor look for neighbours by links; all else is the same."""
    one, many = both(kind)
    settings: dict[str, Any] = {"neighbors": "approximate", "weights": "auto", "relation_norm": "auto"}
    monkeypatch.setattr(CpuBackend, "agreement", lambda *_: None)
    monkeypatch.setattr(CpuBackend, "link_neighbors", lambda *_: None)
    expected = joint_affinities(one, **settings)
    found: Any = joint_affinities(many, **settings)
    assert abs(found.to_csr() - expected).max() <= 1e-6 * expected.max()


@pytest.mark.parametrize("neighbors", ["auto", "exact"])
def test_small_domains_keep_all_pairs(client: Client, neighbors: str) -> None:
    X = vectors(200, 4)
    expected = joint_affinities(RelationalData({"a": X}), neighbors=neighbors)
    found: Any = joint_affinities(RelationalData({"a": da.from_array(X, chunks=(70, -1))}), neighbors=neighbors)
    assert abs(found.to_csr() - expected).max() <= 1e-6 * expected.max()
    assert expected.nnz == 200 * 199


def test_principal_axes_far_from_the_origin(client: Client) -> None:
    X = vectors(400, 6) + 1e6
    settings: dict[str, Any] = {"n_pca": 3, "neighbors": "approximate", "perplexity": 10}
    expected = joint_affinities(RelationalData({"a": X}), **settings)
    found: Any = joint_affinities(RelationalData({"a": da.from_array(X, chunks=(90, -1))}), **settings)
    assert abs(found.to_csr() - expected).max() <= 1e-4 * expected.max()


@pytest.mark.parametrize("span", [1e-3, 5.0, 80.0])
@pytest.mark.parametrize(("n_components", "dof"), [(2, 1.0), (1, 1.0), (2, 0.5), (2, 3.0)])
def test_gradient_and_divergence(client: Client, span: float, n_components: int, dof: float) -> None:
    one, many = both()
    P: Any = joint_affinities(many)
    Y = (span / 4 * np.random.default_rng(3).normal(size=(N + 15, n_components))).astype(np.float32)
    found_kl, found = kl_gradient(P, Y, dof=dof)
    kl, gradient = kl_gradient(P.to_csr(), Y, method="fft", dof=dof)
    within = 1e-5 if dof == 1 else 3e-5  # scaling by √α rounds once more
    assert np.linalg.norm(found - gradient) < within * np.linalg.norm(gradient) + 1e-12
    assert found_kl == pytest.approx(kl, rel=1e-6)
    assert one.n_items == len(Y)


def test_affinities_on_a_cluster_can_be_embedded(client: Client) -> None:
    _, many = both()
    P: Any = joint_affinities(many, weights="auto", relation_norm="auto")
    settings: dict[str, Any] = {"max_iter": 5, "init": "random", "random_state": 0}
    np.testing.assert_array_equal(embed(P, **settings), MRSNE(**settings).fit_transform(many).stacked)


def test_a_whole_run_ends_where_one_machine_does(client: Client) -> None:
    one, many = both()
    settings: dict[str, Any] = {"random_state": 0, "max_iter": 120, "neighbors": "approximate", "weights": "size"}
    expected, found = MRSNE(**settings, method="fft").fit(one), MRSNE(**settings).fit(many)
    assert found.kl_divergence_ == pytest.approx(expected.kl_divergence_, rel=0.01)
    assert found.embedding_.kl_divergence == found.kl_divergence_
    assert found.embedding_["photo"].shape == (N, 2)
    assert found.neighbor_recall_ == {"photo": 1.0, "tag": 1.0}


def test_the_start_is_one_machines(client: Client) -> None:
    """Two components, one of them small: eigenvectors are the same but for their sign, and noise."""
    blob = vectors(400, 3)
    X = np.concatenate([blob * [4, 1, 1], blob[:60] + 1000])
    one, many = RelationalData({"a": X}), RelationalData({"a": da.from_array(X, chunks=(200, -1))})
    settings: dict[str, Any] = {"perplexity": 8, "neighbors": "approximate"}
    P: Any = joint_affinities(many, **settings)
    expected = spectral_layout(CpuMatrix(joint_affinities(one, **settings)), 2, np.random.RandomState(0), 1.0)
    found = spectral_layout(P, 2, np.random.RandomState(0), 1.0)
    for axis in range(2):
        assert abs(np.corrcoef(expected[:400, axis], found[:400, axis])[0, 1]) > 0.95
    np.testing.assert_allclose(expected[400:].mean(axis=0), found[400:].mean(axis=0), atol=0.2)


def test_many_vectors_are_searched_in_shards(client: Client) -> None:
    X = vectors(12_000, 6).astype(np.float32)
    many = RelationalData({"a": da.from_array(X, chunks=(3000, -1))})
    model = MRSNE(random_state=0, max_iter=2, perplexity=5, init="random").fit(many)
    assert 0.95 <= model.neighbor_recall_["a"] < 1.0001
    P = model.affinities_.to_csr()
    nearest = kneighbors_graph(X, 15, n_jobs=2)
    assert abs(P - P.T).max() <= 1e-6 * P.max()
    assert P.sum() == pytest.approx(1, abs=1e-5)
    shared = P.multiply(nearest + nearest.T > 0).sum()
    assert shared > 0.95, "nearly all affinity is between true neighbours"


def test_items_without_vector_and_link_end_on_a_ring(client: Client) -> None:
    X = vectors(300, 4)
    links = pd.DataFrame({"a": [0, 1, 2], "b": [0, 1, 1]})
    data = RelationalData({"a": da.from_array(X, chunks=(100, -1)), "b": 4}, {("a", "b"): dd.from_pandas(links)})
    with pytest.warns(UserWarning, match=r"2 of 'b'"):
        embedding = MRSNE(random_state=0, max_iter=20, perplexity=10).fit_transform(data)
    inside = np.linalg.norm(embedding["a"], axis=1).max()
    assert (np.linalg.norm(embedding["b"][2:], axis=1) > inside).all()


@pytest.mark.parametrize("anchor", ["stay", "keep"])
def test_a_map_is_continued_on_a_cluster_as_in_memory(client: Client, anchor: str) -> None:
    X = vectors(700)
    names = {"photo": [str(i) for i in range(700)]}
    first = MRSNE(random_state=0, max_iter=300).fit_transform(
        RelationalData({"photo": X}, names=names).subset({"photo": range(680)})
    )
    settings: dict[str, Any] = {"random_state": 0, "method": "fft", "max_iter": 100}
    here = MRSNE(**settings).fit_transform(RelationalData({"photo": X}, names=names), start_from=first, anchor=anchor)
    blocks = RelationalData({"photo": da.from_array(X, chunks=(200, 5))}, names=names)
    there = MRSNE(**settings).fit_transform(blocks, start_from=first, anchor=anchor)
    np.testing.assert_allclose(there["photo"], here["photo"], atol=0.02 * float(np.ptp(here["photo"])))
    assert there.changes is not None
    assert (there.changes.kept, there.changes.new) == ({"photo": 680}, {"photo": 20})
    if anchor == "stay":
        np.testing.assert_array_equal(there["photo"][:680], first["photo"])
