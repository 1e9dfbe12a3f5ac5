"""`mrsne place` and `mrsne update` take what `mrsne map` took."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from mrsne import Embedding, RelationalData
from mrsne.data.archive import read_archive, write_archive
from tests.cli.conftest import run, summary_of
from tests.cli.json_keys import check_keys
from tests.cli.test_map import saved_shapes
from tests.data.tables.made_tables import museum_rows


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map of the first 40 of 46 pictures, with the others in a folder of their own."""
    base = tmp_path_factory.mktemp("pictures")
    tags = saved_shapes(base / "all", 46)
    for index in range(46):
        found = next((base / "all").rglob(f"shape {index:03}.*"))
        folder = base / ("photos" if index < 40 else "new-photos")
        folder.mkdir(exist_ok=True)
        shutil.copy(found, folder / found.name)
    for name, rows in (("tags.csv", range(40)), ("new.csv", range(40, 46))):
        extra = ["shape 041,never heard of"] if name == "new.csv" else []
        lines = [f"shape {i:03},{tag}" for i in rows for tag in tags[i]]
        (base / name).write_text("\n".join(["picture,tag", *lines, *extra]))
    summary_of("map", base / "photos", "--tags", base / "tags.csv", "-o", base / "map.html", "--no-cache")
    return base


