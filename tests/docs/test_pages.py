"""Every block of Python in the documentation runs, and so does every command of mrsne that needs nothing special."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from PIL import Image

import mrsne
from mrsne.cli import app
from tests.cli.conftest import run
from tests.data.interchange.test_anndata import cells
from tests.data.tables.made_tables import artists_csv, museum_csv, packages_jsonl, ratings_csv, shop_database
from tests.data.tables.test_anndata_files import cell_file

ROOT = Path(__file__).parents[2]
GENERATED = {"_build", "examples", "lessons", "generated"}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"] + [
    path for path in sorted((ROOT / "docs").rglob("*.md")) if not GENERATED & set(path.relative_to(ROOT).parts)
]
OTHER_PROGRAMS = (".", "pip", "make", "grep", ".venv/bin/pre-commit")  # not ours, or run by tests of their own
BENCHMARK = ["python", "-m"]  # takes minutes; that it exists and has these options is what is tested
NOT_RUN = {
    "reproduce": "takes minutes to hours; tests/experiments runs the same on small data",
    "view": "serves until it is interrupted; tests/browser opens it",
    "demo": "maps all emoji; tests/cli runs it",
    "export map.npz --region": "names a region of the reader's own map; tests/cli runs it",
    "map s3://": "a store that is not there; tests/data/tables/test_addresses.py opens others",
    "map https://": "a site that is not there; the same tests ask one of this computer",
    "export map.npz --items": "takes the table that the reader's page saved; tests/cli runs it",
}
RUN = {"python", "sh"}  # by the tests below
NO_CODE = {"", "text", "bibtex"}  # what a command prints, what a file holds, a picture of the architecture
SLOW = {"scaling.md"}  # a cluster waits for messages in each of 750 iterations


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def commands(page: Path) -> Iterator[list[str]]:
    """Return the commands on a page, without comments, those on several lines as one."""
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            if words := shlex.split(line, comments=True):
                yield words


def with_blocks(language: str) -> list[Any]:
    """Return the pages that have code in a language."""
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)), marks=[pytest.mark.slow] if page.name in SLOW else [])
        for page in PAGES
        if blocks(page, language)
    ]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the pages speak of: photos, tables, vectors, a map."""
    folder = tmp_path_factory.mktemp("documentation")
    emoji = mrsne.datasets.load_emoji()
    for name, first in (("photos", 0), ("new-photos", 30)):
        for number in range(first, first + 30):
            path = folder / name / ("beach", "city")[number % 2] / f"{number:03}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(emoji.pictures["image"][7 * number]).save(path)
    rows = [f"{number:03}.png,{tag}" for number in range(30) for tag in (("sea", "street")[number % 2], "holiday")]
    (folder / "tags.csv").write_text("\n".join(["picture,tag", *rows]))
    museum_csv(folder / "works.csv")
    artists_csv(folder / "artists.csv")
    packages_jsonl(folder / "packages.jsonl")
    ratings_csv(folder)
    shop_database(folder / "shop.db")
    random = np.random.default_rng(0)
    np.save(folder / "vectors.npy", random.normal(size=(60, 8)))
    np.save(folder / "words.npy", random.normal(size=(40, 4)))
    links = [f"{i},{(i + j) % 40}" for i in range(60) for j in range(3)]
    (folder / "links.csv").write_text("\n".join(["image,tag", *links]))
    with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
        archive.write(folder / "works.csv", "works.csv")
    cell_file(folder / "cells.h5ad", X_pca=random.normal(size=(60, 4)), X_scVI=random.normal(size=(60, 3)))
    cells().obs.reset_index(drop=True).to_parquet(folder / "cells.parquet")
    data = emoji.subset({"image": range(0, 1636, 8)})
    data = data.subset({"tag": np.unique(data.relation("image", "tag").indices)})
    mrsne.MRSNE(max_iter=100, random_state=0).fit_transform(data).save(folder / "map.npz")
    data.save(folder / "map.data.npz")
    for name in ("before", "after"):
        shutil.copy(folder / "map.npz", folder / f"{name}.npz")
        shutil.copy(folder / "map.data.npz", folder / f"{name}.data.npz")
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same files in a folder of the test's own, which is the working directory; no cache outside of it."""
    for path in files.iterdir():
        (tmp_path / path.name).symlink_to(path, target_is_directory=path.is_dir())
    for name in ("map.npz", "map.data.npz"):  # commands write these again
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).unlink()
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_code_is_one_that_is_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    fences = re.findall(r"^ *(?:```|~~~)(\S*)[^\n]*\n(.*?)^ *(?:```|~~~) *$", text, re.DOTALL | re.MULTILINE)
    assert text.count("```") == 2 * len(fences)  # none is overlooked
    for language, block in fences:
        if language not in RUN:
            assert language in NO_CODE or language.startswith("{"), f"{page.name}: {language}"
            assert not re.search(r"^\s*(\$ |>>> |import |from \w+ import |mrsne [a-z]+ )", block, re.MULTILINE), block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_wrapped(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    long = [number for number, line in enumerate(lines, 1) if len(line) > 120 and not line.lstrip().startswith("|")]
    assert long == []  # rows of tables cannot be wrapped


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(r"`((?:tests|tools|benchmarks|docs|web|src|mrsne)/[\w./-]+)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists() and not (ROOT / "src" / name).exists()] == []


def test_no_page_has_code_in_another_form() -> None:
    for page in (ROOT / "docs" / "api").glob("*.rst"):
        assert not re.search(r"code-block|::$|>>>", page.read_text(encoding="utf-8").replace("autosummary::", ""))


def check_options(name: str, words: list[str], place: str) -> None:
    """Check that a command is there, and has the options that are named."""
    commands: Any = typer.main.get_command(app)
    assert name in commands.commands, f"{place}: mrsne {name}"
    parameters = commands.commands[name].params
    known = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)}
    options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert options <= known | {"--help", "--debug"}, f"{place}: mrsne {name} {shlex.join(words)}"


