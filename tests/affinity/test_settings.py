"""How many neighbours an item gets; norms of links, for every engine and for new items."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import mrsne
from mrsne import MRSNE, RelationalData, joint_affinities
from mrsne.affinity import settings
from mrsne.affinity.settings import effective_perplexity, graph_plan, keeps_all_pairs, norm_exponents
from mrsne.parameters import ParameterError
from tests.conftest import clusters

W = sparse.csr_matrix(sparse.random(40, 12, 0.2, random_state=0) + np.eye(40, 12) + np.eye(12)[np.arange(40) % 12])
FRIENDS = sparse.csr_matrix(sparse.random(40, 40, 0.1, random_state=1) + np.eye(40, k=1))


def links_of(relation_norm: Any) -> NDArray[np.float32]:
    data = RelationalData({"photo": 40, "tag": 12}, {("photo", "tag"): W})
    return np.asarray(joint_affinities(data, relation_norm=relation_norm)[:40, 40:].toarray())


@pytest.mark.parametrize("exponents", [(0.5, 0.25), (0.0, 1.0), (0.3, 0.3), (1.0, 1.0)])
def test_weights_are_divided_by_powers_of_both_sums(exponents: tuple[float, float]) -> None:
    dense = W.toarray()
    scale = dense.sum(axis=1, keepdims=True) ** exponents[0] * dense.sum(axis=0, keepdims=True) ** exponents[1]
    expected = dense / np.where(dense > 0, scale, 1)
    np.testing.assert_allclose(links_of(exponents), expected / expected.sum() / 2, rtol=1e-6)


@pytest.mark.parametrize(("name", "number"), [("unnorm", 0), ("norm", 0.5), ("pmi", 1.0)])
def test_the_papers_norms_are_numbers(name: str, number: float) -> None:
    for same in (number, (number, number), [number, number]):
        np.testing.assert_array_equal(links_of(same), links_of(name))


def test_inside_a_domain_links_have_no_direction() -> None:
    data = RelationalData({"photo": 40}, {("photo", "photo"): FRIENDS})
    P = joint_affinities(data, relation_norm=(0.8, 0.2))
    assert abs(P - P.T).max() == 0
    np.testing.assert_array_equal(P.toarray(), joint_affinities(data, relation_norm=0.5).toarray())


@pytest.mark.parametrize("pair", [("photo", "tag"), ("tag", "photo")])
def test_new_items_are_placed_with_the_exponent_of_the_other_end(pair: tuple[str, str]) -> None:
    """Whichever way round the relation was given: a new photo with two tags leans to the rarer one."""
    links = np.zeros((30, 2))
    links[:25, 0], links[25:, 1] = 1, 1
    given = links if pair[0] == "photo" else links.T
    norm = (0.0, 1.0) if pair[0] == "photo" else (1.0, 0.0)
    data = RelationalData({"photo": 30, "tag": 2}, {pair: given})
    model = MRSNE(relation_norm=norm, perplexity=5, random_state=0, max_iter=100).fit(data)
    placed = model.transform(relations={("photo", "tag"): [(0, 0), (0, 1)]})["photo"][0]
    often, rare = (np.linalg.norm(placed - tag) for tag in model.embedding_["tag"])
    assert rare < often


def test_all_pairs_are_kept_up_to_20_000_items_where_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "available_memory", lambda: 1e12)
    assert graph_plan(20_000, 30, "exact").all_pairs
    assert graph_plan(20_001, 30, "exact").k == 90
    monkeypatch.setattr(settings, "available_memory", lambda: 1e9)
    assert graph_plan(7_000, 30, "exact").all_pairs
    beyond = graph_plan(7_100, 30, "exact")
    assert (beyond.all_pairs, beyond.exhaustive, beyond.k) == (False, True, 90)


def test_too_little_memory_for_all_pairs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "available_memory", lambda: 1e6)
    data = mrsne.RelationalData({"photo": clusters(1100)})
    with pytest.warns(UserWarning, match="keeps all pairs where memory allows; 'photo' has 1100"):
        P = mrsne.joint_affinities(data, perplexity=10, neighbors="exact")
    assert P.nnz < 2 * 30 * 1100


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says it")
def test_what_the_system_has_left_is_known_on_linux() -> None:
    assert 1e6 < settings.available_memory() < np.inf


def test_perplexities_that_cannot_be_reached_are_a_third_of_the_others() -> None:
    assert effective_perplexity(30, 1000) == 30
    assert effective_perplexity(30, 85) == 28
    assert effective_perplexity(30, 85, all_pairs=True) == 30


def test_small_domains_keep_all_pairs() -> None:
    assert [keeps_all_pairs(*given) for given in ((1000,), (1001,), (1001, "exact"))] == [True, False, True]
    assert (graph_plan(500, 30).k, graph_plan(100_000, 30).k) == (499, 90)
    assert graph_plan(100_000, 30, affinity="uniform").k == 30


def test_norms_are_names_numbers_or_pairs() -> None:
    assert (norm_exponents("norm"), norm_exponents(0.3)) == ((0.5, 0.5), (0.3, 0.3))
    assert norm_exponents((0.5, 0.25)) == (0.5, 0.25)
    assert norm_exponents((0.5, 0.25), within=True) == (0.375, 0.375)
    with pytest.raises(ParameterError, match=r"must be one of 'auto', 'conditional', 'unnorm', .* them, got 'PMI'"):
        norm_exponents("PMI")
