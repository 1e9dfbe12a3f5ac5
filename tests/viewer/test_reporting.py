"""The report card of a page: what is in it, and what it may cost."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from mrsne import MRSNE, Embedding, RelationalData, metrics
from mrsne.datasets.groups import make_groups
from mrsne.viewer import notebook, reporting
from mrsne.viewer.content import Content
from mrsne.viewer.notebook import mime_bundle
from mrsne.viewer.reporting import COLUMN, affordable_sample, changes_panel, page_report


@pytest.fixture
def groups() -> tuple[Embedding, RelationalData]:
    data, _ = make_groups({"image": 150, "tag": 40}, random_state=0)
    random = np.random.default_rng(0)
    return Embedding({name: random.normal(size=(n, 2)) for name, n in data.sizes.items()}), data


def test_a_page_has_the_report_of_its_map(groups: tuple[Embedding, RelationalData]) -> None:
    content, expected = Content(*groups), metrics.report(*groups, sample=None)
    card = content.about["report"]
    assert card["sample"] is None
    assert [line["title"] for line in card["lines"]] == [line.title for line in expected.lines()]
    assert [line["value"] for line in card["lines"]] == [line.value for line in expected.lines()]


def test_every_item_has_a_column_that_tells_how_well_it_is_placed(groups: tuple[Embedding, RelationalData]) -> None:
    content, expected = Content(*groups, columns={"tag": {"size": np.arange(40)}}), metrics.report(*groups)
    assert [domain["placed"] for domain in content.about["domains"]] == [0, 1]
    assert content.about["domains"][1]["columns"][1]["name"] == COLUMN
    for part, name in (("column-0-0", "image"), ("column-1-1", "tag")):
        values = np.frombuffer(gzip.decompress(content.parts[part]()), "<f4")
        np.testing.assert_array_equal(values, expected.item_scores[name].astype(np.float32))


def test_a_column_of_that_name_is_the_users(groups: tuple[Embedding, RelationalData]) -> None:
    content = Content(*groups, columns={"tag": {COLUMN: np.arange(40)}})
    assert [domain["placed"] for domain in content.about["domains"]] == [0, None]
    assert len(content.about["domains"][1]["columns"]) == 1


def test_beyond_the_budget_a_sample_is_scored_and_no_column_offered(
    groups: tuple[Embedding, RelationalData], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding, data = groups
    assert affordable_sample(data, reporting.BUDGET) is None
    monkeypatch.setattr(reporting, "BUDGET", 2e4)
    monkeypatch.setattr(reporting, "FEWEST", 10)
    sample = affordable_sample(data, 2e4)
    assert sample is not None
    assert 10 < sample < 40
    content = Content(embedding, data)
    assert content.about["report"]["sample"] == sample
    assert all(domain["placed"] is None and not domain["columns"] for domain in content.about["domains"])
    monkeypatch.setattr(reporting, "FEWEST", 100)
    assert Content(embedding, data).about["report"] is None


def test_wide_vectors_and_large_domains_cost_more() -> None:
    def sample(items: int, dimensions: int) -> int:
        found = affordable_sample(RelationalData({"x": np.zeros((items, dimensions), np.float16)}), 2e8)
        return items if found is None else found

    assert affordable_sample(RelationalData({"x": np.zeros((2000, 250))}), 1e6) == 250
    assert sample(10_000, 10) == 10_000
    assert sample(20_000, 10) < 20_000
    assert sample(20_000, 500) < sample(20_000, 10) / 2
    assert sample(200_000, 2) < sample(100_000, 2)


def test_a_report_can_be_given_or_left_out(groups: tuple[Embedding, RelationalData]) -> None:
    embedding, data = groups
    rest, links = metrics.hold_out(data)
    given = metrics.report(embedding, rest, held_out=links)
    titles = [line["title"] for line in Content(embedding, data, report=given).about["report"]["lines"]]
    assert titles[0] == "held-out R@10, image to tag"
    without = Content(embedding, data, report=False)
    assert without.about["report"] is None
    assert all(not domain["columns"] for domain in without.about["domains"])
    with pytest.raises(ValueError, match="report must be a Report, True or False, got 'yes'"):
        Content(embedding, data, report="yes")  # type: ignore[arg-type]
    other = metrics.report(Embedding({"image": np.eye(30)[:, :2]}), RelationalData({"image": np.eye(30)}))
    with pytest.raises(ValueError, match="report is of 30 items of 'image', but the embedding has 150"):
        Content(embedding, data, report=other)


def test_the_metric_of_the_map_is_the_metric_of_the_report(groups: tuple[Embedding, RelationalData]) -> None:
    euclidean, cosine = page_report(*groups), page_report(*groups, {"image": "cosine"})
    assert euclidean is not None
    assert cosine is not None
    assert cosine["trustworthiness"]["image"] == pytest.approx(
        metrics.trustworthiness(*groups, "image", metric="cosine"), abs=1e-6
    )
    assert cosine["trustworthiness"]["image"] != euclidean["trustworthiness"]["image"]
    assert cosine["trustworthiness"]["tag"] == euclidean["trustworthiness"]["tag"]


def test_a_cell_of_a_notebook_spends_less(
    groups: tuple[Embedding, RelationalData], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding, data = groups
    shown = mime_bundle(embedding, data)["text/html"]
    assert "neighbours kept, image" in shown
    monkeypatch.setattr(notebook, "CELL_BUDGET", 100)
    assert "neighbours kept, image" not in mime_bundle(embedding, data)["text/html"]


def test_what_changed_is_told_of_a_map_that_continues_another() -> None:
    X = np.random.default_rng(0).normal(size=(60, 5))
    data = RelationalData({"photo": X}, names={"photo": [f"photo {i}" for i in range(60)]})
    model = MRSNE(perplexity=5, max_iter=60, random_state=0)
    first = model.fit_transform(data.subset({"photo": range(55)}))
    second = model.fit_transform(data, start_from=first)
    assert changes_panel(first.changes) == (None, {})
    described, parts = changes_panel(second.changes)
    assert described is not None
    assert second.changes is not None
    assert described["sentences"] == second.changes.sentences()[:2]
    assert Content(second, data, report=False).about["changes"] == described
    assert parts == {}
