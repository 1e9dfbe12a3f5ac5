"""Parameters of MRSNE of every type and size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.data_strategies import SCALARS

QUICK: dict[str, Any] = {"max_iter": 6, "random_state": 0}
WORDS = ["auto", "exact", "approximate", "fft", "pmi", "norm", "unnorm", "size", "equal", "balanced", "euclidean",
         "cosine", "spectral", "random", "default", "paper", "gaussian", "uniform", "cpu", "cuda", "Exact"]  # fmt: skip
NUMBERS: list[Any] = [0, 1, 2, 3, 4, 7, 30, -1, 0.1, 0.5, 0.99, 1.0, 1.0001, 5.5, 100.0, 1e-300, 1e300, 5e-324, 2**31,
              2**63,
                      Fraction(3, 2), np.float32(2), np.int8(3), np.uint64(2)]  # fmt: skip
BY_NAME = [
    {"a": 2, "b": 3},
    {"a": "cosine", "b": "euclidean"},
    {("a", "b"): 1.0},
    {"a": 1.0, ("a", "b"): 0.5},
    {"z": 2},
]
VALUES = st.one_of(
    st.sampled_from(SCALARS), st.sampled_from(WORDS), st.sampled_from(NUMBERS), st.sampled_from(NUMBERS),
    st.sampled_from(BY_NAME),
)  # fmt: skip

AFFINITY = ("perplexity", "relation_norm", "weights", "metric", "neighbors", "affinity", "n_pca")
LAYOUT = ("n_components", "method", "init", "early_exaggeration", "learning_rate", "momentum", "callbacks",
          "random_state",
          "schedule", "min_grad_norm", "n_iter_without_progress", "max_seconds", "n_jobs", "dof", "device")  # fmt: skip
VALID: dict[str, list[Any]] = {
    "perplexity": [2, 5, 1.5, 1000], "relation_norm": ["pmi", "norm", "unnorm"],
    "weights": ["size", "equal", "balanced", 0, 0.5, 1, {"a": 1, "b": 1, ("a", "b"): 2}],
    "metric": ["cosine", "euclidean"], "neighbors": ["exact", "approximate"], "affinity": ["uniform", "gaussian"],
    "n_pca": [1, 2, None], "n_components": [1, 3, 4, 10], "method": ["exact", "fft"], "init": ["random", "spectral"],
    "schedule": ["paper"], "dof": [0.5, 2, 100], "n_jobs": [1, 2, -1], "random_state": [1, None, 2**32 - 1],
    "learning_rate": [10, 1e-9, 1e9], "momentum": [0, 0.5], "early_exaggeration": [1, 4, 1e6], "max_seconds": [0.01],
    "min_grad_norm": [0, 1e9], "n_iter_without_progress": [1], "device": ["auto", "cpu"], "callbacks": [(), []],
}  # fmt: skip
# far more iterations than anyone waits for are no fault, and are not tried
ITERATIONS: list[Any] = [1, 2, 6, 60, 0, -1, 2.5, True, None, "6", float("nan"), float("inf"), np.int64(3), [], {}]


@st.composite
def settings(draw: Any, names: tuple[str, ...] = AFFINITY + LAYOUT) -> dict[str, Any]:
    """Draw a few settings, most of them valid."""
    chosen = draw(st.lists(st.sampled_from(names), max_size=4, unique=True))
    found = dict(QUICK) if "n_components" in names else {}
    odd = draw(st.booleans())
    for name in chosen:
        found[name] = draw(VALUES if odd and name == chosen[-1] else st.sampled_from(VALID[name]))
    if "max_iter" in found and draw(st.integers(0, 9)) == 0:
        found["max_iter"] = draw(st.sampled_from(ITERATIONS))
    if "n_components" in names and draw(st.integers(0, 19)) == 0:
        found["checkpoint"] = draw(st.sampled_from(["", ".", "/", "/nowhere/at/all", "\0", 5, 2.5, [], b"\xff/x"]))
    return found
