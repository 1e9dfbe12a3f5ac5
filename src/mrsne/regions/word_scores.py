"""How well words describe regions, and how well they tell them from others: counts and likelihood ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.regions.descriptions import Descriptions

FEWEST = 2  # links into a region, as for a selection on the page
CHANCE = 3.84  # likelihood ratio that one word in twenty exceeds by chance
LARGE_SHARE = 1 / 3  # of a region's items: for a word that describes as many, a likelihood ratio of 1 is enough
PRIOR = 1.0  # added to what is counted and to what is expected, so that a rare word says little
BEYOND_CHANCE = 2  # power of the share of a count that chance does not explain: words that are everywhere step back
BREADTH = 0.2  # power of the number of items that a word describes: of two words for the same items, the broader one
HALVED_AT = 0.5  # share of all items with a word at which its scores are halved, and it names only where none else does
STEEPNESS = 4  # of that: nothing is lost at a fifth, three quarters at two thirds


@dataclass(frozen=True)
class WordScores:
    """Scores of words in regions, those of one region after those of the last.

    Attributes
    ----------
    starts : array of shape (regions + 1,)
        Where the words of each region begin.
    words : array
        Numbers of the words.
    describing : array
        (c − e) (1 − e / c)² t^0.2 g: how many more of the region's items a word describes (c) than of as many items at
        random (e). A word of t items in all, which are the share s of all that can be described, has
        g = 1 / (1 + (2 s)⁴).
    telling : array
        ½ (LR(c, e) + LR(c, e′)) g: how surely that is no chance; e′ is what is expected of the parent's items.
    """

    starts: NDArray[np.int64]
    words: NDArray[np.int64]
    describing: NDArray[np.float64]
    telling: NDArray[np.float64]

    def of(self, region: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the words of a region and copies of their scores."""
        own = slice(self.starts[region], self.starts[region + 1])
        return self.words[own], self.describing[own].copy(), self.telling[own].copy()


def score_words(
    descriptions: Descriptions, members: Sequence[NDArray[np.int64]], parents: Sequence[int | None]
) -> WordScores:
    """Return the scores of all words that are in a region more often than by chance.

    Of words that half of all items have, only those of regions that have no other.

    Parameters
    ----------
    descriptions : Descriptions
    members : list of arrays
        Positions of each region's items among all items.
    parents : list of int or None
        Each region's parent.
    """
    links, n_regions = descriptions.links, len(members)
    owner = np.repeat(np.arange(n_regions), [len(items) for items in members])
    items = np.concatenate(members)
    membership = sparse.csr_matrix((np.ones(len(items)), (owner, items)), shape=(n_regions, links.shape[0]))
    inside = (membership @ links).tocsr()
    inside.sort_indices()  # of words with equal scores, the first
    region, word, counted = np.repeat(np.arange(n_regions), np.diff(inside.indptr)), inside.indices, inside.data
    share, totals, count, n_described = _populations(descriptions, owner, items, n_regions)
    expected = np.einsum("nd,dn->n", share[region], totals[:, word])
    over_map = likelihood_ratio(counted, expected)
    above = np.array([-1 if parent is None else parent for parent in parents])[region]
    nested = above >= 0
    of_parent = np.asarray(inside[above[nested], word[nested]]).ravel()
    over_parent = over_map.copy()
    over_parent[nested] = likelihood_ratio(
        counted[nested], of_parent * count[region[nested]] / np.maximum(count[above[nested]], 1)
    )
    total = totals.sum(axis=0)[word]
    of_all = total / max(n_described, 1)
    specific = 1 / (1 + (of_all / HALVED_AT) ** STEEPNESS)
    surplus = counted - expected
    describing = surplus * (surplus / counted) ** BEYOND_CHANCE * total**BREADTH * specific
    telling = (over_map + over_parent) / 2 * specific
    certain = over_map >= np.where(counted >= LARGE_SHARE * count[region], 1.0, CHANCE)
    kept = certain & (counted >= FEWEST)
    generic = of_all >= HALVED_AT
    has_others = np.bincount(region[kept & ~generic], minlength=n_regions) > 0
    kept &= ~(generic & has_others[region])
    starts = np.concatenate([[0], np.cumsum(np.bincount(region[kept], minlength=n_regions))])
    return WordScores(starts, word[kept].astype(np.int64), describing[kept], telling[kept])


def _populations(
    descriptions: Descriptions, owner: NDArray[np.int64], items: NDArray[np.int64], n_regions: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]:
    """Return numbers of items that can be described, which are those of kinds with links.

    These are: the share of each domain's items in each region, the items of each domain with each word, the number of
    items in each region, and of all.
    """
    links, domain = descriptions.links, descriptions.domain
    n_domains = int(domain.max()) + 1
    has_links = np.bincount(domain, np.diff(links.indptr), n_domains) > 0
    described = has_links[domain]
    sizes = np.bincount(domain[described], minlength=n_domains)
    inside = np.zeros((n_regions, n_domains))
    np.add.at(inside, (owner[described[items]], domain[items[described[items]]]), 1.0)
    by_domain = sparse.csr_matrix((np.ones(len(domain)), (domain, np.arange(len(domain)))))
    return inside / np.maximum(sizes, 1), (by_domain @ links).toarray(), inside.sum(axis=1), int(sizes.sum())


def likelihood_ratio(counted: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return twice the log ratio of two Poisson likelihoods: with the count as mean, and with what was expected.

    Both are raised by ``PRIOR``. Zero where no more was counted than expected.

    Examples
    --------
    >>> likelihood_ratio(np.array([20.0, 2.0, 1.0]), np.array([5.0, 0.5, 3.0])).round(1)
    array([22.6,  1.2,  0. ])
    """
    c, e = counted + PRIOR, expected + PRIOR
    return np.asarray(np.where(c > e, 2 * (c * np.log(c / e) - (c - e)), 0.0))
