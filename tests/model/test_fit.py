"""Maps without the interface of scikit-learn, for the command line."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import mrsne
from mrsne import MRSNE, RelationalData
from mrsne.affinity.settings import AffinitySettings
from mrsne.layout.settings import LayoutSettings
from mrsne.model.fit import embedding_of, fit_map, restored_map
from mrsne.model.placement import place
from tests.conftest import clusters

ROOMS = ("affinity", "layout", "metrics", "model", "regions")
HEAVY = {"matplotlib", "pandas", "sklearn"}  # each takes longer to be imported than a small map to be made


def test_the_map_is_that_of_the_estimator_and_so_are_new_items() -> None:
    data = RelationalData({"photo": clusters(60), "tag": 5}, {("photo", "tag"): np.eye(60, 5) + np.eye(60, 5, -20)})
    settings = AffinitySettings(perplexity=5, weights="auto", relation_norm="auto")
    fitted = fit_map(data, settings, LayoutSettings(max_iter=60, random_state=0))
    model = MRSNE(perplexity=5, max_iter=60, random_state=0)
    embedding = embedding_of(fitted)
    assert embedding == model.fit_transform(data)
    assert (embedding.weights, embedding.settings) == (model.embedding_.weights, model.embedding_.settings)
    vectors = {"photo": clusters(60)[:3] + 0.01}
    for into in (fitted, restored_map(data, embedding, settings)):
        np.testing.assert_array_equal(place(into, vectors, {})["photo"], model.transform(vectors)["photo"])


@pytest.mark.parametrize("room", ROOMS)
def test_only_the_estimator_imports_scikit_learn(room: str) -> None:
    found = {
        (path.name, name)
        for path in (Path(mrsne.__file__).parent / room).rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name.split(".")[0] in HEAVY or name.startswith("scipy.stats")
    }
    assert {name for name, _ in found} == ({"estimator.py"} if room == "model" else set())
