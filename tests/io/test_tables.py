"""Tables with any separator and encoding, broken quotes, and columns in any order."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrsne.io import TableError, read_table, tags_from_table, tags_from_text_files
from mrsne.io.regular_files import IrregularFileError
from tests.io.hostile_files import hostile_files


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_separator_and_encoding_is_recognised(tmp_path: Path, separator: str, encoding: str) -> None:
    lines = [separator.join(row) for row in (("picture", "tag"), ("a.jpg", "größe"), ("b.jpg", "café"))]
    (tmp_path / "tags.csv").write_bytes("\r\n".join(lines).encode(encoding))
    assert read_table(tmp_path / "tags.csv") == [
        (1, ["picture", "tag"]),
        (2, ["a.jpg", "größe"]),
        (3, ["b.jpg", "café"]),
    ]


def test_quotes_may_span_lines_and_stray_ones_swallow_nothing(tmp_path: Path) -> None:
    text = 'picture,tag\na,"two\nlines"\nb,5" wide\n' + "\n".join(f"c{i},tag" for i in range(20))
    (tmp_path / "tags.csv").write_text(text)
    rows = read_table(tmp_path / "tags.csv")
    assert rows[1] == (3, ["a", "two\nlines"])
    assert rows[2] == (4, ["b", '5" wide'])
    assert len(rows) == 23


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tags.parquet").write_text("no parquet")
    with pytest.raises(TableError, match="is not a Parquet file, or is damaged"):
        read_table(tmp_path / "tags.parquet")


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("dog.jpg,animal\ndog.jpg,animal\ncat.jpg,animal\n", {(0, "animal"): 1, (1, "animal"): 1}),
        ("tag,image\nanimal,dog.jpg\n", {(0, "animal"): 1}),
        ("what,which\ndog.jpg,animal\n", {(0, "animal"): 1}),
        ("dog.jpg,animal,0.5\ncat.jpg,pet,2\n", {(0, "animal"): 0.5, (1, "pet"): 2}),
        ("dog.jpg,animal,pet\ncat.jpg,animal\n", {(0, "animal"): 1, (0, "pet"): 1, (1, "animal"): 1}),
        ("image,tag1,tag 2\ndog.jpg,animal,pet\n", {(0, "animal"): 1, (0, "pet"): 1}),
        ("file,red,blue\ndog.jpg,1,0\ncat.jpg,0,1\n", {(0, "red"): 1, (1, "blue"): 1}),
        ('image,tags\ndog.jpg,"animal, pet"\n', {(0, "animal"): 1, (0, "pet"): 1}),
        ('image,tag\ndog.jpg,"Paris, Texas"\n', {(0, "Paris, Texas"): 1}),
        ("sep=;\nimage;tag\ndog.jpg;animal\n", {(0, "animal"): 1}),
        ("image,tags,weight\ndog.jpg,animal; pet |furry,\n", {(0, "animal"): 1, (0, "pet"): 1, (0, "furry"): 1}),
    ],
)
def test_columns_are_found(tmp_path: Path, text: str, links: dict[tuple[int, str], float]) -> None:
    (tmp_path / "tags.csv").write_text(text)
    tags = tags_from_table(tmp_path / "tags.csv", ["dog.jpg", "cat.jpg"])
    assert tags.links == links
    assert not tags.problems


def test_columns_without_tags_are_named(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text("picture,tag,camera\ndog.jpg,animal,old\n")
    tags = tags_from_table(tmp_path / "tags.csv", ["dog.jpg"])
    assert [(problem.kind, problem.what) for problem in tags.problems] == [("column that is not used", "camera")]


def test_text_files_are_read_in_any_encoding(tmp_path: Path) -> None:
    (tmp_path / "dog.txt").write_bytes("Stra\u00dfe, pet".encode("cp1252"))
    (tmp_path / "cat.txt").write_text("x" * 300)
    tags = tags_from_text_files(tmp_path, ["dog.jpg", "cat.jpg"])
    assert set(tags.links) == {(0, "Stra\u00dfe"), (0, "pet")}
    assert tags.problems.counts() == {"tag of more than 200 characters": 1}


def test_endless_tags_are_reported(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text("picture,tag\ndog.jpg," + "x" * 300)
    tags = tags_from_table(tmp_path / "tags.csv", ["dog.jpg"])
    assert tags.problems.counts() == {"tag of more than 200 characters": 1}


def test_a_table_must_be_a_file(tmp_path: Path) -> None:
    hostile = hostile_files(tmp_path, ".csv")
    for name, reason in hostile.items():
        with pytest.raises(IrregularFileError, match=f"{name}' is {reason}"):
            read_table(tmp_path / name)


def test_text_files_that_are_no_files_are_listed(tmp_path: Path) -> None:
    hostile = hostile_files(tmp_path, ".txt")
    tags = tags_from_text_files(tmp_path, [name.replace(".txt", ".jpg") for name in hostile])
    assert [(problem.kind, problem.where) for problem in tags.problems] == [
        ("text file that cannot be read", name) for name in hostile
    ]
    for problem, reason in zip(tags.problems, hostile.values(), strict=True):
        assert problem.what.endswith(reason)
