"""`mrsne map`, as people use it: real folders, messy tables, broken files."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from PIL import Image

from mrsne import Embedding, RelationalData, datasets
from mrsne.data.archive import read_archive
from tests.cli.conftest import Invoke, run, summary_of
from tests.cli.json_keys import check_keys


def saved_shapes(folder: Path, count: int) -> list[list[str]]:
    """Write pictures, some of them in folders inside the folder, and return the tags of each."""
    data, pictures = datasets.make_shapes(count, random_state=0)
    (folder / "more").mkdir(parents=True)
    W = data.relations["picture", "tag"]
    for index, pixels in enumerate(pictures):
        picture = Image.fromarray(pixels)
        if index % 3 == 0:
            picture.save(folder / "more" / f"shape {index:03}.png")
        elif index % 3 == 1:
            picture.save(folder / f"shape {index:03}.webp")
        else:
            white = Image.new("RGB", picture.size, "white")
            white.paste(picture, mask=picture.split()[3])
            white.save(folder / f"shape {index:03}.JPG")
    return [[data.names["tag"][j] for j in W[i].indices] for i in range(count)]


def test_titles_in_the_table_of_tags_are_what_pictures_are_called(tmp_path: Path) -> None:
    tags = saved_shapes(tmp_path / "photos", 14)
    titles = ["" if i == 3 else f"A shape: the {i}th" for i in range(14)]
    rows = [f"shape {i:03},{';'.join(tags[i])},maker {i % 2},{titles[i]}" for i in range(14)]
    (tmp_path / "tags.csv").write_text("\n".join(["picture,tags,maker_name,Title", *rows[:12]]))
    given: list[str | Path] = ["map", tmp_path / "photos", "--tags", tmp_path / "tags.csv", "--no-cache"]
    summary_of(*given, "-o", tmp_path / "map.html")
    data, about = read_archive(tmp_path / "map.data.npz", RelationalData)
    named = dict(zip(data.names["image"], data.labels["image"], strict=True))
    assert (named["shape 001.webp"], named["more/shape 003.png"]) == ("A shape: the 1th", "more/shape 003.png")
    assert (list(data.columns["image"]), about["label"]) == (["maker_name"], "Title")
    summary_of(*given, "-o", tmp_path / "other.html", "--label", "maker_name")
    data, about = read_archive(tmp_path / "other.data.npz", RelationalData)
    assert set(data.labels["image"]) >= {"maker 0", "maker 1"}
    assert (list(data.columns["image"]), about["label"]) == (["Title"], "maker_name")
    code, _, errors = run(*given, "-o", tmp_path / "none.html", "--label", "colour")
    message = "--label names the column 'colour', but those of the tags that say more are 'maker_name', 'Title'"
    assert (code, message in errors) == (1, True)


def test_a_name_that_many_pictures_share_is_not_what_they_are_called(tmp_path: Path) -> None:
    tags = saved_shapes(tmp_path / "photos", 14)
    rows = [f"shape {i:03},{';'.join(tags[i])},maker {i % 2}" for i in range(14)]
    (tmp_path / "tags.csv").write_text("\n".join(["picture,tags,maker_name", *rows]))
    summary_of("map", tmp_path / "photos", "--tags", tmp_path / "tags.csv", "--no-cache", "-o", tmp_path / "map.html")
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert "image" not in data.labels
    assert list(data.columns["image"]) == ["maker_name"]


def test_a_messy_table_and_broken_files_give_a_map_and_an_exact_report(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    tags = saved_shapes(folder, 500)
    broken = [f"shape {index:03}" for index in (1, 4, 7, 10, 13)]
    for name in broken:
        path = folder / f"{name}.webp"
        path.write_bytes(path.read_bytes()[:40] if name != "shape 013" else b"")
    rows = [f"shape {index:03},{tag}" for index, found in enumerate(tags) for tag in found]
    messy = [
        *(f"missing {i}.jpg,red" for i in range(6)),
        *(f"shape {i:03}" for i in range(30, 34)),
        *(f"shape {i:03},   " for i in range(34, 38)),
        *(f",{tag}" for tag in ("red", "blue", "disc")),
        'shape 040,"a quote that is never closed',
        "shape 041,red,not a number",
        "shape 042,red,-3",
    ]
    assert len(messy) == 20
    table = "\n".join(["Picture,Tag,Weight", *rows[:700], *messy, *rows[700:]])
    (tmp_path / "tags.csv").write_bytes(table.replace('shape 040,"a quote', 'shape 040,"a qu\u00f6te').encode("cp1252"))
    output = tmp_path / "out" / "map.png"
    summary = summary_of("map", folder, "--tags", tmp_path / "tags.csv", "-o", output, "--no-cache")
    check_keys("map", summary, ["image", "tag"])
    assert (summary["picture_files"], summary["unreadable_pictures"]) == (500, 5)
    assert summary["items"] == {"image": 495, "tag": 15}  # fourteen tags, and the one with the open quote
    n_links = sum(len(found) for i, found in enumerate(tags) if f"shape {i:03}" not in broken) + 1
    assert summary["links"] == {"image": {"tag": n_links}}
    assert summary["left_out"] == {
        "row_for_unknown_picture": 6,
        "unreadable_picture": 5,
        "short_row": 4,
        "row_without_tag": 4,
        "row_without_picture": 3,
        "bad_weight": 2,
    }
    with open(output.with_suffix(".left-out.csv"), encoding="utf-8") as file:
        listed = list(csv.DictReader(file))
    assert len(listed) == 24
    assert {row["where"] for row in listed if row["problem"] == "picture that cannot be read"} == {
        f"{n}.webp" for n in broken
    }
    assert {"problem": "row without a picture", "where": "tags.csv, line 716", "what": ",red"} in listed
    assert matplotlib.image.imread(output).shape[:2] == (2000, 2000)
    with open(output.with_suffix(".coordinates.csv"), encoding="utf-8", newline="") as file:
        places = {(row["kind"], row["item"]): (float(row["x"]), float(row["y"])) for row in csv.DictReader(file)}
    embedding = Embedding.load(output.with_suffix(".npz"))
    assert places["tag", "blue"] == pytest.approx(
        embedding["tag"][sorted(k[1] for k in places if k[0] == "tag").index("blue")]
    )
    assert {name: len(Y) for name, Y in embedding.items()} == {"image": 495, "tag": 15}
    assert summary["hit_rate_10"]["image"]["tag"] > 0.9


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[str]]]:
    folder = tmp_path_factory.mktemp("shapes") / "photos"
    return folder, saved_shapes(folder, 40)


def test_a_wide_table_with_semicolons_and_stop_tags(shapes: tuple[Path, list[list[str]]], tmp_path: Path) -> None:
    folder, tags = shapes
    rows = [f"shape {index:03}\t{'; '.join(found)}" for index, found in enumerate(tags)]
    (tmp_path / "tags.tsv").write_text("\n".join(["image\ttags", *rows]), encoding="utf-16")
    chosen = ["--stop-tags", "small,LARGE", "--min-count", "2"]
    summary = summary_of(
        "map", folder, "--tags", tmp_path / "tags.tsv", "-o", tmp_path / "map.svg", *chosen, "--no-cache"
    )
    assert summary["items"]["tag"] == 12
    assert summary["left_out"]["stop_tag"] == 2
    assert (tmp_path / "map.svg").read_text().startswith("<?xml")


def test_a_parquet_table(shapes: tuple[Path, list[list[str]]], tmp_path: Path) -> None:
    import pandas as pd

    folder, tags = shapes
    rows = [(f"shape {index:03}", tag, 2.0) for index, found in enumerate(tags) for tag in found]
    pd.DataFrame(rows, columns=["file", "label", "score"]).to_parquet(tmp_path / "tags.parquet")
    summary = summary_of("map", folder, "--tags", tmp_path / "tags.parquet", "-o", tmp_path / "map.png", "--no-cache")
    assert summary["links"]["image"]["tag"] == len(rows)


def test_folders_are_tags_and_text_files_are(shapes: tuple[Path, list[list[str]]], tmp_path: Path) -> None:
    folder, tags = shapes
    summary = summary_of("map", folder, "-o", tmp_path / "map.png", "--no-cache")
    assert summary["items"]["tag"] == 1
    assert summary["links"]["image"]["tag"] == 14  # every third picture is in the folder "more"
    for path in folder.rglob("shape *"):
        index = int(path.stem.split()[1])
        if index != 5:
            path.with_suffix(".txt").write_text("\n".join(tags[index]))
    summary = summary_of("map", folder, "--text", "-o", tmp_path / "map.png", "--no-cache")
    for path in folder.rglob("*.txt"):
        path.unlink()
    assert (summary["items"]["tag"], summary["left_out"]["picture_without_text_file"]) == (14, 1)


def test_a_second_run_encodes_nothing(shapes: tuple[Path, list[list[str]]], tmp_path: Path) -> None:
    folder, _ = shapes
    known = []
    for _ in range(2):
        summary = summary_of("map", folder, "-o", tmp_path / "map.png", "--cache", tmp_path / "cache")
        known.append(summary["pictures_from_cache"])
    assert known == [0, 40]


def test_names_are_names(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    names = [
        'a "quoted" name.png',
        "line\nbreak.png",
        "\u05db\u05dc\u05d1.png",
        "\U0001f415.png",
        "$x^2.png",
        "<b>.png",
    ]
    for index, name in enumerate(names):
        Image.new("RGB", (32, 32), (40 * index, 200 - 30 * index, 90)).save(folder / name)
    with open(tmp_path / "tags.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [("picture", "tag"), *((name, tag) for name in names for tag in ('"big"', "$\\alpha$", name[:3]))]
        )
    summary = summary_of("map", folder, "--tags", tmp_path / "tags.csv", "-o", tmp_path / "map.pdf", "--no-cache")
    assert (summary["items"]["image"], summary["links"]["image"]["tag"], summary["left_out"]) == (6, 18, {})
    assert not (tmp_path / "map.left-out.csv").exists()
    assert read_archive(tmp_path / "map.data.npz", RelationalData)[1]["folder"] == str(folder.resolve())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "'nowhere' is not there: give a folder of pictures or a table"),
        (["empty"], "there is no picture in 'empty'"),
        (["photos", "--tags", "nowhere.csv"], "there is no table 'nowhere.csv'"),
        (["photos", "--tags", "one.csv"], "'one.csv' has one column; it needs two"),
        (["photos", "--tags", "blank.csv"], "'blank.csv' is empty"),
        (["photos", "--tags", "one.csv", "--text"], "--tags and --text are two ways to give tags"),
        (
            ["photos", "--tags", "others.csv"],
            "no row of 'others.csv' gives a picture in 'photos' a tag; first others.csv, line 2",
        ),
        (["photos", "--cache", "one.csv"], "the cache 'one.csv' cannot be used"),
        (["photos", "-o", "vectors.png"], "the map would be kept in 'vectors.npz', which is something else"),
        (["photos", "-o", "map.gif"], "--output must end in .html, .htm, .png, .svg, .pdf, got 'map.gif'"),
        (["photos", "--image-model", "resnet"], "model must be one of 'efficientnet-lite0'"),
        (["photos", "--theme", "blue"], "--theme must be one of 'light', 'dark', got 'blue'"),
        (["photos"], "0 of 1 pictures can be read; a map needs at least two"),
    ],
)
def test_errors_are_messages(
    arguments: list[str], message: str, tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "bad.png").write_text("no picture")
    (tmp_path / "one.csv").write_text("picture\na\n")
    (tmp_path / "blank.csv").write_text("\n")
    (tmp_path / "vectors.npz").write_text("mine")
    (tmp_path / "others.csv").write_text("picture,tag\nunknown.jpg,red\n")
    monkeypatch.chdir(tmp_path)
    code, _, errors = invoke("map", *arguments, *([] if "--cache" in arguments else ["--no-cache"]))
    assert code == 1
    assert errors.startswith("mrsne: ")
    assert message in errors


def test_the_summary_is_readable(shapes: tuple[Path, list[list[str]]], tmp_path: Path, invoke: Invoke) -> None:
    _, printed, _ = invoke("map", shapes[0], "-o", tmp_path / "map.png", "--no-cache")
    assert "pictures: 40\n" in printed
    assert "left out or incomplete: 26 × picture that has no tag but is in the map" in printed
    assert re.search(
        r"^weights: (neighbours of image|links between image and tag) \d+ %, .* \d+ %$", printed, re.MULTILINE
    )
    assert np.asarray(matplotlib.image.imread(tmp_path / "map.png")).std() > 0.02


def test_what_a_table_says_besides_tags_is_there_to_colour_by(tmp_path: Path) -> None:
    tags = saved_shapes(tmp_path / "photos", 40)
    heads = "picture,tags,views,author,taken,source,empty,category"
    rows = [
        f'shape {i:03},"{"; ".join(found)}",{i * 10},author {i % 7},{1 + i % 28}.03.2021,camera,,Unknown'
        for i, found in enumerate(tags)
    ]
    (tmp_path / "tags.csv").write_text("\n".join([heads, *rows]))
    printed = summary_of(
        "map", tmp_path / "photos", "--tags", tmp_path / "tags.csv", "-o", tmp_path / "map.html", "--no-cache"
    )
    assert printed["left_out"] == {"constant_column": 2, "empty_column": 1}
    data = RelationalData.load(tmp_path / "map.data.npz")
    assert set(data.columns["image"]) == {"views", "author", "taken"}
    assert "Unknown" not in data.names["tag"]
    views = dict(zip(data.names["image"], np.asarray(data.columns["image"]["views"]).tolist(), strict=True))
    assert views["more/shape 003.png"] == 30
    assert str(np.asarray(data.columns["image"]["taken"])[0])[:7] == "2021-03"
