"""LinkPredictor: which links are missing, what each suggestion is worth, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mrsne.affinity.joint import compute_affinities
from mrsne.affinity.settings import AffinitySettings
from mrsne.arrays import Float64, Int64
from mrsne.backends.choice import choose_backend
from mrsne.data.interchange.rows import frame_of
from mrsne.data.outline import Pair
from mrsne.data.relational import RelationalData, require_in_memory
from mrsne.metrics.holding_out import read_held_out
from mrsne.model.chosen_items import check_kind, position_of, positions_of
from mrsne.model.link_inputs import LinkSources
from mrsne.model.new_links import of_new
from mrsne.model.oddities import support
from mrsne.model.relation_predictor import RelationPredictor
from mrsne.model.walk import BY, paths, walk
from mrsne.parameters import ParameterError, check_integer, check_number, check_option, random_numbers
from mrsne.threads import threads

if TYPE_CHECKING:
    from pandas import DataFrame

TOP = 10


@dataclass(eq=False)  # so that it can be hashed, and compared by identity, like other estimators
class LinkPredictor(BaseEstimator):
    """Predicts the links that are missing, from vectors and from the links there are.

    Every relation gets a regression of its links on each other, on other links and on vectors, in closed form, and the
    votes of neighbours in P̃ (``docs/suggest.md``). What little there is to choose, such as how much to trust vectors,
    is chosen by links that are held out while fitting; they also make the scores probabilities.

    Parameters
    ----------
    perplexity : float or mapping of str to float, default=30
        Of the neighbours in P̃, as for :class:`MRSNE`.
    metric : {"euclidean", "cosine", "precomputed"} or mapping of str to str
        How vectors are compared.
    missing : float, default=0.1
        The share of all links that is taken to be missing. Scores are probabilities if it is: of suggestions scored
        0.7, seven in ten are then real. Nobody can know this share; where more is missing, more of them are.
    n_jobs : int, optional
        Most threads; as many as there are cores by default. The result does not depend on it.
    random_state : int, RandomState or None, optional
        Which links are held out.

    Attributes
    ----------
    affinities_ : CSR matrix
        P̃, with the weights and norms that :class:`MRSNE` chooses.
    settings_ : dict
        By relation, what was chosen: the kinds in the order (predicted for, predicted), ridge, damping and vectors.

    See Also
    --------
    mrsne.MRSNE : The map that explains what is suggested.
    mrsne.model_selection.split_links : Holds out links, to see how well they are predicted.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_shapes(300, random_state=0)
    >>> predictor = mrsne.LinkPredictor(random_state=0).fit(data)
    >>> predictor.to_frame("picture", "tag", [0, 1], k=2).shape
    (4, 3)
    """

    _: KW_ONLY
    perplexity: float | Mapping[str, float] = AffinitySettings.perplexity
    metric: str | Mapping[str, str] = AffinitySettings.metric
    missing: float = 0.1
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: RelationalData, y: Any = None) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : RelationalData
        y : ignored
        """
        data = require_in_memory(X, "link prediction needs")
        if not data.pairs:
            raise ParameterError(f"data must have a relation whose links can be predicted, got {data}")
        if not check_number("missing", self.missing, above=0) < 1:
            raise ParameterError(f"missing must be greater than 0 and less than 1, got {self.missing!r}")
        random = random_numbers(self.random_state)
        settings = AffinitySettings(self.perplexity, "auto", "auto", metric=self.metric)
        backend = choose_backend(data, "cpu", self.n_jobs)
        with backend.session():
            affinities = compute_affinities(data, settings, backend, quiet=True)
            affinities.gather()
        self._sources = LinkSources(data, settings, affinities)
        with threads(self.n_jobs):
            self._relations = {
                pair: RelationPredictor.fit(self._sources, pair, self.missing, random) for pair in data.pairs
            }
        self.settings_ = {
            pair: {"kinds": found.kinds, **vars(found.model.settings)} for pair, found in self._relations.items()
        }
        return self

    @property
    def affinities_(self) -> sparse.csr_matrix:
        """P̃ of all items."""
        check_is_fitted(self, "_sources")
        return self._sources.joint

    def suggest(
        self,
        source_kind: str,
        target_kind: str,
        items: Any = None,
        k: int = TOP,
        *,
        vectors: Mapping[str, Any] | None = None,
        relations: Mapping[Pair, Any] | None = None,
    ) -> tuple[Int64, Float64]:
        """Return the most likely missing links of items.

        Parameters
        ----------
        source_kind, target_kind : str
            Links from which kind to which; there must be a relation between them.
        items : names, positions or a mask, optional
            Of the first kind; by default all.
        k : int, default=10
            How many for each.
        vectors, relations : mapping, optional
            New items of the first kind, in place of ``items``, as for :meth:`MRSNE.transform`.

        Returns
        -------
        places : array of shape (n, k), int64
            Positions of the second kind, the most likely first; -1 where nothing more can be said.
        scores : array of shape (n, k)
            The probability that such a link is real; see ``missing``.

        Examples
        --------
        >>> import mrsne
        >>> data, _ = mrsne.datasets.make_shapes(200, random_state=0)
        >>> predictor = mrsne.LinkPredictor(random_state=0).fit(data)
        >>> places, scores = predictor.suggest("picture", "tag", [0, 1], k=2)
        >>> places.shape, bool((scores[:, 0] >= scores[:, 1]).all())
        ((2, 2), True)
        >>> predictor.suggest("picture", "tag", k=2, vectors={"picture": data.vectors["picture"][:5]})[0].shape
        (5, 2)
        """
        relation = self._relation(source_kind, target_kind)
        check_integer("k", k, minimum=1)
        data, model = self._sources.data, relation.model
        forwards = relation.kinds == (source_kind, target_kind)
        with threads(self.n_jobs):
            if vectors is not None or relations is not None:
                if items is not None:
                    raise ParameterError("items must be None where vectors or relations give new ones")
                return of_new(self._sources, relation, source_kind, target_kind, k, vectors or {}, relations or {})
            chosen = positions_of(data, source_kind, items)
            if not forwards:
                return relation.of_columns(chosen, k)
            itself = chosen if source_kind == target_kind else None
            return relation.of_rows(model.known[chosen], model.W[chosen], k, itself)

    def to_frame(self, source_kind: str, target_kind: str, items: Any = None, k: int = TOP, **new: Any) -> DataFrame:
        """Return what :meth:`suggest` does as a DataFrame: a row for each suggestion, by name where there are names.

        Parameters
        ----------
        source_kind, target_kind, items, k
            As for :meth:`suggest`, and so are ``vectors`` and ``relations``.

        Examples
        --------
        >>> import mrsne
        >>> data, _ = mrsne.datasets.make_shapes(200, random_state=0)
        >>> list(mrsne.LinkPredictor(random_state=0).fit(data).to_frame("picture", "tag", k=1).columns)
        ['item', 'suggestion', 'score']
        """
        places, scores = self.suggest(source_kind, target_kind, items, k, **new)
        data = self._sources.data
        chosen = np.arange(len(places)) if new else positions_of(data, source_kind, items)
        row, column = np.nonzero(places >= 0)
        called = {} if new else data.names
        columns = {
            "item": _named(called, source_kind, chosen[row]),
            "suggestion": _named(data.names, target_kind, places[row, column]),
            "score": scores[row, column],
        }
        frame: DataFrame = frame_of(columns, "pandas")
        return frame

    def reason(self, kind: str, item: Any, other_kind: str, other: Any, k: int = 5) -> DataFrame:
        """Return why a link is likely: the items by which the two are tied.

        Parameters
        ----------
        kind, other_kind : str
        item, other : str or int
            Two items, by name or position.
        k : int, default=5
            How many to return at most.

        Returns
        -------
        reason : DataFrame
            For each of them ``kind`` and ``id``, ``by`` which it is tied ("vectors": it is like one of the two and
            linked to the other; "links": what is linked to it is often linked to the other too), ``share`` of all that
            speaks for the link, and ``path``, from the first item to the second.

        Examples
        --------
        >>> import mrsne
        >>> data, _ = mrsne.datasets.make_shapes(200, random_state=0)
        >>> reason = mrsne.LinkPredictor(random_state=0).fit(data).reason("picture", 0, "tag", 0)
        >>> list(reason.columns)
        ['kind', 'id', 'by', 'share', 'path']
        """
        relation = self._relation(kind, other_kind)
        check_integer("k", k, minimum=1)
        data = self._sources.data
        ends = position_of(data, kind, item), position_of(data, other_kind, other, "other")
        row, column = ends if relation.kinds == (kind, other_kind) else ends[::-1]
        found = paths(self._sources, relation, row, column)
        total = sum(path.weight for path in found)
        first, last = (_named(data.names, *end)[0] for end in ((kind, [ends[0]]), (other_kind, [ends[1]])))
        called = [_named(data.names, path.kind, [path.position])[0] for path in found[:k]]
        columns = {
            "kind": [path.kind for path in found[:k]],
            "id": called,
            "by": [path.by for path in found[:k]],
            "share": [path.weight / total for path in found[:k]],
            "path": [f"{first} → {name} → {last}" for name in called],
        }
        frame: DataFrame = frame_of(columns, "pandas")
        return frame

    def oddities(self, source_kind: str, target_kind: str, k: int = TOP) -> DataFrame:
        """Return the links for which neither other links nor vectors speak, the oddest first.

        Parameters
        ----------
        source_kind, target_kind : str
            Two kinds with a relation.
        k : int, default=10

        Returns
        -------
        oddities : DataFrame
            ``item``, what it is linked to as ``link``, and ``support``: how likely the link is without itself, beside
            the other links of both (``docs/suggest.md``).

        Examples
        --------
        >>> import mrsne
        >>> data, _ = mrsne.datasets.make_shapes(200, random_state=0)
        >>> len(mrsne.LinkPredictor(random_state=0).fit(data).oddities("picture", "tag", k=3))
        3
        """
        relation = self._relation(source_kind, target_kind)
        check_integer("k", k, minimum=1)
        with threads(self.n_jobs):
            *ends, found = support(relation.model)
        if source_kind == target_kind:  # each of these is there in both directions
            found = np.where(ends[0] <= ends[1], found, np.inf)
            k = min(k, int(np.isfinite(found).sum()))
        first = np.argsort(found, kind="stable")[:k]
        items, links = ends if relation.kinds == (source_kind, target_kind) else ends[::-1]
        names = self._sources.data.names
        called = _named(names, source_kind, items[first]), _named(names, target_kind, links[first])
        columns = {"item": called[0], "link": called[1], "support": found[first]}
        frame: DataFrame = frame_of(columns, "pandas")
        return frame

    def nearest(
        self, source_kind: str, item: Any, *, kind: str | None = None, k: int = TOP, by: str = "both"
    ) -> DataFrame:
        """Return what is nearest to an item in P̃, whether it is linked to it or not.

        Parameters
        ----------
        source_kind : str
        item : str or int
            Its name or position.
        kind : str, optional
            Of what to find; by default its own kind.
        k : int, default=10
        by : {"both", "vectors", "links"}

        Returns
        -------
        nearest : DataFrame
            ``id`` and ``score`` of each, the nearest first.

        Examples
        --------
        >>> import mrsne
        >>> data, _ = mrsne.datasets.make_shapes(200, random_state=0)
        >>> predictor = mrsne.LinkPredictor(random_state=0).fit(data)
        >>> len(predictor.nearest("picture", 0, k=3, by="vectors"))
        3
        """
        check_is_fitted(self, "_sources")
        data = self._sources.data
        check_kind("source_kind", source_kind, data)
        kind = source_kind if kind is None else check_kind("kind", kind, data)
        check_integer("k", k, minimum=1)
        check_option("by", by, BY)
        start = data.offsets[source_kind] + position_of(data, source_kind, item)
        near = walk(self._sources.joint, data.sizes, start, source_kind == kind, by)
        own = near[data.offsets[kind] : data.offsets[kind] + data.sizes[kind]]
        best = np.argsort(-own, kind="stable")[:k]
        best = best[own[best] > 0]
        frame: DataFrame = frame_of({"id": _named(data.names, kind, best), "score": own[best]}, "pandas")
        return frame

    def score(self, held_out: Mapping[Pair, Any], y: Any = None) -> float:
        """Return the share of held-out links that are among ten suggestions, the mean over relations.

        Parameters
        ----------
        held_out : dict of (str, str) to matrix
            As :func:`mrsne.model_selection.split_links` returns it.
        y : ignored
        """
        recalls = []
        for (a, b), links in held_out.items():
            self._relation(a, b)
            wanted = read_held_out(self._sources.data, (a, b), links)
            rows = np.flatnonzero(np.diff(wanted.indptr))
            places, _ = self.suggest(a, b, rows)
            hits = np.asarray(wanted[rows[:, None], np.maximum(places, 0)].todense()) > 0
            recalls.append(float((hits & (places >= 0)).sum() / max(wanted.nnz, 1)))
        return float(np.mean(recalls))

    def _relation(self, a: Any, b: Any) -> RelationPredictor:
        check_is_fitted(self, "_sources")
        check_kind("source_kind", a, self._sources.data)
        check_kind("target_kind", b, self._sources.data)
        relation = self._relations.get((a, b)) or self._relations.get((b, a))
        if relation is None:
            known = ", ".join(f"{x}-{y}" for x, y in self._relations)
            raise ParameterError(f"links can be predicted where there are some, between {known}; got {a!r} and {b!r}")
        return relation


def _named(names: Mapping[str, tuple[str, ...]], kind: str, places: Any) -> list[Any]:
    known = names.get(kind)
    return [int(place) if known is None else known[place] for place in places]
