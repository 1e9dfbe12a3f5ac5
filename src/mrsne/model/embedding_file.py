"""What a saved map holds, as plain arrays, and an Embedding's arguments from these."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mrsne.arrays import Array
from mrsne.model import provenance
from mrsne.model.lineage import Lineage
from mrsne.parameters import ParameterError


def arrays_of(embedding: Any) -> dict[str, Array]:
    """Return everything of an Embedding that is saved; its domains by their position."""
    kl, n_iter, known = embedding.kl_divergence, embedding.n_iter, embedding.data_identity
    arrays = {
        "domains": np.array(list(embedding), dtype=np.str_),
        "kl_divergence": np.array(np.nan if kl is None else kl),
        "n_iter": np.array(-1 if n_iter is None else n_iter),
        "similarity": np.array(embedding.similarity),
        **provenance.to_arrays(embedding.weights, embedding.relation_norm, list(embedding)),
    }
    if known is not None:
        arrays["data_identity"] = np.array(known)
    if embedding.lineage != Lineage():
        arrays["lineage"] = np.array(embedding.lineage.to_text())
    if embedding.settings is not None:
        arrays["settings"] = np.array(provenance.settings_to_text(embedding.settings))
    return arrays | {f"domain_{index}": Y for index, Y in enumerate(embedding.values())}


def arguments_from(file: Mapping[str, Array]) -> dict[str, Any]:
    """Return the arguments of the Embedding that a file holds, without what it knows of its data and its lineage."""
    kl, n_iter = float(file["kl_divergence"]), int(file["n_iter"])
    names = [str(name) for name in file["domains"]]
    coordinates = {name: file[f"domain_{index}"] for index, name in enumerate(names)}
    if len(coordinates) != len(names) or any(Y.dtype.kind not in "fiu" for Y in coordinates.values()):
        raise ParameterError("domains must differ, and coordinates must be numbers")
    weights, norm = provenance.from_arrays(file, names)  # maps of older versions have none
    return {
        "coordinates": coordinates,
        "kl_divergence": None if np.isnan(kl) else kl,
        "n_iter": None if n_iter < 0 else n_iter,
        "similarity": str(file["similarity"]) if "similarity" in file else "euclidean",
        "weights": weights,
        "relation_norm": norm,
        "settings": provenance.settings_from_text(str(file["settings"])) if "settings" in file else None,
    }
