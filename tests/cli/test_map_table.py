"""`mrsne map TABLE`: one command from a table to a page."""

from __future__ import annotations

import csv
import gzip
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.data.equal_links import options_that_tell_apart
from mrsne.model.saved_map import SavedMap
from tests.cli.conftest import run, summary_of
from tests.cli.json_keys import check_keys
from tests.data.tables.made_tables import artists_csv, museum_csv, packages_jsonl


def part(page: Path, name: str) -> Any:
    """Return a part of a page."""
    found = re.search(f'data-part="{name}">([^<]*)<', page.read_text())
    assert found is not None
    return json.loads(gzip.decompress(b64decode(found[1])))


def test_a_museum_is_one_command(tmp_path: Path) -> None:
    table, page = museum_csv(tmp_path / "works.csv"), tmp_path / "map.html"
    table.write_bytes(table.read_bytes().replace(b"c. 1810", b"in a storm"))
    printed = summary_of("map", table, "-o", page)
    check_keys("map TABLE", printed, ["works.csv", "work", "subject", "artist", *printed["columns"]["works.csv"]])
    assert printed["items"] == {"work": 60, "artist": 6, "subject": 12}
    assert printed["left_out"] == {"cell_no_date": 1}
    assert set(printed["weights"]["links"]["work"]) == {"artist", "subject"}
    with (tmp_path / "map.left-out.csv").open() as file:
        assert list(csv.reader(file))[1] == ["cell that is no date", "works.csv, line 9, column year", "in a storm"]
    assert part(page, "names-0")[0] == "[title not known]"
    assert part(page, "ids-0")[:2] == ["N00000", "N00001"]
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert set(data.columns["work"]) == {"year", "acquired", "medium", "artist"}


def test_packages_from_apt_are_one_command(tmp_path: Path) -> None:
    table = packages_jsonl(tmp_path / "packages.jsonl")
    printed = summary_of("map", table, "--min-count", "3", "-o", tmp_path / "map.html")
    assert printed["items"] == {"package": 60, "maintainer": 7, "tag": 6, "section": 6}
    assert printed["links"]["package"]["maintainer"] == 60


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(tmp_path: Path) -> None:
    table = museum_csv(tmp_path / "works.csv")
    code, printed, errors = run("map", table, "--dry-run", "--number", "year", "-o", tmp_path / "map.html")
    assert (code, errors) == (0, "")
    assert 'subjects          kind "subject": lists separated by ";"' in printed
    assert "gallery           not used: 'Unknown' in every row" in printed
    assert "year              number: your choice" in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["works.csv"]
    check_keys("map TABLE --dry-run", summary_of("map", table, "--dry-run"), ["works.csv", *ALL_COLUMNS])


ALL_COLUMNS = "accession_number title artist subjects year acquired medium gallery notes".split()  # noqa: SIM905


def test_every_guess_can_be_overruled(tmp_path: Path) -> None:
    table = museum_csv(tmp_path / "works.csv")
    options = ["--item", "painting", "--id", "accession_number", "--label", "artist", "--kind", "theme=subjects"]
    more = ["--kind", "technique=medium", "--text", "title", "--ignore", "acquired", "--category", "year"]
    printed = summary_of("map", table, *options, *more, "-o", tmp_path / "map.html")
    assert printed["items"] == {"painting": 60, "theme": 12, "technique": 2}
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert data.labels["painting"][0].count(",") == 1
    assert data.vectors["painting"] is not None
    assert isinstance(data.columns["painting"]["year"], tuple)
    assert "acquired" not in data.columns["painting"]


def test_a_second_table_tells_more_about_the_artists(tmp_path: Path) -> None:
    table, artists = museum_csv(tmp_path / "works.csv"), artists_csv(tmp_path / "artists.csv")
    printed = summary_of("map", table, "--also", artists, "--on", "artist", "-o", tmp_path / "map.html")
    assert printed["items"] == {"work": 60, "artist": 6, "subject": 12, "movement": 2}
    assert printed["left_out"]["row_of_second_table_without_item"] == 1
    assert printed["left_out"]["item_without_row_of_second_table"] == 1
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert "Joseph Turner" in data.labels["artist"]
    assert "born" in data.columns["artist"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--also", "artists.csv"], "--also and --on belong together"),
        (["--also", "ARTISTS", "--on", "painter"], "works.csv has no column 'painter'"),
        (["--tags", "tags.csv"], "--tags: for a folder of pictures only"),
        (["--text"], "--text-files: for a folder of pictures only"),
        (["-o", "works.csv"], "--output must end in"),
    ],
)
def test_options_that_do_not_fit_are_named(options: list[str], message: str, tmp_path: Path) -> None:
    table, artists = museum_csv(tmp_path / "works.csv"), artists_csv(tmp_path / "artists.csv")
    code, _, errors = run("map", table, *(str(artists) if option == "ARTISTS" else option for option in options))
    assert code == 1
    assert message in errors


