"""Names for regions: the linked items that together describe most of a region, as tags describe photographs."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float64, Int64
from mrsne.data.relational import RelationalData

MIN_LINKS = 2  # links into a region, as for a selection on the page
MIN_LIKELIHOOD_RATIO = 3.84  # likelihood ratio that one word in twenty exceeds by chance
LARGE_SHARE = 1 / 3  # of a region's items: for a word that describes as many, a likelihood ratio of 1 is enough
PRIOR = 1.0  # added to what is counted and to what is expected, so that a rare word says little
BEYOND_CHANCE = 2  # power of the share of a count that chance does not explain: favours words that are not everywhere
BREADTH = 0.2  # power of the number of items that a word describes: of two words for the same items, the broader one
GENERIC_SHARE = 0.5  # of all items have a word: its scores are halved, and it is used only where no other word is left
STEEPNESS = 4  # of that: nothing is lost at a fifth, three quarters at two thirds
PARENT_WORD_FACTOR = 0.25  # times the score of a word that the parent's name has already
REDUNDANT_FACTOR = 0.5  # times the score of a word if earlier words describe all of its items
MIN_RELATIVE_SCORE = 0.05  # of the best score, for another word
CANDIDATES = 24  # words of a region that are compared with each other, by either score
MAX_WORDS = 3  # of a name at most

ENDING = re.compile(r"(?<=\w{3})(ings?|ers?|ed|es|s|e|y)$")
DOUBLED = re.compile(r"([bdgklmnprst])\1$")

Name = tuple[tuple[str, ...], tuple[float, ...]]


@dataclass(frozen=True)
class Descriptions:
    """Links from items to those that describe them."""

    links: sparse.csr_matrix  # of shape (items, words), 1 where an item is linked to one that describes it
    words: list[str]  # names of the describing items
    domain: Int64  # number of each item's domain


def read_descriptions(data: RelationalData, by: Sequence[str] | None = None) -> Descriptions | None:
    """Return what describes the items of the data; None where nothing with a name is linked.

    Of two linked kinds, that one describes the other whose items differ more in how many links they have, as tags do;
    or the other, where it has no names. Kinds of which an item has only one, such as its author, count where there are
    no others. Only those of ``by`` do, if it is given.
    """
    found = {pair: data.relation(*pair) for pair in _directions(data, by)}
    if by is None:
        several = {pair: W for pair, W in found.items() if np.diff(W.indptr).max(initial=0) > 1}
        found = several or found
    words: list[str] = []
    starts: dict[str, int] = {}
    ends: list[Int64] = []
    for (described, describing), W in found.items():
        if describing not in starts:
            starts[describing] = len(words)
            words += data.shown_names(describing) or ()
        rows, columns = (W + W.T if described == describing else W).nonzero()
        ends.append(np.stack([rows + data.offsets[described], columns + starts[describing]]))
    if not ends:
        return None
    kinds = Counter(word for kind in starts for word in set(data.shown_names(kind) or ()))
    for kind, start in starts.items():
        for index in range(start, start + data.sizes[kind]):
            if kinds[words[index]] > 1:  # New York, a city and a state
                words[index] = f"{words[index]} ({kind})"
    rows, columns = np.concatenate(ends, axis=1)
    links = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(data.n_items, len(words)))
    return Descriptions(links, words, np.repeat(np.arange(len(data.sizes)), list(data.sizes.values())))


def _directions(data: RelationalData, by: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return the pairs of linked kinds, each as the one that is described and the one that describes it."""
    found = []
    for a, b in data.relations:
        W = data.relation(a, b)
        b_describes = (_spread(W, 0), data.sizes[a]) >= (_spread(W, 1), data.sizes[b])
        described, describing = (a, b) if b_describes else (b, a)
        for pair in ((described, describing), (describing, described)):
            if data.shown_names(pair[1]) is not None and (by is None or pair[1] in by):
                found.append(pair)
                break
    return found


def _spread(W: sparse.csr_matrix, axis: int) -> float:
    """Return the standard deviation of the numbers of links of columns (0) or rows (1) that have any."""
    counts = W.getnnz(axis)
    return float(counts[counts > 0].std()) if counts.any() else 0.0


