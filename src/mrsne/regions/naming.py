"""Names for regions: the linked items that together describe most of a region, the most distinctive first."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrsne.regions.word_scores import Descriptions, score_words

OF_PARENT = 0.25  # what is left of the score of a word that is in the parent's name already
REPEATED = 0.5  # what is left of a score where all items that a word describes have been described by words before it
ENOUGH = 0.05  # of the best score, for another word
CANDIDATES = 24  # words of a region that are compared with each other, by either score
WORDS = 3  # of a name at most

ENDING = re.compile(r"(?<=\w{3})(ings?|ers?|ed|es|s|e|y)$")
DOUBLED = re.compile(r"([bdgklmnprst])\1$")

Name = tuple[tuple[str, ...], tuple[float, ...]]


def name_regions(
    descriptions: Descriptions, members: Sequence[NDArray[np.int64]], parents: Sequence[int | None]
) -> list[Name]:
    """Return words, the most distinctive first, with their scores; none where no word is there more than by chance.

    Where another region has the same words already, the last of them is the most distinctive one instead. ``members``
    are the positions of each region's items among all items; its parent comes before it.
    """
    scores = score_words(descriptions, members, parents)
    stems = np.unique([_stem(word) for word in descriptions.words], return_inverse=True)[1]
    names: list[Name] = []
    chosen: list[NDArray[np.int64]] = []  # words of each name
    given: set[frozenset[int]] = set()  # the same, without their order
    for region, parent in enumerate(parents):
        words, describing, distinctive = scores.of(region)
        if parent is not None:
            distinctive[np.isin(stems[words], stems[chosen[parent]])] *= OF_PARENT
        best = np.union1d(*(np.lexsort((words, -score))[:CANDIDATES] for score in (describing, distinctive)))
        words, describing, distinctive = words[best], describing[best], distinctive[best]
        linked = descriptions.links[members[region]][:, words].toarray() > 0
        for last in (describing, distinctive):
            found = _best_words([describing] * (WORDS - 1) + [last], linked, stems[words])
            if frozenset(words[found].tolist()) not in given:
                break
        found = found[np.lexsort((words[found], -distinctive[found]))]
        chosen.append(words[found])
        given.add(frozenset(words[found].tolist()))
        names.append((tuple(descriptions.words[word] for word in words[found]), tuple(distinctive[found].tolist())))
    return names


def _best_words(
    turns: Sequence[NDArray[np.float64]], linked: NDArray[np.bool_], stems: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the best word by the scores of each turn; a word for items that those before describe counts for less.

    ``linked`` says which of the region's items each word describes; of words with the same stem there is one.
    """
    chosen: list[int] = []
    covered = np.zeros(len(linked), dtype=bool)
    described = np.maximum(linked.sum(axis=0), 1)
    open_words = np.ones(len(stems), dtype=bool)
    for scores in turns:
        if not open_words.any():
            break
        new = scores * (REPEATED + (1 - REPEATED) * linked[~covered].sum(axis=0) / described) * open_words
        best = int(new.argmax())
        if new[best] < ENOUGH * scores.max():
            break
        chosen.append(best)
        covered |= linked[:, best]
        open_words &= stems != stems[best]
    return np.array(chosen, dtype=np.int64)


def _stem(word: str) -> str:
    """Return a word without its ending, so that a name has one form of it."""
    return DOUBLED.sub(r"\1", ENDING.sub("", word.lower()))
