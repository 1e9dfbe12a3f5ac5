"""Vectors from links, in cases that can be checked by hand; what they are good for is tested with the weights."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mrsne import RelationalData, joint_affinities
from mrsne.affinity.settings import graph_plan
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.link_vectors import agreement, link_vectors
from mrsne.backends.cpu.shared_links import MOST_LINKS, shared_links, weighted_links

FOUR_KINDS = [(photo, photo % 4) for photo in range(40)]


def test_rare_links_weigh_more() -> None:
    data = RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 0), (1, 0), (2, 0), (2, 1)]})
    expected = np.array([[1, 0], [1, 0], [0.509, 0.861]])
    np.testing.assert_allclose(weighted_links(data, "photo").toarray(), expected, atol=5e-4)


def test_items_with_the_same_links_have_the_same_vector() -> None:
    data = RelationalData({"photo": 40, "tag": 5}, {("photo", "tag"): FOUR_KINDS})
    vectors = link_vectors(shared_links(data, "photo"))
    assert vectors is not None
    assert vectors.shape == (40, 3)
    np.testing.assert_allclose(vectors[0], vectors[4], atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1])


def test_vectors_of_the_kinds_that_links_tell_agree_with_them() -> None:
    data = RelationalData({"photo": np.eye(4)[np.arange(40) % 4], "tag": 4}, {("photo", "tag"): FOUR_KINDS})
    np.testing.assert_allclose(agreement(data, "photo", "euclidean"), 1)


def tagged(n: int) -> RelationalData:
    random = np.random.default_rng(0)
    kind = random.integers(0, 6, n)
    X = np.eye(6)[kind] + random.normal(0, 0.5, (n, 6))
    X[: n // 20] = 0  # many at the same distance
    return RelationalData(
        {"photo": X, "tag": 12}, {("photo", "tag"): list(enumerate(2 * kind + random.integers(0, 2, n)))}
    )


def test_agreement_does_not_depend_on_places_in_the_table() -> None:
    """Nor on the last digits of vectors, and hardly on a few items: its sample is chosen by the vectors."""
    data, random = tagged(8_000), np.random.default_rng(1)
    known = agreement(data, "photo", "euclidean")
    assert known is not None
    assert 0.02 < known < 0.9
    moved = data.subset({"photo": random.permutation(8_000), "tag": random.permutation(12)})
    np.testing.assert_allclose(agreement(moved, "photo", "euclidean"), known, rtol=1e-9)
    close = np.asarray(tagged(8_000).vectors["photo"]) * (1 + 1e-6 * random.standard_normal((8_000, 6)))
    almost = RelationalData({"photo": close, "tag": 12}, dict(data.relations))
    assert abs(agreement(almost, "photo", "euclidean") - known) < 0.005
    fewer = data.subset({"photo": np.sort(random.permutation(8_000)[8:])})
    assert abs(agreement(fewer, "photo", "euclidean") - known) < 0.005


STYLE = np.arange(24) % 3  # of an artist; every work has one artist, and subjects that belong to a style
WORKS = [(artist, 5 * artist + number) for artist in range(24) for number in range(5)]


def museum(subjects: bool = True) -> RelationalData:
    """Return works with one artist each and, of twelve subjects, two of the artist's style and one that all have."""
    relations = {("artist", "work"): WORKS}
    if subjects:
        random = np.random.default_rng(0)
        own = [(work, STYLE[artist] + 3 * n) for artist, work in WORKS for n in random.choice(4, 2, replace=False)]
        relations["work", "subject"] = [*own, *((work, 12) for _, work in WORKS)]
    return RelationalData({"artist": 24, "work": 120} | ({"subject": 13} if subjects else {}), relations)


def neighbors_of(data: RelationalData, kind: str, n_jobs: int = 1) -> tuple[sparse.csr_matrix, list[int]] | None:
    backend = CpuBackend(n_jobs)
    with backend.session():
        found = backend.link_neighbors(data, kind, lambda count: graph_plan(count, min(30.0, (count - 1) / 3)))
    return None if found is None else (found[0].nearest(0), np.flatnonzero(found[1]).tolist())


def test_where_nothing_is_shared_nobody_has_neighbours() -> None:
    assert neighbors_of(museum(subjects=False), "artist") is None
    assert not joint_affinities(museum(subjects=False), 5, "auto", "auto")[:24, :24].nnz


def test_artists_who_share_no_work_are_near_those_whose_works_have_the_same_subjects() -> None:
    found = neighbors_of(museum(), "artist")
    assert found is not None
    near, artists = found
    assert artists == list(range(24))
    rows, columns = near.nonzero()
    assert (STYLE[rows] == STYLE[columns]).all()  # the subject that all works have makes no neighbours
    assert (np.diff(near.indptr) == 7).all()


def test_things_that_are_shared_directly_are_enough() -> None:
    W = shared_links(museum(), "work")
    assert W.shape == (120, 24 + 13)  # artists and subjects, and none of what other works of the artist have


def test_an_item_has_no_neighbours_but_those_that_share_its_links() -> None:
    pairs = [(item, item // 2) for item in range(100)]  # fifty pairs, far more than there are dimensions
    common = [(item, 50) for item in range(100)]
    alone = [(100, 51)]
    links = {("item", "thing"): pairs + common + alone}
    found = neighbors_of(RelationalData({"item": 102, "thing": 52}, links), "item")
    assert found is not None
    near, items = found
    assert items == list(range(100))
    assert near.indices.tolist() == [item ^ 1 for item in range(100)]  # and not all, though all share one thing


def test_the_links_of_an_item_over_two_relations_are_the_strongest_of_many() -> None:
    random = np.random.default_rng(0)
    W = sparse.csr_matrix(np.repeat(np.eye(20), 3, axis=1))
    V = sparse.csr_matrix(random.random((60, 400)))
    links = shared_links(RelationalData({"a": 20, "b": 60, "c": 400}, {("a", "b"): W, ("b", "c"): V}), "a")
    assert (np.diff(links.indptr) <= MOST_LINKS).all()
    assert links.nnz > 0.9 * 20 * MOST_LINKS
    np.testing.assert_allclose(links.multiply(links).sum(axis=1), 1)


def test_neighbours_by_links_do_not_depend_on_the_number_of_threads() -> None:
    one, two = (neighbors_of(museum(), "artist", n_jobs) for n_jobs in (1, 2))
    assert one is not None
    assert two is not None
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one[0], name), getattr(two[0], name))
