"""Maps that continue another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mrsne
from mrsne import MRSNE, Embedding, RelationalData
from mrsne.backends.base import STAYS, Anchor, Phase, State
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.kernel import CAUCHY
from mrsne.layout.continuing import OldMap, continue_layout
from mrsne.layout.descent import CheckpointError
from mrsne.layout.settings import LayoutSettings
from mrsne.matrices import common_shares
from mrsne.model.changes import Changes
from mrsne.model.continuing import isometry
from mrsne.model.lineage import Lineage
from mrsne.parameters import ParameterError
from tests.conftest import clusters

NAMES = [f"photo {i}" for i in range(120)]
GROUPS = ["owl", "boat", "tree", "car"]


def photos(items: Any = slice(None), links: dict[int, int] | None = None) -> RelationalData:
    """Some of 120 photos in four groups, each with the tag of its group or, where ``links`` says so, another."""
    tags = [(i, (links or {}).get(i, i % 4)) for i in range(120)]
    vectors = 3 * np.eye(4)[np.arange(120) % 4] + np.random.default_rng(0).normal(size=(120, 4))
    data = RelationalData(
        {"photo": vectors, "tag": 4},
        {("photo", "tag"): tags},
        names={"photo": NAMES, "tag": GROUPS},
    )
    return data.subset({"photo": np.arange(120)[items]})


def model(**settings: Any) -> MRSNE:
    return MRSNE(**{"perplexity": 10, "random_state": 0, "max_iter": 400, **settings})


@pytest.fixture(scope="module")
def old() -> Embedding:
    return model().fit_transform(photos(slice(0, 110)))


def moved(new: Embedding, old: Embedding, data: RelationalData, before: RelationalData) -> np.ndarray:
    """How far the photos in both maps moved."""
    place = {name: i for i, name in enumerate(before.names["photo"])}
    rows = [(i, place[name]) for i, name in enumerate(data.names["photo"]) if name in place]
    here, there = np.array(rows).T
    return np.asarray(np.linalg.norm(new["photo"][here] - old["photo"][there], axis=1))


def test_what_stays_does_not_move_at_all_and_new_items_are_among_their_own(old: Embedding) -> None:
    new = model().fit_transform(photos(), start_from=old, anchor="stay")
    np.testing.assert_array_equal(new["photo"][:110], old["photo"])
    np.testing.assert_array_equal(new["tag"], old["tag"])
    centres = np.stack([old["photo"][group::4].mean(axis=0) for group in range(4)])
    nearest = np.linalg.norm(new["photo"][110:, None] - centres, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, np.arange(110, 120) % 4)


def test_the_stronger_the_anchor_the_less_moves(old: Embedding) -> None:
    data, before = photos(slice(5, None)), photos(slice(0, 110))
    far = [
        np.median(moved(model().fit_transform(data, start_from=old, anchor=anchor), old, data, before))
        for anchor in ("stay", 1.0, "keep", "follow")
    ]
    assert far == sorted(far)
    assert far[0] == 0 < far[1]


def test_items_are_found_by_name_in_whatever_order_they_come(old: Embedding) -> None:
    order = np.random.default_rng(0).permutation(110)
    new = model().fit_transform(photos(order), start_from=old)
    np.testing.assert_allclose(new["photo"], old["photo"][order], atol=0.02 * float(np.ptp(old["photo"])))
    assert new.changes is not None
    assert new.changes.matched_by == {"photo": "name", "tag": "name"}


def test_what_is_descended_is_the_divergence_and_the_pull_to_the_old_places() -> None:
    """The gradient is that of KL + Σ 2 c_i ‖y_i − y_i⁰‖², none acts on items that stay, and rows may be sorted."""
    processor, random = CpuBackend(), np.random.default_rng(0)
    P = processor.load(mrsne.joint_affinities(RelationalData({"photo": clusters(300)})))
    Y, places = (random.normal(size=(300, 2)).astype(np.float32) for _ in range(2))
    pull = random.random(300).astype(np.float32)
    pull[:7] = STAYS
    phase = Phase(10, 1.0, 1e-3, 0.0, False, 0.5)
    expected = mrsne.kl_gradient(P.csr, Y)[1] + 4 * pull[:, None] * (Y - places)
    expected[:7] = 0
    for order in (np.arange(300), random.permutation(300)):
        rows = Y[order].copy()
        state = State(0, rows, np.zeros_like(rows), np.ones_like(rows), order)
        motion = processor.motion(P, state, "exact", CAUCHY, Anchor(places, pull))
        norm = motion.step(phase)
        assert norm == pytest.approx(np.linalg.norm(expected), rel=1e-5)
        np.testing.assert_allclose((Y - motion.positions()) / 1e-3, expected, rtol=1e-3, atol=1e-3)
        motion.recentre()
        np.testing.assert_array_equal(motion.positions()[:7], Y[:7])


def test_the_minimum_is_one_of_the_sum(old: Embedding) -> None:
    """After many iterations the gradient of the divergence is that of the pull, with the opposite sign."""
    data = photos(slice(0, 110), {3: 1})
    P = mrsne.joint_affinities(data, perplexity=10, weights="auto", relation_norm="auto")
    places, strength = old.stacked, 1.0
    layout = LayoutSettings(max_iter=20_000, n_iter_without_progress=None, min_grad_norm=0)
    backend = CpuBackend()
    unchanged = np.linspace(0.5, 1, len(places)).astype(np.float32)
    with backend.session():
        loaded = backend.load(P)
        found = continue_layout(
            loaded, layout.checked(len(places), backend), OldMap(places, strength, unchanged), backend
        )
    pull = 4 * strength / len(places) * unchanged[:, None] * (found.Y.astype(np.float64) - places)
    gradient = mrsne.kl_gradient(P, found.Y)[1]
    assert np.linalg.norm(gradient + pull) < 0.02 * np.linalg.norm(pull)


@pytest.mark.parametrize("anchor", ["stay", "keep", "free"])
def test_the_map_does_not_depend_on_threads(old: Embedding, anchor: str) -> None:
    maps = [model(n_jobs=n_jobs).fit_transform(photos(), start_from=old, anchor=anchor) for n_jobs in (1, 2, 3)]
    assert maps[0] == maps[1] == maps[2]


def test_a_stopped_run_goes_on_and_another_origin_is_another_run(old: Embedding, tmp_path: Path) -> None:
    data, path = photos(slice(3, None)), tmp_path / "run.npz"
    whole = model(max_iter=1500).fit_transform(data, start_from=old)
    stopped = model(max_iter=1500, checkpoint=path, callbacks=[lambda iteration, *_: iteration == 100])
    assert stopped.fit(data, start_from=old).n_iter_ == 100
    assert model(max_iter=1500, checkpoint=path).fit_transform(data, start_from=old) == whole
    shifted = Embedding({kind: Y + 1 for kind, Y in old.items()}, data=old.data)
    for start_from, anchor in ((old, "follow"), (shifted, "keep")):
        with pytest.raises(CheckpointError, match="belongs to another run"):
            model(max_iter=1500, checkpoint=path).fit(data, start_from=start_from, anchor=anchor)


def test_items_without_affinities_stay_and_new_ones_are_beside_the_map(old: Embedding) -> None:
    def lonely(count: int) -> RelationalData:
        names = {"photo": NAMES[:60], "tag": [*GROUPS, "x", "y", "z"][:count]}
        links = {("photo", "tag"): [(i, i % 4) for i in range(60)]}
        return RelationalData({"photo": clusters(60), "tag": count}, links, names=names)

    with pytest.warns(UserWarning, match="neither a vector nor a link"):
        first = model().fit_transform(lonely(5))
    with pytest.warns(UserWarning, match="neither a vector nor a link"):
        second = model().fit_transform(lonely(7), start_from=first)
    reach = np.abs(first["photo"]).max()
    assert np.linalg.norm(second["tag"][4] - first["tag"][4]) < 0.1 * reach
    for tag in (5, 6):
        assert np.linalg.norm(second["photo"] - second["tag"][tag], axis=1).min() > 1
    assert np.isfinite(second.stacked).all()


def test_a_new_kind_and_new_items_linked_only_to_new_ones(old: Embedding) -> None:
    data = photos(slice(0, 110))
    places = RelationalData(
        {"photo": data.vectors["photo"], "tag": 4, "place": 3, "country": 2},
        {
            **data.relations,
            ("photo", "place"): [(i, (i % 4) // 2) for i in range(110)],
            ("place", "country"): [(0, 0), (1, 0), (2, 1)],
        },
        names={**data.names, "place": ["zoo", "street", "moon"], "country": ["here", "there"]},
    )
    new = model().fit_transform(places, start_from=old)
    assert new.changes is not None
    assert new.changes.new == {"photo": 0, "tag": 0, "place": 3, "country": 2}
    zoo = np.linalg.norm(new["photo"] - new["place"][0], axis=1)
    assert zoo[np.arange(110) % 4 < 2].min() < zoo[np.arange(110) % 4 >= 2].min()
    moon = np.linalg.norm(new["place"][2] - new["country"], axis=1)
    assert moon[1] < moon[0]


def test_a_plain_array_continues_from_an_array() -> None:
    X = clusters(100)
    first = model().fit_transform(X)
    second = model().fit_transform(X + 1e-4, start_from=first)
    assert isinstance(second, np.ndarray)
    np.testing.assert_allclose(second, first, atol=0.02 * float(np.ptp(first)))


@pytest.mark.parametrize(
    ("start_from", "anchor", "message"),
    [
        ("map.npz", "keep", "start_from must be an Embedding, got 'map.npz'"),
        (Embedding({"photo": np.eye(3)}), "keep", "start_from has 3 dimensions, but n_components is 2"),
        (Embedding({"photo": [[0, np.nan]]}), "keep", "start_from must have finite coordinates"),
        (Embedding({"photo": np.eye(2)}), "keep", "start_from have no names for them; give names= to RelationalData"),
        (Embedding({"cell": np.eye(2)}), "keep", "start_from has no item of data: it has 2 of 'cell'"),
        (None, "firm", "anchor must be one of 'stay', 'keep', 'follow', 'free' or a number from 0 to 10, got 'firm'"),
        (None, -1, "anchor must be a finite number of at least 0, got -1"),
        (None, 11, "anchor must be at most 10, got 11"),
    ],
)
def test_what_cannot_be_continued_is_an_error(old: Embedding, start_from: Any, anchor: Any, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        model().fit(photos(), start_from=old if start_from is None else start_from, anchor=anchor)
    assert message.replace("have no", "has no") in str(error.value).replace("have no", "has no")


def test_items_without_names_are_matched_by_position_where_there_are_as_many() -> None:
    data = RelationalData({"photo": clusters(60)})
    first = model().fit_transform(data)
    again = model().fit_transform(data, start_from=first)
    assert again.changes is not None
    assert again.changes.matched_by == {"photo": "position"}
    with pytest.raises(ParameterError, match="start_from has 60 items of 'photo' and data has 59"):
        model().fit(data.subset({"photo": range(59)}), start_from=first)


def test_changes_are_told_saved_and_the_same_when_read(old: Embedding, tmp_path: Path) -> None:
    data = photos(slice(4, None), dict.fromkeys(range(5, 21, 4), 0))
    new = model().fit_transform(data, start_from=old)
    found = new.changes
    assert found is not None
    assert (found.kept, found.new, found.gone) == (
        {"photo": 106, "tag": 4},
        {"photo": 10, "tag": 0},
        {"photo": 4, "tag": 0},
    )
    assert 0 < found.moved.median < found.moved.p95 < 0.5
    assert found.kl_freed <= found.kl_divergence == pytest.approx(new.kl_divergence, abs=1e-6)
    assert Changes.from_dict(json.loads(json.dumps(found.to_dict()))).to_dict() == found.to_dict()
    assert "10 are new, 4 are gone" in found.sentences()[0]
    new.save(tmp_path / "map.npz")
    assert Embedding.load(tmp_path / "map.npz").changes == found


def test_a_map_knows_its_ancestors(old: Embedding, tmp_path: Path) -> None:
    second = model().fit_transform(photos(), start_from=old)
    second.save(tmp_path / "map.npz")
    third = model().fit_transform(photos(), start_from=second, anchor="follow")
    ids = [entry.id for entry in third.history]
    assert ids == [old.history[-1].id, Embedding.load(tmp_path / "map.npz").history[-1].id, third.entry.id]
    assert len(set(ids)) == 3
    assert [entry.changes and entry.changes["anchor"] for entry in third.history] == [None, "keep", "follow"]
    assert third.history[1].items == {"photo": 120, "tag": 4}
    assert all(entry.made for entry in third.history)


def test_an_isometry_turns_and_reflects_but_does_not_scale() -> None:
    random = np.random.default_rng(0)
    Y = random.normal(size=(50, 2))
    turned = 2 * Y @ np.array([[0, 1], [1, 0]]) + 3
    back = isometry(Y, turned)(turned)
    np.testing.assert_allclose(back - back.mean(axis=0), 2 * (Y - Y.mean(axis=0)), atol=1e-9)
    np.testing.assert_allclose(back.mean(axis=0), Y.mean(axis=0), atol=1e-9)


def test_common_shares_are_those_of_the_rows_of_both_matrices() -> None:
    random = np.random.default_rng(0)
    old, new = (sparse.random_array((40, 40), density=0.2, rng=random, format="csr", dtype=np.float32) for _ in "ab")
    rows = random.permutation(40)
    rows[:5] = -1
    dense = [M.toarray().astype(np.float64) / M.toarray().sum(axis=1, keepdims=True) for M in (old, new)]
    expected = np.zeros(40)
    for i, r in enumerate(rows):
        if r >= 0:
            expected[i] = sum(min(dense[1][i, j], dense[0][r, rows[j]]) for j in range(40) if rows[j] >= 0)
    found = common_shares(sparse.csr_matrix(new), sparse.csr_matrix(old), rows)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_where_everything_has_changed_the_map_still_starts_from_the_old_one(old: Embedding) -> None:
    """Affinities of other weights have little in common with those before, for all items alike."""
    again = model(weights=0.01, relation_norm="pmi").fit_transform(photos(slice(0, 110)), start_from=old)
    far = np.linalg.norm(again["photo"] - old["photo"], axis=1)
    assert np.median(far) < 0.2 * float(np.ptp(old["photo"]))


def test_an_item_with_other_links_and_another_vector_moves_to_its_new_group(old: Embedding) -> None:
    data = photos(slice(0, 110), {8: 1})
    X = np.array(data.vectors["photo"])
    X[8] = X[9]
    data = RelationalData({"photo": X, "tag": 4}, dict(data.relations), names=dict(data.names))
    new = model().fit_transform(data, start_from=old)
    centres = np.stack([new["photo"][group::4].mean(axis=0) for group in range(4)])
    assert np.linalg.norm(new["photo"][8] - centres, axis=1).argmin() == 1


def test_the_moment_that_a_map_is_made_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert Lineage.begin().made == "1970-01-02T00:00:00+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    assert Lineage.begin().made > "2026"
