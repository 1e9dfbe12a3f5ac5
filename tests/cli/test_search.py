"""``mrsne search``: items near some words in meaning."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import run, summary_of
from tests.cli.json_keys import check_keys

TABLE = "id,tags\n" + "".join(
    f"{row},{tags}\n" for row, tags in enumerate(["dog; pet", "sea; ship", "ship", "dog", "sea", "pet; sea"] * 4)
)


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tagged")
    (folder / "works.csv").write_text(TABLE)
    summary_of("map", folder / "works.csv", "-o", folder / "map.html", "--kind", "tag=tags")
    return folder / "map.npz"


def test_words_find_what_is_tagged_with_something_near_them(tagged: Path, tmp_path: Path) -> None:
    printed = summary_of("search", tagged, "a", "puppy", "-k", "9", "-o", tmp_path / "found.csv")
    check_keys("search", printed)
    assert {"dog", "pet"} & {row["label"] for row in printed["found"]}
    assert printed["found"][0]["closeness"] >= printed["found"][-1]["closeness"]
    with (tmp_path / "found.csv").open() as file:
        assert [row["id"] for row in csv.DictReader(file)] == [row["id"] for row in printed["found"]]


def test_people_read_why_something_was_found(tagged: Path) -> None:
    code, printed, _ = run("search", tagged, "ocean", "--kind", "work")
    assert (code, "(sea" in printed) == (0, True)
    code, printed, _ = run("search", tagged, "xqzy")
    assert (code, printed) == (0, "nothing on this map is near these words in meaning\n")


def test_a_kind_that_is_not_there_is_an_error(tagged: Path) -> None:
    code, _, errors = run("search", tagged, "dog", "--kind", "word")
    assert (code, "kind must be one of" in errors) == (1, True)