def test_new_photos_are_placed_in_every_format(pictured: Path, tmp_path: Path) -> None:
    arguments: list[str | Path] = [
        "place",
        pictured / "map.npz",
        pictured / "new-photos",
        "--tags",
        pictured / "new.csv",
    ]
    printed = summary_of(*arguments, "-o", tmp_path / "placed.csv")
    check_keys("place", printed, ["image"])
    assert (printed["items"], printed["left_out"]) == ({"image": 6}, {"unknown_value": 1})
    with (tmp_path / "placed.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows][:2] == ["shape 040.webp", "shape 041.JPG"]
    summary_of(*arguments, "-o", tmp_path / "placed.parquet")
    assert parquet.read_table(tmp_path / "placed.parquet").column("x").to_pylist()[0] == pytest.approx(
        float(rows[0]["x"])
    )
    summary_of(*arguments, "-o", tmp_path / "placed.npz")
    assert Embedding.load(tmp_path / "placed.npz")["image"].shape == (6, 2)
    summary_of(*arguments, "-o", tmp_path / "placed.html")
    page = (tmp_path / "placed.html").read_text()
    assert '"colour": "0.0"' in page
    assert '"categories": ["before", "new"]' in page


def test_folders_are_no_tags_where_the_tags_of_the_map_came_from_a_table(pictured: Path, tmp_path: Path) -> None:
    tag = RelationalData.load(pictured / "map.data.npz").names["tag"][0]
    shutil.copytree(pictured / "new-photos", tmp_path / "new" / tag)
    flat, nested = (
        summary_of("place", pictured / "map.npz", folder, "-o", tmp_path / f"{name}.npz")
        for name, folder in (("flat", pictured / "new-photos"), ("nested", tmp_path / "new"))
    )
    assert flat["items"] == nested["items"] == {"image": 6}
    places = [Embedding.load(tmp_path / f"{name}.npz")["image"] for name in ("flat", "nested")]
    np.testing.assert_array_equal(places[0], places[1])  # by their looks alone
    _, told, errors = run("place", pictured / "map.npz", tmp_path / "new", "-o", tmp_path / "again.npz")
    assert "the tags of the map came from a table" in told + errors


@pytest.mark.parametrize("anchor", ["stay", "keep"])
def test_updating_keeps_the_old_items_where_they_are(anchor: str, pictured: Path, tmp_path: Path) -> None:
    for name in ("map.npz", "map.data.npz", "map.html"):
        shutil.copy(pictured / name, tmp_path / name)
    before = Embedding.load(tmp_path / "map.npz")
    size = (tmp_path / "map.html").stat().st_size
    new: list[str | Path] = [pictured / "new-photos", "--tags", pictured / "new.csv"]
    printed = summary_of("update", tmp_path / "map.npz", *new, "--anchor", anchor)
    check_keys("update", printed, ["image", "tag"])
    assert (printed["items"]["image"], printed["new_items"]) == (46, {"image": 6, "tag": 1})
    after = Embedding.load(tmp_path / "map.npz")
    exactly = anchor == "stay"
    for now, then in ((after["image"][:40], before["image"]), (after["tag"][:-1], before["tag"])):
        far = np.linalg.norm(now - then, axis=1)
        assert not far.any() if exactly else 0 < np.median(far) < 0.1 * printed["changes"]["width"]
    assert after.data is not None
    assert after.data.pictures["image"].shape[0] == 46
    assert (tmp_path / "map.html").stat().st_size > size
    code, _, errors = run("update", tmp_path / "map.npz", *new)
    assert (code, "there is nothing new in" in errors) == (1, True)
    known = summary_of("info", tmp_path / "map.npz")
    assert known["items"]["image"] == 46
    assert known["relation_norm"] == "conditional"


def test_new_pictures_are_called_by_the_column_that_the_map_has_or_by_their_files(tmp_path: Path) -> None:
    tags = saved_shapes(tmp_path / "all", 16)
    for index in range(16):
        found = next((tmp_path / "all").rglob(f"shape {index:03}.*"))
        folder = tmp_path / ("old" if index < 12 else "new" if index < 14 else "newer")
        folder.mkdir(exist_ok=True)
        shutil.copy(found, folder / found.name)
    lines = [f"shape {i:03},{';'.join(tags[i])},name {i},title {i}" for i in range(16)]
    (tmp_path / "tags.csv").write_text("\n".join(["picture,tags,name,title", *lines]))
    (tmp_path / "other.csv").write_text("\n".join(["picture,tags,name", *(line.rsplit(",", 1)[0] for line in lines)]))
    given: list[str | Path] = ["--tags", tmp_path / "tags.csv"]
    summary_of("map", tmp_path / "old", *given, "--label", "title", "--no-cache", "-o", tmp_path / "map.html")
    summary_of("update", tmp_path / "map.npz", tmp_path / "new", *given)
    summary_of("update", tmp_path / "map.npz", tmp_path / "newer", "--tags", tmp_path / "other.csv")
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert sorted(data.labels["image"][12:14]) == ["title 12", "title 13"]
    assert list(data.labels["image"][14:]) == list(data.names["image"][14:])
    assert sorted(data.columns["image"]["name"][14:]) == ["name 14", "name 15"]


def rows_csv(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_new_rows_of_a_table_are_read_as_the_old_ones_were(tmp_path: Path) -> None:
    rows = museum_rows(70)
    for index, row in enumerate(rows):
        row["description"] = (
            f"a picture of {row['subjects']} by {row['artist']} that was painted in the year {index % 9}"
        )
    rows[65]["subjects"] = "sea; spaceship"
    rows_csv(tmp_path / "works.csv", rows[:60])
    rows_csv(tmp_path / "new.csv", rows[58:])
    summary_of("map", tmp_path / "works.csv", "-o", tmp_path / "map.html")
    arguments = [tmp_path / "map.npz", tmp_path / "new.csv"]
    placed = summary_of("place", *arguments, "-o", tmp_path / "placed.jsonl")
    assert placed["items"] == {"work": 10}
    assert placed["left_out"] == {"known_item": 2, "unknown_value": 1}
    first = json.loads((tmp_path / "placed.jsonl").read_text().splitlines()[0])
    assert (first["kind"], first["id"], first["label"]) == ("work", "N00060", "[title not known]")
    updated = summary_of("update", *arguments, "-o", tmp_path / "more.npz")
    assert updated["items"] == {"work": 70, "artist": 6, "subject": 13}  # with the spaceship
    data = RelationalData.load(tmp_path / "more.data.npz")
    assert data.columns["work"]["medium"][60:62] == ("oil", "watercolour")
    to: list[str | Path] = ["-o", tmp_path / "last.npz"]
    again = summary_of("place", tmp_path / "more.npz", rows_csv(tmp_path / "last.csv", museum_rows(72)[70:]), *to)
    assert (again["items"], again["left_out"]) == ({"work": 2}, {"missing_column": 1})  # placed by links alone


def titled(titles: list[str]) -> list[dict[str, str]]:
    return [{"title": title, "subjects": "sea; boat" if i % 2 else "town; street"} for i, title in enumerate(titles)]


def known_names(map_file: Path) -> list[str]:
    return list(RelationalData.load(map_file.with_suffix(".data.npz")).names["work"])


def test_titles_that_are_ids_stay_ids_whatever_the_new_table_repeats(tmp_path: Path) -> None:
    titles = [f"Title {i}" for i in range(30)]
    table = rows_csv(tmp_path / "works.csv", titled(titles))
    summary_of("map", table, "-o", tmp_path / "map.html", "--item", "work", "--label", "title")
    new = rows_csv(tmp_path / "new.csv", titled(["Title 1", "Title 1", "Another", "Another"]))
    printed = summary_of("update", tmp_path / "map.npz", new)
    assert printed["new_items"] == {"work": 1}
    assert known_names(tmp_path / "map.npz") == [*titles, "Another"]


def test_rows_without_ids_are_counted_on_and_all_new(tmp_path: Path) -> None:
    table = rows_csv(tmp_path / "works.csv", titled(["Untitled"] * 10 + ["Still life"] * 20))
    summary_of("map", table, "-o", tmp_path / "map.html", "--item", "work", "--label", "title")
    for titles in (["New A", "New B"], ["New C", "New D"]):  # with titles of their own, or not
        new = rows_csv(tmp_path / "new.csv", titled(titles))
        assert summary_of("update", tmp_path / "map.npz", new)["new_items"] == {"work": 2}
    assert known_names(tmp_path / "map.npz") == [str(number + 1) for number in range(34)]
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert list(data.labels["work"][-4:]) == ["New A", "New B", "New C", "New D"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new-photos", "--domain", "image=x.npy"], "leave out the folder or table"),
        (["tags.csv"], "is a table, but the map was not made from one"),
        (["new-photos", "-o", "placed.gif"], "--output must end in .npz"),
        (["photos"], "there is nothing new in"),
        (["nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_placed_is_named(arguments: list[str], message: str, pictured: Path, tmp_path: Path) -> None:
    given = [str(pictured / a) if (pictured / a).exists() else a for a in arguments]
    output = [] if "-o" in arguments else ["-o", str(tmp_path / "placed.npz")]
    code, _, errors = run("place", pictured / "map.npz", *given, *output)
    assert code == 1
    assert message in errors


def test_a_map_cannot_order_which_model_encodes_new_pictures(pictured: Path, tmp_path: Path) -> None:
    data, about = read_archive(pictured / "map.data.npz", RelationalData)
    shutil.copy(pictured / "map.npz", tmp_path / "map.npz")
    write_archive(data, tmp_path / "map.data.npz", {**about, "image_model": "timm:somebody/else"})
    code, _, errors = run("place", tmp_path / "map.npz", pictured / "new-photos", "-o", tmp_path / "placed.csv")
    assert (code, "give --image-model timm:somebody/else" in errors) == (1, True)


@pytest.mark.parametrize(
    "damage", [{"item": 3}, {"roles": {}, "item": "work", "model": {"text": {"vocabulary": "x"}}}, 7]
)
def test_a_damaged_recipe_is_a_message(damage: object, pictured: Path, tmp_path: Path) -> None:
    data, about = read_archive(pictured / "map.data.npz", RelationalData)
    shutil.copy(pictured / "map.npz", tmp_path / "map.npz")
    write_archive(data, tmp_path / "map.data.npz", {**about, "recipe": damage})
    code, _, errors = run("place", tmp_path / "map.npz", pictured / "new.csv", "-o", tmp_path / "placed.csv")
    assert (code, "what was kept of the table cannot be read" in errors) == (1, True)


def test_new_rows_have_the_categories_and_years_of_the_map(tmp_path: Path) -> None:
    lines = [f"i{i},{i % 7},{'fm'[i % 2]},c. {1900 + i}" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["id,size,sex,born", *lines]))
    summary_of("map", tmp_path / "people.csv", "-o", tmp_path / "map.html")
    (tmp_path / "new.csv").write_text("id,size,sex,born\nn1,3,f,about 1910\nn2,4,x,n.d.")
    printed = summary_of("update", tmp_path / "map.npz", tmp_path / "new.csv")
    assert sum(printed["new_items"].values()) == 2
    data = RelationalData.load(tmp_path / "map.data.npz")
    (columns,) = data.columns.values()
    np.testing.assert_array_equal(columns["born"][-2:], [1910, np.nan])
    np.testing.assert_array_equal(columns["size"][-2:], [3, 4])
    assert columns["sex"][-2:] == ("f", "x")
