"""Small maps to play with: one page with a map for each position of one or two sliders, computed beforehand.

The pages need nothing but themselves. Scripts of the tutorials write them, and `written_files` shows them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes

from mrsne import Embedding, RelationalData

TEMPLATE = (Path(__file__).parent / "sliders.html").read_text(encoding="utf-8")
Made = tuple[Embedding, RelationalData, Mapping[str, NDArray[Any]], str]


def write_sliders(path: str, title: str, controls: Mapping[str, Sequence[Any]], make: Callable[..., Made]) -> None:
    """Write a page with a slider for each control.

    Parameters
    ----------
    path : path of the page
    title : what the page is called for people who cannot see it
    controls : values of each slider, by its name
    make : called with a value of each; returns a map, its data, the group of each item by domain, and a sentence
    """
    frames, previous = {}, None
    for positions in product(*(range(len(values)) for values in controls.values())):
        chosen = [values[i] for values, i in zip(controls.values(), positions, strict=True)]
        embedding, data, groups, sentence = make(*chosen)
        places = _upright(embedding.stacked.astype(np.float64), previous)
        previous = places
        frames[",".join(map(str, positions))] = {
            "places": places.round(4).tolist(),
            "kinds": [kind for kind, name in enumerate(embedding) for _ in embedding[name]],
            "groups": np.concatenate([groups[name] for name in embedding]).tolist(),
            "names": [item for name in embedding for item in data.names.get(name, [""] * len(embedding[name]))],
            "links": _links(data),
            "sentence": sentence,
        }
    content = {
        "controls": [{"name": name, "values": [str(v) for v in values]} for name, values in controls.items()],
        "frames": frames,
    }
    text = TEMPLATE.replace("TITLE", title).replace("CONTENT", json.dumps(content).replace("</", "<\\/"))
    Path(path).write_text(text, encoding="utf-8")


def _upright(Y: NDArray[np.float64], previous: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return places within −1 to 1, turned and mirrored onto those before, since a turn says nothing."""
    Y = Y - Y.mean(axis=0)
    if previous is not None and len(previous) == len(Y):
        Y = Y @ orthogonal_procrustes(Y, previous)[0]
    return Y / np.abs(Y).max()


def _links(data: RelationalData) -> list[list[int]]:
    """Return the links as pairs of positions among all items."""
    start, offsets = 0, {}
    for name, size in data.sizes.items():
        offsets[name] = start
        start += size
    found = []
    for a, b in data.relations:
        W = data.relation(a, b).tocoo()
        found += [[int(i) + offsets[a], int(j) + offsets[b]] for i, j in zip(W.row, W.col, strict=True)]
    return found
