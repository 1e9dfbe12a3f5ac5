"""Tables: best and second best are marked, the spread and the published numbers stand beside."""

from __future__ import annotations

from typing import Any

from mrsne.experiments.study import Key, Method, Score
from mrsne.experiments.tables import as_csv, column, notes, single_table


def test_best_is_bold_second_underlined_and_ties_share() -> None:
    methods = [Method(name, "family", name, 2, lambda seed: None) for name in "abcd"]
    runs: dict[str, list[dict[str, Any]]] = {
        name: [{"auc": value, "ratio": ratio}]
        for name, value, ratio in zip("abcd", (0.5, 0.7001, 0.9, 0.9), (2, 0.4, 1.1, 9), strict=True)
    }
    high = column(runs, methods, Score("auc", "AUC", 2), {("b", "auc", None): 0.66})
    assert [cell.markdown() for cell in high] == ["0.50", "<u>0.70</u>", "**0.90**", "**0.90**"]
    ratio = column(runs, methods, Score("ratio", "ratio", 1, "one"), {})
    assert [cell.rank for cell in ratio] == [2, None, 1, None]
    table = single_table([high, ratio], comparable=True)
    assert "| family: b | <u>0.70</u> | 0.66 | 0.4 |" in table


def test_spread_is_shown_where_there_are_several_seeds() -> None:
    method = Method("a", "family", "a", 2, lambda seed: None)
    cells = column({"a": [{"auc": 0.5}, {"auc": 0.6}]}, [method], Score("auc", "AUC", 2), {})
    assert cells[0].markdown() == "**0.55** ± 0.07"


def test_our_methods_neither_compete_nor_have_published_numbers() -> None:
    theirs = Method("a", "family", "a", 2, lambda seed: None)
    ours = Method("b", "family", "b", 2, lambda seed: None, in_paper=False)
    scores = {"a": [{"auc": 0.5}], "b": [{"auc": 0.9}]}
    published: dict[Key, float] = {(key, "auc", None): 0.7 for key in "ab"}
    cells = column(scores, [theirs, ours], Score("auc", "AUC", 2), published)
    assert [(cell.markdown(), cell.published) for cell in cells] == [("**0.50**", 0.7), ("0.90", None)]


def test_a_row_with_a_note_is_marked_and_the_note_said() -> None:
    method = Method("a", "CDMCA", "K = 300", 84, lambda seed: None, note="84 used")
    cells = column({"a": [{"auc": 0.5}]}, [method], Score("auc", "AUC", 2), {("a", "auc", None): 0.7})
    assert "| CDMCA: K = 300 † | **0.50** | 0.70 |" in single_table([cells], comparable=True)
    assert notes([method]).startswith("† CDMCA: K = 300: 84 used.")
    assert "a,CDMCA,K = 300,84,1,84 used,auc,,0.5,0.0,1,0.7,1" in as_csv([cells])
