"""Studies of three domains, from data that anyone can have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mrsne import datasets, metrics
from mrsne.experiments.methods import methods_for
from mrsne.experiments.report import write_report
from mrsne.experiments.runs import run_study
from mrsne.experiments.studies import load_study
from mrsne.experiments.study import Study


@pytest.fixture
def three() -> Study:
    """Icons in groups, words and authors that show the groups."""
    made, _ = datasets.make_groups(
        {"icon": 60, "alias": 20, "author": 8},
        pairs=[("icon", "alias"), ("icon", "author")],
        dimensions={"icon": 6, "alias": 0, "author": 0},
        random_state=0,
    )
    pictures = {"icon": np.full((60, 8, 8, 4), 180, np.uint8)}
    return Study("icons", "sixty icons", made, "icon", "alias", "shared", pictures=pictures, perplexity=5)


def test_icons_are_drawn_with_the_words_and_authors_that_enough_of_them_have() -> None:
    study = load_study("icons")
    assert study.data.sizes["icon"] == 2000
    assert study.targets == ["alias", "author"]
    for target in study.targets:
        links = study.data.relations["icon", target]
        assert np.asarray((links > 0).sum(axis=0)).min() >= 3
    assert len(study.pictures["icon"]) == 2000


def test_packages_are_read_as_apt_prints_them(tmp_path: Path) -> None:
    paragraphs = [
        f"Package: tool-{index}\nMaintainer: Team {index % 2} <team@example.org>\n"
        f"Description: a {'game of chess' if index % 2 else 'reader of mail'} for everyone\n"
        f"Tag: role::program,\n {'use::gameplaying' if index % 2 else 'use::reading'}"
        for index in range(12)
    ]
    (tmp_path / "available.txt").write_text("\n\n".join(paragraphs) + "\n")
    study = load_study("debian", tmp_path / "available.txt")
    assert study.title == "12 Debian packages, their tags and maintainers"
    assert (study.query, study.targets) == ("package", ["tag", "maintainer"])


@pytest.mark.slow
def test_a_report_of_three_domains_scores_each_pair(three: Study, tmp_path: Path) -> None:
    methods = methods_for(three.data, None, ["mrsne-pmi-size", "cdmca-2-improved"], 5)
    scores = run_study(three, methods, [0], tmp_path / "report")
    page = write_report(three, methods, [0], scores, tmp_path / "report").read_text()
    embedding = methods[-1].make(0).fit_transform(three.data)
    run = scores[methods[-1].key][0]
    assert run["link_auc_author"] == metrics.link_auc(embedding, three.data, ("icon", "author"))
    assert run["hit_rate_across_author"][0] == metrics.hit_rate(embedding, three.data, 1, "icon", "author")
    for heading in ("Variance ratio (author)", "### Metric (I) across domains (author)"):
        assert heading in page
    assert (tmp_path / "report" / "tables" / "hit_count_across_author.csv").exists()
