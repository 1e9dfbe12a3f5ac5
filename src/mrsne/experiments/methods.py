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
WIDE = {"awa2": (200, 300), "flickr": (200, 613)}  # K of CDMCA beside 2
PAPER_KEYS = 100  # K of PMvGE beside 2


@dataclass(frozen=True)
class Method:
    """One line of the tables.

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
    """Return the methods whose keys fit a pattern, in the order of the paper's tables, then ours.

    CDMCA's K is at most the rank of the problem, whatever the paper takes; it is left out where that is less than 2.

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
            continue  # the rank takes a while
        rank = CDMCA(kernel=kernel).max_components(data)
        if rank < 2:
            continue
        done: set[int] = set()
        for wanted in (2, *WIDE.get(paper or "", (200,))):
            K = min(wanted, rank)
            if K not in done:
                done.add(K)
                make = _maker(CDMCA, K, kernel=kernel)
                methods.append(Method(f"{key}-{K}", family, f"K = {K}", K, make, f"{key}-{wanted}"))
    return methods


def _pmvge(similarity: str) -> list[Method]:
    methods = []
    for graph, name in GRAPHS.items():
        for K in (2, PAPER_KEYS):
            key = f"pmvge-{'inner-' if similarity == 'inner' else ''}{graph}-{K}"
            family = "PMvGE" if similarity == "euclidean" else "PMvGE (inner product)"
            make = _seeded(PMvGE, n_components=K, similarity=similarity, graph=graph)
            methods.append(Method(key, family, f"{name}, K = {K}", K, make, key))
    return methods


def _mrsne(schedule: str) -> list[Method]:
    methods = []
    for weights, given in WEIGHTS.items():
        if schedule == "paper" and weights == "half":
            continue  # ours, like the default schedule
        for norm, name in NORMS.items():
            paper = f"mrsne-{norm}-{weights}"
            maker = MRSNE.paper if schedule == "paper" else MRSNE
            key = paper if schedule == "paper" else f"{paper}-default"
            family = "MR-SNE, Algorithm 1" if schedule == "paper" else "MR-SNE, default schedule"
            make = _seeded(maker, relation_norm=norm, weights=given)
            label = f"{name}, {weights if isinstance(given, str) else f'links {given}'}"
            methods.append(Method(key, family, label, 2, make, paper))
    return methods


def _maker(cls: Any, K: int, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: cls(K, **settings)


def _seeded(cls: Any, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: cls(random_state=seed, **settings)
