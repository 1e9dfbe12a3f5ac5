"""Made-up relational data with a known structure, for any number of domains."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float64, Int64
from mrsne.data.outline import Pair, check_known
from mrsne.data.relational import RelationalData
from mrsne.parameters import ParameterError, check_integer, check_number, random_numbers

DEFAULT_SIZES = {"image": 400, "tag": 60}
SPREAD = 0.5  # of the items of a group in the latent space, where the centres of groups are about 1.4 apart
LATENT_DIMENSIONS = 6


def make_groups(
    sizes: Mapping[str, int] | None = None,
    *,
    n_groups: int = 5,
    dimensions: int | Mapping[str, int] = 32,
    pairs: Sequence[Pair] | None = None,
    links_per_item: float = 4.0,
    strays: float = 0.05,
    noise: float = 0.2,
    random_state: Any = None,
) -> tuple[RelationalData, dict[str, Int64]]:
    """Make items of several kinds that belong to groups, with vectors and links that show it.

    Every item has a position in a latent space, near the centre of its group. Its vector is a random linear projection
    of that position, one projection for each domain, plus noise; it is linked to items of its own group, more often to
    near ones.

    Parameters
    ----------
    sizes : mapping of str to int, optional
        Domains and their numbers of items; 400 images and 60 tags by default. Any number of domains.
    n_groups : int, default=5
    dimensions : int or mapping of str to int, default=32
        Dimensions of the vectors; 0 for a domain without vectors.
    pairs : list of (str, str), optional
        Pairs of domains with links; all pairs of different domains by default. A domain may be paired with itself.
    links_per_item : float, default=4
        Mean number of links of an item, in the larger domain of a pair.
    strays : float, default=0.05
        Share of the links that join items at random.
    noise : float, default=0.2
        Standard deviation of the noise in the vectors, relative to that of the vectors without it.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : RelationalData
    groups : dict of str to array of int
        The group of every item.

    See Also
    --------
    mrsne.datasets.make_classes : Classes with the same links for all their items.
    mrsne.datasets.make_shapes : Made pictures.

    Examples
    --------
    >>> import mrsne
    >>> data, groups = mrsne.datasets.make_groups({"cell": 90, "gene": 40}, random_state=0)
    >>> data
    RelationalData(cell: 90 items, 32-d; gene: 40 items, 32-d; cell-gene: 360 links)
    >>> groups["gene"].shape
    (40,)
    """
    counts = dict(DEFAULT_SIZES if sizes is None else sizes)
    for name, size in counts.items():
        check_integer(f"sizes[{name!r}]", size, minimum=1)
    check_known("dimensions", dimensions if isinstance(dimensions, Mapping) else None, counts)
    check_integer("n_groups", n_groups, minimum=1)
    check_number("links_per_item", links_per_item, above=0)
    check_number("noise", noise, minimum=0)
    if not 0 <= check_number("strays", strays, minimum=0) <= 1:
        raise ParameterError(f"strays must be between 0 and 1, got {strays!r}")
    random = random_numbers(random_state)
    centres = random.normal(size=(n_groups, LATENT_DIMENSIONS))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    groups = {name: random.permutation(np.arange(size) % n_groups) for name, size in counts.items()}
    positions = {
        name: centres[group] + SPREAD / LATENT_DIMENSIONS**0.5 * random.normal(size=(len(group), LATENT_DIMENSIONS))
        for name, group in groups.items()
    }
    vectors: dict[str, Any] = {}
    for name, size in counts.items():
        width = dimensions.get(name, 0) if isinstance(dimensions, Mapping) else dimensions
        check_integer(f"dimensions[{name!r}]" if isinstance(dimensions, Mapping) else "dimensions", width, minimum=0)
        vectors[name] = size
        if width:
            X = positions[name] @ random.normal(size=(LATENT_DIMENSIONS, width))
            vectors[name] = np.asarray(X + noise * X.std() * random.normal(size=X.shape), dtype=np.float32)
    linked_pairs = list(combinations(counts, 2)) if pairs is None else list(pairs)
    for pair in linked_pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(name in counts for name in pair)):
            raise ParameterError(f"pairs must be pairs of the domains {', '.join(map(repr, counts))}, got {pair!r}")
    relations = {}
    for a, b in linked_pairs:
        nearness = np.exp(-((positions[a][:, None] - positions[b][None]) ** 2).sum(axis=2) / (2 * SPREAD**2))
        nearness *= groups[a][:, None] == groups[b][None]
        relations[a, b] = _sampled_links(nearness, links_per_item, strays, a == b, random)
    return RelationalData(vectors, relations), groups


def _sampled_links(
    nearness: Float64, links_per_item: float, strays: float, same_domain: bool, random: np.random.RandomState
) -> sparse.csr_matrix:
    """Draw distinct links, ``links_per_item`` for each item of the larger domain."""
    possible = np.ones_like(nearness)
    if same_domain:
        np.fill_diagonal(nearness, 0)
        np.fill_diagonal(possible, 0)
    count = int(min(round(links_per_item * max(nearness.shape)), possible.sum()))
    W = _sampled_entries(nearness, round(count * (1 - strays)), random)
    W |= _sampled_entries(possible * ~W, count - int(W.sum()), random)
    return sparse.csr_matrix(W.astype(np.float64))


def _sampled_entries(odds: Float64, count: int, random: np.random.RandomState) -> Bool:
    """Draw entries of a matrix without replacement, in proportion to their odds, as far as there are any above zero."""
    is_sampled = np.zeros(odds.size, dtype=bool)
    count = min(count, int((odds > 0).sum()))
    if count > 0:
        is_sampled[random.choice(odds.size, size=count, replace=False, p=odds.ravel() / odds.sum())] = True
    return is_sampled.reshape(odds.shape)
