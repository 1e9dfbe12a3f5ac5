"""Every command's JSON has stable keys; those of `demo` and `map` are checked where these are run."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest

import mrsne
from mrsne import Embedding
from mrsne.cli.left_out import KEYS as PROBLEM_KEYS
from mrsne.viewer.server import MapServer
from tests.cli.conftest import run, summary_of
from tests.cli.json_keys import KEYS, check_keys, keys_of

ODD = ["Wörter & Bilder", "2nd kind"]  # names of domains are the user's, and stay as they are


@pytest.fixture(scope="module")
def odd_map(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map of two domains with names that are no keys."""
    folder = tmp_path_factory.mktemp("odd")
    np.save(folder / "vectors.npy", np.random.default_rng(0).normal(size=(40, 5)))
    (folder / "links.csv").write_text("".join(f"{i},{i % 12}\n" for i in range(40)))
    domains = ["--domain", f"{ODD[0]}={folder / 'vectors.npy'}", "--domain", f"{ODD[1]}=12"]
    relation = ["--relation", f"{ODD[0]}:{ODD[1]}={folder / 'links.csv'}"]
    path = folder / "map.npz"
    printed = summary_of("fit", *domains, *relation, "--max-iter", "20", "--perplexity", "5", "-o", path)
    check_keys("fit", printed, ODD)
    assert set(ODD) <= set(keys_of(printed))
    return path


@pytest.mark.parametrize("command", ["evaluate", "regions", "plot", "place", "info MAP"])
def test_a_command_about_a_map_has_its_keys(command: str, odd_map: Path, tmp_path: Path) -> None:
    more: dict[str, list[str | Path]] = {
        "plot": ["-o", tmp_path / "x.png"],
        "regions": ["-o", tmp_path / "x.csv"],
        "place": ["--domain", f"{ODD[0]}={odd_map.with_name('vectors.npy')}", "-o", tmp_path / "placed.npz"],
    }
    check_keys(command, summary_of(command.split()[0], odd_map, *more.get(command, [])), ODD)


def test_a_map_without_its_data_has_the_same_keys(tmp_path: Path) -> None:
    Embedding({"a": [[0, 0]]}).save(tmp_path / "alone.npz")
    printed = summary_of("info", tmp_path / "alone.npz")
    check_keys("info MAP", printed, ["a"])
    unknown = ("kl_divergence", "links", "weights", "relation_norm", "settings")
    assert [printed[key] for key in unknown] == [None] * 5


def test_versions_have_keys_too() -> None:
    check_keys("info", summary_of("info"))


def test_view_has_the_same_keys_for_a_page_and_a_server(
    odd_map: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table.csv").write_text("item,size\n0,1\n77,2\n")
    columns = ["--columns", f"{ODD[1]}={tmp_path / 'table.csv'}"]
    page = summary_of("view", odd_map, *columns, "-o", tmp_path / "x.html")
    check_keys("view", page)
    assert page["left_out"] == {"row_for_unknown_item": 1}
    monkeypatch.setattr(MapServer, "serve", lambda server: None)
    check_keys("view", summary_of("view", odd_map))


def test_reproduce_has_its_keys(tmp_path: Path) -> None:
    methods = ["--methods", "cdmca-2", "--seeds", "1"]
    check_keys("reproduce", summary_of("reproduce", "groups", *methods, "-o", tmp_path / "report"))
    printed = summary_of("reproduce", "groups", *methods, "--list")
    check_keys("reproduce --list", printed)
    assert [method["key"] for method in printed["available_methods"]] == ["cdmca-2"]


def test_every_key_is_documented() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    keys = {key for keys in KEYS.values() for key in keys.split()} | set(PROBLEM_KEYS.values())
    assert sorted(key for key in keys if f"`{key}`" not in documented) == []


def test_every_kind_of_problem_in_the_source_has_a_key() -> None:
    package = Path(mrsne.__file__).parent
    sources = [*(package / "data").rglob("*.py"), *(package / "cli").glob("*.py")]
    kinds = {kind for file in sources for kind in kinds_in(ast.parse(file.read_text(encoding="utf-8")))}
    assert len(kinds) > 8
    assert sorted(kinds - set(PROBLEM_KEYS)) == []


def kinds_in(tree: ast.AST) -> list[str]:
    """Return the first arguments of calls such as `problems.add(kind, where, what)`, with N for what is put in."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 3]
    adds = [call.args[0] for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "add"]
    written = [kind.value for kind in adds if isinstance(kind, ast.Constant)]
    composed = [ast.unparse(kind)[2:-1] for kind in adds if isinstance(kind, ast.JoinedStr)]
    return [*map(str, written), *(re.sub(r"\{[^}]*\}", "N", text) for text in composed)]


def test_numbers_that_are_none_and_names_that_are_no_text_are_still_json(tmp_path: Path) -> None:
    path = tmp_path / "a\udcff.npz"  # a name of bytes that are no UTF-8
    Embedding({"a\ud800": [[0, 0]]}, kl_divergence=float("inf")).save(path)
    code, printed, errors = run("info", path, "--json")
    assert (code, errors) == (0, "")
    assert printed.isascii()
    assert json.loads(printed)["items"] == {"a\ud800": 1}
    assert json.loads(printed)["kl_divergence"] is None
    code, printed, errors = run("info", path)
    assert (code, errors, "items of a\\ud800: 1" in printed) == (0, "", True)
