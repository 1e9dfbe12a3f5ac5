"""Names for regions: the linked items that tell a region from the rest of the map and from its parent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.regions.descriptions import Descriptions

FEWEST = 2  # links into a region, as for a selection on the page
CHANCE = 3.84  # likelihood ratio that one word in twenty exceeds by chance
PRIOR = 1.0  # added to what is counted and to what is expected, so that a rare word says little
WITHIN_PARENT = 0.25  # weight of the comparison with the parent, in the exponent; the rest is that with the map
COVERAGE = 0.5  # power of the share of a region's items that a word describes
OF_PARENT = 0.5  # what is left of the score of a word that the parent is called already
REPEATED = 0.5  # what is left of it where all items that a word describes have been described by words before it
ENOUGH = 0.1  # of the first word's score, for another word
CANDIDATES = 24  # words of a region that are compared with each other
WORDS = 3  # of a name at most

Name = tuple[tuple[str, ...], tuple[float, ...]]


def name_regions(
    descriptions: Descriptions, members: Sequence[NDArray[np.int64]], parents: Sequence[int | None]
) -> list[Name]:
    """Return words and their scores for each region; none where nothing is linked to its items more than by chance.

    Parameters
    ----------
    descriptions : Descriptions
    members : list of arrays
        Positions of each region's items among all items.
    parents : list of int or None
        Each region's parent, which comes before it.
    """
    scores = word_scores(descriptions, members, parents)
    names: list[Name] = []
    for region, parent in enumerate(parents):
        begin, end = scores.indptr[region : region + 2]
        words, score = scores.indices[begin:end], scores.data[begin:end].copy()
        if parent is not None:
            said = {_stem(word) for word in names[parent][0]}
            score *= [OF_PARENT if _stem(descriptions.words[word]) in said else 1.0 for word in words]
        best = np.lexsort((words, -score))[:CANDIDATES]
        linked = descriptions.links[members[region]][:, words[best]].toarray() > 0
        names.append(_chosen([descriptions.words[word] for word in words[best]], score[best], linked))
    return names


def word_scores(
    descriptions: Descriptions, members: Sequence[NDArray[np.int64]], parents: Sequence[int | None]
) -> sparse.csr_matrix:
    """Return the score of each word in each region: how much more of its items the word describes than expected.

    A likelihood ratio, 2 (c ln(c/e) − (c − e)), compares the number c of the region's items that a word describes with
    the number e that it would describe in a random selection of as many items of each domain; another one does so
    within the parent. The score is their weighted geometric mean, times the root of the share of the region's items
    that the word describes. A word that describes the share s of all items counts for (1 − s)²: generic words step
    back.
    """
    links, n_regions = descriptions.links, len(members)
    n_domains = int(descriptions.domain.max()) + 1
    has_links = np.bincount(descriptions.domain, np.diff(links.indptr), n_domains) > 0
    described = has_links[descriptions.domain]  # items of kinds that others describe
    sizes = np.bincount(descriptions.domain[described], minlength=n_domains)
    owner = np.repeat(np.arange(n_regions), [len(items) for items in members])
    items = np.concatenate(members)
    ones = np.ones(len(items))
    inside = (sparse.csr_matrix((ones, (owner, items)), shape=(n_regions, links.shape[0])) @ links).tocsr()
    region, word = np.repeat(np.arange(n_regions), np.diff(inside.indptr)), inside.indices
    share = np.zeros((n_regions, n_domains))
    np.add.at(share, (owner[described[items]], descriptions.domain[items[described[items]]]), 1.0)
    count = share.sum(axis=1)
    by_domain = sparse.csr_matrix((np.ones(len(described)), (descriptions.domain, np.arange(len(described)))))
    totals = (by_domain @ links).toarray()  # of each domain, how many items a word describes
    expected = np.einsum("nd,dn->n", (share / np.maximum(sizes, 1))[region], totals[:, word])
    score = likelihood_ratio(inside.data, expected)
    by_chance = (score < CHANCE) | (inside.data < FEWEST)
    above = np.array([-1 if parent is None else parent for parent in parents])[region]
    nested = above >= 0
    of_parent = np.asarray(inside[above[nested], word[nested]]).ravel()
    within = of_parent * count[region[nested]] / np.maximum(count[above[nested]], 1)
    beside = likelihood_ratio(inside.data[nested], within)
    score[nested] = score[nested] ** (1 - WITHIN_PARENT) * beside**WITHIN_PARENT
    score *= (1 - totals.sum(axis=0) / max(int(sizes.sum()), 1))[word] ** 2
    score *= (inside.data / np.maximum(count[region], 1)) ** COVERAGE
    score[by_chance] = 0
    found = sparse.csr_matrix((score, word, inside.indptr), shape=inside.shape)
    found.eliminate_zeros()
    return found


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


def _chosen(words: Sequence[str], scores: NDArray[np.float64], linked: NDArray[np.bool_]) -> Name:
    """Return the best word, and further ones for items that those before do not describe.

    ``linked`` tells which of the region's items each word describes.
    """
    chosen: list[int] = []
    covered = np.zeros(len(linked), dtype=bool)
    described = np.maximum(linked.sum(axis=0), 1)
    open_words = np.ones(len(words), dtype=bool)
    while len(chosen) < WORDS and open_words.any():
        new = scores * (REPEATED + (1 - REPEATED) * linked[~covered].sum(axis=0) / described) * open_words
        best = int(new.argmax())
        if new[best] <= 0 or (chosen and new[best] < ENOUGH * scores[chosen[0]]):
            break
        chosen.append(best)
        covered |= linked[:, best]
        open_words &= np.array([_stem(word) != _stem(words[best]) for word in words])
    return tuple(words[i] for i in chosen), tuple(float(scores[i]) for i in chosen)


def _stem(word: str) -> str:
    """Return a word without what its plural adds."""
    return word.lower().removesuffix("s")
