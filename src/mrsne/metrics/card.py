"""The report card of a map: a few scores, and a sentence for each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from mrsne.arrays import Float64

SCORES = {  # in the order in which they are shown, and what people read
    "held_out_recall_10": "held-out R@10",
    "held_out_mrr": "held-out MRR",
    "trustworthiness": "trustworthiness",
    "mixing": "mixing",
    "neighbors_kept": "neighbours kept",
    "kept_by_vector": "by vector",
    "kept_by_links": "by links",
}
PARTS = ("kept_by_vector", "kept_by_links")  # of neighbors_kept, whose sentence has them
WIDTH, INDENT = 100, " " * 7  # of the sentences in a table
HELD_OUT = ("held_out_recall_10", "held_out_mrr")
HINT = (
    "Held-out links are not scored: they need a map that was made without them. "
    "rest, links = metrics.hold_out(data); embedding = model.fit_transform(rest); "
    "metrics.report(embedding, rest, held_out=links)"
)


class Line(NamedTuple):
    """One score of the card."""

    score: str
    domains: tuple[str, ...]
    value: float
    sentence: str

    @property
    def title(self) -> str:
        """What people read: the score, and whose it is."""
        between = " to " if self.score in HELD_OUT else " and "
        return f"{SCORES[self.score]}, {between.join(self.domains)}"


@dataclass(frozen=True)
class Report(Mapping[str, Mapping[Any, float]]):
    """How far a map can be trusted: a read-only mapping of scores, which prints as a table with a sentence for each.

    Attributes
    ----------
    scores : mapping of str to mapping
        By the name of the score; then by domain or pair of domains.
    chances : mapping of str to mapping
        What the scores would be by chance, where that is not 0.
    item_scores : mapping of str to array of shape (n,)
        How well each item is placed, from 0 to 1: the harmonic mean of the neighbours it keeps by vector and by links.
        NaN for items that have neither, and for those that are not in the sample.
    sample : int or None
        Most items of each domain that the scores were computed for; None if they were computed for all.
    notes : tuple of str
        What could not be scored, and why.

    See Also
    --------
    mrsne.metrics.report : Returns one.

    Examples
    --------
    >>> report = Report({"trustworthiness": {"photo": 0.91}})
    >>> report["trustworthiness"]["photo"]
    0.91
    >>> report.to_dict()["trustworthiness"]
    {'photo': 0.91}
    """

    scores: Mapping[str, Mapping[Any, float]]
    chances: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)
    item_scores: Mapping[str, Float64] = field(default_factory=dict, repr=False, compare=False)
    sample: int | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("scores", "chances"):
            frozen = {score: MappingProxyType(dict(found)) for score, found in getattr(self, name).items() if found}
            object.__setattr__(self, name, MappingProxyType(frozen))
        views = {name: values.view() for name, values in self.item_scores.items()}
        for values in views.values():
            values.flags.writeable = False
        object.__setattr__(self, "item_scores", MappingProxyType(views))

    def __getitem__(self, score: str) -> Mapping[Any, float]:
        try:
            return self.scores[score]
        except KeyError:
            hint = f"; {HINT}" if score in HELD_OUT else ""
            raise KeyError(f"no score {score!r}; there are {', '.join(map(repr, self.scores))}{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return (score for score in SCORES if score in self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def with_scores(self, scores: Mapping[str, Any], chances: Mapping[str, Any]) -> Report:
        """Return the report with these scores added, or in place of those it has.

        Parameters
        ----------
        scores : mapping of str to mapping
            Values by score, and then by domain or pair of domains.
        chances : mapping of str to mapping
            What chance gives, in the same form.
        """
        return Report({**self.scores, **scores}, {**self.chances, **chances}, self.item_scores, self.sample, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers by score and domain, of pairs in two steps; None for scores that are not known."""
        return {score: _nested(self.scores[score]) if score in self.scores else None for score in SCORES}

    def lines(self) -> list[Line]:
        """Return the scores one by one, each with a sentence that says what it means."""
        found = []
        for score in (name for name in SCORES if name in self.scores and name not in PARTS):
            for domains, value in self.scores[score].items():
                names = domains if isinstance(domains, tuple) else (domains,)
                found.append(Line(score, names, value, self._sentence(score, domains, names, value)))
        return found

    def _sentence(self, score: str, key: Any, names: tuple[str, ...], value: float) -> str:
        chance = self.chances.get(score, {}).get(key, 0.0)
        if score == "held_out_recall_10":
            return (
                f"Of 100 links that the map has not seen, {_count(100 * value)} lead to one of the 10 nearest "
                f"{names[1]} items that the {names[0]} item was not linked to; by chance {_count(100 * chance)} would."
            )
        if score == "held_out_mrr":
            return (
                f"The {names[1]} item at the end of such a link comes at place {_count(1 / max(value, 1e-12))} "
                f"(harmonic mean); by chance at place {_count(1 / max(chance, 1e-12))}."
            )
        if score == "trustworthiness":
            return f"Whether neighbours on the map are also near by vector: 1 if all are, {chance:.2f} by chance."
        if score == "mixing":
            return "How evenly the two are mixed: 1 if evenly, 0 if they lie apart or one is crowded into a spot."
        kept = [f"{SCORES[part]} {self.scores[part][key]:.0%}" for part in PARTS if key in self.scores.get(part, {})]
        mean = "; the harmonic mean is low if either is" if len(kept) > 1 else ""
        return f"Share of neighbours that are neighbours on the map too, beyond chance: {', '.join(kept)}{mean}."

    @property
    def predicts_links(self) -> bool:
        """Whether held-out links are scored."""
        return any(score in self.scores for score in HELD_OUT)

    def table(self) -> list[str]:
        """Return the lines of a table: each score with whose it is, and below it what it means."""
        lines = []
        for line in self.lines():
            lines.append(f"{line.value:.3f}  {line.title}")
            lines += textwrap.wrap(line.sentence, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
        return [*lines, *(f"not scored  {note}" for note in self.notes)]

    def __str__(self) -> str:
        return "\n".join([*self.table(), *([] if self.predicts_links else [HINT])])


def _count(number: float) -> str:
    """Return a number as people say it: 26, 2.4, 0.03."""
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def _nested(values: Mapping[Any, float]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(key, tuple):
            nested.setdefault(key[0], {})[key[1]] = value
        else:
            nested[key] = value
    return nested
