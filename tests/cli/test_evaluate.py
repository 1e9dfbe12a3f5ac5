"""`mrsne evaluate`: the scores are those of `mrsne.metrics`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrsne import MRSNE, Embedding, metrics
from mrsne.model.saved_map import SavedMap
from tests.cli.conftest import Fitted, Invoke, summary_of


def test_the_scores_are_those_of_the_metrics(fitted: Fitted) -> None:
    found, data, embedding = summary_of("evaluate", fitted.path), fitted.data, Embedding.load(fitted.path)
    assert found["reconstruction_auc"] == pytest.approx(metrics.reconstruction_auc(embedding, data), abs=1e-4)
    for k in (1, 10):
        rate = found[f"hit_rate_{k}"]["image"]["tag"]
        assert rate == pytest.approx(metrics.hit_rate(embedding, data, k), abs=1e-4)
    assert found["trustworthiness"]["image"] > 0.7


def test_a_map_that_is_not_there_or_alone_is_a_message(tmp_path: Path, invoke: Invoke) -> None:
    code, _, errors = invoke("evaluate", tmp_path / "nowhere.npz")
    assert (code, errors.startswith("mrsne: "), "nowhere.npz" in errors) == (1, True, True)
    Embedding({"a": [[0, 0]]}).save(tmp_path / "alone.npz")
    code, _, errors = invoke("evaluate", tmp_path / "alone.npz")
    assert (code, f"the data of {str(tmp_path / 'alone.npz')!r} is not beside it" in errors) == (1, True)


def test_the_report_card_is_that_of_the_metrics(fitted: Fitted) -> None:
    card = summary_of("evaluate", fitted.path)["report_card"]
    expected = metrics.report(Embedding.load(fitted.path), fitted.data)
    assert card["neighbors_kept"]["image"] == pytest.approx(expected["neighbors_kept"]["image"], abs=1e-4)
    assert card["mixing"]["image"]["tag"] == pytest.approx(expected["mixing"]["image", "tag"], abs=1e-4)
    assert (card["held_out_mrr"], card["held_out_recall_10"]) == (None, None)


def test_held_out_links_are_predicted_by_a_map_made_with_the_same_settings(fitted: Fitted) -> None:
    plain = summary_of("evaluate", fitted.path)
    found = summary_of("evaluate", fitted.path, "--held-out", "0.2", "--min-count", "24", "--seed", "3")
    saved = SavedMap.load(fitted.path)
    assert (saved.settings["weights"], saved.settings["perplexity"]) == (0.5, 10)
    rest, links = metrics.hold_out(saved.data, 0.2, 24, random_state=3)
    embedding = MRSNE(**saved.settings, random_state=3).fit_transform(rest)
    expected = metrics.report(embedding, rest, held_out=links)
    card = found["report_card"]
    for score in ("held_out_mrr", "held_out_recall_10"):
        assert card[score]["image"]["tag"] == pytest.approx(expected[score]["image", "tag"], abs=1e-4)
    assert card["held_out_mrr"]["image"]["tag"] > 0.2
    assert {**found, "report_card": None} == {**plain, "report_card": None}
    assert card | plain["report_card"] == plain["report_card"]  # what is not held out is of the map itself


def test_people_read_a_sentence_for_each_score(fitted: Fitted, invoke: Invoke) -> None:
    _, printed, _ = invoke("evaluate", fitted.path)
    assert "neighbours kept, image" in printed
    assert "--held-out 0.1 makes the map again" in printed
    assert "graph reconstruction (AUC)" in printed
    assert "report_card" not in printed
    _, printed, _ = invoke("evaluate", fitted.path, "--held-out", "0.1")
    assert "Of 100 links that the map has not seen" in printed
    assert "makes the map again" not in printed


def test_a_share_that_is_none_is_refused_before_anything_is_read(tmp_path: Path, invoke: Invoke) -> None:
    for share in ("0", "1", "-3"):
        code, _, errors = invoke("evaluate", tmp_path / "nowhere.npz", "--held-out", share)
        assert (code, "--held-out must be greater than 0 and less than 1" in errors) == (1, True)
