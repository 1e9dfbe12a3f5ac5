"""Tables with any separator and encoding, broken quotes, and columns in any order."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mrsne.data.collection.files import read_links
from mrsne.data.files.problems import Problems
from mrsne.data.tables.known_items import columns_from_table
from mrsne.data.tables.matrices import read_matrix
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import TableError, texts_of
from mrsne.data.tables.tags import tags_from_table, tags_from_text_files
from mrsne.regular_files import IrregularFileError
from tests.data.files.hostile_files import hostile_files, in_another_process


def read_table(path: Path) -> list[tuple[int, list[str]]]:
    """Return the headings of a table as row 0, and its rows with their lines, as text."""
    table = open_table(path, headings=True, keep_missing_words=True)
    cells = [[text or "" for text in texts_of(column)] for column in table.columns.values()]
    lines = range(2, table.size + 2) if table.lines is None else table.lines.tolist()
    return [(0, list(table.columns)), *zip(lines, map(list, zip(*cells, strict=True)), strict=True)]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_separator_and_encoding_is_recognised(tmp_path: Path, separator: str, encoding: str) -> None:
    lines = [separator.join(row) for row in (("picture", "tag"), ("a.jpg", "größe"), ("b.jpg", "café"))]
    (tmp_path / "tags.csv").write_bytes("\r\n".join(lines).encode(encoding))
    assert read_table(tmp_path / "tags.csv") == [
        (0, ["picture", "tag"]),
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


def test_columns_without_tags_say_something_of_the_pictures(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text(
        "picture,tag,camera,views\ndog.jpg,animal,old,3\ndog.jpg,pet,new,\ncat.jpg,pet,,7\n"
    )
    tags = tags_from_table(tmp_path / "tags.csv", ["dog.jpg", "cat.jpg"])
    assert tags.columns == {"camera": {0: "old"}, "views": {0: "3", 1: "7"}}
    assert not tags.problems


def test_a_value_that_every_picture_has_is_no_tag(tmp_path: Path) -> None:
    lines = ["picture,tags,category", *(f"{name}.jpg,{tag},Unknown" for name, tag in zip("abc", "xyx", strict=True))]
    (tmp_path / "tags.csv").write_text("\n".join(lines))
    tags = tags_from_table(tmp_path / "tags.csv", ["a.jpg", "b.jpg", "c.jpg"])
    assert set(tags.links) == {(0, "x"), (1, "y"), (2, "x")}
    assert tags.problems.counts() == {"column with one value for everybody": 1}


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


def test_stray_quotes_in_neighbouring_rows_swallow_neither(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text('picture,tag\nb,5" wide\nc,7" tall\nd,red\n')
    rows = read_table(tmp_path / "tags.csv")
    assert rows[1:] == [(2, ["b", '5" wide']), (3, ["c", '7" tall']), (4, ["d", "red"])]


@pytest.mark.parametrize("text", ["", "\n\n", ",,,\n,,\n", "\0\0", '""\n', " \t "])
def test_a_table_without_a_cell_is_empty(text: str, tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text(text)
    with pytest.raises(TableError, match=r"tags.csv' is empty"):
        read_table(tmp_path / "tags.csv")


def test_a_cell_may_be_longer_than_the_csv_module_allows(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    (tmp_path / "tags.csv").write_text("picture,tag\na," + "x" * 10**6)
    assert len(read_table(tmp_path / "tags.csv")[1][1][1]) == 10**6
    assert csv.field_size_limit() == limit


def test_millions_of_columns_are_refused_before_they_fill_the_memory(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text("picture,tag\n" + "," * 2_000_000)
    with pytest.raises(TableError, match=r"tags.csv' is not a table.*\(line 2 has 2,000,000 separators; there can"):
        read_table(tmp_path / "tags.csv")


@pytest.mark.parametrize("separator", ["", ",", "/", ";", '"'])
def test_a_line_of_ten_megabytes_is_quoted_in_part_only(separator: str, tmp_path: Path) -> None:
    line = "x" * 10**7 if not separator else f"{'x' * 25}{separator}" * 400_000
    (tmp_path / "tags.csv").write_text(f"picture,tag\n{line},red\ndog.jpg,{line}\n" + 4 * "dog.jpg,pet\n")
    path = tmp_path / "tags.csv"
    with pytest.raises(TableError) as vectors:
        read_matrix(path)
    with pytest.raises(TableError) as columns:
        columns_from_table(path, 3, Problems())
    assert max(len(str(caught.value)) for caught in (vectors, columns)) < 500
    problems = tags_from_table(path, ["dog.jpg"]).problems
    assert problems
    assert max(len(problem.what) for problem in problems) <= 200


def test_a_weight_of_ten_megabytes_is_quoted_in_part_only(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text(f"a,b,weight\n0,1,{'x' * 10**7}\n")
    with pytest.raises(TableError) as caught:
        read_links(tmp_path / "links.csv", "a", "b")
    assert len(str(caught.value)) < 500


def test_a_heading_of_a_million_digits_is_not_searched_for_ever(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text(f"picture,tag,{'1' * 10**6}x\ndog.jpg,red,0\n")
    script = """
from mrsne.data.tables.tags import tags_from_table
print(tags_from_table(sys.argv[1], ["dog.jpg"]).links)
"""
    assert in_another_process(script, tmp_path / "tags.csv").stdout == "{(0, 'red'): 1.0}\n"


def test_columns_of_0_and_1_whose_headings_are_no_tags_are_named(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text(f"which,red,,{'x' * 300}\ndog.jpg,1,1,1\n")
    tags = tags_from_table(tmp_path / "tags.csv", ["dog.jpg"])
    assert tags.links == {(0, "red"): 1}
    assert tags.problems.counts() == {"column that is not used": 2}


def test_a_path_of_a_million_folders_is_not_looked_for_folder_by_folder(tmp_path: Path) -> None:
    script = """
from mrsne.data.files.pictures import PictureNames
print(PictureNames(["a/dog.jpg"]).find("x/" * 10**6 + "a/dog.jpg"))
"""
    assert in_another_process(script).stdout == "0\n"


def test_a_parquet_file_with_values_that_python_has_no_place_for(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "tags.parquet"
    parquet.write_table(pyarrow.table({"time": pyarrow.array([2**62], pyarrow.timestamp("us"))}), path)
    assert read_table(path)[1] == (2, ["148108-07-06T14:00:27"])
    parquet.write_table(pyarrow.table({"name": [b"caf\xe9", None], "tags": [["a", "b"], []]}), path)
    assert read_table(path) == [(0, ["name", "tags"]), (2, ["caf\u00e9", "a; b"]), (3, ["", ""])]


def test_folders_are_no_columns_of_a_parquet_file(tmp_path: Path) -> None:
    import pandas as pd

    (tmp_path / "year=2001").mkdir()
    pd.DataFrame({"picture": ["a"], "tag": ["red"]}).to_parquet(tmp_path / "year=2001" / "tags.parquet")
    assert read_table(tmp_path / "year=2001" / "tags.parquet")[0] == (0, ["picture", "tag"])
