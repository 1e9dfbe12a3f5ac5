"""What each score sees and what it does not, on maps that are wrong in one way; docs/metrics.md tells the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from mrsne import metrics
from tests.metrics.made_maps import PAIR, made_maps, popular_tags, scores_of

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"
scores = cache(scores_of)


def test_the_true_map_is_best_and_a_shuffled_one_as_chance() -> None:
    best, worst = scores("the true map"), scores("everything shuffled")
    for name in ("R@10", "trustworthiness", "mixing", "by vector", "by links", "neighbours kept"):
        assert best[name] > 0.97
    for name in ("by vector", "by links", "neighbours kept"):
        assert worst[name] < 0.01
    assert worst["R@10"] < 0.06
    assert worst["trustworthiness"] == pytest.approx(0.5, abs=0.02)


def test_auc_over_all_pairs_prefers_a_map_without_neighbourhoods_to_one_that_keeps_them() -> None:
    without, kept = scores("shuffled within each of 16 squares"), scores("the 16 squares rearranged")
    assert without["AUC"] > 0.9
    for name in ("AUC", "link AUC"):
        assert without[name] > kept[name]
    for name in ("R@10", "MRR", "neighbours kept"):
        assert kept[name] > 2 * without[name]


def test_auc_hardly_sees_tags_and_the_scores_across_do() -> None:
    for name in ("tags shuffled", "tags beside the photos"):
        assert scores(name)["AUC"] > 0.9
        assert scores(name)["R@10"] < 0.06
        assert scores(name)["neighbours kept"] < 0.05


def test_the_variance_ratio_sees_nothing_but_spread() -> None:
    for name in ("everything shuffled", "tags shuffled", "tags beside the photos"):
        assert scores(name)["variance ratio"] == pytest.approx(scores("the true map")["variance ratio"], abs=1e-3)
    assert scores("tags crowded into the middle")["variance ratio"] > 100


def test_mixing_sees_crowds_and_gaps_but_not_whether_the_right_items_meet() -> None:
    for name in ("tags crowded into the middle", "tags beside the photos"):
        assert scores(name)["mixing"] < 0.1
    for name in ("everything shuffled", "tags shuffled"):
        assert scores(name)["mixing"] == pytest.approx(scores("the true map")["mixing"], abs=0.01)


def test_trustworthiness_sees_false_neighbours_but_not_lost_ones_nor_other_domains() -> None:
    torn = scores("torn into two copies")
    assert torn["trustworthiness"] > 0.99
    assert torn["by vector"] < 0.55
    for name in ("tags shuffled", "tags beside the photos", "tags crowded into the middle"):
        assert scores(name)["trustworthiness"] > 0.99


def test_the_harmonic_mean_is_low_where_either_kind_of_neighbours_is_lost() -> None:
    by_links_only, by_vector_only = scores("photos anywhere near their tags"), scores("tags shuffled")
    assert by_links_only["by links"] > 0.8
    assert by_links_only["neighbours kept"] < 0.35
    assert by_vector_only["by vector"] > 0.99
    assert by_vector_only["neighbours kept"] < 0.01


def test_no_score_of_the_card_sees_how_regions_are_arranged() -> None:
    rearranged = scores("the 16 squares rearranged")
    assert rearranged["trustworthiness"] > 0.99
    assert rearranged["mixing"] > 0.95
    assert min(rearranged["R@10"], rearranged["neighbours kept"]) > 0.8  # what is missing was cut at the edges


def test_held_out_links_can_be_predicted_by_what_is_popular() -> None:
    embedding, data, links = popular_tags()
    report = metrics.report(embedding, data, held_out=links)
    assert report["held_out_recall_10"][PAIR] > 0.9
    assert report["neighbors_kept"]["photo"] < 0.05
    assert report["trustworthiness"]["photo"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("name", made_maps())
def test_the_docs_have_these_scores(name: str) -> None:
    rows = [line.strip("| ").split("|") for line in DOCS.read_text(encoding="utf-8").splitlines() if "|" in line]
    cells = {row[0].strip(): [cell.strip(" *") for cell in row[1:]] for row in rows}
    assert cells["map"] == list(scores(name))
    measured = list(scores(name).values())
    assert [float(cell) for cell in cells[name]] == pytest.approx(measured, rel=0.01, abs=0.0051)
