"""Settings of the affinities, checked and given to each domain."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from mrsne.affinity.relations import NORMS
from mrsne.backends.cpu.graph.bandwidths import AFFINITIES, MOST_PAIRS, NEIGHBORS, effective_perplexity
from mrsne.backends.rows import METRICS
from mrsne.data import RelationalData
from mrsne.parameters import ParameterError, check_integer, check_number, check_option


class DomainSettings(NamedTuple):
    """Settings that domains may differ in, for each of them."""

    perplexity: dict[str, float]
    metric: dict[str, str]
    n_pca: dict[str, int | None]


def check_affinity_settings(data: RelationalData, settings: Mapping[str, Any]) -> DomainSettings:
    """Raise an error that names the first setting that cannot be used; return those that domains may differ in."""
    check_option("neighbors", settings["neighbors"], NEIGHBORS)
    check_option("relation_norm", settings["relation_norm"], NORMS)
    check_option("affinity", settings["affinity"], AFFINITIES)
    perplexity, metric, n_pca = settings["perplexity"], settings["metric"], settings["n_pca"]
    perplexities = per_domain("perplexity", perplexity, data)
    metrics = per_domain("metric", metric, data)
    components = per_domain("n_pca", n_pca, data, complete=False)
    for name, value in metrics.items():
        check_option("metric" if value is metric else f"metric[{name!r}]", value, METRICS)
    for name, value in perplexities.items():
        check_number("perplexity" if value is perplexity else f"perplexity[{name!r}]", value, above=1)
    for name, value in components.items():
        if value is not None:
            check_integer("n_pca" if value is n_pca else f"n_pca[{name!r}]", value, minimum=1)
    return DomainSettings(perplexities, metrics, components)


def warn_of_limits(sizes: Mapping[str, int], perplexities: Mapping[str, float], settings: Mapping[str, Any]) -> None:
    """Warn of settings that are not followed to the letter in domains of these sizes."""
    lowered: list[str] = []
    for name, size in sizes.items():
        used = effective_perplexity(perplexities[name], size)
        if used < perplexities[name]:
            # a third of fewer than four others is no perplexity: then all others count the same
            shown = f"{used:g}" if used > 1 else "all others alike"
            lowered.append(f"{shown} for {name!r} ({size} items)")
        if settings["neighbors"] == "exact" and size > MOST_PAIRS and settings["affinity"] == "gaussian":
            warnings.warn(
                f"neighbors='exact' keeps all pairs of at most {MOST_PAIRS} items; {name!r} has {size}, "
                "of which each keeps its exact 3·perplexity nearest",
                stacklevel=4,
            )
    if lowered:
        warnings.warn(f"perplexity is lowered to (n - 1)/3: {', '.join(lowered)}", stacklevel=4)


def per_domain(argument: str, given: Any, data: RelationalData, complete: bool = True) -> dict[str, Any]:
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
    lacking = [name for name, vectors in data.vectors.items() if vectors is not None and name not in given]
    if lacking:
        raise ParameterError(
            f"{argument} has no value for the domain {lacking[0]!r}; give one for every domain with vectors"
        )
    return dict(given)
