"""A map as a table for other tools."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from pyarrow import parquet

from mrsne.data.archive import write_archive
from mrsne.data.files.problems import Problems
from mrsne.data.tables.known_items import chosen_items
from mrsne.data.tables.reading import write_table
from mrsne.data.tables.table import TableError
from mrsne.model.saved_map import SavedMap
from tests.cli.conftest import Fitted, run, summary_of
from tests.cli.json_keys import check_keys
from tests.data.tables.made_tables import museum_csv


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("museum")
    summary_of("map", museum_csv(folder / "works.csv"), "-o", folder / "map.html")
    return folder / "map.npz"


def test_it_has_a_row_for_each_item_in_every_format(museum: Path, tmp_path: Path) -> None:
    printed = summary_of("export", museum, "-o", tmp_path / "map.parquet")
    check_keys("export", printed, ["work", "artist", "subject"])
    rows = parquet.read_table(tmp_path / "map.parquet").to_pylist()
    assert len(rows) == sum(printed["items"].values())
    assert (rows[0]["kind"], rows[0]["id"], rows[0]["label"]) == ("work", "N00000", "[title not known]")
    assert rows[0]["acquired"].year == 1856
    assert rows[7]["year"] == 1810  # "c. 1810" in the table
    summary_of("export", museum, "-o", tmp_path / "map.jsonl")
    first = json.loads((tmp_path / "map.jsonl").read_text().splitlines()[0])
    assert (first["id"], first["acquired"]) == ("N00000", "1856-01-01T00:00:00")
    summary_of("export", museum, "-o", tmp_path / "map.csv")
    with (tmp_path / "map.csv").open() as file:
        assert next(csv.DictReader(file))["label"] == "[title not known]"


def test_an_ending_that_is_no_table_is_refused(museum: Path, tmp_path: Path) -> None:
    code, _, errors = run("export", museum, "-o", tmp_path / "map.xlsx")
    assert (code, "--output must end in .csv, .tsv, .jsonl, .parquet" in errors) == (1, True)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_region_has_its_own_items_links_and_nothing_else(fitted: Fitted, tmp_path: Path) -> None:
    saved = SavedMap.load(fitted.path)
    number, region = max(enumerate(saved.embedding.regions(saved.data)), key=lambda found: len(found[1].members["tag"]))
    options: list[str | Path] = [
        "--region",
        str(number),
        "--links",
        tmp_path / "links.csv",
        "-o",
        tmp_path / "items.csv",
    ]
    printed = summary_of("export", fitted.path, *options)
    check_keys("export", printed, ["image", "tag"])
    assert (printed["region"], sum(printed["items"].values())) == (region.name, region.size)
    rows = table(tmp_path / "items.csv")
    ids = [(row["kind"], row["id"]) for row in rows]
    tags = saved.data.names["tag"]
    expected = [("image", str(i)) for i in region.members["image"]] + [("tag", tags[i]) for i in region.members["tag"]]
    assert ids == expected
    assert float(rows[0]["x"]) == pytest.approx(saved.embedding["image"][region.members["image"][0], 0])
    links = table(tmp_path / "links.csv")
    W = saved.data.relations["image", "tag"].toarray() > 0
    images, words = set(region.members["image"].tolist()), set(region.members["tag"].tolist())
    ends = [(i, j) for i in range(120) for j in range(20) if W[i, j] and (i in images or j in words)]
    kept = {(str(i), tags[j]) for i, j in ends}
    assert {(row["id"], row["linked_id"]) for row in links} == kept
    assert 0 < len(kept) < W.sum()


def test_a_region_is_found_by_name_and_by_one_of_its_words(fitted: Fitted, tmp_path: Path) -> None:
    saved = SavedMap.load(fitted.path)
    region = saved.embedding.regions(saved.data)[0]
    for wanted in (region.name, region.name.upper(), region.words[0]):
        assert summary_of("export", fitted.path, "--region", wanted, "-o", tmp_path / "x.csv")["region"] == region.name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--region", "wrod 3"], "no region is called 'wrod 3'; the nearest are "),
        (["--region", "zebra"], "no region is called 'zebra'; those of the overview are 0 (word"),
        (["--region", "999"], "region '999' is not there; the "),
        (["--copy", "folder"], "--copy needs pictures, but none of these items has one"),
        (["--pictures", "image=x"], "--pictures names what --copy copies; give --copy FOLDER too"),
        (["--region", "0", "--items", "x.csv"], "--items and --region both say which items; give one of them"),
        (["--items", "nowhere.csv"], "there is no table 'nowhere.csv'"),
        (["--by", "tag"], "--by says how regions are named; give --region too"),
        (["--links", "links.txt"], "--links must end in .csv, .tsv, .jsonl, .parquet, got 'links.txt'"),
    ],
)
def test_what_cannot_be_exported_is_said(options: list[str], message: str, fitted: Fitted, tmp_path: Path) -> None:
    code, _, errors = run("export", fitted.path, *options, "-o", tmp_path / "x.csv")
    assert (code, message in errors) == (1, True), errors
    assert not (tmp_path / "x.csv").exists()


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """A map of pictures in two folders, one of which has been deleted since."""
    folder = tmp_path / "photos"
    lines = ["file,tags"]
    for i in range(24):
        name = f"{'seaside' if i % 2 else 'forest'}/p{i}.png"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        PIL.Image.new("RGB", (40, 30), (10 * i, 200 - 8 * i, 90)).save(folder / name)
        lines.append(f"{name},{'sea' if i % 2 else 'tree'}")
    (tmp_path / "tags.csv").write_text("\n".join(lines))
    summary_of("map", folder, "--tags", tmp_path / "tags.csv", "--min-count", "1", "-o", tmp_path / "map.html")
    (folder / "seaside" / "p3.png").unlink()
    return tmp_path / "map.npz"


def test_pictures_are_copied_in_full_size_and_never_over_others(photos: Path, tmp_path: Path) -> None:
    printed = summary_of("export", photos, "--copy", tmp_path / "copies", "-o", tmp_path / "all.csv")
    assert (printed["pictures"], printed["left_out"]) == (23, {"missing_picture": 1})
    original, copied = (tmp_path / folder / "seaside" / "p5.png" for folder in ("photos", "copies"))
    assert copied.read_bytes() == original.read_bytes()
    assert len(list((tmp_path / "copies").rglob("*.png"))) == 23
    copied.write_bytes(b"something else by now")
    code, _, errors = run("export", photos, "--copy", tmp_path / "copies", "-o", tmp_path / "again.csv")
    assert (code, "is there already; give another folder" in errors) == (1, True)
    assert not (tmp_path / "again.csv").exists()


def test_a_link_where_a_copy_would_be_is_not_followed(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "copies" / "forest").mkdir(parents=True)
    (tmp_path / "copies" / "forest" / "p0.png").symlink_to(tmp_path / "elsewhere.png")
    code, _, errors = run("export", photos, "--copy", tmp_path / "copies")
    assert (code, "is there already" in errors, (tmp_path / "elsewhere.png").exists()) == (1, True, False)


def test_without_a_name_the_table_is_beside_the_map(photos: Path, tmp_path: Path) -> None:
    printed = summary_of("export", photos, "--region", "0")
    assert printed["table"] == str(tmp_path / "map.items.csv")
    assert table(tmp_path / "map.items.csv")


def test_where_the_folder_is_not_known_thumbnails_are_copied(photos: Path, tmp_path: Path) -> None:
    saved = SavedMap.load(photos)
    write_archive(saved.data, tmp_path / "map.data.npz", {"settings": {}})
    code, printed, _ = run("export", photos, "--copy", tmp_path / "small", "-o", tmp_path / "all.csv")
    assert (code, "copied to" in printed, ": 24 pictures" in printed) == (0, True, True)
    with PIL.Image.open(tmp_path / "small" / "seaside_p3.png.png") as picture:
        assert picture.size == saved.data.pictures["image"].shape[2:0:-1]


def test_a_table_says_which_items_as_the_page_exports_it(photos: Path, tmp_path: Path) -> None:
    rows = [
        "\ufeffkind,id,label,x,y",
        "image,seaside/p5.png,a,0,0",
        "image,forest/p2.png,b,0,0",
        "image,gone.png,c,0,0",
    ]
    chosen = tmp_path / "items.csv"
    chosen.write_text("\r\n".join([*rows, "tag,sea,d,0,0", ""]), encoding="utf-8")
    options: list[str | Path] = ["--items", chosen, "--copy", tmp_path / "few", "--links", tmp_path / "links.csv"]
    printed = summary_of("export", photos, *options, "-o", tmp_path / "few.csv")
    check_keys("export", printed, ["image", "tag"])
    assert (printed["items"], printed["pictures"]) == ({"image": 2, "tag": 1}, 2)
    assert printed["left_out"] == {"row_for_unknown_item": 1}
    assert [row["id"] for row in table(tmp_path / "few.csv")] == ["forest/p2.png", "seaside/p5.png", "sea"]
    copied = sorted(file.relative_to(tmp_path / "few").as_posix() for file in (tmp_path / "few").rglob("*.png"))
    assert copied == ["forest/p2.png", "seaside/p5.png"]
    assert len(table(tmp_path / "links.csv")) == 13, "those of twelve pictures at the seaside, and of one in the forest"


def test_json_lines_with_a_mark_of_their_encoding_and_lines_that_are_no_rows(tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    row = '{"kind": "tag", "id": "b"}'
    file.write_text(f"\ufeff{row}\n\n", encoding="utf-8")
    assert chosen_items(file, {"tag": 2}, {"tag": ["a", "b"]}, Problems())["tag"].tolist() == [1]
    lines = {"line 2, column 1: Expecting value": b"no json", "line 2": b"[1]", "items.jsonl": b"\xff\xfe"}
    for message, line in lines.items():
        file.write_bytes(row.encode() + b"\n" + line)
        with pytest.raises(TableError, match=message):
            chosen_items(file, {"tag": 2}, {"tag": ["a", "b"]}, Problems())


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_names_that_mean_nothing_elsewhere_are_names_here(ending: str, tmp_path: Path) -> None:
    names = ["None", "NA", "nan", "-", " a ", "b"]
    write_table(tmp_path / f"items{ending}", {"kind": np.array(["tag"] * 6), "id": np.array(names)})
    found = chosen_items(tmp_path / f"items{ending}", {"tag": 6}, {"tag": names}, Problems())
    assert found["tag"].tolist() == list(range(6))


@pytest.mark.parametrize("ending", [".tsv", ".jsonl", ".parquet"])
def test_a_table_that_export_wrote_says_which_items(ending: str, photos: Path, tmp_path: Path) -> None:
    written = summary_of("export", photos, "--region", "0", "-o", tmp_path / f"some{ending}")
    again = summary_of("export", photos, "--items", tmp_path / f"some{ending}", "-o", tmp_path / "again.csv")
    assert (again["items"], again["left_out"]) == (written["items"], {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("picture,tag\na,b\n", "must have the headings kind and id, but it begins with 'picture', 'tag'"),
        ("kind,id\nimage,ghost.png\n", "names no item of the map"),
        ("", "is empty"),
    ],
)
def test_a_table_without_items_is_refused(text: str, message: str, fitted: Fitted, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(text)
    code, _, errors = run("export", fitted.path, "--items", tmp_path / "items.csv", "-o", tmp_path / "x.csv")
    assert (code, message in errors) == (1, True), errors
