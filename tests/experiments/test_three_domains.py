"""Studies of three domains, from packages that anyone can have by name, written small."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import metrics
from mrsne.datasets import DatasetError
from mrsne.experiments import load_study, methods_for, run_study, write_report
from mrsne.experiments.debian import load_debian
from mrsne.experiments.icons import load_icons, rasterised

SQUARE, DISC = "M4,4H20V20H4V4Z", "M12,4A8,8 0 0,1 12,20A8,8 0 0,1 12,4Z"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package in the layout of ``@mdi/svg`` with 24 icons."""
    folder = tmp_path / "package"
    (folder / "svg").mkdir(parents=True)
    meta = []
    for index in range(24):
        shape = "square" if index % 2 else "disc"
        name = f"{shape}-{index}"
        drawing = SQUARE if index % 2 else DISC
        (folder / "svg" / f"{name}.svg").write_text(f'<svg viewBox="0 0 24 24"><path d="{drawing}" /></svg>')
        tags, author = ["Shape"] if index < 12 else ["Form"], f"author {index % 3}"
        meta.append({"name": name, "aliases": [f"{shape}-alias"], "tags": tags, "author": author})
    (folder / "meta.json").write_text(json.dumps(meta))
    return folder


def test_icons_aliases_and_authors_are_read_from_the_folder_and_from_the_archive(package: Path) -> None:
    data = load_icons(package)
    assert data.sizes == {"icon": 24, "alias": 6, "author": 3}
    assert data.names["alias"] == ("Form", "Shape", "disc", "disc alias", "square", "square alias")
    squares = np.array(["square" in name for name in data.names["icon"]])
    np.testing.assert_array_equal(data.relations["icon", "alias"].toarray()[:, 4], squares)
    np.testing.assert_array_equal(data.relations["icon", "author"].toarray().sum(axis=1), 1)
    archive = package.parent / "mdi-svg.tgz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(package, "package")
    assert load_icons(archive).names == data.names
    assert load_icons(package, n_icons=10).sizes["icon"] == 10


def test_alike_drawings_are_near_and_pictures_are_drawn(package: Path) -> None:
    data = load_icons(package)
    vectors: Any = data.vectors["icon"]
    squares = np.array(["square" in name for name in data.names["icon"]])
    assert np.abs(vectors[squares] - vectors[squares][0]).max() == 0
    assert np.abs(vectors[squares][0] - vectors[~squares][0]).max() > 0.1
    ink = rasterised(DISC)[..., 3] / 255
    assert ink.mean() == pytest.approx(np.pi * 8**2 / 24**2, abs=0.005)  # the disc's share of the square
    assert (ink[0, 0], ink[24, 24]) == (0, 1)


def test_packages_tags_and_maintainers_are_read_as_apt_prints_them(tmp_path: Path) -> None:
    paragraphs = [
        f"Package: tool-{index}\nMaintainer: Team {index % 2} <team@example.org>\n"
        f"Description: a {'game of chess' if index % 2 else 'reader of mail'} for everyone\n"
        f"Tag: role::program,\n {'use::gameplaying' if index % 2 else 'use::reading'}"
        for index in range(12)
    ]
    file = tmp_path / "available.txt"
    file.write_text("\n\n".join([*paragraphs, "Package: bare\nDescription: without tags"]) + "\n")
    data = load_debian(file)
    assert data.sizes == {"package": 12, "tag": 3, "maintainer": 2}
    assert data.names["tag"] == ("role::program", "use::gameplaying", "use::reading")
    assert data.names["maintainer"] == ("Team 0", "Team 1")
    assert data.relations["package", "tag"].nnz == 24
    assert load_debian(file, n_packages=8, min_count=2).sizes["package"] == 8
    file.write_text("Package: bare\n")
    with pytest.raises(DatasetError, match="has 0 packages with tags; expected what `apt-cache dumpavail` prints"):
        load_debian(file)


def test_a_report_of_three_domains_scores_each_pair(package: Path, tmp_path: Path) -> None:
    study = load_study("icons", package, perplexity=5)
    assert study.targets == ["alias", "author"]
    methods = methods_for(study.data, None, ["mrsne-pmi-size", "cdmca-2-improved"], 5)
    scores = run_study(study, methods, [0], tmp_path / "report")
    page = write_report(study, methods, [0], scores, tmp_path / "report").read_text()
    embedding = methods[-1].make(0).fit_transform(study.data)
    run = scores[methods[-1].key][0]
    assert run["link_auc_author"] == metrics.link_auc(embedding, study.data, ("icon", "author"))
    assert run["hit_rate_across_author"][0] == metrics.hit_rate(embedding, study.data, 1, "icon", "author")
    for heading in ("Variance ratio (author)", "### Metric (I) across domains (author)"):
        assert heading in page
    assert (tmp_path / "report" / "tables" / "hit_count_across_author.csv").exists()


def test_a_folder_that_is_no_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError, match=r"has no meta\.json and svg folder; expected what `npm pack @mdi/svg` writes"
    ):
        load_icons(tmp_path)
