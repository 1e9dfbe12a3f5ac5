"""Why an item is where it is: its strongest affinities are those of P̃, and far ones are told."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mrsne
from mrsne import Embedding, RelationalData
from mrsne.affinity import joint
from mrsne.metrics.reasons import is_far, map_affinities, strongest
from mrsne.model import fit
from mrsne.parameters import ParameterError
from mrsne.viewer.reasons import reasons_panel


@pytest.fixture(scope="module")
def model() -> mrsne.MRSNE:
    """A map of a few groups, made with settings of its own."""
    data, _ = mrsne.datasets.make_groups({"image": 60, "tag": 12}, random_state=0)
    named = RelationalData(
        dict(data.vectors), dict(data.relations), names={"tag": [f"tag {i}" for i in range(12)]}, missing=data.missing
    )
    weights = {"image": 0.5, "tag": 0.1, ("image", "tag"): 0.4}
    model = mrsne.MRSNE(perplexity=7, weights=weights, relation_norm="norm", max_iter=50, random_state=0, n_jobs=1)
    model.fit(named)
    return model


def test_they_are_the_largest_entries_of_a_row_and_their_shares_of_its_sum(model: mrsne.MRSNE) -> None:
    P = np.asarray(model.affinities_.toarray(), dtype=np.float64)
    found = model.embedding_.reasons("image", 3, affinities=model.affinities_, count=4)
    own, tags = P[3, :60], P[3, 60:]
    expected = [*np.argsort(-own)[:4], *(60 + np.argsort(-tags)[: min(4, np.count_nonzero(tags))])]
    ids = [int(row.id) if row.kind == "image" else 60 + int(row.id.split()[1]) for row in found.itertuples()]
    assert ids == expected
    np.testing.assert_allclose(found["share"], P[3, expected] / P[3].sum(), atol=1e-6)
    assert set(found["by"]) == {"vector", "links"}


def test_a_map_knows_by_itself_what_it_was_made_with_also_after_a_file_and_a_pickle(
    model: mrsne.MRSNE, tmp_path: Path
) -> None:
    embedding = model.embedding_
    expected = embedding.reasons("tag", "tag 5", affinities=model.affinities_)
    embedding.save(tmp_path / "map.npz")
    embedding.data.save(tmp_path / "map.data.npz")
    loaded, unpickled = Embedding.load(tmp_path / "map.npz"), pickle.loads(pickle.dumps(embedding))
    for again in (embedding, loaded, unpickled):
        found = again.reasons("tag", "tag 5", embedding.data)
        assert found["id"].tolist() == expected["id"].tolist()
        np.testing.assert_allclose(found["share"], expected["share"], atol=1e-5)
    assert loaded.settings is not None
    assert dict(loaded.settings) == dict(embedding.settings)
    assert loaded.settings["weights"] == {"image": 0.5, "tag": 0.1, ("image", "tag"): 0.4}


def test_nearer_counts_items_of_the_others_kind_on_the_map_that_are_not_linked(model: mrsne.MRSNE) -> None:
    embedding = model.embedding_
    own_tags = embedding.data.relation("image", "tag")[3].indices
    for row in embedding.reasons("image", 3).itertuples():
        other = int(row.id) if row.kind == "image" else int(row.id.split()[1])
        distances = np.linalg.norm(embedding[row.kind].astype(float) - embedding["image"][3].astype(float), axis=1)
        if row.kind == "image":
            distances[3] = np.inf
        nearer = set(np.flatnonzero(distances < distances[other]).tolist())
        assert row.nearer == len(nearer - set(own_tags.tolist()) if row.kind == "tag" else nearer)
        assert row.far == (row.nearer >= len(distances) / 4)


def test_a_tag_that_lies_amid_its_many_photos_is_honoured_by_all_of_them() -> None:
    owner = np.arange(1000) % 2
    data = RelationalData({"photo": 1000, "tag": 2}, {("photo", "tag"): [(i, t) for i, t in enumerate(owner)]})
    random = np.random.default_rng(0)
    places = {"photo": 10.0 * owner[:, None] + random.normal(size=(1000, 2)), "tag": [[0, 0], [10, 10]]}
    assert not Embedding(places, data=data).reasons("tag", 0)["far"].any()


FAR = [(99, 5000, False), (100, 5000, True), (4, 20, False), (5, 20, True)]


@pytest.mark.parametrize(("nearer", "size", "far"), FAR)
def test_a_hundred_or_a_quarter_of_a_kind_is_far(nearer: int, size: int, far: bool) -> None:
    assert is_far(nearer, size) == far


def test_kinds_in_another_order_than_the_datas_have_the_same_reasons(model: mrsne.MRSNE) -> None:
    embedding = model.embedding_
    other = Embedding({name: embedding[name] for name in ("tag", "image")}, data=embedding.data)
    for kind in embedding:
        found = (map_.reasons(kind, 2, affinities=model.affinities_) for map_ in (embedding, other))
        assert next(found).equals(next(found))


def test_strongest_of_many_items_are_those_of_each() -> None:
    random = np.random.default_rng(0)
    P = random.random((30, 30)) * (random.random((30, 30)) < 0.4)
    found = strongest(sparse.csr_matrix(P), {"a": 20, "b": 10}, np.arange(5, 25), 3)
    for row, item in enumerate(range(5, 25)):
        own = slice(0, 20) if item < 20 else slice(20, 30)
        other = slice(20, 30) if item < 20 else slice(0, 20)
        expected = [
            part.start + j for part in (own, other) for j in np.argsort(-P[item, part])[:3] if P[item, part.start + j]
        ]
        assert found.others[found.rows == row].tolist() == expected
        np.testing.assert_allclose(found.by_domain[row], [P[item, :20].sum(), P[item, 20:].sum()] / P[item].sum())


def test_items_that_share_links_or_are_linked_within_their_kind_say_so() -> None:
    data = RelationalData(
        {"person": np.eye(6), "club": 2},
        {("person", "person"): [(0, 1)], ("person", "club"): [(i, i % 2) for i in range(6)]},
    )
    embedding = Embedding({"person": np.eye(6, 2), "club": np.eye(2)}, data=data)
    found = embedding.reasons("person", 0).set_index(["kind", "id"])["by"]
    assert found["person", "1"] == "vector and links"
    assert found["person", "2"] == "vector"
    assert found["club", "0"] == "links"
    members = np.random.default_rng(0).random((40, 12)) < 0.4
    clubs = RelationalData({"person": 40, "club": 12}, {("person", "club"): members})
    places = {"person": np.zeros((40, 2)), "club": np.eye(12, 2)}
    shared = Embedding(places, data=clubs).reasons("club", 0)
    assert set(shared[shared["kind"] == "club"]["by"]) == {"shared links"}


def test_items_that_share_nothing_but_what_their_things_are_linked_to_say_so() -> None:
    relations = {
        ("artist", "work"): [(i // 2, i) for i in range(40)],
        ("work", "subject"): [(i, i // 2 % 4) for i in range(40)],
    }
    data = RelationalData({"artist": 20, "work": 40, "subject": 4}, relations)
    places = {"artist": np.zeros((20, 2)), "work": np.zeros((40, 2)), "subject": np.zeros((4, 2))}
    embedding = Embedding(places, data=data)
    found = embedding.reasons("artist", 0)
    found = found[found["kind"] == "artist"]
    assert set(found["id"]) == {"4", "8", "12", "16"}  # whose works have the same subject
    assert set(found["by"]) == {"shared subject of work"}
    panel, _ = reasons_panel(embedding, data, 100, {})
    assert panel is not None
    assert panel["alike"] == ["shared subject of work", "shared links", "shared artist of work"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "word", "item": 0}, "kind must be one of 'image', 'tag', got 'word'"),
        ({"kind": "tag", "item": "dog"}, "item must be a name or a position of 'tag', got 'dog'"),
        ({"kind": "tag", "item": 12}, "item must be below 12, the number of items of 'tag', got 12"),
        ({"kind": "tag", "item": 0, "count": 0}, "count must be"),
        ({"kind": "tag", "item": 0, "affinities": np.eye(3)[::-1]}, "affinities must be of the 72 items of the map"),
    ],
)
def test_what_cannot_be_explained_is_said(given: dict[str, Any], message: str, model: mrsne.MRSNE) -> None:
    with pytest.raises(ParameterError, match=message):
        model.embedding_.reasons(**given)


def test_affinities_that_are_zero_are_none() -> None:
    data = RelationalData({"x": np.eye(3)})
    P = sparse.csr_matrix(([0.0, 0.5, 0.5], ([0, 1, 2], [1, 2, 1])), shape=(3, 3))
    assert len(Embedding({"x": np.eye(3, 2)}, data=data).reasons("x", 0, affinities=P)) == 0


@pytest.fixture
def times_computed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Count how often affinities are computed, by a fit or for reasons."""
    times: list[Any] = []

    def counted(data: Any, *others: Any, **named: Any) -> Any:
        times.append(data)
        return compute_affinities(data, *others, **named)

    compute_affinities = joint.compute_affinities
    for module in (joint, fit):
        monkeypatch.setattr(module, "compute_affinities", counted)
    return times


