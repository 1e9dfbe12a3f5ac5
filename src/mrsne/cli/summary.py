"""What a command has to tell at its end: a record with stable keys for programs, sentences for people.

Where a value differs by domain, it is a mapping of names; of pairs, a mapping of mappings. ``docs/commands.md`` has the
keys of every command.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mrsne.cli.left_out import counts_by_key
from mrsne.data.files.problems import Problems
from mrsne.model.changes import Changes

Record = Mapping[str, Any]
Wording = dict[tuple[str, ...], str]

UNNAMED = re.compile(r"\b(items?) of items\b")  # where rows have no name of their own

# by a key, or by a key and the names of domains below it; {0}, {1} are those names
SENTENCES: Wording = {
    ("items",): "items of {0}: {value}",
    ("links",): "links between {0} and {1}: {value}",
    ("items_without_vector",): "items of {0} without a vector: {value}",
    ("neighbor_recall",): "share of the true neighbours of {0} that the search found: {value}",
    ("weights",): "weights: {value}",
    ("relation_norm",): "normalisation of links: {value}",
    ("kl_divergence",): "KL divergence: {value}",
    ("query",): "domain of the queries: {value}",
    ("hit_rate_1",): "items of {0} whose nearest item of {1} is linked to them: {value}",
    ("hit_rate_10",): "items of {0} with a linked item of {1} among the 10 nearest: {value}",
    ("link_auc",): "links between {0} and {1} told from other pairs by distance (AUC): {value}",
    ("reconstruction_auc",): "graph reconstruction (AUC): {value}",
    ("variance_ratio",): "variance of {0} over that of {1}: {value}",
    ("neighborhood_preservation",): "neighbourhood preservation of {0}: {value}",
    ("trustworthiness",): "trustworthiness of {0}: {value}",
    ("best_method",): "best at graph reconstruction: {value}",
    ("fitting_seconds",): "seconds of fitting: {value}",
    ("settings",): "setting {0}: {value}",
    ("map",): "map for other commands: {value}",
    ("page_url",): "to explore it, open in a browser: {value}",
    ("placed",): "coordinates of the new items: {value}",
    ("left_out_table",): "list of what was left out: {value}",
}


def by_pair(values: Mapping[tuple[str, str], Any]) -> dict[str, dict[str, Any]]:
    """Return values of pairs of domains as a mapping of mappings."""
    nested: dict[str, dict[str, Any]] = {}
    for (a, b), value in values.items():
        nested.setdefault(a, {})[b] = value
    return nested


def sentences(record: Record, wording: Wording | None = None) -> Iterator[str]:
    """Yield a line for each value of a record, in a command's own words or those of all; what is None is left out."""
    words = SENTENCES | (wording or {})
    for key, value in record.items():
        if isinstance(value, Problems):
            yield from (f"left out or incomplete: {count} × {kind}" for kind, count in value.counts().items())
            continue
        if key == "changes":
            yield from () if value is None else Changes.from_dict(value).sentences()
            continue
        if key == "weights" and value is not None:  # many, on one line
            value = in_words(value).replace(" of item ", " of items ")
        for path, leaf in _leaves((key,), value):
            template = words.get(path) or words.get((key,)) or key.replace("_", " ") + ": {value}"
            names = ("items" if name == "item" else name for name in path[1:])
            yield UNNAMED.sub(r"\1", template.format(*names, value=leaf))


def _leaves(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _leaves((*path, key), below)
    elif value is not None:
        yield path, value


def json_text(record: Record, encoding: str = "utf-8") -> str:
    r"""Return a record as JSON that any program can read: what is not a finite number is null."""
    plain = _plain(record)
    text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # the name of a file that is not text, or a terminal that has few letters
        return json.dumps(plain, indent=1, allow_nan=False)
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, Problems):
        return counts_by_key(value)
    if isinstance(value, Mapping):
        return {key: _plain(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_plain(below) for below in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def weight_shares(weights: Mapping[Any, float] | None) -> dict[str, dict[str, Any]] | None:
    """Return the weights of a map for a summary: those of neighbours by domain, those of links by pair."""
    if weights is None:
        return None
    shares = {block: round(value, 4) for block, value in weights.items()}
    neighbors = {block: share for block, share in shares.items() if isinstance(block, str)}
    links = by_pair({block: share for block, share in shares.items() if block not in neighbors})
    return {"neighbors": neighbors, "links": links}


def in_words(shares: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what :func:`weight_shares` returned as one line: how much of the map each block decides, most first."""
    blocks = [(f"neighbours of {name}", share) for name, share in shares["neighbors"].items()]
    for a, others in shares["links"].items():
        blocks += [(f"links between {a} and {b}", share) for b, share in others.items()]
    return ", ".join(f"{name} {percentage(share)}" for name, share in sorted(blocks, key=lambda block: -block[1]))


def percentage(share: float) -> str:
    """Return a share in per cent, such that a little never reads as nothing and nearly all never as all."""
    if 0 < share < 0.01:
        return "below 1 %"
    return "over 99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"
