"""One map of different kinds of things: similar things close, linked things close.

files -> RelationalData -> affinity -> P̃ -> layout -> Embedding -> metrics, plot

>>> import numpy as np, mrsne
>>> rng = np.random.default_rng(0)
>>> photos, tags = rng.normal(size=(40, 8)), rng.normal(size=(10, 4))
>>> links = rng.random((40, 10)) < 0.2
>>> data = mrsne.RelationalData({"photo": photos, "tag": tags}, {("photo", "tag"): links})
>>> model = mrsne.MRSNE(perplexity=3, random_state=0)
>>> model.fit_transform(data)["tag"].shape
(10, 2)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mrsne import baselines, datasets, encoders, metrics, model_selection, plot
    from mrsne.affinity.joint import joint_affinities
    from mrsne.data.collection.collection import Collection
    from mrsne.data.relational import RelationalData
    from mrsne.layout.embed import embed, kl_gradient
    from mrsne.model.embedding import Embedding
    from mrsne.model.estimator import MRSNE
    from mrsne.model.link_prediction import LinkPredictor
    from mrsne.model.saved_map import SavedMap
    from mrsne.model.searching import search

__version__ = "0.1.0"

__all__ = [
    "MRSNE",
    "Collection",
    "Embedding",
    "LinkPredictor",
    "RelationalData",
    "SavedMap",
    "baselines",
    "datasets",
    "embed",
    "encoders",
    "joint_affinities",
    "kl_gradient",
    "metrics",
    "model_selection",
    "plot",
    "search",
]

# Names are imported when first used, so that `import mrsne` costs next to nothing.
_HOME = {
    "MRSNE": "mrsne.model.estimator",
    "Embedding": "mrsne.model.embedding",
    "LinkPredictor": "mrsne.model.link_prediction",
    "Collection": "mrsne.data.collection.collection",
    "RelationalData": "mrsne.data.relational",
    "SavedMap": "mrsne.model.saved_map",
    "embed": "mrsne.layout.embed",
    "joint_affinities": "mrsne.affinity.joint",
    "kl_gradient": "mrsne.layout.embed",
    "search": "mrsne.model.searching",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in ("baselines", "datasets", "encoders", "metrics", "model_selection", "plot"):
        value = import_module(f"mrsne.{name}")
    else:
        raise AttributeError(f"module 'mrsne' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
