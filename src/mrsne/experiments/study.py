"""What a study is: a data set, methods, how their maps are scored, and the numbers that the paper publishes."""

import csv
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import numpy as np
from sklearn.metrics import auc

from mrsne import metrics
from mrsne.affinity.settings import effective_perplexity
from mrsne.arrays import UInt8
from mrsne.data.identity import identity
from mrsne.data.relational import RelationalData
from mrsne.metrics.links import linked_domains
from mrsne.model.embedding import Embedding

ACROSS = {"awa2": (1, 2, 3, 5, 10, 20, 30, 50), "flickr": (1, 2, 5, 10, 20, 50, 100, 200, 500)}
WITHIN = {"awa2": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), "flickr": (1, 2, 5, 10, 20, 50, 100, 200, 500)}
CURVE_POINTS = 300  # of a ROC curve that are stored for the figure
NEIGHBORS = 10  # k of the neighbourhood scores
PERPLEXITY = 30.0  # the paper does not state its own
NORMS = {"unnorm": "unnorm", "norm": "norm", "pmi": "PMI"}  # of links, and how tables and legends show them
PAPER_WEIGHTS = ("equal", "size")
IMPROVED = {  # families of methods that are ours, by the key of the paper's
    "cdmca": "CDMCA, centred, relative λ",
    "kcdmca": "K-CDMCA, centred, median width",
    "pmvge": "PMvGE with intercept and Adam",
    "pmvge-inner": "PMvGE (inner product) with intercept and Adam",
}

Scores = Mapping[str, Sequence[Mapping[str, Any]]]  # by method, for each seed
Key = tuple[str, str, int | None]  # method, score, k


@dataclass(frozen=True)
class Score:
    """A column of the tables: key, heading, decimals, and which value is best."""

    key: str
    title: str
    decimals: int
    best: str = "high"  # or "one" for the value nearest to 1, or "" to mark none


SINGLE = (
    Score("reconstruction_auc", "Graph reconstruction, AUC", 4),
    Score("variance_ratio", "Variance ratio", 3, "one"),
    Score("link_auc", "Links across domains, AUC", 3),
)
LISTS = (
    Score("hit_rate_across", "Metric (I) across domains", 3),
    Score("hit_rate_within", "Metric (I) within the query's domain", 3),
    Score("hit_count_across", "Metric (II) across domains", 3),
    Score("hit_count_within", "Metric (II) within the query's domain", 3),
)


@dataclass(frozen=True)
class Method:
    """One row of the tables."""

    key: str  # its name in files and, for a method of the paper, the key of its published numbers
    family: str
    label: str  # after the family in tables and legends
    K: int  # dimensions; more than two are brought into the plane by t-SNE
    make: Callable[[int], Any]  # takes a seed and returns the estimator
    in_paper: bool = True  # or ours
    note: str = ""  # what a reader of its row must know

    @property
    def name(self) -> str:
        return f"{self.family}: {self.label}"


Methods = Sequence[Method]


def perplexities(data: RelationalData, perplexity: float) -> dict[str, float]:
    """Return the perplexity of each domain with vectors: the given one, or less where there are too few vectors."""
    counts = {name: count for name in data.sizes if (count := data.count_vectors(name)) >= 2}
    return {name: max(effective_perplexity(perplexity, n, all_pairs=True), 1.0) for name, n in counts.items()}


