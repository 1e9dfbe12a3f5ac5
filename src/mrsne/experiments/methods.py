"""The methods that are compared, with the paper's settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from mrsne.baselines import CDMCA, PMvGE
from mrsne.data import RelationalData
from mrsne.estimator import MRSNE

NORMS = {"unnorm": "unnorm", "norm": "norm", "pmi": "PMI"}
WEIGHTS: dict[str, str | float] = {"equal": "equal", "size": "size", "balanced": "balanced", "half": 0.5}
GRAPHS = {"across": "ignored", "second-order": "2nd-order", "neighbors": "SN graph"}
CDMCA_DIMENSIONS = {"awa2": (2, 200, 300), "flickr": (2, 200, 613)}  # K in the paper's tables
PMVGE_DIMENSIONS = (2, 100)


@dataclass(frozen=True)
class Method:
    """One row of the tables.

    Attributes
    ----------
    key : str
        Its name in files, and the key of its published numbers.
    family, label : str
        What it is called in tables and legends.
    K : int
        Dimensions; more than two are brought into the plane by t-SNE.
    make : callable
        Takes a seed and returns the estimator.
    published : str
        Key of the published numbers to show beside it.
    """

    key: str
    family: str
    label: str
    K: int
    make: Callable[[int], Any]
    published: str


def methods_for(data: RelationalData, paper: str | None = None, patterns: Sequence[str] = ("*",)) -> list[Method]:
    """Return the methods whose keys match a pattern: those of the paper in the order of its tables, then ours.

    CDMCA's K is at most the rank of the problem, even where the paper's is larger; where the rank is less than 2, CDMCA
    is left out.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_groups(random_state=0)
    >>> [method.key for method in methods_for(data)][:4]
    ['cdmca-2', 'cdmca-32', 'kcdmca-2', 'kcdmca-59']
    """
    methods = [
        *_cdmca(data, paper, patterns),
        *_pmvge("euclidean"),
        *_mrsne("paper"),
        *_pmvge("inner"),
        *_mrsne("default"),
    ]
    return [method for method in methods if any(fnmatch(method.key, pattern) for pattern in patterns)]


def _cdmca(data: RelationalData, paper: str | None, patterns: Sequence[str]) -> list[Method]:
    methods = []
    for key, family, kernel in (("cdmca", "CDMCA", "linear"), ("kcdmca", "K-CDMCA", "rbf")):
        if not any(pattern.startswith(key) or pattern[0] in "*?[" for pattern in patterns):
            continue  # computing the rank takes a while
        rank = CDMCA(kernel=kernel).max_components(data)
        if rank < 2:
            continue
        published_K: dict[int, int] = {}  # for each K that is possible, the first of the paper's that it stands for
        for K in CDMCA_DIMENSIONS.get(paper or "", (2, 200)):
            published_K.setdefault(min(K, rank), K)
        for K, K_in_paper in published_K.items():
            make = _unseeded(CDMCA, n_components=K, kernel=kernel)
            methods.append(Method(f"{key}-{K}", family, f"K = {K}", K, make, f"{key}-{K_in_paper}"))
    return methods


def _pmvge(similarity: str) -> list[Method]:
    methods = []
    for graph, name in GRAPHS.items():
        for K in PMVGE_DIMENSIONS:
            key = f"pmvge-{'inner-' if similarity == 'inner' else ''}{graph}-{K}"
            family = "PMvGE" if similarity == "euclidean" else "PMvGE (inner product)"
            make = _seeded(PMvGE, n_components=K, similarity=similarity, graph=graph)
            methods.append(Method(key, family, f"{name}, K = {K}", K, make, key))
    return methods


def _mrsne(schedule: str) -> list[Method]:
    methods = []
    for name, weights in WEIGHTS.items():
        if schedule == "paper" and name == "half":
            continue  # ours, like the default schedule
        for norm, norm_label in NORMS.items():
            published_key = f"mrsne-{norm}-{name}"
            estimator = MRSNE.paper if schedule == "paper" else MRSNE
            key = published_key if schedule == "paper" else f"{published_key}-default"
            family = "MR-SNE, Algorithm 1" if schedule == "paper" else "MR-SNE, default schedule"
            make = _seeded(estimator, relation_norm=norm, weights=weights)
            label = f"{norm_label}, {name if isinstance(weights, str) else f'links {weights}'}"
            methods.append(Method(key, family, label, 2, make, published_key))
    return methods


def _unseeded(estimator: Any, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: estimator(**settings)


def _seeded(estimator: Any, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: estimator(random_state=seed, **settings)
