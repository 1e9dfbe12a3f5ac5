"""``mrsne info``: what is in a map, or what is installed."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from mrsne import __version__
from mrsne.cli.map_files import data_beside
from mrsne.cli.options import Json
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import open_map

PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "faiss-cpu",
    "onnxruntime",
    "torch",
    "pyarrow",
    "distributed",
)


def info(
    path: Annotated[
        Path | None, typer.Argument(help="A map; without one, what is installed.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what is in a map, or which versions and extras are installed.

    Example: mrsne info map.npz
    """
    Reporter(as_json).summary(_installed() if path is None else _contents(path))


def _installed() -> dict[str, str]:
    """Return the versions of mrsne, Python and the packages that mrsne uses."""
    versions = {"mrsne": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _contents(path: Path) -> dict[str, Any]:
    """Return the sizes, scores and settings of a map; links and settings only where its data is beside it."""
    from mrsne.embedding import Embedding

    embedding = Embedding.load(path)
    found: dict[str, Any] = {f"items_of_{name}": len(Y) for name, Y in embedding.items()}
    found |= {
        "dimensions": embedding.n_components,
        "kl_divergence": embedding.kl_divergence,
        "iterations": embedding.n_iter,
    }
    if data_beside(path).exists():
        saved = open_map(path)
        found |= {f"links_{a}_{b}": W.nnz for (a, b), W in saved.data.relations.items()}
        found |= {f"setting_{name}": value for name, value in saved.settings.items()}
    return found
