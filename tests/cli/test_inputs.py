"""Domains, relations and names as files have them, and what is said where they cannot be used."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from mrsne import RelationalData
from mrsne.cli.options import DataOptions
from mrsne.data.tables.known_items import read_names
from tests.cli.conftest import Invoke

WORDS = ["Käse", "pão", "œuf", "10 €"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_names_are_read_in_any_encoding(encoding: str, end: str, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_bytes((end.join(["", *WORDS, " ", ""])).encode(encoding))
    assert read_names(tmp_path / "names.txt") == WORDS


def test_a_name_may_hold_any_character_but_the_end_of_a_line(tmp_path: Path) -> None:
    odd = ["a\x0bb", "c\u2028d", "e\x85f", "g\x1ch"]
    (tmp_path / "names.txt").write_text("\n".join(odd), encoding="utf-8")
    assert read_names(tmp_path / "names.txt") == odd


def test_what_is_no_text_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_bytes("Käse\npão".encode("utf-16-le"))  # without its mark
    with pytest.raises(ValueError, match=r"names\.txt' is not a text in UTF-8, UTF-16 with its mark, or Windows-1252"):
        read_names(tmp_path / "names.txt")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe' is a pipe, not a file"):
        read_names(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError, match="there is no file of names"):
        read_names(tmp_path / "nowhere.txt")


def test_links_by_name_and_by_position(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_bytes("\n".join(WORDS).encode("cp1252"))
    (tmp_path / "links.csv").write_text("2,Käse\n 0 ,pão\n", encoding="utf-8")
    given = DataOptions(["a=3", "b=4"], [f"a:b={tmp_path / 'links.csv'}"], names=[f"b={tmp_path / 'names.txt'}"])
    data = given.parsed().read()
    assert isinstance(data, RelationalData)
    assert data.relations["a", "b"].toarray().tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize(
    ("domains", "links", "message"),
    [
        (
            ["a=3", "b=2"],
            "9" * 5000 + ",0",
            "links of 'a' must be positions 0, 1, 2, … since it has no names, got '999",
        ),
        (["a=3", "b=2"], "0,1_0", "links of 'b' must be positions 0, 1, 2, … since it has no names, got '1_0'"),
        (["a=3", "b=2"], "\u0663,1", "got '\u0663'; give --names a=FILE"),
        (["a=3", "b=2"], "999999999999999999,1", "has a link to item 999999999999999999"),
        (["a=3", "b=2"], "-1,1", "has a link to item -1"),
        ([f"a={'9' * 5000}", "b=2"], "0,1", "--domain a must be a file, or a number of items below 10^18, got '999"),
        (["a=0", "b=2"], "0,1", "'a'"),
    ],
)
def test_numbers_that_are_none_are_messages(domains: list[str], links: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text(links + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        DataOptions(domains, [f"a:b={tmp_path / 'links.csv'}"]).parsed().read()
    assert len(str(raised.value)) < 400


def test_a_domain_is_not_taken_for_the_column_of_weights(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("0,1\n1,0\n")
    with pytest.raises(ValueError, match="cannot be called 'weight'"):
        DataOptions(["weight=3", "b=2"], [f"weight:b={tmp_path / 'links.csv'}"]).parsed().read()
    alone = DataOptions(["weight=3"], [f"weight:weight={tmp_path / 'links.csv'}"]).parsed().read()
    assert list(alone.relations) == [("weight", "weight")]


@pytest.mark.parametrize("seed", ["-1", str(2**32), "10000000000000000000000"])
@pytest.mark.parametrize("command", ["fit", "map"])
def test_a_seed_that_cannot_be_used_is_refused_before_anything_is_read(
    command: str, seed: str, tmp_path: Path, invoke: Invoke
) -> None:
    given = ["--domain", "a=nowhere.npy"] if command == "fit" else ["nowhere"]
    code, _, errors = invoke(command, *given, "--seed", seed)
    assert (code, "--seed" in errors, "nowhere" in errors) == (2, True, False)