def test_a_fit_its_page_and_its_reasons_share_one_computation(times_computed: list[Any], tmp_path: Path) -> None:
    data, _ = mrsne.datasets.make_groups({"image": 60, "tag": 12}, random_state=0)
    embedding = mrsne.MRSNE(perplexity=7, max_iter=20, random_state=0).fit_transform(data)
    embedding.to_html(tmp_path / "map.html")
    assert "reasons-0" in (tmp_path / "map.html").read_text("utf-8")
    first, second = embedding.reasons("image", 3), embedding.reasons("tag", 2)
    assert len(times_computed) == 1
    P = mrsne.joint_affinities(data, perplexity=7, weights="auto", relation_norm="auto")
    assert embedding.reasons("image", 3, affinities=P).equals(first)
    assert embedding.reasons("tag", 2, affinities=P).equals(second)


def test_a_map_that_is_loaded_computes_them_when_they_are_first_asked_for(
    model: mrsne.MRSNE, times_computed: list[Any], tmp_path: Path
) -> None:
    embedding = model.embedding_
    embedding.save(tmp_path / "map.npz")
    loaded = Embedding.load(tmp_path / "map.npz")
    assert not times_computed
    for item in range(3):
        loaded.reasons("image", item, embedding.data)
    assert len(times_computed) == 1
    other = embedding.data.subset({"tag": np.arange(12)})
    loaded.reasons("image", 0, other)
    assert times_computed[1] is other


def test_without_data_there_are_no_reasons() -> None:
    with pytest.raises(ParameterError, match="data is needed, but the data of this map is not known"):
        Embedding({"x": [[0, 0]]}).reasons("x", 0)


def test_settings_that_are_none_are_refused() -> None:
    with pytest.raises(ParameterError, match="settings must be a mapping of parameters of joint_affinities"):
        Embedding({"x": [[0, 0]]}, settings={"colour": "red"})


def test_what_was_warned_of_is_not_said_again_and_filters_of_warnings_stay_as_they_are() -> None:
    """They are those of the process: two threads that leave in another order than they came would change them."""
    data = RelationalData({"photo": np.eye(40), "tag": np.eye(5)}, {("photo", "tag"): [(0, 0)]})
    with pytest.warns(UserWarning, match="perplexity is lowered"):
        mrsne.joint_affinities(data)
    before = list(warnings.filters)
    with warnings.catch_warnings(record=True) as told, ThreadPoolExecutor(1) as pool:
        warnings.simplefilter("always")
        during = list(warnings.filters)
        pool.submit(map_affinities, data, {}).result()
        assert warnings.filters == during
    assert not told
    assert warnings.filters == before
