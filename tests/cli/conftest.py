"""The command line in this process: much faster than a new one for each call."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import RelationalData, datasets
from mrsne.cli import main

Invoke = Callable[..., tuple[int, str, str]]


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command as `mrsne` does and return its exit code and what it printed, on both streams."""
    printed, errors = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(errors),
        warnings.catch_warnings(),
        pytest.raises(SystemExit) as left,
    ):
        main([str(argument) for argument in arguments])
    return int(left.value.code or 0), printed.getvalue(), errors.getvalue()


def summary_of(*arguments: str | Path) -> Any:
    """Run a command that succeeds and return what it prints as JSON."""
    code, printed, errors = run(*arguments, "--json")
    assert code == 0, errors
    return json.loads(printed)


@pytest.fixture
def invoke() -> Invoke:
    return run


@dataclass(frozen=True)
class Fitted:
    """A map that `mrsne fit` wrote, the data it is of, and what the command printed as JSON."""

    path: Path
    data: RelationalData
    summary: dict[str, Any]


@pytest.fixture(scope="session")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Fitted:
    """A map of made-up groups, from an array, a table with names, and a table of links by position and name."""
    folder = tmp_path_factory.mktemp("fit")
    data, _ = datasets.make_groups({"image": 120, "tag": 20}, random_state=0)
    vectors: Any = data.vectors
    np.save(folder / "images.npy", vectors["image"])
    lines = ["name," + ",".join(f"x{i}" for i in range(32))]
    lines += [f"word {i}," + ",".join(map(str, row)) for i, row in enumerate(vectors["tag"].astype(float))]
    (folder / "tags.csv").write_text("\n".join(lines))
    W = data.relations["image", "tag"].tocoo()
    links = ["image;tag;weight", *(f"{i};word {j};{w}" for i, j, w in zip(W.row, W.col, W.data, strict=True))]
    (folder / "links.csv").write_text("\n".join(links))
    domains = ["--domain", f"image={folder / 'images.npy'}", "--domain", f"tag={folder / 'tags.csv'}"]
    settings = ["--relation", f"image:tag={folder / 'links.csv'}", "--weights", "0.5", "--perplexity", "10"]
    summary = summary_of("fit", *domains, *settings, "-o", folder / "map.npz")
    return Fitted(folder / "map.npz", data, summary)
