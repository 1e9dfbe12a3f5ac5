"""The methods that are compared: the paper's as it describes them, and ours beside them, each named for what it is."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from itertools import product
from typing import Any

from mrsne.baselines.cdmca import CDMCA
from mrsne.baselines.pmvge import PMvGE
from mrsne.data.relational import RelationalData
from mrsne.experiments.study import IMPROVED, NORMS, PAPER_WEIGHTS, Method, Methods, perplexities
from mrsne.model.estimator import MRSNE

GRAPHS = {"across": "ignored", "second-order": "2nd-order", "neighbors": "SN graph"}
CDMCA_DIMENSIONS = {"awa2": (2, 200, 300), "flickr": (2, 200, 613)}  # K in the paper's tables
PMVGE_DIMENSIONS = (2, 100)


def methods_for(data: RelationalData, paper: str | None, patterns: Sequence[str], perplexity: float) -> list[Method]:
    """Return the methods whose keys match a pattern: those of the paper in the order of its tables, then ours.

    CDMCA's K is at most the rank of the problem, with a note where the paper's is larger; below rank 2 it is left out.
    """
    methods = [
        *_cdmca(data, paper, patterns, improved=False),
        *_pmvge(perplexity, improved=False),
        *_mrsne(data, perplexity, by_default=False),
        *_cdmca(data, paper, patterns, improved=True),
        *_pmvge(perplexity, improved=True),
        *_mrsne(data, perplexity, by_default=True),
    ]
    return [method for method in methods if any(fnmatch(method.key, pattern) for pattern in patterns)]


def _cdmca(data: RelationalData, paper: str | None, patterns: Sequence[str], improved: bool) -> list[Method]:
    methods = []
    estimator, suffix = (CDMCA, "-improved") if improved else (CDMCA.paper, "")
    for key, family, kernel in (("cdmca", "CDMCA", "linear"), ("kcdmca", "K-CDMCA", "rbf")):
        keys = {f"{key}-{K}{suffix}": K for K in CDMCA_DIMENSIONS.get(paper or "", (2, 200))}
        if not any(fnmatch(name, pattern) for name in keys for pattern in patterns):
            continue  # computing the rank takes a while
        rank = estimator(kernel=kernel).max_components(data)
        if rank < 2:
            continue
        for name, K in keys.items():
            used = min(K, rank)
            note = f"K = {K} is beyond the rank of the problem: {rank} used" if rank < K else ""
            make = _unseeded(estimator, n_components=used, kernel=kernel)
            shown = IMPROVED[key] if improved else family
            methods.append(Method(name, shown, f"K = {K}", used, make, not improved, note))
    return methods


def _pmvge(perplexity: float, improved: bool) -> list[Method]:
    methods = []
    estimator, suffix = (PMvGE, "-improved") if improved else (PMvGE.paper, "")
    family = IMPROVED["pmvge"] if improved else "PMvGE"
    for graph, name in GRAPHS.items():
        for K in PMVGE_DIMENSIONS:
            make = _seeded(estimator, n_components=K, graph=graph, perplexity=perplexity)
            methods.append(Method(f"pmvge-{graph}-{K}{suffix}", family, f"{name}, K = {K}", K, make, not improved))
    family = IMPROVED["pmvge-inner"] if improved else "PMvGE (inner product)"
    make = _seeded(estimator, n_components=2, similarity="inner", graph="across", perplexity=perplexity)
    methods.append(Method(f"pmvge-inner-across-2{suffix}", family, "ignored, K = 2", 2, make, not improved))
    return methods


def _mrsne(data: RelationalData, perplexity: float, by_default: bool) -> list[Method]:
    """Return MR-SNE with every normalisation of links and weights, by Algorithm 1 or as it is by default."""
    by_domain = perplexities(data, perplexity)
    estimator, family, suffix = (MRSNE.paper, "MR-SNE, Algorithm 1", "")
    weightings: dict[str, str | float] = {name: name for name in (*PAPER_WEIGHTS, "balanced")}
    if by_default:
        estimator, family, suffix = (MRSNE, "MR-SNE, default schedule", "-default")
        weightings["links 0.5"] = 0.5
    variants = [(f"{NORMS[norm]}, {name}", norm, name, weightings[name]) for name, norm in product(weightings, NORMS)]
    if by_default:
        variants.append(("auto", "auto", "", "auto"))
    methods = []
    for label, norm, name, weights in variants:
        key = "-".join(filter(None, ("mrsne", norm, "half" if weights == 0.5 else name))) + suffix
        make = _seeded(estimator, relation_norm=norm, weights=weights, perplexity=by_domain)
        methods.append(Method(key, family, label, 2, make, not by_default and weights in PAPER_WEIGHTS))
    return methods


def algorithm_1(data: RelationalData, methods: Methods, perplexity: float) -> list[Method]:
    """Return those of the paper's MR-SNE variants that are among the methods, at another perplexity."""
    keys = {method.key for method in methods if method.in_paper}
    return [method for method in _mrsne(data, perplexity, by_default=False) if method.key in keys]


def settings_of(method: Method) -> dict[str, Any]:
    """Return every setting of a method's estimator but the seed."""
    settings = method.make(0).get_params(deep=False)
    return {name: value for name, value in settings.items() if name not in ("random_state", "verbose", "callbacks")}


def _unseeded(estimator: Any, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: estimator(**settings)


def _seeded(estimator: Any, **settings: Any) -> Callable[[int], Any]:
    return lambda seed: estimator(random_state=seed, **settings)