def test_commands_in_a_sentence_have_the_options_that_they_name() -> None:
    scripts = [*(ROOT / "docs" / "gallery").glob("*.py"), *(ROOT / "docs" / "tutorials").glob("*.py")]
    found = 0
    for page in [*PAGES, *scripts]:
        for sentence in re.findall(r"(?<!`)``?mrsne ([a-z][^`]*)``?", page.read_text(encoding="utf-8")):
            name, *words = sentence.split()
            check_options(name, words, page.name)
            found += 1
    assert found > 50


@pytest.mark.parametrize("page", with_blocks("sh"))
def test_the_commands_of_a_page_run(page: Path, here: Path) -> None:
    for program, *arguments in commands(page):
        if [program, arguments[0]] == BENCHMARK:
            asking = [sys.executable, "-m", arguments[1], "--help"]
            asked = subprocess.run(asking, cwd=ROOT, capture_output=True, text=True, check=False)
            assert asked.returncode == 0, asked.stderr
            options = {word for word in arguments[2:] if word.startswith("--")}
            assert options <= set(re.findall(r"--[\w-]+", asked.stdout)), page.name
        elif program != "mrsne":
            assert program in OTHER_PROGRAMS
        elif " ".join(arguments).startswith(tuple(NOT_RUN)):
            check_options(arguments[0], arguments[1:], page.name)
        else:
            code, _, errors = run(*arguments)
            assert code == 0, f"mrsne {shlex.join(arguments)}: {errors}"


@pytest.mark.parametrize("page", [page for page in with_blocks("python") if "tables" not in page.id])
def test_the_python_of_a_page_runs(page: Path, here: Path) -> None:
    found = prepared(here) if page.name in ("guide.md", "map.md") else {}
    if page.name == "scaling.md":
        prepare_blocks(here)
    for block in blocks(page, "python"):
        exec(block.replace('Client("tcp://scheduler:8786")', CLIENT), found)
    assert {"embedding", "report", "predictor"} & found.keys()
    if "client" in found:
        found["client"].close()


CLIENT = "Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None)"


def prepared(folder: Path) -> dict[str, Any]:
    """Return what pages take for granted that go on from the README's example."""
    found: dict[str, Any] = {"mrsne": mrsne, "metrics": mrsne.metrics}
    subject = np.repeat(np.arange(3), 20)
    photos = 3 * np.eye(3)[subject] + np.random.default_rng(0).normal(size=(60, 3))
    links = [(i, 5 * s + (i + j) % 5) for i, s in enumerate(subject) for j in range(3)]
    names = {"photo": ["beach.jpg", *map(str, range(1, 60))], "tag": ["dog", *map(str, range(1, 15))]}
    data = mrsne.RelationalData({"photo": photos, "tag": 15}, {("photo", "tag"): links}, names=names)
    found["data"], found["subject"], found["model"] = data, subject, mrsne.MRSNE(max_iter=100, random_state=0)
    found["embedding"] = found["model"].fit_transform(data)
    found["first"], found["second"] = found["embedding"], mrsne.MRSNE(max_iter=100, random_state=1).fit_transform(data)
    return found


def prepare_blocks(folder: Path) -> None:
    """Write vectors and links as the files that a cluster reads."""
    import dask.array as da
    import pandas as pd

    da.from_array(np.random.default_rng(0).normal(size=(300, 8)), chunks=(100, 8)).to_zarr(str(folder / "vectors.zarr"))
    (folder / "edges").mkdir()
    pairs = {"image": np.arange(300), "tag": np.arange(300) % 85}
    pd.DataFrame(pairs).to_parquet(folder / "edges" / "part.0.parquet")