@dataclass
class Study:
    """A data set, and how maps of it are scored."""

    name: str
    title: str
    data: RelationalData
    query: str  # the domain of the query items
    target: str  # the one they are linked to; scores for further domains they are linked to are named after those
    within: str  # what counts as a true link between two query items: "shared" or "identical"
    paper: str | None = None  # the data set of the paper whose published numbers are shown
    same_data: bool = False  # whether it is that data set itself
    pictures: Mapping[str, UInt8] = field(default_factory=dict)  # thumbnails by domain, or else those of the data
    perplexity: float = PERPLEXITY  # of all methods, and of the t-SNE that brings K > 2 into the plane

    def __post_init__(self) -> None:
        self.pictures = self.pictures or self.data.pictures

    @property
    def targets(self) -> list[str]:
        others = [name for name in linked_domains(self.query, self.data) if name != self.target]
        return [self.target, *others]

    def suffix(self, target: str) -> str:
        """Return what the keys of scores against a domain end with: nothing for the target, else its name."""
        return "" if target == self.target else f"_{target}"

    def ks_across(self, target: str) -> list[int]:
        """Return each k of the paper's tables that a domain has items for."""
        return [k for k in ACROSS[self.paper or "awa2"] if k <= self.data.sizes[target]]

    @property
    def ks_within(self) -> list[int]:
        """Each k of the paper's tables that the query's own domain has other items for."""
        return [k for k in WITHIN[self.paper or "awa2"] if k < self.data.sizes[self.query]]

    def single_scores(self) -> list[Score]:
        """Return the scores that are one number: the paper's, and the same against further domains."""
        others = [_against(score, self, name) for name in self.targets[1:] for score in SINGLE[1:]]
        return [*SINGLE, *others]

    def list_scores(self) -> list[tuple[Score, list[int]]]:
        """Return the scores that are lists over k, each with its k."""
        found: list[tuple[Score, list[int]]] = []
        for score in LISTS:
            if score.key.endswith("within"):
                found.append((score, self.ks_within))
            else:
                found += [(_against(score, self, name), self.ks_across(name)) for name in self.targets]
        return found

    def fingerprint(self) -> str:
        questions = (version("mrsne"), self.name, self.within, self.query, self.target, self.perplexity)
        return hashlib.sha256(repr((*questions, identity(self.data))).encode()).hexdigest()[:16]


def _against(score: Score, study: Study, target: str) -> Score:
    if target == study.target:
        return score
    return Score(score.key + study.suffix(target), f"{score.title} ({target})", score.decimals, score.best)


def scores_of(embedding: Embedding, study: Study) -> dict[str, Any]:
    """Return the scores of a map in the plane by name: numbers, lists over k, and a thinned ROC curve."""
    data, query, within = study.data, study.query, study.within
    fpr, tpr = metrics.reconstruction_roc(embedding, data, query, within)
    points = np.unique(np.linspace(0, len(fpr) - 1, CURVE_POINTS).astype(int))
    scores: dict[str, Any] = {
        "reconstruction_auc": float(auc(fpr, tpr)),
        "roc": [fpr[points].round(6).tolist(), tpr[points].round(6).tolist()],
    }
    for target in study.targets:
        scores[f"variance_ratio{study.suffix(target)}"] = metrics.variance_ratio(embedding, query, target)
        scores[f"link_auc{study.suffix(target)}"] = metrics.link_auc(embedding, data, (query, target))
    for name, score in (("hit_rate", metrics.hit_rate), ("hit_count", metrics.hit_count)):
        for target in study.targets:
            values = score(embedding, data, study.ks_across(target), query, target, within)
            scores[f"{name}_across{study.suffix(target)}"] = values.tolist()
        scores[f"{name}_within"] = score(embedding, data, study.ks_within, query, query, within).tolist()
    for domain in (query, *study.targets):
        if data.count_vectors(domain) > 2 * NEIGHBORS:
            preservation = metrics.neighborhood_preservation(embedding, data, domain, NEIGHBORS)
            scores[f"neighborhood_preservation_{domain}"] = preservation
            scores[f"trustworthiness_{domain}"] = metrics.trustworthiness(embedding, data, domain, NEIGHBORS)
    return scores


def published(data: str | None) -> dict[Key, float]:
    """Return the published value of each (method, score, k) for a data set of the paper; empty for other data."""
    text = files("mrsne.experiments").joinpath("published.csv").read_text(encoding="utf-8")
    return {
        (row["method"], row["score"], int(row["k"]) if row["k"] else None): float(row["value"])
        for row in csv.DictReader(text.splitlines())
        if row["data"] == data
    }
