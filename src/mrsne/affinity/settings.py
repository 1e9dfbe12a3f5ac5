"""Settings of the affinities, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from mrsne.affinity.norms import chosen_norm
from mrsne.affinity.plan import AFFINITIES, MOST_PAIRS, NEIGHBORS, effective_perplexity, keeps_all_pairs
from mrsne.affinity.telling import warn
from mrsne.backends.rows import METRICS
from mrsne.data import Outline
from mrsne.parameters import ParameterError, check_integer, check_number, check_option

DEFAULT_PERPLEXITY = 30.0


@dataclass(frozen=True)
class AffinitySettings:
    """What :func:`mrsne.joint_affinities` can be told, under the same names."""

    perplexity: Any = DEFAULT_PERPLEXITY
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
        relation_norm = chosen_norm(self.relation_norm)
        check_option("affinity", self.affinity, AFFINITIES)
        perplexities = per_domain("perplexity", self.perplexity, data)
        metrics = per_domain("metric", self.metric, data)
        components = per_domain("n_pca", self.n_pca, data, complete=False)
        for name, value in metrics.items():
            check_option("metric" if value is self.metric else f"metric[{name!r}]", value, METRICS)
        for name, value in perplexities.items():
            check_number("perplexity" if value is self.perplexity else f"perplexity[{name!r}]", value, above=1)
        for name, value in components.items():
            if value is not None:
                check_integer("n_pca" if value is self.n_pca else f"n_pca[{name!r}]", value, minimum=1)
        return CheckedAffinitySettings(
            perplexities,
            relation_norm,
            self.weights,
            self.neighbors,
            metrics,
            self.affinity,
            components,
            isinstance(self.perplexity, Mapping),
        )


@dataclass(frozen=True)
class CheckedAffinitySettings:
    """The same, of which those that domains may differ in are given for each."""

    perplexity: dict[str, float]
    relation_norm: Any
    weights: Any
    neighbors: str
    metric: dict[str, str]
    affinity: str
    n_pca: dict[str, int | None]
    by_domain: bool = False  # whether each domain's perplexity was given by itself

    def perplexities_for(self, sizes: Mapping[str, int]) -> dict[str, float]:
        """Return the perplexity to use in each domain with so many vectors.

        Raise where one was asked for that these vectors cannot have; warn where one for all domains is lowered in a
        small one, and where not all pairs are kept although they were asked for.
        """
        whole = {name: keeps_all_pairs(size, self.neighbors, self.affinity) for name, size in sizes.items()}
        used = {name: effective_perplexity(self.perplexity[name], size, whole[name]) for name, size in sizes.items()}
        too_small = {name: size for name, size in sizes.items() if self.perplexity[name] >= size - 1}
        nowhere = len(too_small) == len(sizes) and any(self.perplexity[name] != DEFAULT_PERPLEXITY for name in sizes)
        for name, size in too_small.items():
            if self.by_domain or nowhere or (self.neighbors == "exact" and self.affinity == "gaussian"):
                raise ParameterError(
                    f"perplexity{f'[{name!r}]' if self.by_domain else ''} must be less than n − 1 = {size - 1} for the "
                    f"{size} items of {name!r} with vectors, got {self.perplexity[name]:g}"
                )
        self._warn(sizes, used, whole)
        return used

    def _warn(self, sizes: Mapping[str, int], used: Mapping[str, float], whole: Mapping[str, bool]) -> None:
        lowered: list[str] = []
        for name, size in sizes.items():
            if used[name] < self.perplexity[name]:
                # a third of fewer than four others is no perplexity: then all others count the same
                shown = f"{used[name]:g}" if used[name] > 1 else "all others alike"
                lowered.append(f"{shown} for {name!r} ({size} items)")
            if self.neighbors == "exact" and self.affinity == "gaussian" and not whole[name]:
                limit = f"of at most {MOST_PAIRS} items" if size > MOST_PAIRS else "where memory allows"
                warn(
                    f"neighbors='exact' keeps all pairs {limit}; {name!r} has {size}, "
                    "of which each keeps its exact 3·perplexity nearest",
                    stacklevel=5,
                )
        if lowered:
            warn(f"perplexity is lowered to (n - 1)/3: {', '.join(lowered)}", stacklevel=5)


def per_domain(argument: str, given: Any, data: Outline, complete: bool = True) -> dict[str, Any]:
    """Return one value for every domain, from one for all or from a mapping.

    A complete mapping names every domain with vectors; another one leaves None to those it does not name.
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
