"""`mrsne fit`: the map is the one that Python makes, and mistakes are messages."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from distributed import LocalCluster

from mrsne import MRSNE, Embedding, RelationalData, datasets, metrics
from mrsne.model.saved_map import SavedMap
from tests.cli.conftest import Fitted, Invoke, summary_of


def test_the_map_is_pythons(fitted: Fitted) -> None:
    expected = MRSNE(weights=0.5, perplexity=10, random_state=0).fit_transform(fitted.data)
    np.testing.assert_allclose(Embedding.load(fitted.path).stacked, expected.stacked, atol=1e-3)


def test_the_summary_has_counts_and_scores(fitted: Fitted) -> None:
    summary, data, embedding = fitted.summary, fitted.data, Embedding.load(fitted.path)
    n_links = data.relations["image", "tag"].nnz
    assert (summary["items"], summary["links"]) == ({"image": 120, "tag": 20}, {"image": {"tag": n_links}})
    near = summary["hit_rate_10"]["image"]["tag"]
    assert near == pytest.approx(metrics.hit_rate(embedding, data, 10, "image", "tag"), abs=1e-3)
    trust = metrics.trustworthiness(embedding, data, "image", 10)
    assert summary["trustworthiness"]["image"] == pytest.approx(trust, abs=1e-3)


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """Options of a small data set: forty images, twelve tags with vectors, and links between them."""
    data, _ = datasets.make_groups({"image": 40, "tag": 12}, random_state=0)
    options = []
    arrays: dict[str, Any] = dict(data.vectors)
    for name, vectors in arrays.items():
        np.save(tmp_path / f"{name}.npy", vectors)
        options += ["--domain", f"{name}={tmp_path / name}.npy"]
    np.save(tmp_path / "links.npy", data.relations["image", "tag"].toarray())
    return [*options, "--relation", f"image:tag={tmp_path / 'links.npy'}", "--perplexity", "6"]


def test_the_papers_schedule_is_algorithm_1(small: list[str], tmp_path: Path, invoke: Invoke) -> None:
    paper = ("--schedule", "paper", "--weights", "equal")
    code, printed, errors = invoke("fit", *small, *paper, "-o", tmp_path / "map.npz")
    assert code == 0, errors
    assert (
        "weights: neighbours of image 33 %, neighbours of tag 33 %, links between image and tag 33 %"
        in printed.splitlines()
    )
    data, _ = datasets.make_groups({"image": 40, "tag": 12}, random_state=0)
    model = MRSNE.paper(weights="equal", perplexity=6, random_state=0).fit(data)
    assert model.n_iter_ == 500
    np.testing.assert_allclose(Embedding.load(tmp_path / "map.npz").stacked, model.embedding_.stacked, atol=1e-4)
    short = ("--max-iter", "5", "--schedule", "paper")
    assert summary_of("fit", *small, *short, "-o", tmp_path / "short.npz")["iterations"] == 5


def test_weights_may_be_given_for_each_domain_and_relation(small: list[str], tmp_path: Path) -> None:
    weights = ("--weights", "image=0.5, tag=0.1,image:tag=0.4")
    summary = summary_of("fit", *small, *weights, "--max-iter", "60", "-o", tmp_path / "map.npz")
    assert summary["weights"] == {"neighbors": {"image": 0.5, "tag": 0.1}, "links": {"image": {"tag": 0.4}}}
    data, _ = datasets.make_groups({"image": 40, "tag": 12}, random_state=0)
    chosen = {"image": 0.5, "tag": 0.1, ("image", "tag"): 0.4}
    expected = MRSNE(weights=chosen, perplexity=6, max_iter=60, random_state=0).fit_transform(data)
    np.testing.assert_allclose(Embedding.load(tmp_path / "map.npz").stacked, expected.stacked, atol=1e-4)
    settings = summary_of("info", tmp_path / "map.npz")["settings"]
    assert settings["weights"] == {"image": 0.5, "tag": 0.1, "image:tag": 0.4}
    placed = summary_of(
        "place", tmp_path / "map.npz", "--domain", f"image={tmp_path / 'image.npy'}", "-o", tmp_path / "placed.npz"
    )
    assert placed["items"] == {"image": 40}


ERRORS: list[tuple[list[str], str]] = [
    (["--domain", "image"], "--domain must be NAME=FILE, got 'image'"),
    (["--domain", "a=nowhere.npy"], "there is no file 'nowhere.npy'"),
    (["--domain", "a=x.npy"], "'x.npy' is not a file of numpy, or is damaged"),
    (["--domain", "a=3", "--domain", "a=4"], "--domain 'a' is given twice"),
    (["--domain", "a=bad.csv"], "bad.csv, line 3: expected 2 finite numbers"),
    (["--domain", "a=3", "--relation", "a=l.csv"], "--relation must be DOMAIN:DOMAIN=FILE, got 'a=l.csv'"),
    (["--domain", "a=3", "--domain", "b=2", "--relation", "a:b=l.csv"], "links of 'a' must be positions 0, 1, 2"),
    (["--domain", "a=3", "--names", "z=names.txt"], "--names names the domain 'z'"),
    (["--domain", "a=3", "--schedule", "fast"], "--schedule must be one of 'default', 'paper', got 'fast'"),
    (["--domain", "a=good.csv", "--weights", "a=x"], "--weights must give numbers, got 'x' for 'a'"),
    (["--domain", "a=good.csv", "--weights", "a=1,a=2"], "--weights gives 'a' twice"),
    (["--domain", "a=good.csv", "--weights", "a=1,b=2"], "weights names 'b', but it can weight 'a'"),
    (["--domain", "a=3", "-o", "map.gif"], "--output must end in .npz, .html, .htm, got 'map.gif'"),
    ([], "give items: --relation FILE with their links, --domain NAME=FILE with vectors, or both"),
    (["--relation", "wide.csv"], "'wide.csv' must have two headings that name the kinds it links"),
    (["--relation", "graph.csv"], "'graph.csv' links items of one kind; say which: --relation KIND:KIND=graph.csv"),
    (["--relation", "a:b=pairs.csv", "--min-count", "9"], "no item of 'a' has 9 links; lower --min-count"),
    (["--domain", "a=named.csv", "--relation", "a:b=pairs.csv"], "no link of 'pairs.csv' is between known items"),
    (
        ["--domain", "a=good.csv", "--weights", "7"],
        "weights must be one of 'auto', 'size', 'equal', 'balanced', a number",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=[message[:40] for _, message in ERRORS])
def test_errors_are_messages(
    arguments: list[str], message: str, tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.npy").write_text("no array")
    (tmp_path / "bad.csv").write_text("1,2\n3,4\n5,six\n")
    (tmp_path / "good.csv").write_text("1,2\n3,4\n5,6\n")
    (tmp_path / "l.csv").write_text("one,0\n")
    (tmp_path / "wide.csv").write_text("one,0,extra,more\n1,2,3,4\n")
    (tmp_path / "graph.csv").write_text("source,target\nx,y\n")
    (tmp_path / "pairs.csv").write_text("a,b\np,q\np,r\n")
    (tmp_path / "named.csv").write_text("x,1,2\ny,3,4\nz,5,6\n")
    (tmp_path / "names.txt").write_text("a\n")
    monkeypatch.chdir(tmp_path)
    code, _, errors = invoke("fit", *arguments)
    assert code == 1
    assert errors.startswith("mrsne: ")
    assert message in errors


@pytest.mark.parametrize("address", ["of a cluster", "nowhere"])
def test_what_is_logged_afterwards_is_as_before(address: str, tmp_path: Path, invoke: Invoke) -> None:
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(30, 3)))
    arguments = ["fit", "--domain", f"a={tmp_path / 'a.npy'}", "--max-iter", "3", "-o", tmp_path / "map.npz"]
    logging.disable(logging.DEBUG)
    try:
        with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            given = cluster.scheduler_address if address == "of a cluster" else address
            code, _, errors = invoke(*arguments, "--cluster", given)
        assert (code, logging.root.manager.disable) == (1 if address == "nowhere" else 0, logging.DEBUG), errors
    finally:
        logging.disable(logging.NOTSET)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_a_message(tmp_path: Path, invoke: Invoke) -> None:
    np.save(tmp_path / "a.npy", np.eye(12))
    code, _, errors = invoke("fit", "--domain", f"a={tmp_path / 'a.npy'}", "--device", "cuda", "-o", tmp_path / "m.npz")
    assert code == 1
    assert errors.startswith("mrsne: device='cuda' cannot be used: torch finds no CUDA device")
    assert not (tmp_path / "m.npz").exists()


def test_kinds_and_items_come_from_the_links_alone(tmp_path: Path) -> None:
    links = [f"p{i},w{i % 7},{1 + i % 2}" for i in range(42)] + ["p1,rare,1"]
    (tmp_path / "links.csv").write_text("\n".join(["paper,word,weight", *links]))
    printed = summary_of("fit", "--relation", tmp_path / "links.csv", "-o", tmp_path / "map.html")
    assert printed["items"] == {"paper": 42, "word": 8}
    assert (tmp_path / "map.html").exists()
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert data.relation("paper", "word")[1].toarray().tolist() == [[0, 2, 0, 0, 0, 0, 0, 1]]


def test_rare_items_and_links_to_unknown_ones_are_counted_and_listed(tmp_path: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(20, 3))
    lines = [f"p{i}," + ",".join(map(str, row)) for i, row in enumerate(vectors)]
    (tmp_path / "papers.csv").write_text("\n".join(lines))
    links = [f"p{i},w{i % 5}" for i in range(20)] + ["p1,rare", "stranger,w1"]
    (tmp_path / "links.csv").write_text("\n".join(["paper,word", *links]))
    domain = ["--domain", f"paper={tmp_path / 'papers.csv'}", "--perplexity", "5"]
    printed = summary_of(
        "fit", *domain, "--relation", tmp_path / "links.csv", "--min-count", "2", "-o", tmp_path / "map.npz"
    )
    assert printed["items"] == {"paper": 20, "word": 5}
    assert printed["left_out"] == {"rare_item": 1, "link_to_unknown_item": 2}
    listed = (tmp_path / "map.left-out.csv").read_text()
    assert '"links.csv, link 22",paper: stranger' in listed
    assert "item of fewer than 2 links,word: rare,1 links" in listed


def test_rows_of_nan_are_items_without_a_vector(tmp_path: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(20, 3))
    vectors[3] = np.nan
    np.save(tmp_path / "a.npy", vectors)
    (tmp_path / "b.csv").write_text("\n".join(["name,x,y", "w0,,", *(f"w{i},{i},{i % 3}" for i in range(1, 8))]))
    (tmp_path / "links.csv").write_text("\n".join(["a,b", *(f"{i},w{i % 8}" for i in range(20))]))
    domains = ["--domain", f"a={tmp_path / 'a.npy'}", "--domain", f"b={tmp_path / 'b.csv'}"]
    summary_of("fit", *domains, "--relation", tmp_path / "links.csv", "--perplexity", "4", "-o", tmp_path / "map.npz")
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert np.flatnonzero(data.missing["a"]).tolist() == [3]
    assert np.flatnonzero(data.missing["b"]).tolist() == [0]


def test_the_page_scores_neighbours_by_the_metric_of_the_map(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).lognormal(sigma=2, size=(80, 6)))
    page = tmp_path / "map.html"
    domain = ["--domain", f"x={tmp_path / 'x.npy'}"]
    summary_of("fit", *domain, "--metric", "cosine", "--max-iter", "50", "--perplexity", "5", "-o", page)
    embedding, data = Embedding.load(tmp_path / "map.npz"), SavedMap.load(tmp_path / "map.npz").data
    cosine, euclidean = (metrics.trustworthiness(embedding, data, metric=metric) for metric in ("cosine", "euclidean"))
    about = re.search(r'"report": (\{"lines": .*?\]), "sample"', page.read_text("utf-8"))
    assert about is not None
    shown = {line["title"]: line["value"] for line in json.loads(about[1] + "}")["lines"]}
    assert shown["trustworthiness, x"] == pytest.approx(cosine, abs=1e-9)
    assert shown["trustworthiness, x"] != pytest.approx(euclidean, abs=1e-3)