def test_options_for_tables_are_refused_for_a_folder(tmp_path: Path) -> None:
    code, _, errors = run("map", tmp_path, "--id", "title", "--dry-run")
    assert (code, "--id, --dry-run: for a table only" in errors) == (1, True)
    code, _, errors = run("map", tmp_path, "--label", "title")
    assert (code, "--label names a column of --tags; give --tags TABLE too" in errors) == (1, True)


def test_a_folder_of_pictures_that_are_called_like_the_ids(tmp_path: Path) -> None:
    table = museum_csv(tmp_path / "works.csv", 20)
    (tmp_path / "scans").mkdir()
    for index in range(18):
        colour = tuple(int(value) for value in np.random.default_rng(index).integers(0, 255, 3))
        PIL.Image.new("RGB", (32, 32), colour).save(tmp_path / "scans" / f"n{index:05d}.png")
    printed = summary_of("map", table, "--pictures", tmp_path / "scans", "-o", tmp_path / "map.html", "--no-cache")
    assert printed["columns"]["works.csv"]["picture files"]["role"] == "picture"
    assert printed["items_without_vector"]["work"] == 2
    assert RelationalData.load(tmp_path / "map.data.npz").pictures["work"].shape[0] == 20
    (tmp_path / "other").mkdir()
    PIL.Image.new("RGB", (8, 8)).save(tmp_path / "other" / "x.png")
    code, _, errors = run("map", table, "--pictures", tmp_path / "other", "-o", tmp_path / "map.html")
    assert (code, "is called like an id of works.csv, such as 'N00000'" in errors) == (1, True)


def test_perplexity_and_metric_are_those_of_fit(tmp_path: Path) -> None:
    table = museum_csv(tmp_path / "works.csv")
    printed = summary_of("map", table, "--perplexity", "12", "--metric", "cosine", "-o", tmp_path / "map.html")
    settings = SavedMap.load(tmp_path / "map.npz").settings
    assert (settings["perplexity"], settings["metric"]) == (12, "cosine")
    data = RelationalData.load(tmp_path / "map.data.npz")
    with pytest.warns(UserWarning, match="perplexity is lowered"):
        model = MRSNE(perplexity=12, metric="cosine", random_state=0).fit(data)
    assert printed["kl_divergence"] == pytest.approx(model.kl_divergence_, abs=2e-3)
    np.testing.assert_allclose(Embedding.load(tmp_path / "map.npz").stacked, model.embedding_.stacked, atol=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--perplexity", "1"), "--perplexity must be a finite number greater than 1, got 1.0"),
        (("--metric", "manhattan"), "--metric must be one of 'euclidean', 'cosine', got 'manhattan'"),
        (("--metric", "work=cosine,subject"), "--metric must be WORD or NAME=WORD"),
        (("--device", "gpu"), "device must be one of 'cpu', 'cuda', 'auto', got 'gpu'"),
    ],
)
def test_settings_that_no_map_could_have_are_refused_before_anything_is_read(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    for source in (tmp_path, tmp_path / "works.csv"):  # neither has anything to read
        code, _, errors = run("map", source, *options, "-o", tmp_path / "map.html")
        assert code == 1
        assert message in errors


def test_one_long_text_among_many_takes_no_more_memory() -> None:
    texts = ["x" * 10_000_000, *(f"what was seen on day {day}" for day in range(1_999))]
    links = [(row, row % 5) for row in range(2_000)]
    data = RelationalData({"row": 2_000, "kind": 5}, {("row", "kind"): links}, columns={"row": {"log": texts}})
    assert str(options_that_tell_apart(data)).endswith("--text log would tell them apart")


def test_rows_with_the_same_links_are_told_apart_by_columns_that_are_named(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    table = tmp_path / "people.csv"
    sexes, classes = random.choice(["f", "m"], 60), random.choice(["1st", "2nd", "3rd"], 60)
    rows = [
        f"{sex},{number},{index},{index // 30}\n"
        for index, (sex, number) in enumerate(zip(sexes, classes, strict=True))
    ]
    table.write_text("sex,class,paid at sea,half\n" + "".join(rows))
    options = ["--kind", "sex", "--kind", "class", "--number", "half"]
    given: list[str | Path] = ["map", table, "-o", tmp_path / "map.html", *options]
    hint = "60 items have the same links as another; --vector 'paid at sea' would tell them apart"
    assert hint in run(*given, "--number", "paid at sea")[2]
    assert "would tell them apart" not in run(*given, "--vector", "paid at sea")[2]
    assert "would tell them apart" not in run(*given, "--ignore", "paid at sea")[2]
