from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from mrsne import MRSNE, Embedding, RelationalData
from tests.conftest import Animals, clusters


@pytest.fixture(scope="module")
def fitted() -> MRSNE:
    random = np.random.default_rng(0)
    subject = np.repeat(np.arange(4), 25)
    photos = 5 * np.eye(4)[subject] + random.normal(size=(100, 4))
    data = RelationalData(
        {"photo": photos, "tag": 4}, {("photo", "tag"): np.eye(4)[subject]}, names={"tag": ["dog", "cat", "cow", "emu"]}
    )
    return MRSNE(perplexity=10, random_state=0).fit(data)


def right_class(new: Any, fitted: Any, of_new: Any, of_fitted: Any) -> float:
    """How often the five nearest fitted images are of the new image's class."""
    nearest = NearestNeighbors(n_neighbors=5).fit(fitted).kneighbors(new)[1]
    return float((of_fitted[nearest] == of_new[:, None]).mean())


def test_placed_items_find_their_class_as_well_as_fitted_ones(animals: Animals) -> None:
    """Ten per cent of the images held out, placed by vector, by links and by both, against a fit with all images."""
    data, classes = animals.data, animals.classes
    out = np.zeros(len(classes), dtype=bool)
    out[np.random.default_rng(0).choice(len(classes), len(classes) // 10, replace=False)] = True
    whole = MRSNE(random_state=0).fit_transform(data)
    expected = right_class(whole["image"][out], whole["image"][~out], classes[out], classes[~out])
    model = MRSNE(random_state=0)
    rest = model.fit_transform(data.subset({"image": ~out}))["image"]
    vectors: Any = {"image": data.vectors["image"][out]}  # type: ignore[index]
    links: Any = {("image", "tag"): data.relations["image", "tag"][out]}
    for given in ({"vectors": vectors}, {"relations": links}, {"vectors": vectors, "relations": links}):
        placed = model.transform(**given)
        assert isinstance(placed, Embedding)
        assert right_class(placed["image"], rest, classes[out], classes[~out]) >= 0.9 * expected


def test_the_fitted_map_stays_as_it_is(fitted: MRSNE) -> None:
    before = fitted.embedding_.stacked.copy()
    fitted.transform({"photo": np.eye(4)})
    np.testing.assert_array_equal(fitted.embedding_.stacked, before)


def test_each_item_is_placed_by_itself(fitted: MRSNE) -> None:
    new = np.random.default_rng(1).normal(size=(12, 4))
    together = fitted.transform({"photo": new})["photo"]
    alone = np.concatenate([fitted.transform({"photo": new[[i]]})["photo"] for i in range(12)])
    np.testing.assert_array_equal(together, alone)


def test_an_item_with_a_fitted_vector_lands_on_its_twin(fitted: MRSNE) -> None:
    data = fitted._data
    assert isinstance(data, RelationalData)
    np.testing.assert_array_equal(
        fitted.transform({"photo": data.vectors["photo"]})["photo"], fitted.embedding_["photo"]
    )


def test_new_tags_settle_among_their_photos(fitted: MRSNE) -> None:
    links = np.zeros((2, 100))
    links[0, :25] = 1
    links[1, 50:75] = 1
    placed = fitted.transform(relations={("tag", "photo"): links})
    assert list(placed) == ["tag"]
    photos = fitted.embedding_["photo"]
    for position, subject in zip(placed["tag"], (slice(0, 25), slice(50, 75)), strict=True):
        distance = np.linalg.norm(photos - position, axis=1)
        assert distance[subject].mean() < 0.5 * distance.mean()


@pytest.mark.parametrize(
    "links",
    [
        np.eye(4)[[2, 0]],
        sparse.csr_matrix(np.eye(4)[[2, 0]]),
        [(0, "cow"), (1, "dog")],
        {"photo": [0, 1], "tag": ["cow", "dog"]},
        pd.DataFrame({"photo": [0, 1], "tag": ["cow", "dog"]}),
    ],
    ids=["array", "sparse", "tuples", "columns", "frame"],
)
def test_every_form_of_links_places_items_alike(fitted: MRSNE, links: Any) -> None:
    placed = fitted.transform(relations={("photo", "tag"): links})["photo"]
    np.testing.assert_array_equal(placed, fitted.transform(relations={("photo", "tag"): np.eye(4)[[2, 0]]})["photo"])


def test_links_inside_a_domain_place_items_among_their_own() -> None:
    random = np.random.default_rng(0)
    friends = np.kron(np.eye(3), np.ones((20, 20)))
    people = 3 * np.repeat(np.eye(3), 20, axis=0) + random.normal(size=(60, 3))
    model = MRSNE(perplexity=8, random_state=0).fit(RelationalData({"person": people}, {("person", "person"): friends}))
    table = {"source": [0, 0, 1], "target": [3, 5, 45]}
    placed = model.transform(relations={("person", "person"): table})["person"]
    assert len(placed) == 2
    frame = model.transform(relations={("person", "person"): pd.DataFrame(table)})["person"]
    np.testing.assert_array_equal(placed, frame)
    nearest = [np.linalg.norm(model.embedding_["person"] - Y, axis=1).argmin() // 20 for Y in placed]
    assert nearest == [0, 2]


def test_the_number_of_new_items_follows_from_all_relations() -> None:
    random = np.random.default_rng(0)
    data = RelationalData(
        {"photo": random.normal(size=(40, 3)), "tag": 4, "user": 3},
        {("photo", "tag"): np.eye(4)[np.arange(40) % 4], ("photo", "user"): np.eye(3)[np.arange(40) % 3]},
    )
    model = MRSNE(perplexity=5, max_iter=60, random_state=0).fit(data)
    for order in (1, -1):
        given = [(("photo", "tag"), [(0, 1)]), (("photo", "user"), [(0, 1), (1, 2)])][::order]
        assert len(model.transform(relations=dict(given))["photo"]) == 2


def test_an_item_without_links_lands_as_if_alone(fitted: MRSNE) -> None:
    data: Any = fitted._data
    photos = data.vectors["photo"][[3, 30]]
    links = sparse.csr_matrix(([1.0], ([1], [0])), shape=(2, 4))
    placed = fitted.transform({"photo": photos}, {("photo", "tag"): links})["photo"]
    np.testing.assert_array_equal(placed[0], fitted.embedding_["photo"][3])
    none = fitted.transform({"photo": photos}, {("photo", "tag"): np.zeros((2, 4))})["photo"]
    np.testing.assert_array_equal(none, fitted.embedding_["photo"][[3, 30]])


def test_new_items_of_two_domains_may_come_in_one_call(fitted: MRSNE) -> None:
    placed = fitted.transform({"photo": np.eye(4)}, {("tag", "photo"): np.ones((3, 100))})
    assert {name: len(Y) for name, Y in placed.items()} == {"photo": 4, "tag": 3}


@pytest.mark.parametrize("n_components", [1, 3, 4])
def test_items_land_near_their_nearest_neighbour_in_other_dimensions_too(n_components: int) -> None:
    X = clusters(300)
    model = MRSNE(n_components=n_components, max_iter=200, random_state=0).fit(X[20:])
    placed = model.transform(X[:20])
    assert placed.shape == (20, n_components)
    nearest = NearestNeighbors(n_neighbors=1).fit(X[20:]).kneighbors(X[:20])[1][:, 0]
    distance = np.linalg.norm(placed - model.embedding_[nearest], axis=1)
    assert np.median(distance) < 0.2 * np.linalg.norm(np.ptp(model.embedding_, axis=0))


def test_an_item_without_anything_is_set_beside_the_map(fitted: MRSNE) -> None:
    links = sparse.csr_matrix(([1.0], ([0], [0])), shape=(2, 4))
    with pytest.warns(UserWarning, match="new items of 'photo' without vector and link: 1"):
        placed = fitted.transform(relations={("photo", "tag"): links})["photo"]
    assert (placed[1] > fitted.embedding_.stacked.max(axis=0)).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "transform needs vectors or relations of new items"),
        ({"vectors": np.eye(4)}, "vectors must be a mapping of domain names to arrays"),
        ({"vectors": sparse.dok_matrix(np.eye(4))}, "vectors must be a mapping of domain names to arrays"),
        ({"relations": np.eye(4)}, "relations must be a mapping of pairs of domain names, got ndarray"),
        ({"relations": sparse.dok_matrix(np.eye(4))}, "relations must be a mapping of pairs of domain names, got dok"),
        ({"vectors": {"word": np.eye(4)}}, "vectors names 'word', but the fitted domains with vectors are 'photo'"),
        ({"vectors": {"tag": np.eye(4)}}, "vectors names 'tag', but the fitted domains with vectors are 'photo'"),
        ({"vectors": {"photo": np.eye(3)}}, r"vectors\['photo'\] has 3 columns, but the map was fitted to 4 columns"),
        ({"vectors": {"photo": 3}}, r"vectors\['photo'\] has a count"),
        ({"vectors": {"photo": np.full((1, 4), np.nan)}}, "holds NaN or infinity"),
        ({"relations": {("photo", "word"): np.eye(4)}}, "but the fitted relations are"),
        ({"relations": [(0, 1)]}, "relations must be a mapping of pairs of domain names, got list"),
        ({"relations": {("photo", "tag"): np.ones((2, 5))}}, "but 'tag' has 4 items"),
        ({"relations": {("photo", "tag"): [("x", "dog")]}}, "by their positions"),
        ({"vectors": {"photo": np.eye(4)}, "relations": {("photo", "tag"): np.ones((2, 4))}}, "has 4 items"),
    ],
)
def test_bad_newcomers_are_named(fitted: MRSNE, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted.transform(**given)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (np.nan, "must hold finite numbers, got 1 that are not"),
        (np.inf, "must hold finite numbers, got 1 that are not"),
        (-3e38, r"must hold coordinates below 1e\+15, got 3e\+38"),
    ],
)
def test_maps_with_places_that_are_no_numbers_are_refused(place: float, message: str, fitted: MRSNE) -> None:
    coordinates = {name: Y.copy() for name, Y in fitted.embedding_.items()}
    coordinates["photo"][7, 1] = place
    data: Any = fitted._data
    model = MRSNE(perplexity=10).restore(data, Embedding(coordinates))
    with pytest.raises(ValueError, match=f"the map {message}"):
        model.transform({"photo": np.eye(4)})
