"""What a map was made with: settings, the weights of the blocks of P̃ and the normalisation of links; also in files."""

import json
import math
import numbers
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.parameters import ParameterError, check_number, describe

Block = str | tuple[str, str]  # neighbours in a domain, or links between two
Norm = str | float | tuple[float, float]

NORMS = ("conditional", "unnorm", "norm", "pmi")
NO_DOMAIN = -1  # in place of the second domain of a block that is no relation
ROUNDING = 1e-6  # by which the sum of weights may differ from 1
SETTINGS = ("perplexity", "relation_norm", "weights", "neighbors", "metric", "affinity", "n_pca")  # of joint_affinities


def recorded_weights(weights: Any, domains: Collection[str]) -> Mapping[Block, float] | None:
    """Return a read-only copy of the weights β of a map, after checking them; None where they are not known."""
    if weights is None:
        return None
    what = "weights must be a mapping of domains and pairs of domains to numbers"
    if not isinstance(weights, Mapping):
        raise ParameterError(f"{what}, got {describe(weights)}")
    found: dict[Block, float] = {}
    for block, value in weights.items():
        ends = block if isinstance(block, tuple) and len(block) == 2 else (block,)
        if not all(isinstance(end, str) and end in domains for end in ends):
            known = ", ".join(map(repr, domains))
            raise ParameterError(f"weights names {describe(block)}, but the domains are {known}; {what}")
        found[block] = check_number(f"weights[{block!r}]", value, minimum=0)
    if not math.isclose(sum(found.values()), 1, abs_tol=ROUNDING):
        raise ParameterError(f"weights must sum to 1, got {sum(found.values()):g}")
    return MappingProxyType(found)


def recorded_norm(relation_norm: Any) -> Norm | None:
    """Return how the links of a map were normalised, after checking it; None where that is not known."""
    if relation_norm is None or (isinstance(relation_norm, str) and relation_norm in NORMS):
        return relation_norm
    is_pair = isinstance(relation_norm, (tuple, list)) and len(relation_norm) == 2
    values = list(relation_norm) if is_pair else [relation_norm]
    real = [part for part in values if isinstance(part, numbers.Real) and not isinstance(part, bool)]
    if real != values or not all(0 <= float(part) <= 1 for part in real):
        wanted = f"one of {', '.join(map(repr, NORMS))}, a number from 0 to 1 or a pair of them"
        raise ParameterError(f"relation_norm must be {wanted}, got {describe(relation_norm)}")
    return (float(values[0]), float(values[1])) if is_pair else float(values[0])


def recorded_settings(settings: Any) -> Mapping[str, Any] | None:
    """Return a read-only copy of the settings of the affinities, as files hold them; None where they are not known."""
    if settings is None:
        return None
    if not isinstance(settings, Mapping) or not set(settings) <= set(SETTINGS):
        wanted = f"a mapping of parameters of joint_affinities ({', '.join(SETTINGS)})"
        raise ParameterError(f"settings must be {wanted}, got {describe(settings)}")
    return MappingProxyType(settings_from_text(settings_to_text(settings)))


def settings_to_text(settings: Mapping[str, Any]) -> str:
    """Return settings as JSON, in which a mapping is a list of pairs, since its keys may be pairs of domains."""
    return json.dumps(_listed(settings), allow_nan=False)


def settings_from_text(text: str) -> Any:
    """Return the settings that :func:`settings_to_text` made a text of."""
    return _unlisted(json.loads(text))


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {"pairs": [[_listed(key), _listed(below)] for key, below in value.items()]}
    if isinstance(value, tuple | list):
        return [_listed(below) for below in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    return value.item() if isinstance(value, np.integer) else float(value)


def _unlisted(value: Any) -> Any:
    if isinstance(value, dict):
        return {_unlisted(key): _unlisted(below) for key, below in value["pairs"]}
    return tuple(map(_unlisted, value)) if isinstance(value, list) else value


def to_arrays(
    weights: Mapping[Block, float] | None, relation_norm: Norm | None, domains: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return both as plain arrays, domains by their position; what is not known has none."""
    arrays: dict[str, NDArray[Any]] = {}
    if weights is not None:
        position: dict[Any, int] = {None: NO_DOMAIN} | {name: index for index, name in enumerate(domains)}
        ends = [(block, None) if isinstance(block, str) else block for block in weights]
        blocks = [(position[a], position[b]) for a, b in ends]
        arrays["weight_blocks"] = np.array(blocks, dtype=np.int64)
        arrays["weights"] = np.array(list(weights.values()), dtype=np.float64)
    if relation_norm is not None:
        arrays["relation_norm"] = np.array(relation_norm)
    return arrays


def from_arrays(arrays: Mapping[str, NDArray[Any]], domains: Sequence[str]) -> tuple[Any, Any]:
    """Return the weights and normalisation that :func:`to_arrays` made arrays of, each None where there is none."""
    weights = None
    if "weights" in arrays or "weight_blocks" in arrays:
        name = dict(enumerate(domains))
        ends, values = arrays["weight_blocks"].tolist(), arrays["weights"].tolist()
        blocks = [name[a] if b == NO_DOMAIN else (name[a], name[b]) for a, b in ends]
        if len(set(blocks)) != len(blocks) or arrays["weight_blocks"].dtype.kind not in "iu":
            raise ParameterError("weights must be of different domains, or pairs of domains")
        weights = dict(zip(blocks, values, strict=True))
    norm = arrays["relation_norm"].tolist() if "relation_norm" in arrays else None
    return weights, tuple(norm) if isinstance(norm, list) else norm
