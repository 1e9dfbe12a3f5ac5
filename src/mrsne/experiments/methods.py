"""The methods that are compared: the paper's as it describes them, and ours beside them, each named for what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from mrsne.affinity.settings import effective_perplexity
from mrsne.baselines import CDMCA, PMvGE
from mrsne.data import RelationalData
from mrsne.model.estimator import MRSNE

NORMS = {"unnorm": "unnorm", "norm": "norm", "pmi": "PMI"}
PAPER_WEIGHTS = ("equal", "size")
WEIGHTS: dict[str, str | float] = {"equal": "equal", "size": "size", "balanced": "balanced", "half": 0.5}
GRAPHS = {"across": "ignored", "second-order": "2nd-order", "neighbors": "SN graph"}
CDMCA_DIMENSIONS = {"awa2": (2, 200, 300), "flickr": (2, 200, 613)}  # K in the paper's tables
PMVGE_DIMENSIONS = (2, 100)
PERPLEXITY = 30.0  # the paper does not state its own
IMPROVED = {
    "cdmca": "CDMCA, centred, relative λ",
    "kcdmca": "K-CDMCA, centred, median width",
    "pmvge": "PMvGE with intercept and Adam",
    "pmvge-inner": "PMvGE (inner product) with intercept and Adam",
}


@dataclass(frozen=True)
class Method:
    """One row of the tables.

    Attributes
    ----------
    key : str
        Its name in files and, for a method of the paper, the key of its published numbers.
    family, label : str
        What it is called in tables and legends.
    K : int
        Dimensions; more than two are brought into the plane by t-SNE.
    make : callable
        Takes a seed and returns the estimator.
    in_paper : bool
        Whether the paper has this method; otherwise it is ours.
    note : str
        What a reader of its row must know.
    """

    key: str
    family: str
    label: str
    K: int
    make: Callable[[int], Any]
    in_paper: bool = True
    note: str = ""

    @property
    def name(self) -> str:
        """Family and label."""
        return f"{self.family}: {self.label}"


def perplexities(data: RelationalData, perplexity: float) -> dict[str, float]:
    """Return the perplexity of each domain with vectors: the one asked for wherever it is below n − 1.

    Examples
    --------
    >>> data = RelationalData({"image": [[0.0], [1.0], [2.0], [4.0]], "tag": 2}, {("image", "tag"): [[1, 0]] * 4})
    >>> perplexities(data, 2), perplexities(data, 30)
    ({'image': 2}, {'image': 1.0})
    """
    counts = {name: data.count_vectors(name) for name in data.sizes}
    return {
        name: max(effective_perplexity(perplexity, count, all_pairs=True), 1.0)
        for name, count in counts.items()
        if count >= 2
    }


def methods_for(
    data: RelationalData,
    paper: str | None = None,
    patterns: Sequence[str] = ("*",),
    perplexity: float = PERPLEXITY,
) -> list[Method]:
    """Return the methods whose keys match a pattern: those of the paper in the order of its tables, then ours.

    CDMCA's K is at most the rank of the problem. Where the paper's is larger, the row stays, with the rank as K and a
    note; where the rank is less than 2, CDMCA is left out.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_groups(random_state=0)
    >>> [(method.key, method.label) for method in methods_for(data)][:2]
    [('cdmca-2', 'K = 2'), ('cdmca-200', 'K = 200')]
    """
    methods = [
        *_cdmca(data, paper, patterns, improved=False),
        *_pmvge(perplexity, improved=False),
        *_mrsne(data, perplexity, "paper"),
        *_cdmca(data, paper, patterns, improved=True),
        *_pmvge(perplexity, improved=True),
        *_mrsne(data, perplexity, "default"),
    ]
    return [method for method in methods if any(fnmatch(method.key, pattern) for pattern in patterns)]


def _cdmca(data: RelationalData, paper: str | None, patterns: Sequence[str], improved: bool) -> list[Method]:
    methods = []
    suffix = "-improved" if improved else ""
    for key, family, kernel in (("cdmca", "CDMCA", "linear"), ("kcdmca", "K-CDMCA", "rbf")):
        keys = {f"{key}-{K}{suffix}": K for K in CDMCA_DIMENSIONS.get(paper or "", (2, 200))}
        if not any(fnmatch(name, pattern) for name in keys for pattern in patterns):
            continue  # computing the rank takes a while
        estimator: Any = CDMCA if improved else CDMCA.paper
        rank = estimator(kernel=kernel).max_components(data)
        if rank < 2:
            continue
        for name, K in keys.items():
            used = min(K, rank)
            note = f"K = {K} is beyond the rank of the problem: {rank} used" if rank < K else ""
            make = _unseeded(estimator, n_components=used, kernel=kernel)
            called = IMPROVED[key] if improved else family
            methods.append(Method(name, called, f"K = {K}", used, make, not improved, note))
    return methods


def _pmvge(perplexity: float, improved: bool) -> list[Method]:
    methods = []
    estimator: Any = _improved_pmvge if improved else _paper_pmvge
    suffix = "-improved" if improved else ""
    for graph, name in GRAPHS.items():
        for K in PMVGE_DIMENSIONS:
            family = IMPROVED["pmvge"] if improved else "PMvGE"
            make = _seeded(estimator, n_components=K, graph=graph, perplexity=perplexity)
            label = f"{name}, K = {K}"
            methods.append(Method(f"pmvge-{graph}-{K}{suffix}", family, label, K, make, not improved))
    family = IMPROVED["pmvge-inner"] if improved else "PMvGE (inner product)"
    make = _seeded(estimator, n_components=2, similarity="inner", graph="across", perplexity=perplexity)
    methods.append(Method(f"pmvge-inner-across-2{suffix}", family, "ignored, K = 2", 2, make, not improved))
    return methods


def _paper_pmvge(**settings: Any) -> Any:
    return PMvGE.paper(**settings)


def _improved_pmvge(**settings: Any) -> Any:
    return PMvGE(**settings)


def _mrsne(data: RelationalData, perplexity: float, schedule: str) -> list[Method]:
    methods = []
    of_domains = perplexities(data, perplexity)
    for name, weights in WEIGHTS.items():
        if schedule == "paper" and name == "half":
            continue  # ours, like the default schedule
        for norm, norm_label in NORMS.items():
            estimator: Any = MRSNE.paper if schedule == "paper" else MRSNE
            key = f"mrsne-{norm}-{name}" + ("" if schedule == "paper" else "-default")
            family = "MR-SNE, Algorithm 1" if schedule == "paper" else "MR-SNE, default schedule"
            make = _seeded(estimator, relation_norm=norm, weights=weights, perplexity=of_domains)
            label = f"{norm_label}, {name if isinstance(weights, str) else f'links {weights}'}"
            in_paper = schedule == "paper" and name in PAPER_WEIGHTS
            methods.append(Method(key, family, label, 2, make, in_paper))
    if schedule == "default":
        make = _seeded(MRSNE, relation_norm="auto", weights="auto", perplexity=of_domains)
        methods.append(Method("mrsne-auto-default", "MR-SNE, default schedule", "auto", 2, make, in_paper=False))
    return methods


def algorithm_1(data: RelationalData, methods: Sequence[Method], perplexity: float) -> list[Method]:
    """Return those of the paper's MR-SNE variants that are among the methods, at another perplexity."""
    chosen = {method.key for method in methods if method.key.startswith("mrsne-") and method.in_paper}
    return [method for method in _mrsne(data, perplexity, "paper") if method.key in chosen]


def settings_of(method: Method) -> Mapping[str, Any]:
    """Return every setting of a method's estimator but the seed.

    Examples
    --------
    >>> method = Method("cdmca-2", "CDMCA", "K = 2", 2, lambda seed: CDMCA.paper())
    >>> settings_of(method)["ridge"]
    'absolute'
    """
    settings: dict[str, Any] = method.make(0).get_params(deep=False)
    return {name: value for name, value in settings.items() if name not in ("random_state", "verbose", "callbacks")}


def _unseeded(estimator: Any, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: estimator(**settings)


def _seeded(estimator: Any, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: estimator(random_state=seed, **settings)
