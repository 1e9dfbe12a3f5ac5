"""Arguments that do not fit are named, with what was found and what is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData, metrics
from tests.metrics.cases import Case

PAIR = ("photo", "tag")
NOTHING: Any = None
WORD: Any = "photo"
BAD: list[tuple[Any, str]] = [
    (lambda e, d: metrics.hit_rate(e, d, 0), "k must be a whole number of at least 1, got 0"),
    (lambda e, d: metrics.hit_rate(e, d, 5, target="tag"), "k must be at most 4, the number of other items, got 5"),
    (lambda e, d: metrics.hit_rate(e, d, 60, target="photo"), "k must be at most 59"),
    (lambda e, d: metrics.hit_rate(e, d, []), "k must be a whole number or a list of them"),
    (
        lambda e, d: metrics.hit_rate(e, d, 1, query="word"),
        "query must be one of the domains 'photo', 'tag', got 'word'",
    ),
    (lambda e, d: metrics.hit_rate(e, d, 1, within="same", target="photo"), "within must be 'shared', 'identical' or"),
    (
        lambda e, d: metrics.hit_rate(e, d, 1, target="photo", within=np.eye(3)),
        r"within must be a matrix of shape \(60",
    ),
    (lambda e, d: metrics.hit_rate(e, d, 1, queries=[60]), "queries must be positions of items, 0 … 59"),
    (lambda e, d: metrics.hit_rate(e["photo"], d, 1), "embedding must be an Embedding, got an array"),
    (lambda e, d: metrics.hit_rate(e, NOTHING, 1), "data must be a RelationalData, got None"),
    (
        lambda e, d: metrics.hit_rate(Embedding({"photo": [[0, 0]]}), d, 1),
        "data has 60 items of 'photo', but the embedding",
    ),
    (lambda e, d: metrics.link_auc(e, d, ("photo", "photo")), "pair must be two domains with a relation"),
    (lambda e, d: metrics.link_auc(e, d, WORD), "pair must be two domain names"),
    (lambda e, d: metrics.link_auc(e, d, ("photo", "tag"), similarity="cosine"), "similarity must be one of"),
    (lambda e, d: metrics.hold_out_links(d, ("photo", "tag"), 0.5), "fraction must leave a link to every item: of 60"),
    (
        lambda e, d: metrics.hold_out_links(d, ("photo", "tag"), 0.001),
        "fraction must hold out at least one of 60 links",
    ),
    (lambda e, d: metrics.link_auc(e, d, PAIR, held_out=np.eye(3)), r"held_out has shape \(3, 3\), but 'photo' has 60"),
    (lambda e, d: metrics.hold_out_links(d, ("photo", "tag"), 1.5), "fraction must be greater than 0 and less than 1"),
    (lambda e, d: metrics.variance_ratio(e, "photo", "word"), "there is no domain 'word'"),
    (
        lambda e, d: metrics.variance_ratio(Embedding({"a": [[1]], "b": [[2], [3]]}), "a", "b"),
        "at least two items of 'a'",
    ),
    (lambda e, d: metrics.trustworthiness(e, d, "tag"), r"domain must be one with vectors \('photo'\), got 'tag'"),
    (lambda e, d: metrics.trustworthiness(e, d, k=30), "k must be less than half the number of items with vectors, 60"),
    (
        lambda e, d: metrics.neighborhood_preservation(e, d, k=60),
        "k must be less than the number of items with vectors",
    ),
    (lambda e, d: metrics.neighborhood_preservation(e, d, metric="hamming"), "metric must be one of"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_arguments_are_named(fitted: Case, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(*fitted)


def test_data_without_links_has_no_scores_of_links() -> None:
    data = RelationalData({"x": np.arange(6.0)[:, None]})
    embedding = Embedding({"x": np.arange(6.0)[:, None]})
    with pytest.raises(ValueError, match="within must be a matrix, since 'x' has no relation"):
        metrics.reconstruction_auc(embedding, data)
    with pytest.raises(ValueError, match="target must be given, since 'x' has no relation"):
        metrics.hit_rate(embedding, data, 1)
    with pytest.raises(ValueError, match="have no true link"):
        metrics.reconstruction_auc(embedding, data, within=np.eye(6))
