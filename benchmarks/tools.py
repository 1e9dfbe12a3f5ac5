"""mrsne and its peers: how each is called, by default and on all cores, and which functions are its stages."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mrsne
from benchmarks.measure import PeakMemory, watching

STAGES = ("neighbours", "affinities", "initialisation", "iterations")
SHORT = 20  # iterations of a phase where a whole run would take too long
EXPLORATION, REST = 250, 500  # iterations of openTSNE's two phases

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Tool:
    """One way from vectors to a map."""

    name: str
    run: Callable[[Vectors, bool], NDArray[Any]]  # vectors, whether to iterate only for a short while
    hooks: dict[str, list[str]]
    whole_up_to: int  # items; beyond, iterations are extrapolated from a short run
    most: int  # items


@dataclass
class Measurement:
    """What one run took."""

    tool: str
    items: int
    stages: dict[str, float]
    total: float
    memory: float
    extrapolated: bool
    map: NDArray[Any]


def _mrsne(X: Vectors, short: bool) -> NDArray[Any]:
    return mrsne.MRSNE(random_state=0, max_iter=3 * SHORT if short else 750).fit_transform(X)


def _opentsne(X: Vectors, short: bool) -> NDArray[Any]:
    import openTSNE

    length = {"early_exaggeration_iter": SHORT, "n_iter": SHORT} if short else {}
    return np.asarray(openTSNE.TSNE(n_jobs=-1, random_state=0, **length).fit(X))


def _sklearn(X: Vectors, short: bool) -> NDArray[Any]:
    from sklearn.manifold import TSNE

    return np.asarray(TSNE(n_jobs=-1, random_state=0).fit_transform(X))


def _umap(X: Vectors, short: bool) -> NDArray[Any]:
    import umap

    return np.asarray(umap.UMAP(n_jobs=-1).fit_transform(X))  # a seed would keep it to one core


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "mrsne",
            _mrsne,
            {
                "neighbours": ["mrsne.backends.cpu.graph:nearest_neighbors"],
                "affinities": ["mrsne.model.fit:compute_affinities"],
                "initialisation": ["mrsne.layout.embed:initial_layout"],
                "iterations": ["mrsne.layout.embed:descend"],
            },
            10**9,
            10**9,
        ),
        Tool(
            "openTSNE",
            _opentsne,
            {
                "neighbours": ["openTSNE.nearest_neighbors:Annoy.build", "openTSNE.nearest_neighbors:Sklearn.build"],
                "affinities": ["openTSNE.affinity:joint_probabilities_nn"],
                "initialisation": ["openTSNE.initialization:pca"],
                "iterations": ["openTSNE.tsne:TSNEEmbedding.optimize"],
            },
            200_000,
            10**9,
        ),
        Tool(
            "scikit-learn",
            _sklearn,
            {
                "neighbours": ["sklearn.neighbors._base:KNeighborsMixin.kneighbors_graph"],
                "affinities": ["sklearn.manifold._t_sne:_joint_probabilities_nn"],
                "initialisation": ["sklearn.decomposition._pca:PCA.fit_transform"],
                "iterations": ["sklearn.manifold._t_sne:TSNE._tsne"],
            },
            10**9,
            20_000,
        ),
        Tool(
            "umap-learn",
            _umap,
            {
                "neighbours": ["umap.umap_:nearest_neighbors"],
                "affinities": ["umap.umap_:fuzzy_simplicial_set"],
                "initialisation": ["umap.umap_:spectral_layout"],
                "iterations": ["umap.umap_:optimize_layout_euclidean"],
            },
            10**9,
            200_000,
        ),
    )
}


def measure(tool: Tool, X: Vectors) -> Measurement:
    """Run a tool once."""
    short = len(X) > tool.whole_up_to
    with warnings.catch_warnings(), watching(tool.hooks) as stages, PeakMemory() as memory:
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        Y = tool.run(X, short)
        total = time.perf_counter() - start
    seconds = {stage: stages.seconds[stage] for stage in STAGES}
    if short:  # both phases were run for as many iterations; at the end, when the map is wide, they would take longer
        whole = seconds["iterations"] * (EXPLORATION + REST) / (2 * SHORT)
        total += whole - seconds["iterations"]
        seconds["iterations"] = whole
    return Measurement(tool.name, len(X), seconds, total, memory.mebibytes, short, Y)
