"""``mrsne info``: what is in a map, or what is installed."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import mrsne
from mrsne import __version__
from mrsne.cli.options import Json, argument
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import by_pair, weight_shares
from mrsne.data.files.generation import data_beside

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "faiss-cpu", "onnxruntime", "torch", "pyarrow", "distributed")


def info(
    path: Annotated[Path | None, argument("A map; without one, what is installed.")] = None,
    as_json: Json = False,
) -> None:
    """Say what is in a map, or which versions and extras are installed.

    Example: mrsne info map.npz
    """
    report = Reporter(as_json)
    if path is not None:
        report.summary(_contents(path))
        return
    versions: dict[str, str | None] = {"mrsne": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    record = {"versions": {name.replace("-", "_"): found for name, found in versions.items()}}
    report.summary(record, (f"{name}: {found or 'not installed'}" for name, found in versions.items()))


def _contents(path: Path) -> dict[str, Any]:
    """Return the sizes, scores and settings of a map; links and settings only where its data is beside it."""
    from mrsne.model.saved_map import storable

    embedding = mrsne.Embedding.load(path)
    saved = mrsne.SavedMap.load(path) if data_beside(path).exists() else None
    return {
        "items": {name: len(Y) for name, Y in embedding.items()},
        "links": None if saved is None else by_pair({pair: W.nnz for pair, W in saved.data.relations.items()}),
        "dimensions": embedding.n_components,
        "kl_divergence": embedding.kl_divergence,
        "iterations": embedding.n_iter,
        "weights": weight_shares(embedding.weights),
        "relation_norm": embedding.relation_norm,
        "settings": None if saved is None else {name: storable(value) for name, value in saved.settings.items()},
    }
