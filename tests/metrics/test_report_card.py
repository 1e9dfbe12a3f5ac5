"""The report card: its scores, what is left out of it, and how it reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE, Embedding, RelationalData, metrics
from mrsne.datasets.groups import make_groups
from mrsne.datasets.shapes import make_shapes
from mrsne.viewer.reporting import page_report
from tests.metrics.test_holding_out import photos

Fit = tuple[Embedding, RelationalData, dict[Any, Any]]


@pytest.fixture(scope="module")
def grouped() -> Fit:
    """Images and tags of five groups, mapped without a tenth of their links."""
    rest, links = metrics.hold_out(make_groups(random_state=0)[0])
    return MRSNE(random_state=0, max_iter=300).fit_transform(rest), rest, links


def at_random(data: RelationalData) -> Embedding:
    random = np.random.default_rng(0)
    return Embedding({name: random.normal(size=(n, 2)) for name, n in data.sizes.items()})


def test_a_map_is_better_than_chance_in_every_score(grouped: Fit) -> None:
    embedding, data, links = grouped
    good, poor = (metrics.report(Y, data, held_out=links) for Y in (embedding, at_random(data)))
    pair = ("image", "tag")
    assert good["held_out_recall_10"][pair] > 0.5
    assert poor["held_out_recall_10"][pair] == pytest.approx(poor.chances["held_out_recall_10"][pair], abs=0.1)
    assert good["held_out_mrr"][pair] > poor["held_out_mrr"][pair] + 0.1
    for domain in ("image", "tag"):
        assert good["trustworthiness"][domain] > 0.7
        assert poor["trustworthiness"][domain] == pytest.approx(poor.chances["trustworthiness"][domain], abs=0.05)
        assert good["neighbors_kept"][domain] > poor["neighbors_kept"][domain] + 0.1
        assert np.nanmean(good.item_scores[domain]) > np.nanmean(poor.item_scores[domain]) + 0.1
    assert poor["mixing"][pair] > 0.85  # at random is well mixed, too
    apart = Embedding({"image": embedding["image"], "tag": embedding["tag"] + 1000})
    assert metrics.report(apart, data)["mixing"][pair] == 0


def test_scores_by_vector_are_those_of_the_single_functions(grouped: Fit) -> None:
    embedding, data, _ = grouped
    report = metrics.report(embedding, data, metric={"image": "cosine"})
    for domain, metric in (("image", "cosine"), ("tag", "euclidean")):
        trust = metrics.trustworthiness(embedding, data, domain, metric=metric)
        kept = metrics.neighborhood_preservation(embedding, data, domain, metric=metric)
        chance = 10 / (data.sizes[domain] - 1)
        assert report["trustworthiness"][domain] == pytest.approx(trust, abs=1e-9)
        assert report["kept_by_vector"][domain] == pytest.approx((kept - chance) / (1 - chance), abs=1e-9)
    a, b = (report[part]["image"] for part in ("kept_by_vector", "kept_by_links"))
    assert report["neighbors_kept"]["image"] == pytest.approx(2 * a * b / (a + b))


def test_without_held_out_links_the_report_says_how_to_get_them(grouped: Fit) -> None:
    embedding, data, links = grouped
    report = metrics.report(embedding, data)
    assert "held_out_mrr" not in report
    assert "metrics.hold_out(data)" in str(report)
    assert report.to_dict()["held_out_mrr"] is None
    with pytest.raises(KeyError, match="hold_out"):
        report["held_out_mrr"]
    assert "metrics.hold_out(data)" not in str(metrics.report(embedding, data, held_out=links))


def test_the_report_reads_as_a_table_with_a_sentence_for_each_score(grouped: Fit) -> None:
    embedding, data, links = grouped
    report = metrics.report(embedding, data, held_out=links)
    printed = str(report)
    assert [line.title for line in report.lines()] == [
        "held-out R@10, image to tag",
        "held-out MRR, image to tag",
        "trustworthiness, image",
        "trustworthiness, tag",
        "mixing, image and tag",
        "neighbours kept, image",
        "neighbours kept, tag",
    ]
    assert all(line.sentence.endswith(".") for line in report.lines())
    assert all(f"{line.value:.3f}  {line.title}\n       {line.sentence[:40]}" in printed for line in report.lines())
    assert max(map(len, printed.splitlines())) <= 100
    recall = round(100 * report["held_out_recall_10"]["image", "tag"])
    assert f"Of 100 links that the map has not seen, {recall} lead to" in printed
    assert report.to_dict()["mixing"]["image"]["tag"] == report["mixing"]["image", "tag"]


def test_any_domains_and_relations_are_scored() -> None:
    rest, links = metrics.hold_out(photos())
    report = metrics.report(at_random(rest), rest, held_out=links)
    assert set(report["held_out_mrr"]) == {("photo", "tag"), ("photo", "photo")}
    assert set(report["trustworthiness"]) == {"photo"}  # the only one with vectors
    assert set(report["mixing"]) == {("photo", "tag")}  # seven authors are too few
    assert set(report["neighbors_kept"]) == {"photo", "tag", "author"}
    assert not np.isnan(report.item_scores["photo"]).any()  # those without tags have a vector, an author, others


def test_items_without_vectors_and_links_have_no_score_and_count_for_nothing() -> None:
    random = np.random.default_rng(0)
    vectors, W = random.normal(size=(50, 3)), random.random((50, 30)) < 0.2
    W[3], W[:, 29] = False, False
    missing = np.arange(50) == 3
    data = RelationalData({"photo": vectors, "tag": 30}, {("photo", "tag"): W}, missing={"photo": missing})
    embedding = at_random(data)
    moved = Embedding({"photo": np.where(missing[:, None], 1e6, embedding["photo"]), "tag": embedding["tag"]})
    reports = [metrics.report(Y, data) for Y in (embedding, moved)]
    for report in reports:
        assert np.flatnonzero(np.isnan(report.item_scores["photo"])).tolist() == [3]
        assert np.flatnonzero(np.isnan(report.item_scores["tag"])).tolist() == [29]
    assert reports[0]["mixing"] == reports[1]["mixing"]
    assert reports[0]["trustworthiness"] == reports[1]["trustworthiness"]


def test_item_scores_are_between_zero_and_one_and_a_sample_has_some_of_them(grouped: Fit) -> None:
    embedding, data, _ = grouped
    whole, part, again = (metrics.report(embedding, data, sample=sample) for sample in (None, 25, 25))
    for domain, scores in whole.item_scores.items():
        chosen = ~np.isnan(part.item_scores[domain])
        assert chosen.sum() == 25
        np.testing.assert_array_equal(part.item_scores[domain][chosen], scores[chosen])
        np.testing.assert_array_equal(part.item_scores[domain], again.item_scores[domain])
        assert scores.min() >= 0
        assert scores.max() <= 1


def test_small_and_single_domains_have_the_scores_that_make_sense() -> None:
    W = np.random.default_rng(0).random((15, 4)) < 0.6
    rest, links = metrics.hold_out(RelationalData({"photo": np.eye(15), "tag": 4}, {("photo", "tag"): W}), 0.2)
    report = metrics.report(at_random(rest), rest, held_out=links)
    assert set(report) == {"held_out_mrr", "neighbors_kept", "kept_by_links"}  # all four are among ten
    assert set(report["neighbors_kept"]) == {"tag"}
    assert list(metrics.report(Embedding({"x": np.eye(40)[:, :2]}), RelationalData({"x": np.eye(40)}))) == [
        "trustworthiness",
        "neighbors_kept",
        "kept_by_vector",
    ]
    assert len(metrics.report(Embedding({"x": np.eye(4)[:, :2]}), RelationalData({"x": np.eye(4)}))) == 0


def test_a_report_cannot_be_changed(grouped: Fit) -> None:
    report = metrics.report(*grouped[:2])
    with pytest.raises(AttributeError):
        report.scores = {}  # type: ignore[misc]
    with pytest.raises(TypeError):
        report["trustworthiness"]["image"] = 1.0  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        report.item_scores["image"][0] = 1


def test_a_map_remembers_the_card_of_all_its_items() -> None:
    data, _ = make_shapes(60, random_state=0)
    embedding = Embedding({name: np.random.default_rng(0).normal(size=(n, 2)) for name, n in data.sizes.items()})
    card = metrics.report(embedding, data)
    assert page_report(embedding, data) is card
    rest, links = metrics.hold_out(data)
    assert metrics.report(embedding, rest, held_out=links)["kept_by_links"] != card["kept_by_links"]
    for settings in ({"k": 5}, {"metric": "cosine"}, {"sample": 40}):
        assert metrics.report(embedding, data, **settings) != card, settings
    assert metrics.report(embedding, data) == card


def test_what_cannot_be_used_is_named(grouped: Fit) -> None:
    embedding, data, links = grouped
    whole = RelationalData(
        dict(data.vectors), {("image", "tag"): data.relations["image", "tag"] + links["image", "tag"]}
    )
    with pytest.raises(ValueError, match=r"held_out\[\('image', 'tag'\)\] has \d+ links that data has too"):
        metrics.report(embedding, whole, held_out=links)
    with pytest.raises(ValueError, match="held_out must be a mapping of pairs of domains to links, got 3"):
        metrics.report(embedding, data, held_out=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pair must be two domains with a relation"):
        metrics.report(embedding, data, held_out={("image", "user"): links["image", "tag"]})
    with pytest.raises(ValueError, match="held_out has shape"):
        metrics.report(embedding, data, held_out={("image", "tag"): np.ones((2, 2))})
    with pytest.raises(ValueError, match="sample must be a whole number of at least 1, got 0"):
        metrics.report(embedding, data, sample=0)
    with pytest.raises(ValueError, match="metric names the domain 'user'"):
        metrics.report(embedding, data, metric={"user": "cosine"})
    with pytest.raises(ValueError, match=r"metric\['tag'\] must be one of 'euclidean', 'cosine'"):
        metrics.report(embedding, data, metric={"tag": "inner"})
    with pytest.raises(ValueError, match="embedding must be an Embedding"):
        metrics.report([[0, 0]], data)  # type: ignore[arg-type]
