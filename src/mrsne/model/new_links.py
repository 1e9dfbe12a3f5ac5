"""Suggestions for items that were not there when links were learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy import sparse

from mrsne.data.outline import Pair
from mrsne.model.link_inputs import LinkSources, binary
from mrsne.model.link_model import Inputs, votes_of
from mrsne.model.placement import read_new
from mrsne.model.relation_predictor import Found, RelationPredictor
from mrsne.parameters import ParameterError


def of_new(
    sources: LinkSources,
    relation: RelationPredictor,
    kind: str,
    target: str,
    k: int,
    vectors: Mapping[str, Any],
    relations: Mapping[Pair, Any],
) -> Found:
    """Return the most likely links of new items of a kind, and their probabilities.

    Items of the first kind of the model get a row of what is known of them, items of the second a column of weights.
    """
    new = read_new(sources.data, vectors, relations)
    if list(new) != [kind]:
        raise ParameterError(f"vectors and relations must be of new items of {kind!r}, got {', '.join(new) or 'none'}")
    X, links = new[kind]
    model = relation.model
    count = X.shape[0] if X is not None else next(iter(links.values())).shape[0]
    if relation.kinds == (kind, target):
        inputs = sources.new_inputs(kind, target, X, links, count)
        items = Inputs(inputs.links, inputs.features, votes_of(inputs.neighbors, model))
        return relation.of_rows(items, sparse.csr_matrix(inputs.links[:, : model.W.shape[1]]), k)
    known = binary(links[target]) if target in links else sparse.csr_matrix((count, sources.data.sizes[target]))
    scores = model.new_column_scores(sparse.csc_matrix(known.T), sources.new_neighbors(kind, X, count))
    scores[known.T.nonzero()] = 0
    return relation.best_rows(scores, k)
