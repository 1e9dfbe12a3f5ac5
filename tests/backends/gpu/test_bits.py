"""One seed, one map: two fits on a GPU give the same bits, whichever thread of it is first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mrsne import MRSNE, RelationalData
from tests.devices import GPU

ITEMS, TAGS = 6_000, 700  # more than are compared all with all, and tags with thousands of links
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


def collection(with_vectors: bool) -> RelationalData:
    """Items with three links each, most of them to a few tags."""
    random = np.random.default_rng(0)
    X = (3 * random.normal(size=(30, 16))[random.integers(30, size=ITEMS)] + random.normal(size=(ITEMS, 16))).astype(
        "f4"
    )
    tags = (random.random(3 * ITEMS) ** 3 * TAGS).astype(int)
    W = sparse.csr_matrix((np.ones(3 * ITEMS), (np.repeat(np.arange(ITEMS), 3), tags)), shape=(ITEMS, TAGS)).sign()
    return RelationalData({"item": X if with_vectors else ITEMS, "tag": TAGS}, {("item", "tag"): W})


@pytest.mark.skipif(not GPU, reason="needs a GPU")
@pytest.mark.filterwarnings("ignore::UserWarning")  # few links alone are not balanced in time
@pytest.mark.parametrize("with_vectors", [True, False], ids=["vectors", "links alone"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_two_fits_with_one_seed_have_the_same_bits(settings: dict[str, Any], with_vectors: bool) -> None:
    data = collection(with_vectors)
    fits = [MRSNE(device="cuda", max_iter=300, random_state=0, **settings).fit(data) for _ in range(2)]
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(*(getattr(model.affinities_, name) for model in fits))
    for domain in data.sizes:
        np.testing.assert_array_equal(*(model.embedding_[domain] for model in fits))
    assert fits[0].kl_divergence_ == fits[1].kl_divergence_
