"""MRSNE: the parameters, and how the stages are wired together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, cast, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils import TransformerTags
from sklearn.utils.validation import check_is_fitted, validate_data

from mrsne.affinity.joint import Affinities
from mrsne.affinity.settings import AffinitySettings
from mrsne.arrays import Float32
from mrsne.backends.distances import PRECOMPUTED
from mrsne.data.interchange.rows import CONTAINERS, frame_of, item_rows
from mrsne.data.lazy import is_lazy
from mrsne.data.outline import Outline
from mrsne.data.relational import RelationalData, require_in_memory
from mrsne.data.vectors import check_plain
from mrsne.layout.settings import LayoutSettings
from mrsne.metrics.holding_out import read_held_out
from mrsne.metrics.prediction import score_held_out
from mrsne.model.embedding import Embedding
from mrsne.model.fit import embedding_of, fit_map, restored_map
from mrsne.model.placement import FittedMap, place
from mrsne.parameters import ParameterError, check_option, random_numbers
from mrsne.sparse_structure import check_structure

ONLY = "items"  # the domain's name where one plain array is fitted


@dataclass(eq=False, repr=False)
class MRSNE(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """Multimodal Relational Stochastic Neighbour Embedding.

    Puts items of several kinds into one map in which items with similar vectors are close and linked items are close.
    Fitted to one plain array it is t-SNE.

    Parameters
    ----------
    n_components : int, default=2
        Dimension K of the map. Up to 3 scales to millions of items; more is computed exactly, for at most 20,000 items.
    perplexity : float or mapping of str to float, default=30
        Effective number of neighbours of an item within its domain, for all domains or for each. In a domain of n items
        it is below n − 1 where all pairs are kept, else at most (n − 1)/3; see :func:`mrsne.joint_affinities`.
    relation_norm : {"auto", "conditional", "pmi", "norm", "unnorm"}, float or pair of float, default="auto"
        How the links W are normalised. "auto" and "conditional": as every item shares out its own links; "pmi", "norm",
        "unnorm" as in the paper: divided by row sum times column sum, by the root of that, or not at all. A number from
        0 to 1 is the exponent of both sums, a pair the exponents of row and column sums.
    weights : {"auto", "size", "equal", "balanced"}, float or mapping, default="auto"
        How much each domain and each relation counts; see :func:`mrsne.joint_affinities`. "auto" gives links two
        thirds of the mass of an item that has both links and a vector, up to 90 % where vectors agree with links hardly
        better than chance, and finds neighbours by shared links for domains without vectors. The paper has "size" and
        "equal". A number from 0 to 1 is how much the links count, 0.5 as much as the vectors.
    metric : {"euclidean", "cosine", "precomputed"} or mapping of str to str, default="euclidean"
        Distance between vectors. "cosine" is the Euclidean distance of the vectors scaled to length 1. "precomputed":
        what is given in place of a domain's vectors are the distances between its items, a square matrix; of a sparse
        one, as ``sklearn.neighbors.kneighbors_graph(..., mode="distance")`` returns, the neighbours that are known.
    neighbors : {"auto", "exact", "approximate"}, default="auto"
        Which pairs inside a domain to keep; see :func:`mrsne.joint_affinities`.
    method : {"auto", "exact", "fft"}, default="auto"
        How repulsion is computed: between all pairs, or on a particle mesh. "auto" takes the faster one.
    init : {"spectral", "random", "pca"}, array or mapping, default="spectral"
        The initialisation: eigenvectors of the joint graph, chance, principal components (where every item has a vector
        and all have one length), or given positions (stacked, or one array per domain).
    max_iter : int, default=750
        Iterations; exaggeration takes 400 of them, or eight fifteenths if that is less.
    early_exaggeration : float, default=6
        Factor e of the attraction in the first iteration, from where it falls to 1, evenly on a logarithmic scale.
    learning_rate : "auto" or float, default="auto"
        "auto" is 1.35n / exaggeration. As in openTSNE it multiplies the gradient without its factor 4. An item of more
        than average weight, p_i = Σ_j p̃_ij > 1/n, moves by 1/(n p_i) of it.
    momentum : "auto" or float, default="auto"
        "auto" is 0.9 while exaggeration falls and 0.97 afterwards; 0.8 for ``schedule="stages"``.
    callbacks : callable or sequence of callables, default=()
        Called as ``callback(iteration, kl, embedding)`` every 50 iterations; a true answer ends the run.
    checkpoint : path, optional
        File that keeps the state of the run. It is written every 50 iterations and at the end; a run that finds it goes
        on from there and ends as if it had never stopped. It may be deleted after the run.
    n_jobs : int, optional
        Maximum number of threads; None or -1: as many as there are cores. Iterations use as many of them as measurement
        shows to help. The map does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the initialisation. The same seed gives the same map.
    verbose : bool, default=False
        Show a progress bar.
    schedule : {"default", "stages", "paper"}, default="default"
        How items move. By "default" a little other data, or another seed, give the same map but for a little. "stages"
        is the default of earlier versions: e for 50 iterations, √e for 100, ⁴√e for 100, then 1, the learning rate
        n / exaggeration, and as in other t-SNE a gain for each coordinate that grows while its gradient stays the same;
        its maps are other ones after any change. "paper" is Algorithm 1 of the paper; see :meth:`paper`.
    min_grad_norm : float, default=1e-7
        Stop, after early exaggeration, once the norm of the gradient is below this.
    n_iter_without_progress : int, optional
        Stop, after early exaggeration, once the divergence has not fallen for this many iterations. It is computed
        every 50, which takes as long as two of them.
    max_seconds : float, optional
        Time for the iterations: of it exaggeration takes at most half, and the map is returned as it is at the
        end. The number of iterations, and so the map, depends on the machine. With a checkpoint, fitting again
        continues for the same time.
    affinity : {"gaussian", "uniform"}, default="gaussian"
        How neighbours weigh. "uniform" takes only as many as the perplexity, all alike: a third of the memory, and less
        time, for millions of items.
    n_pca : int, None or mapping of str to int or None, default=None
        Reduce wider vectors to this many principal components before neighbours are searched; for all domains or by
        name.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        "cuda" computes affinities, initialisation and map on a GPU (maps of two dimensions; extra ``gpu``), "auto"
        where there is one.
    dof : float, default=1
        Degrees of freedom α of the map's kernel w(r) = (1 + r²/α)^−α, as in openTSNE. 1 is t-SNE; less separates small
        clusters more clearly, more moves the map towards the original SNE.

    Attributes
    ----------
    embedding_ : Embedding or array
        The map.
    affinities_ : CSR matrix of shape (n, n), float32
        P̃, the domains stacked in the order of ``data.vectors``. From a GPU it is copied when it is first asked for.
    kl_divergence_ : float
        KL(P̃‖Q̃) at the end.
    n_iter_ : int
        Iterations done.
    weights_ : dict
        β, the mass of each block of P̃: by domain with a neighbour graph, and by pair of domains with links.
    relation_norm_ : str, float or pair of float
        How links were normalised.
    neighbor_recall_ : dict of str to float
        For each domain with vectors, the share of the true neighbours that the search found, on a sample.
    n_features_in_ : int
        Dimension of the vectors, if one plain array was fitted.

    See Also
    --------
    mrsne.RelationalData : What is mapped.
    mrsne.Embedding : What comes of it.
    mrsne.joint_affinities, mrsne.embed : The two stages, one by one.
    mrsne.metrics.report : How far to trust a map.

    References
    ----------
    M. Mizutani, A. Okuno, G. Kim, H. Shimodaira: Stochastic Neighbor Embedding of Multimodal Relational Data for
    Image-Text Simultaneous Visualization (2020).

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> rng = np.random.default_rng(0)
    >>> photos = np.repeat(np.eye(3), 20, axis=0) + 0.1 * rng.normal(size=(60, 3))
    >>> tags = np.repeat(np.eye(3), 20, axis=0)
    >>> data = mrsne.RelationalData({"photo": photos, "tag": 3}, {("photo", "tag"): tags})
    >>> embedding = mrsne.MRSNE(perplexity=10, random_state=0).fit_transform(data)
    >>> embedding
    Embedding(photo: 60 items, tag: 3 items; 2-d)
    """

    n_components: int = LayoutSettings.n_components
    _: KW_ONLY
    perplexity: float | Mapping[str, float] = AffinitySettings.perplexity
    relation_norm: str | float | tuple[float, float] = "auto"
    weights: str | float | Mapping[Any, float] = "auto"
    metric: str | Mapping[str, str] = AffinitySettings.metric
    neighbors: str = AffinitySettings.neighbors
    method: str = LayoutSettings.method
    init: Any = LayoutSettings.init
    max_iter: int = LayoutSettings.max_iter
    early_exaggeration: float = LayoutSettings.early_exaggeration
    learning_rate: str | float = LayoutSettings.learning_rate
    momentum: float | str = LayoutSettings.momentum
    callbacks: Any = ()
    checkpoint: str | os.PathLike[str] | None = None
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool = False
    schedule: str = LayoutSettings.schedule
    min_grad_norm: float = LayoutSettings.min_grad_norm
    n_iter_without_progress: int | None = None
    max_seconds: float | None = None
    affinity: str = AffinitySettings.affinity
    n_pca: int | Mapping[str, int | None] | None = None
    device: str = "cpu"
    dof: float = LayoutSettings.dof

    @classmethod
    def paper(cls, **overrides: Any) -> MRSNE:
        """Return an estimator that runs Algorithm 1 of the paper to the letter.

        All pairs, 500 iterations of gradient descent with learning rate 100 (divided by 10 every 400 iterations),
        momentum 0.5, and an initialisation drawn from a normal distribution of variance 1e-4; no exaggeration, no
        gains. The perplexity, which the paper does not state, is 30 unless given, and is never lowered: from n − 1 on
        it is an error. Links are normalised by PMI and blocks weighted by size, one of the paper's six variants, unless
        given.

        Examples
        --------
        >>> MRSNE.paper(weights="equal").learning_rate
        100.0
        """
        affinities = {"relation_norm": "pmi", "weights": "size", "neighbors": "exact"}
        descent = {"learning_rate": 100.0, "momentum": 0.5, "early_exaggeration": 1.0, "min_grad_norm": 0.0}
        run = {"schedule": "paper", "method": "exact", "init": "random", "max_iter": 500}
        return cls(**{**affinities, **descent, **run, **overrides})

    def fit(
        self, X: RelationalData | ArrayLike, y: Any = None, *, start_from: Any = None, anchor: str | float = "keep"
    ) -> Self:
        """Compute the map, as :meth:`fit_transform` does, and return the estimator.

        Parameters
        ----------
        X, y, start_from, anchor
            As for :meth:`fit_transform`.
        """
        self.fit_transform(X, start_from=start_from, anchor=anchor)
        return self

    @overload
    def fit_transform(
        self, X: RelationalData, y: Any = None, *, start_from: Embedding | None = None, anchor: str | float = "keep"
    ) -> Embedding: ...

    @overload
    def fit_transform(
        self, X: ArrayLike, y: Any = None, *, start_from: ArrayLike | None = None, anchor: str | float = "keep"
    ) -> Float32: ...

    def fit_transform(
        self, X: Any, y: Any = None, *, start_from: Any = None, anchor: str | float = "keep"
    ) -> Embedding | Float32:
        """Compute the map and return it.

        Parameters
        ----------
        X : RelationalData, or array or sparse matrix of shape (n, d)
        y : ignored
        start_from : Embedding, or array of shape (n, K), optional
            A map to continue instead of making one anew. Items are recognised by kind and name, or by position where
            neither has names. Kept items start where they were, new ones among those that they have affinities to, and
            the map changes as far as ``anchor`` lets it; ``embedding_.changes`` says how (``docs/stability.md``).
        anchor : {"stay", "keep", "follow", "free"} or float, default="keep"
            How strongly old places hold. "stay": kept items do not move at all. "keep", 0.003, lets them move where the
            data changed; "follow", 0.0003, lets the map follow the data; "free", 0, only starts from the old map.

        Returns
        -------
        embedding : Embedding, or array of shape (n, K), float32
            A plain array for a plain array.

        Examples
        --------
        >>> import numpy as np, mrsne
        >>> X = np.random.default_rng(0).normal(size=(40, 5))
        >>> mrsne.MRSNE(perplexity=5, random_state=0).fit_transform(X).shape
        (40, 2)
        >>> links = [(i, i % 4) for i in range(40)]
        >>> data = mrsne.RelationalData({"photo": X, "tag": 4}, {("photo", "tag"): links})
        >>> mrsne.MRSNE(perplexity=5, random_state=0).fit_transform(data)
        Embedding(photo: 40 items, tag: 4 items; 2-d)
        """
        plain = not isinstance(X, Outline)
        affinity, layout = AffinitySettings.of(self), LayoutSettings.of(self)
        known = Embedding({ONLY: start_from}) if plain and start_from is not None else start_from
        continued = {"start_from": known, "anchor": anchor}
        fitted = fit_map(self._read(X), affinity, layout, self.device, self.n_jobs, stacked=plain, **continued)
        self._take(fitted, fitted.Y if plain else embedding_of(fitted))
        return cast("Embedding", self._contained(self.embedding_, X))

    def score(self, X: Any, y: Any = None) -> float:
        """Return how near held-out links are on the map: the mean reciprocal rank of what they lead to.

        Parameters
        ----------
        X : dict of (str, str) to matrix, or array
            Links held out before the fit, as :func:`mrsne.model_selection.split_links` returns them. Of a map that was
            fitted to an array, which has no links, the array: the score is then minus the divergence.
        y : ignored
        """
        check_is_fitted(self, "embedding_")
        if not isinstance(X, Mapping):
            self._checked_array(X, reset=False)
            return -self.kl_divergence_
        data = require_in_memory(self._data, "held-out links need")
        held_out = {pair: read_held_out(data, pair, links) for pair, links in X.items()}
        scores, _ = score_held_out(self.embedding_, data, held_out, sample=None, random=random_numbers(0))
        return float(np.mean(list(scores["held_out_mrr"].values())))

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what :meth:`fit_transform` and :meth:`transform` return, as in scikit-learn.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            "pandas" and "polars" return a DataFrame: of RelationalData with the columns of
            :meth:`mrsne.Embedding.to_frame`, of one array with a column for each dimension. ``embedding_`` stays as it
            is. None changes nothing.

        Examples
        --------
        >>> import numpy as np
        >>> model = MRSNE(perplexity=5, random_state=0).set_output(transform="pandas")
        >>> list(model.fit_transform(np.random.default_rng(0).normal(size=(30, 4))).columns)
        ['mrsne0', 'mrsne1']
        """
        if transform is not None:
            check_option("transform", transform, CONTAINERS)
            self._sklearn_output_config = {"transform": transform}  # clone() knows this name
        return self

    def _contained(self, result: Any, given: Any) -> Any:
        """Return a result in the container that was chosen, here or for all of scikit-learn."""
        chosen = getattr(self, "_sklearn_output_config", {}).get("transform", get_config()["transform_output"])
        if chosen == "default":
            return result
        if isinstance(result, Embedding):
            return frame_of(item_rows(result, result.data), chosen)
        names = self.get_feature_names_out()
        columns = {str(name): result[:, axis] for axis, name in enumerate(names)}
        return frame_of(columns, chosen, getattr(given, "index", None) if chosen == "pandas" else None)

    def _take(self, fitted: FittedMap, embedding: Any) -> None:
        """Keep a map, and what was computed and chosen on the way to it."""
        self.kl_divergence_, self.n_iter_, self._n_features_out = fitted.kl_divergence, fitted.n_iter, fitted.Y.shape[1]
        self._affinities = found = fitted.affinities
        self.neighbor_recall_, self.weights_, self.relation_norm_ = found.recall, found.weights, found.relation_norm
        self._data, self.embedding_ = fitted.data, embedding

    @property
    def affinities_(self) -> Any:
        """P̃, brought from where it was computed when it is first asked for."""
        check_is_fitted(self, "_affinities")
        return self._affinities.gather()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read a pickle; models of version 0.1.0 have P̃ itself."""
        state = dict(state)
        if "affinities_" in state:
            state["_affinities"] = Affinities(state.pop("affinities_"), projections=state.pop("_projections", {}))
        super().__setstate__(state)

    def _read(self, X: Any) -> Outline:
        if isinstance(X, Outline):
            self.__dict__.pop("n_features_in_", None)
            self.__dict__.pop("feature_names_in_", None)
            return X
        if isinstance(X, dict) and not sparse.issparse(X):
            raise ParameterError("X must be a RelationalData or one array, got a dict; wrap it in RelationalData")
        return RelationalData({ONLY: X if is_lazy(X) else self._checked_array(X, reset=True)})

    @overload
    def transform(
        self, vectors: Mapping[str, Any] | None = None, relations: Mapping[tuple[str, str], Any] | None = None
    ) -> Embedding: ...

    @overload
    def transform(self, vectors: ArrayLike) -> Float32: ...

    def transform(
        self, vectors: Any = None, relations: Mapping[tuple[str, str], Any] | None = None
    ) -> Embedding | Float32:
        """Place new items into the fitted map, which stays as it is.

        Each new item is placed by itself, next to fitted items with similar vectors, next to the fitted items it is
        linked to and to those with similar links, or by both. An item whose vector equals that of a fitted one, placed
        by vector alone, lands on it.

        Parameters
        ----------
        vectors : mapping of str to array, or array
            Vectors of new items, by domain; an array if the map was fitted to one. With ``metric="precomputed"`` their
            distances to all fitted items.
        relations : mapping of (str, str) to array, sparse matrix or edge table, optional
            Links of new items: for a pair (a, b) weights of shape (new items of a, fitted items of b).

        Returns
        -------
        embedding : Embedding, or array of shape (m, K)
            The new items only.

        Examples
        --------
        >>> import numpy as np, mrsne
        >>> X = np.random.default_rng(0).normal(size=(40, 5))
        >>> links = [(i, i % 4) for i in range(40)]
        >>> data = mrsne.RelationalData({"photo": X, "tag": 4}, {("photo", "tag"): links})
        >>> model = mrsne.MRSNE(perplexity=5, random_state=0).fit(data)
        >>> model.transform({"photo": X[:2] + 0.01})
        Embedding(photo: 2 items; 2-d)
        >>> model.transform(relations={("photo", "tag"): [(0, 3)]})
        Embedding(photo: 1 item; 2-d)
        """
        check_is_fitted(self, "embedding_")
        if not isinstance(self.embedding_, Embedding):
            if relations:
                raise ParameterError("relations must be None, since the map was fitted to one array")
            new = self._checked_array(vectors, reset=False)
            placed = place(self._fitted_map(self.embedding_), {ONLY: new}, {})[ONLY]
            return cast("Embedding", self._contained(placed, vectors))
        _check_mapping("vectors", vectors, "domain names to arrays, since the map was fitted to RelationalData")
        _check_mapping("relations", relations, "pairs of domain names")
        found = place(self._fitted_map(self.embedding_.stacked), vectors or {}, relations or {})
        return cast("Embedding", self._contained(Embedding(found), vectors))

    def _fitted_map(self, Y: Float32) -> FittedMap:
        settings = AffinitySettings.of(self)
        return FittedMap(self._data, settings, self._affinities, Y, dof=self.dof, n_jobs=self.n_jobs)

    def restore(self, data: RelationalData, embedding: Embedding) -> Self:
        """Take over a map that was computed before with these settings and this data, to place new items into it.

        Parameters
        ----------
        data : RelationalData
            What was mapped.
        embedding : Embedding
            The map of it.

        Returns
        -------
        self : MRSNE
            Fitted, as if it had computed the map.

        Examples
        --------
        >>> import mrsne
        >>> data, _ = mrsne.datasets.make_shapes(60, random_state=0)
        >>> embedding = MRSNE(perplexity=5, random_state=0).fit_transform(data)
        >>> later = MRSNE(perplexity=5).restore(data, embedding)
        >>> later.transform(vectors={"picture": data.vectors["picture"][:2]})
        Embedding(picture: 2 items; 2-d)
        """
        if not isinstance(data, Outline) or not isinstance(embedding, Embedding):
            raise ParameterError("restore needs a RelationalData and the Embedding that was fitted to it")
        settings = AffinitySettings.of(self)
        self._take(restored_map(data, embedding, settings, self.dof, self.device, self.n_jobs), embedding)
        return self

    def _checked_array(self, X: Any, reset: bool) -> Any:
        check_plain("X" if reset else "vectors", X)
        if sparse.issparse(X):
            check_structure("X" if reset else "vectors", X)
        accepted: dict[str, Any] = {"accept_sparse": "csr", "dtype": (np.float64, np.float32, np.float16)}
        return validate_data(self, X, **accepted, ensure_min_samples=2 if reset else 1, reset=reset)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == PRECOMPUTED
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


def _check_mapping(argument: str, given: Any, what: str) -> None:
    """Raise unless something is None or a mapping; a sparse matrix in a dictionary of keys is one of numbers."""
    if given is not None and (not isinstance(given, Mapping) or sparse.issparse(given)):
        raise ParameterError(f"{argument} must be a mapping of {what}, got {type(given).__name__}")
