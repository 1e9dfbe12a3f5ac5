"""One seed, one map: two fits on a GPU give the same bits, whichever thread of it is first."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mrsne import MRSNE, RelationalData
from mrsne.backends.gpu.neighbors import COMPARED_UP_TO
from tests.devices import GPU

pytestmark = [
    pytest.mark.skipif(not GPU, reason="needs a GPU"),
    pytest.mark.filterwarnings("ignore::UserWarning"),  # few links alone are not balanced in time
]
ITEMS, TAGS, AUTHORS = 6_000, 700, 1_500  # more than are compared all with all, and tags with thousands of links
ITERATIONS = 200
SETTINGS: list[dict[str, Any]] = [
    {},
    {"method": "exact"},
    {"method": "fft"},
    {"neighbors": "approximate"},
    {"affinity": "uniform"},
    {"weights": "balanced"},
    {"weights": "size", "relation_norm": "pmi"},
    {"weights": "equal", "relation_norm": "norm"},
    {"init": "random"},
    {"dof": 0.6, "perplexity": 12.5},
]
NORMS = ["conditional", "pmi", "norm", "unnorm", (0.25, 0.75)]
VECTORS_ONLY: list[dict[str, Any]] = [{}, {"init": "pca"}, {"metric": "cosine"}, {"n_pca": 4}]


def vectors(n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (3 * random.normal(size=(30, 16))[random.integers(30, size=n)] + random.normal(size=(n, 16))).astype("f4")


def links(rows: int, columns: int, seed: int) -> sparse.csr_matrix:
    """Three links for each row, with weights, most of them to a few columns."""
    random = np.random.default_rng(seed)
    ends = (random.random(3 * rows) ** 3 * columns).astype(int)
    return sparse.csr_matrix((random.random(3 * rows), (np.repeat(np.arange(rows), 3), ends)), shape=(rows, columns))


def two_kinds(with_vectors: bool, items: int = ITEMS) -> RelationalData:
    return RelationalData(
        {"item": vectors(items, 0) if with_vectors else items, "tag": TAGS}, {("item", "tag"): links(items, TAGS, 1)}
    )


def three_kinds() -> RelationalData:
    """Two kinds with vectors of their own and one without, all linked, one of them also inside itself."""
    return RelationalData(
        {"item": vectors(ITEMS, 0), "tag": TAGS, "author": vectors(AUTHORS, 2)},
        {
            ("item", "tag"): links(ITEMS, TAGS, 1),
            ("author", "item"): links(AUTHORS, ITEMS, 3),
            ("author", "tag"): links(AUTHORS, TAGS, 4),
            ("author", "author"): links(AUTHORS, AUTHORS, 5),
        },
    )


def fitted(data: RelationalData, **settings: Any) -> MRSNE:
    return MRSNE(device="cuda", max_iter=ITERATIONS, random_state=0, **settings).fit(data)


def assert_same_bits_twice(data: RelationalData, **settings: Any) -> None:
    first, second = (fitted(data, **settings) for _ in range(2))
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(first.affinities_, name), getattr(second.affinities_, name))
    for domain in data.sizes:
        np.testing.assert_array_equal(first.embedding_[domain], second.embedding_[domain])
    assert first.kl_divergence_ == second.kl_divergence_


@pytest.mark.parametrize("with_vectors", [True, False], ids=["vectors", "links alone"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_two_fits_with_one_seed_have_the_same_bits(settings: dict[str, Any], with_vectors: bool) -> None:
    assert_same_bits_twice(two_kinds(with_vectors), **settings)


@pytest.mark.parametrize("norm", NORMS, ids=str)
def test_so_have_three_kinds_with_every_norm(norm: Any) -> None:
    assert_same_bits_twice(three_kinds(), relation_norm=norm)


@pytest.mark.parametrize("settings", VECTORS_ONLY, ids=str)
def test_so_have_vectors_without_links(settings: dict[str, Any]) -> None:
    assert_same_bits_twice(RelationalData({"item": vectors(ITEMS, 0)}), **settings)


@pytest.mark.parametrize("with_vectors", [True, False], ids=["vectors", "links alone"])
def test_so_have_more_items_than_are_compared_all_with_all(with_vectors: bool) -> None:
    assert_same_bits_twice(two_kinds(with_vectors, items=COMPARED_UP_TO + 10_000))


def digest() -> str:
    """Return a hash of all places in a map of three kinds."""
    embedding = fitted(three_kinds()).embedding_
    return hashlib.sha256(b"".join(embedding[domain].tobytes() for domain in embedding)).hexdigest()


def test_another_process_has_the_same_bits() -> None:
    """Kernels are loaded and memory is allocated anew there."""
    program = "import warnings; warnings.simplefilter('ignore'); from tests.backends.gpu import test_bits; "
    other = subprocess.run(
        [sys.executable, "-c", program + "print(test_bits.digest())"], capture_output=True, text=True, check=True
    )
    assert other.stdout.split()[-1] == digest()
