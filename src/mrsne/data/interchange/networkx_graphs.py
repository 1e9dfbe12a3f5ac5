"""Graphs of networkx: nodes of one kind or several, edges as links."""

import numbers
from collections import defaultdict
from typing import Any

import numpy as np

from mrsne.data.tables.parts import Parts
from mrsne.data.tables.table import TableError


class GraphError(TableError):
    """A graph that cannot become relational data."""


def parts_from_networkx(graph: Any, kind: str | None, node: str, label: str | None, weight: str) -> Parts:
    """Return nodes by kind, their names, labels and attributes, and edges as links between and inside the kinds."""
    if not hasattr(graph, "nodes") or not hasattr(graph, "edges"):
        raise GraphError(f"graph must be a graph of networkx, got {type(graph).__name__}")
    domains: dict[str, dict[Any, int]] = {}
    for name, attributes in graph.nodes(data=True):
        if kind is not None and kind not in attributes:
            raise GraphError(f"the node {name!r} has no attribute {kind!r}, which is to say what kind of item it is")
        own = domains.setdefault(node if kind is None else str(attributes[kind]), {})
        own[name] = len(own)
    if not domains:
        raise GraphError("graph has no nodes")
    parts = Parts(next(iter(domains)), vectors={domain: len(own) for domain, own in domains.items()})
    for domain, own in domains.items():
        _add_nodes(parts, graph, domain, list(own), {kind, label})
        if label is not None:
            parts.labels[domain] = [str(graph.nodes[name].get(label, name)) for name in own]
    parts.relations = _links(graph, domains, weight)
    return parts


def _links(graph: Any, domains: dict[str, dict[Any, int]], weight: str) -> dict[tuple[str, str], Any]:
    where = {name: (domain, position) for domain, own in domains.items() for name, position in own.items()}
    found: dict[tuple[str, str], list[tuple[int, int, float]]] = defaultdict(list)
    for source, target, attributes in graph.edges(data=True):
        value = attributes.get(weight, 1.0)
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            raise GraphError(f"the edge ({source!r}, {target!r}) has the {weight} {value!r}; it must be a number")
        (a, i), (b, j) = where[source], where[target]
        if (b, a) in found and a != b:
            a, i, b, j = b, j, a, i
        found[a, b].append((i, j, float(value)))
    return dict(found)


def _add_nodes(parts: Parts, graph: Any, domain: str, names: list[Any], used: set[str | None]) -> None:
    """Add names, and attributes that are numbers or words as columns."""
    texts = [str(name) for name in names]
    if len(set(texts)) != len(texts):
        raise GraphError(f"nodes of {domain!r} must have different names as text, got {texts[:5]} …")
    parts.names[domain] = texts
    headings = dict.fromkeys(heading for name in names for heading in graph.nodes[name] if heading not in used)
    columns = {}
    for heading in headings:
        values = [graph.nodes[name].get(heading) for name in names]
        if all(value is None or isinstance(value, (str, numbers.Real, np.bool_)) for value in values):
            columns[str(heading)] = values
    if columns:
        parts.columns[domain] = columns
