"""What options mean, and what summaries and messages say."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrsne.cli import with_text_files, without_debug
from mrsne.cli.demo import page_for
from mrsne.cli.failures import Failure, _short, failure
from mrsne.cli.fit_options import weights_of
from mrsne.cli.left_out import problem_key
from mrsne.cli.options import DataOptions, check_suffix, pair_and_file, split_value
from mrsne.cli.reporter import clipped, noteworthy, printable
from mrsne.cli.summary import by_pair, in_words, json_text, percentage, sentences, weight_shares
from mrsne.cli.table_options import TableOptions
from mrsne.model.saved_map import restored_weights, storable
from mrsne.parameters import ParameterError

BOTH = {"image": 0.6, ("image", "tag"): 0.4}


def test_debug_may_stand_anywhere() -> None:
    assert without_debug(["info", "--debug", "map.npz"]) == (["info", "map.npz"], True)
    assert without_debug(["info", "--", "--debug"]) == (["info", "--", "--debug"], False)


def test_text_alone_means_text_files_beside_pictures() -> None:
    assert with_text_files(["map", "photos", "--text", "-o", "x.html"]) == [
        "map",
        "photos",
        "--text-files",
        "-o",
        "x.html",
    ]
    assert with_text_files(["map", "papers.csv", "--text", "abstract"]) == ["map", "papers.csv", "--text", "abstract"]


def test_the_page_of_a_demo_is_in_a_folder_or_alone() -> None:
    assert page_for(Path("demo")) == Path("demo/emoji.html")
    assert page_for(Path("page.html"), "icons") == Path("page.html")


def test_failures_are_told_in_their_own_words() -> None:
    missing = failure(FileNotFoundError("there is no map 'x.npz'"), ["info", "x.npz"])
    assert missing == Failure(message="there is no map 'x.npz'", code=1)
    lack = failure(MemoryError("Unable to allocate 8 GiB"), ["fit"])
    assert lack.message == "not enough memory: Unable to allocate 8 GiB"


def test_a_report_of_a_bug_does_not_tell_where_things_are_installed() -> None:
    assert _short("/home/me/lib/site-packages/numpy/lib/npyio.py") == "numpy/lib/npyio.py"
    assert _short("/usr/lib/python3.12/zipfile.py") == "zipfile.py"


def test_problems_have_keys() -> None:
    assert problem_key("tag of fewer than 3 pictures") == "rare_tag"
    assert problem_key("tag that is blue") == "tag_that_is_blue"


def test_values_of_options_are_split() -> None:
    assert split_value("--domain", "image=vectors.npy") == ("image", "vectors.npy")
    assert pair_and_file("image:tag=edges.csv") == (("image", "tag"), Path("edges.csv"))
    given = DataOptions(["image=vectors.npy"], names=["image=names.txt"])
    assert given.files() == [Path("vectors.npy"), Path("names.txt")]
    assert TableOptions(label="title", dry_run=True).given() == ["--label", "--dry-run"]


def test_an_output_must_end_in_what_can_be_written() -> None:
    with pytest.raises(ParameterError, match=r"--output must end in \.png, \.svg, got 'map\.gif'"):
        check_suffix(Path("map.gif"), (".png", ".svg"))


def test_warnings_are_said_once_and_lacking_characters_together() -> None:
    lacking = "Glyph 128021 (DOG) missing from font(s) DejaVu Sans."
    assert noteworthy(["slow", "slow", lacking]) == [
        "slow",
        "the font lacks 1 of the characters (🐕), which is drawn as a box",
    ]


def test_a_record_is_said_in_sentences_and_as_json() -> None:
    record = {"items": {"image": 3, "tag": 2}, "seconds": 1.5, "page": None}
    said = list(sentences(record, {("items", "image"): "pictures: {value}"}))
    assert said == ["pictures: 3", "items of tag: 2", "seconds: 1.5"]
    written = json_text({"seconds": 1.5, "kl_divergence": float("nan")})
    assert written == '{\n "seconds": 1.5,\n "kl_divergence": null\n}'
    assert by_pair({("image", "tag"): 3, ("image", "text"): 4}) == {"image": {"tag": 3, "text": 4}}


def test_text_is_made_fit_for_a_terminal() -> None:
    assert (printable("a\x1b[2Jb"), printable("Käse", "ascii")) == ("a\\x1b[2Jb", "K\\xe4se")
    assert clipped("a" * 2000, 10) == "aaaaaaaaaa … (1990 more characters)"


def test_weights_are_read_and_said() -> None:
    assert (weights_of("size"), weights_of("0.5")) == ("size", 0.5)
    assert weights_of("image=0.6,image:tag=0.4") == BOTH
    shares = weight_shares(BOTH)
    assert shares == {"neighbors": {"image": 0.6}, "links": {"image": {"tag": 0.4}}}
    assert in_words(shares) == "neighbours of image 60 %, links between image and tag 40 %"
    told = [percentage(share) for share in (0.0, 0.004, 0.123, 0.996, 1.0)]
    assert told == ["0 %", "below 1 %", "12 %", "over 99 %", "100 %"]  # a little never reads as nothing


def test_weights_of_pairs_are_kept_as_text() -> None:
    assert (storable(BOTH), storable("size")) == ({"image": 0.6, "image:tag": 0.4}, "size")
    assert restored_weights({"image": 0.6, "image:tag": 0.4}, ["image", "tag"]) == BOTH


def test_rows_without_a_name_of_their_own_are_items() -> None:
    record = {"items": {"item": 3, "tag": 2}, "trustworthiness": {"item": 0.9}}
    assert list(sentences(record)) == ["items: 3", "items of tag: 2", "trustworthiness of items: 0.9"]
