"""The parts of a page that tell why items are where they are."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from mrsne import Embedding, RelationalData, joint_affinities
from mrsne.viewer.content import Content
from mrsne.viewer.reasons import CHUNK, COUNT
from mrsne.viewer.widget import _initial_parts
from tests.viewer.conftest import coloured

SETTINGS: dict[str, Any] = {"perplexity": 4.0, "weights": "auto", "relation_norm": "auto"}


def explained(count: int = 40) -> tuple[Embedding, RelationalData]:
    """A map of pictures with vectors, and tags."""
    embedding, plain = coloured(count)
    vectors = np.random.default_rng(3).normal(size=(count, 5))
    data = RelationalData({"image": vectors, "tag": 3}, dict(plain.relations), names=dict(plain.names))
    return Embedding(embedding, settings=SETTINGS), data


def test_a_part_has_the_strongest_affinities_of_each_item() -> None:
    embedding, data = explained()
    content = Content(embedding, data, report=False)
    assert content.about["reasons"] == {"chunk": CHUNK, "alike": ["vector", "shared links"]}
    part = np.frombuffer(gzip.decompress(content.parts["reasons-0"]()), np.uint8)
    n = data.n_items
    by_kind, counts = part[: 2 * n].reshape(n, 2), part[2 * n : 3 * n]
    total = int(counts.sum())
    shares = part[3 * n : 3 * n + total]
    others = part[3 * n + total :].reshape(4, total).T.copy().view("<u4").ravel()
    P = np.asarray(joint_affinities(data, **SETTINGS).toarray(), dtype=np.float64)
    P /= P.sum(axis=1, keepdims=True)
    assert counts[0] == COUNT + 1  # one tag
    starts = np.cumsum([0, *counts])
    for item in (0, 7, 41):
        mine = others[starts[item] : starts[item + 1]]
        own = np.arange(40) if item < 40 else np.arange(40, 43)
        same = mine[np.isin(mine, own)]
        np.testing.assert_allclose(P[item, same], np.sort(P[item, own])[::-1][: len(same)])
        np.testing.assert_allclose((shares[starts[item] : starts[item + 1]] / 255.0) ** 2, P[item, mine], atol=0.004)
        np.testing.assert_allclose((by_kind[item] / 255.0) ** 2, [P[item, :40].sum(), P[item, 40:].sum()], atol=0.004)


def test_where_it_is_not_known_how_a_map_was_made_there_are_none() -> None:
    embedding, data = explained()
    assert Content(Embedding(embedding), data, report=False).about["reasons"] is None
    assert Content(embedding, report=False).about["reasons"] is None
    assert Content(embedding, RelationalData({"image": 40, "tag": 3}), report=False).about["reasons"] is None
    assert Content(Embedding(embedding), data, report=False, settings=SETTINGS).about["reasons"] is not None


def test_data_that_a_map_was_not_made_of_does_not_explain_it() -> None:
    embedding, data = explained()
    made_of_data = Embedding(embedding, data=data, settings=SETTINGS)
    same = RelationalData({"image": data.vectors["image"], "tag": 3}, dict(data.relations), names=dict(data.names))
    other = RelationalData({"image": 40, "tag": 3}, dict(data.relations))
    found = [Content(made_of_data, shown, report=False).about["reasons"] for shown in (data, same, other)]
    assert [reasons is not None for reasons in found] == [True, True, False]


def test_kinds_in_another_order_than_the_datas_have_none() -> None:
    embedding, data = explained()
    turned = Embedding({name: embedding[name] for name in ("tag", "image")}, settings=SETTINGS)
    assert Content(turned, data, report=False).about["reasons"] is None


def test_a_map_with_too_many_items_has_none() -> None:
    embedding, data = explained()
    content = Content(embedding, data, report=False, explained=42)
    assert content.about["reasons"] is None
    assert not [name for name in content.parts if name.startswith("reasons")]


def test_a_large_map_has_a_part_for_each_few_thousand_items_and_none_is_made_before_it_is_asked_for() -> None:
    n = 2 * CHUNK + 1
    data = RelationalData({"x": n, "y": 1}, {("x", "y"): np.ones((n, 1))})
    embedding = Embedding({"x": np.zeros((n, 2)), "y": [[0, 0]]}, settings={"perplexity": -1})  # cannot be computed
    content = Content(embedding, data, report=False)
    assert [name for name in content.parts if name.startswith("reasons")] == ["reasons-0", "reasons-1", "reasons-2"]
    assert "places" in _initial_parts(content)


def test_the_score_of_a_place_is_told_with_two_digits() -> None:
    embedding, data = explained()
    columns = Content(embedding, data).about["domains"][0]["columns"]
    assert [column.get("decimals") for column in columns] == [2]