def score_words(
    descriptions: Descriptions, members: Sequence[Int64], parents: Sequence[int | None]
) -> list[tuple[Int64, Float64, Float64]]:
    """Return the words that are in each region more often than by chance, how they describe and distinguish it.

    A word describes c of a region's items, e of as many items drawn at random, and t items in all, the share s. With
    g = 1 / (1 + (2 s)⁴) it describes the region by (c − e) (1 − e / c)² t^0.2 g, and distinguishes it by
    ½ (LR(c, e) + LR(c, e′)) g, where e′ is what is expected of the parent's items.
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
    expected_of_parent = of_parent * count[region[nested]] / np.maximum(count[above[nested]], 1)
    over_parent[nested] = likelihood_ratio(counted[nested], expected_of_parent)
    total = totals.sum(axis=0)[word]
    of_all = total / max(n_described, 1)
    specific = 1 / (1 + (of_all / GENERIC_SHARE) ** STEEPNESS)
    surplus = counted - expected
    describing = surplus * (surplus / counted) ** BEYOND_CHANCE * total**BREADTH * specific
    distinctive = (over_map + over_parent) / 2 * specific
    certain = over_map >= np.where(counted >= LARGE_SHARE * count[region], 1.0, MIN_LIKELIHOOD_RATIO)
    kept = certain & (counted >= MIN_LINKS)
    generic = of_all >= GENERIC_SHARE
    has_others = np.bincount(region[kept & ~generic], minlength=n_regions) > 0
    kept &= ~(generic & has_others[region])
    ends = np.cumsum(np.bincount(region[kept], minlength=n_regions))[:-1]
    parts = (np.split(values[kept], ends) for values in (word.astype(np.int64), describing, distinctive))
    return list(zip(*parts, strict=True))


def _populations(
    descriptions: Descriptions, owner: Int64, items: Int64, n_regions: int
) -> tuple[Float64, Float64, Float64, int]:
    """Return, of kinds with links: shares of domains in regions, items by domain and word, and numbers of items."""
    links, domain = descriptions.links, descriptions.domain
    n_domains = int(domain.max()) + 1
    has_links = np.bincount(domain, np.diff(links.indptr), n_domains) > 0
    described = has_links[domain]
    sizes = np.bincount(domain[described], minlength=n_domains)
    inside = np.zeros((n_regions, n_domains))
    np.add.at(inside, (owner[described[items]], domain[items[described[items]]]), 1.0)
    by_domain = sparse.csr_matrix((np.ones(len(domain)), (domain, np.arange(len(domain)))))
    return inside / np.maximum(sizes, 1), (by_domain @ links).toarray(), inside.sum(axis=1), int(sizes.sum())


def likelihood_ratio(counted: Float64, expected: Float64) -> Float64:
    """Return twice the log ratio of two Poisson likelihoods: with the count as mean, and with what was expected."""
    c, e = counted + PRIOR, expected + PRIOR
    return np.asarray(np.where(c > e, 2 * (c * np.log(c / e) - (c - e)), 0.0))


def name_regions(descriptions: Descriptions, members: Sequence[Int64], parents: Sequence[int | None]) -> list[Name]:
    """Return words, the most distinctive first, with their scores; none where no word is there more than by chance.

    Where another region has the same words already, the last of them is the most distinctive one instead.
    """
    stems = np.unique([_stem(word) for word in descriptions.words], return_inverse=True)[1]
    names: list[Name] = []
    chosen: list[Int64] = []  # words of each name
    given: set[frozenset[int]] = set()  # the same, without their order
    scores = score_words(descriptions, members, parents)
    for items, parent, (words, describing, distinctive) in zip(members, parents, scores, strict=True):
        if parent is not None:
            distinctive[np.isin(stems[words], stems[chosen[parent]])] *= PARENT_WORD_FACTOR
        best = np.union1d(*(np.lexsort((words, -score))[:CANDIDATES] for score in (describing, distinctive)))
        words, describing, distinctive = words[best], describing[best], distinctive[best]
        linked = descriptions.links[items][:, words].toarray() > 0
        for last in (describing, distinctive):
            found = _best_words([describing] * (MAX_WORDS - 1) + [last], linked, stems[words])
            if frozenset(words[found].tolist()) not in given:
                break
        found = found[np.lexsort((words[found], -distinctive[found]))]
        chosen.append(words[found])
        given.add(frozenset(words[found].tolist()))
        names.append((tuple(descriptions.words[word] for word in words[found]), tuple(distinctive[found].tolist())))
    return names


def _best_words(turns: Sequence[Float64], linked: Bool, stems: Int64) -> Int64:
    """Return the best word by the scores of each turn; a word for items that are described already counts for less."""
    chosen: list[int] = []
    covered = np.zeros(len(linked), dtype=bool)
    described = np.maximum(linked.sum(axis=0), 1)
    open_words = np.ones(len(stems), dtype=bool)
    for scores in turns:
        if not open_words.any():
            break
        share_new = linked[~covered].sum(axis=0) / described
        new = scores * (REDUNDANT_FACTOR + (1 - REDUNDANT_FACTOR) * share_new) * open_words
        best = int(new.argmax())
        if new[best] < MIN_RELATIVE_SCORE * scores.max():
            break
        chosen.append(best)
        covered |= linked[:, best]
        open_words &= stems != stems[best]
    return np.array(chosen, dtype=np.int64)


def _stem(word: str) -> str:
    """Return a word without its ending, so that a name has one form of it."""
    return DOUBLED.sub(r"\1", ENDING.sub("", word.lower()))
