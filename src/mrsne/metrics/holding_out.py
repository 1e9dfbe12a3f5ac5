"""Links that are held out before a map is made, to see whether it predicts them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Int64
from mrsne.data.outline import Pair
from mrsne.data.relational import RelationalData, arguments_of, require_in_memory
from mrsne.data.relations import read_relation
from mrsne.data.vectors import DataError
from mrsne.parameters import ParameterError, check_integer, check_number, describe, random_numbers

HeldOut: TypeAlias = dict[Pair, sparse.csr_matrix]


def hold_out(
    data: RelationalData, share: float = 0.1, min_count: int = 3, random_state: Any = 0
) -> tuple[RelationalData, HeldOut]:
    """Hold out some links of every relation: make the map from the rest, and see whether it predicts them.

    Only links to items of the second domain of a pair that have at least ``min_count`` of them are held out, since
    nothing says where a tag that was used once belongs; inside a domain, both ends need as many. Every item keeps at
    least one link of each relation that it has links in.

    Parameters
    ----------
    data : RelationalData
    share : float, default=0.1
        Which part of those links to hold out; fewer where items would lose their last.
    min_count : int, default=3
    random_state : int, RandomState or None, default=0

    Returns
    -------
    rest : RelationalData
        The data without those links.
    held_out : dict of (str, str) to CSR matrix
        The links that were held out, by relation, with their weights, for :func:`report`.

    See Also
    --------
    mrsne.metrics.report : Scores a map with what was held out.
    mrsne.metrics.hold_out_links : The same for one relation, as the paper does it.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_shapes(100, random_state=0)
    >>> rest, held_out = mrsne.metrics.hold_out(data, 0.2)
    >>> rest.relations["picture", "tag"].nnz, held_out["picture", "tag"].nnz
    (232, 58)
    """
    require_in_memory(data, "holding out links needs")
    _check_share("share", share)
    check_integer("min_count", min_count, minimum=1)
    random = random_numbers(random_state)
    rest: dict[Pair, sparse.csr_matrix] = {}
    held_out: HeldOut = {}
    for (a, b), W in data.relations.items():
        links = sparse.coo_matrix(W)
        if a == b:
            chosen = _inside(links, share, min_count, random)
        else:
            eligible = np.bincount(links.col, minlength=links.shape[1])[links.col] >= min_count
            chosen = _choose(_ends(links), eligible, share, random)
        rest[a, b] = _part(links, ~chosen) if chosen.any() else W
        if chosen.any():
            held_out[a, b] = _part(links, chosen)
    if not held_out:
        raise ParameterError(
            f"no link can be held out: min_count={min_count} asks for items with that many links, and each item keeps "
            f"one; {data} has none to spare"
        )
    return RelationalData(**{**arguments_of(data), "relations": rest}), held_out


def hold_out_links(
    data: RelationalData, pair: Pair, fraction: float = 0.1, random_state: Any = None
) -> tuple[RelationalData, sparse.csr_matrix]:
    """Hold out some links of a relation, to see whether a map made from the others predicts them.

    Every item keeps at least one of its links.

    Parameters
    ----------
    data : RelationalData
    pair : tuple of str
        Two different domains with a relation.
    fraction : float, default=0.1
        Share of the links to hold out.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    rest : RelationalData
        The data without those links.
    held_out : CSR matrix
        The links that were held out, with their weights.

    See Also
    --------
    mrsne.metrics.hold_out : For all relations, where an item keeps a link.
    mrsne.metrics.link_auc : Scores a map with what was held out.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_shapes(100, random_state=0)
    >>> rest, held_out = mrsne.metrics.hold_out_links(data, ("picture", "tag"), 0.2, random_state=0)
    >>> rest.relations["picture", "tag"].nnz, held_out.nnz
    (232, 58)
    """
    _check_share("fraction", fraction)
    W = sparse.coo_matrix(relation_of(data, pair))
    if pair[0] == pair[1]:
        raise ParameterError(f"pair must be two different domains, got {pair!r}")
    count = round(fraction * W.nnz)
    if count == 0:
        raise ParameterError(f"fraction must hold out at least one of {W.nnz} links, got {fraction!r}")
    spare = _spare(_ends(W), np.ones(W.nnz, dtype=bool), random_numbers(random_state))
    if count > len(spare):
        possible = f"of {W.nnz} links {len(spare)} can be held out"
        raise ParameterError(f"fraction must leave a link to every item: {possible}, not {count}")
    is_held_out = np.zeros(W.nnz, dtype=bool)
    is_held_out[spare[:count]] = True
    rest, held_out = _part(W, ~is_held_out), _part(W, is_held_out)
    changed = {pair: rest} if pair in data.relations else {pair[::-1]: rest.T}
    return RelationalData(**{**arguments_of(data), "relations": {**data.relations, **changed}}), held_out


def read_held_out(data: RelationalData, pair: Pair, held_out: Any) -> sparse.csr_matrix:
    """Return links that were held out as a matrix of the shape of their relation."""
    shape = relation_of(data, pair).shape
    try:
        return read_relation(pair, held_out, shape, (data.names.get(pair[0]), data.names.get(pair[1])))
    except DataError as error:
        raise ParameterError(str(error).replace(f"relations[{pair!r}]", "held_out")) from error


def relation_of(data: RelationalData, pair: Any) -> sparse.csr_matrix:
    """Return the links between two domains, or raise an error that names the argument."""
    if not (isinstance(pair, tuple) and len(pair) == 2):
        raise ParameterError(f"pair must be two domain names, such as ('image', 'tag'), got {describe(pair)}")
    try:
        return data.relation(*pair)
    except KeyError as error:
        raise ParameterError(f"pair must be two domains with a relation: {error.args[0]}") from None


def _ends(links: sparse.coo_matrix) -> Int64:
    """Return the two items of each link between two domains, those of the second after those of the first."""
    return np.stack([links.row, links.shape[0] + links.col.astype(np.int64)], axis=1)


def _inside(links: sparse.coo_matrix, share: float, min_count: int, random: Any) -> Bool:
    """Return which links inside a domain are held out, both directions of a link together."""
    ends = np.sort(np.stack([links.row, links.col], axis=1).astype(np.int64), axis=1)
    keys, link = np.unique(ends[:, 0] * links.shape[0] + ends[:, 1], return_inverse=True)
    items = np.stack([keys // links.shape[0], keys % links.shape[0]], axis=1)
    between_two = items[:, 0] != items[:, 1]
    counts = np.bincount(items[between_two].ravel(), minlength=links.shape[0])
    chosen = np.zeros(len(keys), dtype=bool)
    eligible = (counts[items[between_two]] >= min_count).all(axis=1)
    chosen[between_two] = _choose(items[between_two], eligible, share, random)
    return np.asarray(chosen[link.ravel()])


def _choose(items: Int64, eligible: Bool, share: float, random: Any) -> Bool:
    """Return which of the eligible links are held out, so that each of their two items keeps a link."""
    chosen = np.zeros(len(items), dtype=bool)
    chosen[_spare(items, eligible, random)[: max(1, round(share * int(eligible.sum())))]] = True
    return chosen


def _spare(items: Int64, eligible: Bool, random: Any) -> Int64:
    """Return the eligible links that can all be held out, in random order: every item keeps its first link."""
    order = np.concatenate([np.flatnonzero(~eligible), random.permutation(np.flatnonzero(eligible))])
    first = np.unique(items[order].ravel(), return_index=True)[1] // 2
    spare = eligible.copy()
    spare[order[first]] = False
    return np.asarray(order[spare[order]])


def _part(links: sparse.coo_matrix, chosen: Bool) -> sparse.csr_matrix:
    return sparse.csr_matrix((links.data[chosen], (links.row[chosen], links.col[chosen])), shape=links.shape)


def _check_share(argument: str, value: Any) -> None:
    if not check_number(argument, value, above=0) < 1:
        raise ParameterError(f"{argument} must be greater than 0 and less than 1, got {value!r}")
