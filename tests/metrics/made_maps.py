"""Photos and tags whose true places are known, and maps of them that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne import Embedding, RelationalData, metrics

Places: TypeAlias = NDArray[np.float64]
PHOTOS, TAGS, LINKS, CELLS = 1500, 300, 4, 4
PAIR = ("photo", "tag")


@cache
def true_places() -> tuple[Places, Places]:
    """Photos and tags all over a square."""
    random = np.random.default_rng(0)
    return random.random((PHOTOS, 2)), random.random((TAGS, 2))


@cache
def made_data() -> tuple[RelationalData, Mapping[Any, sparse.csr_matrix]]:
    """Photos are linked to the nearest four tags; their vectors are their places. A tenth of the links is held out."""
    photos, tags = true_places()
    distances = ((photos[:, None] - tags) ** 2).sum(axis=2)
    W = np.zeros((PHOTOS, TAGS))
    np.put_along_axis(W, np.argsort(distances, axis=1)[:, :LINKS], 1, axis=1)
    return metrics.hold_out(RelationalData({"photo": photos, "tag": TAGS}, {PAIR: W}))


def _cells(places: Places) -> NDArray[np.int64]:
    """Which of 4 × 4 squares each place is in."""
    column, row = np.minimum((CELLS * places).astype(int), CELLS - 1).T
    return np.asarray(CELLS * row + column)


def _shuffled_in_cells(places: Places, random: Any) -> Places:
    corner = np.stack([_cells(places) % CELLS, _cells(places) // CELLS], axis=1) / CELLS
    return np.asarray(corner + random.random(places.shape) / CELLS)


def _rearranged_cells(places: Places, order: NDArray[np.int64]) -> Places:
    """Every square as it is, at the place of another, with a gap between squares."""
    cell = _cells(places)
    within = places - np.stack([cell % CELLS, cell // CELLS], axis=1) / CELLS
    there = order[cell]
    return np.asarray(within + 2 * np.stack([there % CELLS, there // CELLS], axis=1) / CELLS)


def _in_two_copies(places: Places, random: Any) -> Places:
    """Half of the items, at random, far away in the same arrangement."""
    return np.asarray(places + 10.0 * (random.random((len(places), 1)) < 0.5))


@cache
def made_maps() -> dict[str, Embedding]:
    """Maps by what is done to the true one."""
    photos, tags = true_places()
    random = np.random.default_rng(1)
    order = random.permutation(CELLS**2)
    places = {
        "the true map": (photos, tags),
        "everything shuffled": (random.permutation(photos), random.permutation(tags)),
        "shuffled within each of 16 squares": (_shuffled_in_cells(photos, random), _shuffled_in_cells(tags, random)),
        "the 16 squares rearranged": (_rearranged_cells(photos, order), _rearranged_cells(tags, order)),
        "tags shuffled": (photos, random.permutation(tags)),
        "photos anywhere near their tags": (_around_their_tags(tags, random), tags),
        "tags crowded into the middle": (photos, 0.5 + 0.05 * (tags - 0.5)),
        "tags beside the photos": (photos, tags + np.array([2.0, 0.0])),
        "torn into two copies": (_in_two_copies(photos, random), tags),
    }
    return {name: Embedding({"photo": Y, "tag": Z}) for name, (Y, Z) in places.items()}


def _around_their_tags(tags: Places, random: Any) -> Places:
    """Photos in the middle of their tags, give or take a twentieth of the square."""
    W = made_data()[0].relations[PAIR]
    middle = np.asarray(W @ tags) / np.asarray(W.sum(axis=1)).reshape(-1, 1)
    return np.asarray(middle + 0.05 * random.normal(size=middle.shape))


def scores_of(name: str) -> dict[str, float]:
    """All scores of one of the maps: the paper's, and the report card's."""
    data, links = made_data()
    embedding = made_maps()[name]
    report = metrics.report(embedding, data, held_out=links, sample=None)
    return {
        "AUC": metrics.reconstruction_auc(embedding, data),
        "link AUC": metrics.link_auc(embedding, data, PAIR),
        "variance ratio": metrics.variance_ratio(embedding, "photo", "tag"),
        "R@10": report["held_out_recall_10"][PAIR],
        "MRR": report["held_out_mrr"][PAIR],
        "trustworthiness": report["trustworthiness"]["photo"],
        "mixing": report["mixing"][PAIR],
        "by vector": report["kept_by_vector"]["photo"],
        "by links": report["kept_by_links"]["photo"],
        "neighbours kept": report["neighbors_kept"]["photo"],
    }


def popular_tags() -> tuple[Embedding, RelationalData, Mapping[Any, sparse.csr_matrix]]:
    """Photos all over a disc, in no order, around ten tags that nearly all of them have; the other tags lie far out."""
    random = np.random.default_rng(2)
    W = np.hstack([random.random((PHOTOS, 10)) < 0.6, random.random((PHOTOS, 90)) < 0.01])
    data = RelationalData({"photo": random.normal(size=(PHOTOS, 5)), "tag": 100}, {PAIR: W})
    rest, links = metrics.hold_out(data)
    tags = np.vstack([0.1 * random.normal(size=(10, 2)), 10 + random.normal(size=(90, 2))])
    return Embedding({"photo": random.normal(size=(PHOTOS, 2)), "tag": tags}), rest, links
