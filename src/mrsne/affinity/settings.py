"""What may be set about the affinities, checked once, and what follows from it for each domain."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from mrsne.backends.base import Exponents, GraphPlan
from mrsne.backends.distances import PRECOMPUTED
from mrsne.backends.recall import RecallGoal
from mrsne.backends.rows import METRICS
from mrsne.data.outline import Outline
from mrsne.parameters import ParameterError, check_integer, check_number, check_option, describe

NEIGHBORS = ("auto", "exact", "approximate")
AFFINITIES = ("gaussian", "uniform")
ALL_PAIRS_UP_TO = 1_000  # items whose neighbour graph "auto" keeps whole
ALL_PAIRS_AT_MOST = 20_000  # items whose neighbour graph "exact" keeps whole, where memory allows: 400 million entries
BYTES_PER_PAIR = 20  # at the peak of a fit with all pairs, measured
RECALL = RecallGoal(aim=0.96, lowest=0.95, fewest_probes=8)
# Section 4 of the paper: R_ij ∝ w_ij / (r_i^a c_j^b), with row sums r and column sums c of the links w
NORMS: dict[str, Exponents] = {"unnorm": (0.0, 0.0), "norm": (0.5, 0.5), "pmi": (1.0, 1.0)}
CONDITIONAL = "conditional"  # R_ij ∝ w_ij (u_i + v_j), as mrsne.affinity.weights has it
AUTO = "auto"


@dataclass(frozen=True)
class AffinitySettings:
    """The settings of :func:`mrsne.joint_affinities`, under the same names, and their only default values."""

    perplexity: Any = 30.0
    relation_norm: Any = "pmi"
    weights: Any = "size"
    neighbors: Any = "auto"
    metric: Any = "euclidean"
    affinity: Any = "gaussian"
    n_pca: Any = None

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return the settings that are attributes of an estimator."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})

    def checked(self, data: Outline) -> CheckedAffinitySettings:
        """Raise an error that names the first setting that cannot be used; return them by domain where those differ."""
        check_option("neighbors", self.neighbors, NEIGHBORS)
        relation_norm = resolved_norm(self.relation_norm)
        check_option("affinity", self.affinity, AFFINITIES)
        perplexities = per_domain("perplexity", self.perplexity, data)
        metrics = per_domain("metric", self.metric, data)
        components = per_domain("n_pca", self.n_pca, data, complete=False)
        for name, value in metrics.items():
            check_option("metric" if value is self.metric else f"metric[{name!r}]", value, (*METRICS, PRECOMPUTED))
        for name, value in perplexities.items():
            check_number("perplexity" if value is self.perplexity else f"perplexity[{name!r}]", value, above=1)
        for name, value in components.items():
            if value is not None:
                check_integer("n_pca" if value is self.n_pca else f"n_pca[{name!r}]", value, minimum=1)
                if metrics.get(name) == PRECOMPUTED:
                    raise ParameterError(
                        f"n_pca must be None for {name!r}: metric='precomputed' has no vectors to reduce, got {value}"
                    )
        by_domain = isinstance(self.perplexity, Mapping)
        return CheckedAffinitySettings(
            perplexities, relation_norm, self.weights, self.neighbors, metrics, self.affinity, components, by_domain
        )


@dataclass(frozen=True)
class CheckedAffinitySettings:
    """The same, checked; where domains may differ, with a value for each."""

    perplexity: dict[str, float]
    relation_norm: Any
    weights: Any
    neighbors: str
    metric: dict[str, str]
    affinity: str
    n_pca: dict[str, int | None]
    by_domain: bool  # whether a perplexity was given for each domain

    def perplexities_for(self, sizes: Mapping[str, int], warn: Callable[[str], None]) -> dict[str, float]:
        """Return the perplexity to use in each domain, from its number of vectors.

        Raise where these vectors cannot have the one that was asked for; warn where one for all domains is lowered in a
        small one, and where not all pairs are kept although they were asked for.
        """
        whole = {name: keeps_all_pairs(size, self.neighbors, self.affinity) for name, size in sizes.items()}
        used = {name: effective_perplexity(self.perplexity[name], size, whole[name]) for name, size in sizes.items()}
        too_small = {name: size for name, size in sizes.items() if self.perplexity[name] >= size - 1}
        chosen = any(self.perplexity[name] != AffinitySettings.perplexity for name in sizes)
        nowhere = chosen and len(too_small) == len(self.perplexity)  # kinds without vectors may have it by their links
        for name, size in too_small.items():
            if self.by_domain or nowhere or (self.neighbors == "exact" and self.affinity == "gaussian"):
                raise ParameterError(
                    f"perplexity{f'[{name!r}]' if self.by_domain else ''} must be less than n − 1 = {size - 1} for the "
                    f"{size} items of {name!r} with vectors, got {self.perplexity[name]:g}"
                )
        lowered: list[str] = []
        for name, size in sizes.items():
            if used[name] < self.perplexity[name]:
                # a third of fewer than four others is no perplexity: then all others count the same
                shown = f"{used[name]:g}" if used[name] > 1 else "all others alike"
                lowered.append(f"{shown} for {name!r} ({size} items)")
            if self.neighbors == "exact" and self.affinity == "gaussian" and not whole[name]:
                limit = f"of at most {ALL_PAIRS_AT_MOST} items" if size > ALL_PAIRS_AT_MOST else "where memory allows"
                warn(
                    f"neighbors='exact' keeps all pairs {limit}; {name!r} has {size}, "
                    "of which each keeps its exact 3·perplexity nearest"
                )
        if lowered:
            warn(f"perplexity is lowered to (n - 1)/3: {', '.join(lowered)}")
        return used

    def plan_by_links(self, name: str, n: int) -> GraphPlan:
        """Return how a graph by links is made, which nobody asked for: a perplexity is lowered without a warning.

        Of many items all pairs are never kept, since most share nothing.
        """
        perplexity = effective_perplexity(self.perplexity.get(name, AffinitySettings.perplexity), n)
        return replace(graph_plan(n, perplexity, affinity=self.affinity), exhaustive=self.neighbors == "exact")


def per_domain(argument: str, given: Any, data: Outline, complete: bool = True) -> dict[str, Any]:
    """Return a value for every domain, from one for all or from a mapping.

    A complete mapping must name every domain with vectors; else domains that are not named get None.
    """
    if not isinstance(given, Mapping):
        return dict.fromkeys(data.sizes, given)
    for name in given:
        if name not in data.sizes:
            raise ParameterError(
                f"{argument} names the domain {name!r}, but the domains are {', '.join(map(repr, data.sizes))}"
            )
    if not complete:
        return {name: given.get(name) for name in data.sizes}
    lacking = [name for name in data.sizes if data.count_vectors(name) and name not in given]
    if lacking:
        raise ParameterError(
            f"{argument} has no value for the domain {lacking[0]!r}; give one for every domain with vectors"
        )
    return dict(given)


def resolved_norm(relation_norm: Any) -> Any:
    """Return the norm that a setting stands for, after checking it: "conditional" for "auto", any other unchanged."""
    if isinstance(relation_norm, str) and relation_norm in (AUTO, CONDITIONAL):
        return CONDITIONAL
    norm_exponents(relation_norm)
    return relation_norm


def norm_exponents(relation_norm: Any, within: bool = False) -> Exponents:
    """Return the exponents a and b that a name, a number or a pair of numbers stands for.

    Inside one domain a link has no direction, so both are the mean there.
    """
    if isinstance(relation_norm, str) and relation_norm in NORMS:
        return NORMS[relation_norm]
    pair = tuple(relation_norm) if isinstance(relation_norm, (tuple, list)) else (relation_norm, relation_norm)
    are_numbers = all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in pair)
    if len(pair) != 2 or not are_numbers or not all(0 <= float(value) <= 1 for value in pair):
        raise ParameterError(
            f"relation_norm must be one of {', '.join(map(repr, (AUTO, CONDITIONAL, *NORMS)))}, "
            f"a number from 0 to 1 or a pair of them, got {describe(relation_norm)}"
        )
    a, b = float(pair[0]), float(pair[1])
    return ((a + b) / 2, (a + b) / 2) if within else (a, b)


def effective_perplexity(perplexity: float, n: int, all_pairs: bool = False) -> float:
    """Return the perplexity to use for n items: lowered to (n − 1)/3 where it cannot be reached.

    With all pairs any perplexity below n − 1 can be reached, with 3·perplexity neighbours only up to (n − 1)/3.
    """
    return perplexity if all_pairs and perplexity < n - 1 else min(perplexity, (n - 1) / 3)


def keeps_all_pairs(n: int, neighbors: str = "auto", affinity: str = "gaussian") -> bool:
    """Return whether all pairs of n items enter the neighbour graph."""
    if affinity == "uniform" or neighbors == "approximate":
        return False
    if neighbors == "auto":
        return n <= ALL_PAIRS_UP_TO
    return n <= ALL_PAIRS_UP_TO or (n <= ALL_PAIRS_AT_MOST and n * n * BYTES_PER_PAIR <= available_memory())


def available_memory() -> float:
    """Return how many bytes of memory are available; infinity where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:  # not Linux
        return math.inf
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return math.inf if found is None else 1024 * int(found[1])


def graph_plan(n: int, perplexity: float, neighbors: str = "auto", affinity: str = "gaussian") -> GraphPlan:
    """Return how the neighbour graph of n ≥ 2 items is made; the perplexity is not lowered here.

    "exact" keeps all pairs up to 20,000 items where memory allows, else the exact 3·perplexity nearest neighbours;
    "approximate" 3·perplexity neighbours, searched approximately in large domains; "auto" all pairs up to 1,000 items,
    then as "approximate". A "uniform" affinity has only as many neighbours as the perplexity, rounded, all alike.
    """
    exactly = neighbors == "exact"
    if affinity == "uniform":
        return GraphPlan(min(n - 1, max(1, round(perplexity))), None, False, exactly, RECALL)
    if keeps_all_pairs(n, neighbors, affinity):
        return GraphPlan(n - 1, perplexity, True, True, RECALL)
    return GraphPlan(min(n - 1, max(1, math.ceil(3 * perplexity))), perplexity, False, exactly, RECALL)
