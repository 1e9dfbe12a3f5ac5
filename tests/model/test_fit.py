"""Maps without the interface of scikit-learn, for the command line."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA

import mrsne
from mrsne import MRSNE, RelationalData
from mrsne.affinity.settings import AffinitySettings
from mrsne.layout.settings import LayoutSettings
from mrsne.model.fit import embedding_of, fit_map, restored_map
from mrsne.model.placement import place
from mrsne.parameters import ParameterError
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
def test_only_estimators_import_scikit_learn(room: str) -> None:
    found = {
        (path.name, name)
        for path in (Path(mrsne.__file__).parent / room).rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name.split(".")[0] in HEAVY or name.startswith("scipy.stats")
    }
    assert {name for name, _ in found} == ({"estimator.py", "link_prediction.py"} if room == "model" else set())


def starts_at(data: RelationalData, **settings: object) -> dict[str, np.ndarray]:
    """Where items are after a step of nearly no length."""
    model = MRSNE(init="pca", max_iter=1, learning_rate=1e-9, perplexity=5, random_state=0, **settings)  # type: ignore[arg-type]
    return dict(model.fit_transform(data))


def test_a_map_can_start_from_the_principal_components_of_all_vectors() -> None:
    X = clusters(80) * np.linspace(1, 3, 24)
    kinds = {"photo": X[:60], "tag": sparse.csr_matrix(X[60:])}
    found = starts_at(RelationalData(kinds, {("photo", "tag"): np.eye(60, 20)}))
    alone = starts_at(RelationalData({"item": X}))["item"]
    expected = PCA(2).fit_transform(X)
    for Y in (np.concatenate(list(found.values())), alone):
        for axis in range(2):
            assert abs(np.corrcoef(Y[:, axis], expected[:, axis])[0, 1]) > 0.99
    assert alone[:, 0].std() > 1.1 * alone[:, 1].std()  # as PCA has it, not whitened
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(
        starts_at(RelationalData({"item": X}), metric="cosine")["item"],
        starts_at(RelationalData({"item": unit}))["item"],
        atol=1e-7,  # of a spread of 1e-4
    )


@pytest.mark.parametrize(
    ("vectors", "settings", "message"),
    [
        ({"photo": np.eye(9), "tag": np.eye(9, 4)}, {}, "got lengths {'photo': 9, 'tag': 4}"),
        ({"photo": np.eye(9), "tag": 9}, {}, "got lengths {'photo': 9, 'tag': 0}"),
        ({"photo": np.eye(9)}, {"metric": "precomputed"}, "and 'precomputed'"),
    ],
)
def test_principal_components_need_one_space(vectors: object, settings: dict[str, object], message: str) -> None:
    relations = {("photo", "tag"): np.eye(9)} if "tag" in vectors else None  # type: ignore[operator]
    with pytest.raises(ParameterError, match=message):
        starts_at(RelationalData(vectors, relations), **settings)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="init='pca' needs vectors"):
        mrsne.embed(np.ones((9, 9)), init="pca")
