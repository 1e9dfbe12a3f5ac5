"""What is near an item, and why a link is likely: short walks over P̃, by vectors, by links or by both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64
from mrsne.model.link_inputs import LinkSources
from mrsne.model.relation_predictor import RelationPredictor

BY = ("both", "vectors", "links")


def walk(P: sparse.csr_matrix, sizes: Mapping[str, int], start: int, same_kind: bool, by: str) -> Float64:
    """Return how near all items are to one: the sum of walks of one to three steps over S = D^-½ P̃ D^-½.

    With S = V + L, blocks inside kinds and across them: by vectors V + V² inside a kind and V L + V² L across; by links
    L² + L⁴ and L + L³; by both S + S² + S³. Dividing by the roots of both masses keeps frequent items from being near
    to everything.
    """
    mass = np.asarray(P.sum(axis=1), dtype=np.float64).ravel()
    scale = 1 / np.sqrt(np.where(mass > 0, mass, 1))
    kind_of = np.repeat(np.arange(len(sizes)), list(sizes.values()))

    def step(x: Float64, parts: str) -> Float64:
        if parts == "S":
            return np.asarray(scale * (P @ (scale * x)))
        moved = np.zeros_like(x)
        for number in np.unique(kind_of[x != 0]):
            of_kind = np.where(kind_of == number, x, 0)
            after = scale * (P @ (scale * of_kind))
            moved += np.where((kind_of == number) == (parts == "V"), after, 0)
        return moved

    x = np.zeros(P.shape[0])
    x[start] = 1
    ways = {
        ("both", True): ("S", "SS", "SSS"),
        ("both", False): ("S", "SS", "SSS"),
        ("vectors", True): ("V", "VV"),
        ("vectors", False): ("VL", "VVL"),
        ("links", True): ("LL", "LLLL"),
        ("links", False): ("L", "LLL"),
    }[by, same_kind]
    near = np.zeros_like(x)
    for way in ways:
        reached = x
        for part in way:
            reached = step(reached, part)
        near += reached
    near[start] = 0
    return near


class Path(NamedTuple):
    """One way from an item to another."""

    kind: str  # of what is between
    position: int
    by: str
    weight: float


def paths(sources: LinkSources, relation: RelationPredictor, row: int, column: int) -> list[Path]:
    """Return the items by which a row is tied to a column, with what each adds to the score.

    What vectors say together is divided among the neighbours that are linked to the column, by their affinities.
    """
    model = relation.model
    rows, columns = relation.kinds
    item = model.known[np.array([row])]
    found = []
    voters = item.neighbors.multiply(model.W[:, [column]].T).tocsr()
    by_vectors = float(model.settings.vectors * model.vector_scores(item, np.array([column]))[0, 0])
    if voters.nnz and by_vectors > 0:
        shares = voters.data / voters.data.sum() * by_vectors
        found += [Path(rows, int(n), "vectors", float(w)) for n, w in zip(voters.indices, shares, strict=True)]
    inputs = item.links.indices
    weights = model.links.between(inputs, column)
    for place, weight in zip(inputs.tolist(), weights.tolist(), strict=True):
        kind, position = _which(sources, relation, place)
        found.append(Path(kind, position, "links", float(weight)))
    own = inputs[inputs < model.W.shape[1]]
    alike = np.asarray(model.similar[own][:, [column]].todense()).ravel()
    found += [Path(columns, int(n), "vectors", float(w)) for n, w in zip(own, alike, strict=True)]
    return sorted((path for path in found if path.weight > 0), key=lambda path: -path.weight)


def _which(sources: LinkSources, relation: RelationPredictor, place: int) -> tuple[str, int]:
    """Return the item that a column of the inputs stands for."""
    rows, columns = relation.kinds
    if place < sources.data.sizes[columns]:
        return columns, place
    place -= sources.data.sizes[columns]
    for other, (_, kept) in sources.others(rows, columns).items():
        if place < len(kept):
            return other, int(kept[place])
        place -= len(kept)
    raise IndexError(place)
