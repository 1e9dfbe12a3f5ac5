"""What a score is worth: settings and probabilities, by links that were held out of one relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, Int64
from mrsne.backends.cpu.sparse_products import largest
from mrsne.data.outline import Pair
from mrsne.data.relational import RelationalData
from mrsne.metrics.holding_out import hold_out
from mrsne.model.link_model import Inputs, LinkModel, LinkSettings, without_links
from mrsne.parameters import ParameterError

RIDGES = (0.3, 1.0, 3.0, 10.0)
DAMPINGS = (0.0, 0.15)
VECTORS = (1.0, 0.3, 0.0)
ROWS = 2_000  # at most, whose held-out links are looked for
MOST_COLUMNS = 2_500  # the most linked, of which the settings are chosen
COLD_SHARE = 0.1  # of the items whose links are all held out, to learn what vectors say alone
CANDIDATES = 20  # best scores of an item from which probabilities are learned: about as many as people look at
LIKELIEST = 0.99  # nobody knows better
FEWEST = 30  # held-out links among these: with fewer, scores are not calibrated


@dataclass(frozen=True)
class Curve:
    """Probabilities, never falling, of scores in ascending order."""

    scores: Float64
    probabilities: Float64

    def __call__(self, scores: Any) -> Float64:
        """Return the probabilities of scores."""
        return np.asarray(np.interp(scores, self.scores, self.probabilities))


UNKNOWN = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))  # scores estimate 0 and 1 for links, even if roughly


@dataclass(frozen=True)
class HeldOutLinks:
    """A relation without some of its links, and those: of some items all, of others some."""

    rest: sparse.csr_matrix
    held_out: sparse.csr_matrix
    some: Int64  # items of which links were held out, in a sample
    typical: Int64  # items with links, whether some were held out or not, in a sample: of them scores are probabilities
    all: Int64  # items all of whose links were


def hold_out_for_calibration(
    W: sparse.csr_matrix, kinds: Pair, informed: Bool, share: float, random: np.random.RandomState
) -> HeldOutLinks | None:
    """Hold out all links of some items that vectors or other links say something about, and a share of all others."""
    linked = np.flatnonzero((np.diff(W.indptr) > 0) & informed)
    cold = np.sort(random.permutation(linked)[: min(ROWS, int(COLD_SHARE * len(linked)))])
    kept = np.ones(W.shape[0], np.float32)
    kept[cold] = 0
    rest = sparse.csr_matrix(sparse.diags_array(kept) @ W)
    if kinds[0] == kinds[1]:
        rest = sparse.csr_matrix(rest @ sparse.diags_array(kept))
    rest.eliminate_zeros()
    sizes = dict(zip(kinds, W.shape, strict=True))
    try:
        reduced, _ = hold_out(RelationalData(sizes, {kinds: rest}), share, random_state=random)
    except ParameterError:  # every item has but one link
        return None
    rest = reduced.relations[kinds].astype(np.float32)
    held_out = sparse.csr_matrix(W - rest)
    held_out.eliminate_zeros()
    some = np.setdiff1d(np.flatnonzero(np.diff(held_out.indptr)), cold)
    typical = np.flatnonzero(np.diff(rest.indptr))
    some, typical = (np.sort(random.permutation(rows)[:ROWS]) for rows in (some, typical))
    return HeldOutLinks(rest, held_out, some, typical, cold)


def choose(held: HeldOutLinks, known: Inputs, similar: sparse.csr_matrix, forwards: bool) -> tuple[float, LinkSettings]:
    """Return the settings that put held-out links first, and how well: the mean of 1/log₂(1 + rank).

    Ranks are among the columns, forwards, or else among the rows.
    """
    n_columns = held.rest.shape[1]
    columns = np.sort(np.argsort(-np.bincount(held.rest.indices, minlength=n_columns), kind="stable")[:MOST_COLUMNS])
    rest = sparse.csr_matrix(held.rest[:, columns])
    inputs, nearby = without_links(known, n_columns, rest), sparse.csr_matrix(similar[columns][:, columns])
    rows, chosen = (held.some, None) if forwards else (slice(None), np.arange(len(columns))[:ROWS])
    known_links, wanted = (sparse.csr_matrix(W[rows][:, columns]) for W in (held.rest, held.held_out))
    best = (-1.0, LinkSettings())
    for ridge in RIDGES:
        model = LinkModel.fit(inputs, nearby, len(columns), LinkSettings(ridge))
        items = model.known[rows]
        by_links, by_vectors = model.link_scores(items, chosen), model.vector_scores(items, chosen)
        counts = np.maximum(np.bincount(rest.indices, minlength=rest.shape[1]), 1)
        for damping in DAMPINGS if forwards else DAMPINGS[:1]:
            scale = (counts**-damping).astype(np.float32)[: by_links.shape[1]]
            for vectors in VECTORS if by_vectors.any() else VECTORS[:1]:
                scores = (by_links + np.float32(vectors) * by_vectors) * scale
                ends = (scores, known_links, wanted) if forwards else (scores.T, known_links.T, wanted.T)
                quality = _discounted_gain(*ends)
                if quality > best[0] + 1e-9:
                    best = quality, LinkSettings(ridge, damping, vectors)
    return best


def curves(
    held: HeldOutLinks, known: Inputs, similar: sparse.csr_matrix, final: LinkModel, missing: float
) -> tuple[Curve, Curve]:
    """Return probabilities of the scores of a model, of items with links and of items without.

    They are learned from another model that does not know the held-out links. With a share m of all links missing and
    the same share of the others held out, a pair that is linked with probability q is among those held out, as far as
    it is not known to be linked, with odds m(1−m)q / (mq + 1−q), and missing with probability mq / (mq + 1−q): these
    odds divided by 1 − m. Items have fewer links in that model, hence lower scores, so both are brought to one scale.
    """
    model = LinkModel.fit(
        without_links(known, held.rest.shape[1], held.rest), similar, held.rest.shape[1], final.settings
    )
    with_links = _curve(model, held, held.typical, final, missing)
    return with_links or UNKNOWN, _curve(model, held, held.all, None, 0) or with_links or UNKNOWN


def _curve(model: LinkModel, held: HeldOutLinks, rows: Int64, final: LinkModel | None, missing: float) -> Curve | None:
    """Return an isotonic regression of being held out on the best scores of some items; None for too few links."""
    from sklearn.isotonic import IsotonicRegression

    scores, is_real = _candidates(model, held.rest, held.held_out, rows)
    if is_real.sum() < FEWEST:
        return None
    # one candidate more that is not real, with the best score, so that nothing is certain
    scores, is_real = np.append(scores, scores.max()), np.append(is_real, False)
    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, is_real)
    x, y = np.asarray(fitted.X_thresholds_), np.asarray(fitted.y_thresholds_)
    if final is None:
        return Curve(x, y)
    here, now = (_candidates(fitted_to, final.W, held.held_out, rows)[0] for fitted_to in (model, final))
    factor = now.mean() / here.mean() if now.size and here.size else 1.0
    with np.errstate(divide="ignore"):  # of links that were all held out
        return Curve(x * factor, np.minimum(y / (1 - y) / (1 - missing), LIKELIEST))


def _candidates(
    model: LinkModel, known: sparse.csr_matrix, real: sparse.csr_matrix, rows: Int64
) -> tuple[Float64, Bool]:
    """Return the best scores of items, of columns they are not known to be linked to, and which of them are real."""
    scores, is_real = [np.zeros(0, np.float32)], [np.zeros(0, bool)]
    for part in blocks(len(rows), model.W.shape[1]):
        block = rows[part]
        places, values = largest(hide(model.scores(model.known[block]), known[block]), CANDIDATES)
        row, found = np.nonzero(places >= 0)
        scores.append(values[row, found])
        is_real.append(real[block].toarray()[row, places[row, found]] > 0)
    return np.concatenate(scores).astype(np.float64), np.concatenate(is_real)


def hide(scores: Float32, known: sparse.csr_matrix) -> Float32:
    """Set the scores of known links to 0, in place."""
    links = known.tocoo()
    scores[links.row, links.col] = 0
    return scores


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Cut rows of scores into blocks of 64 MB."""
    size = max(1, 2**24 // max(columns, 1))
    return (slice(start, min(start + size, rows)) for start in range(0, rows, size))


def _discounted_gain(scores: Float32, known: sparse.csr_matrix, held_out: sparse.csr_matrix) -> float:
    """Return the mean of 1/log₂(1 + rank) of held-out links among all that are not known; ties count half."""
    links = known.tocoo()
    scores[links.row, links.col] = -np.inf
    wanted = held_out.tocoo()
    scores = np.ascontiguousarray(scores)
    if not wanted.nnz:
        return 0.0
    total = 0.0
    for part in blocks(wanted.nnz, scores.shape[1]):
        own = scores[wanted.row[part], wanted.col[part]][:, None]
        others = scores[wanted.row[part]]
        rank = 0.5 + (others > own).sum(axis=1) + 0.5 * (others == own).sum(axis=1)
        total += float((1 / np.log2(1 + rank)).sum())
    return total / float(wanted.nnz)
