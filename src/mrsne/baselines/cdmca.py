"""Cross-domain matching correlation analysis, linear and with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator

from mrsne.baselines.inputs import check_data, dense_vectors, links
from mrsne.baselines.whitening import Array, Ridge, gaussian_kernel, median_distance, whitened, whitened_by_kernel
from mrsne.data.relational import RelationalData
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError, check_integer, check_number, check_option, describe

KERNELS = ("linear", "rbf")
RIDGES = ("relative", "absolute")


@dataclass(eq=False, repr=False)
class CDMCA(BaseEstimator):
    """Cross-domain matching correlation analysis: canonical correlation analysis for many-to-many links.

    Finds a linear map A_d of every domain's vectors such that linked items are close: with y = A_dᵀ x it maximises
    Σ w_ij ⟨y_i, y_j⟩ over all links, while the variance of each of the K coordinates, over all domains together, is 1.
    For two domains that is CCA in which every item occurs once for each of its links, computed here from weighted
    covariances, so that nothing is duplicated and weights may be any numbers.

    Parameters
    ----------
    n_components : int, default=2
        K, at most the rank of the problem: for two domains the smaller one's number of dimensions, or of linked items
        less one if that is less.
    kernel : {"linear", "rbf"}, default="linear"
        "rbf" is kernel CDMCA with k(x, x') = exp(−‖x − x'‖²/2s²).
    regularization : float, default=0.01
        λ, the ridge that is added to the variance in every direction.
    bandwidth : "median", float or mapping of str to float, default="median"
        Width s of the kernel. "median" is the median distance of a domain's items (of a sample of 1,000).
    ridge : {"relative", "absolute"}, default="relative"
        "relative": λ times the mean variance is added. The mean is over the dimensions of a domain; with a kernel,
        over its items. "absolute": λ itself, to sums over all links as Pyrcca has them, so that its effect depends on
        the scale of the vectors and on the number of links; see :meth:`paper`.
    centred : bool, default=True
        Whether the weighted mean is taken from the vectors.

    Attributes
    ----------
    correlations_ : array of shape (K,)
        Canonical correlations in descending order: solutions ρ of the (regularised) eigenproblem
        Σ_e H_de A_e = ρ G_d A_d with the covariances H between and G within domains. With more than two domains, or
        relations inside one, the last ones may be negative.
    embedding_ : Embedding

    See Also
    --------
    mrsne.MRSNE : The method that it is compared with.
    mrsne.baselines.PMvGE : The other one.

    Notes
    -----
    Vectors are centred with the weights of their links. A domain without vectors has one-hot vectors; a single item
    without one has the mean of its domain. The matrices of a domain of n items and p dimensions are dense: n × p, with
    a kernel n × n.

    References
    ----------
    H. Shimodaira: Cross-validation of matching correlation analysis by resampling matching weights (2016).

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> rng = np.random.default_rng(0)
    >>> theme = rng.normal(size=(100, 1))
    >>> photos, words = theme + 0.1 * rng.normal(size=(100, 4)), theme + 0.1 * rng.normal(size=(100, 3))
    >>> data = mrsne.RelationalData({"photo": photos, "word": words}, {("photo", "word"): np.eye(100)})
    >>> model = mrsne.baselines.CDMCA(n_components=1).fit(data)
    >>> bool(model.correlations_[0] > 0.99), model.embedding_
    (True, Embedding(photo: 100 items, word: 100 items; 1-d))
    """

    n_components: int = 2
    _: KW_ONLY
    kernel: str = "linear"
    regularization: float = 0.01
    bandwidth: str | float | Mapping[str, float] = "median"
    ridge: str = "relative"
    centred: bool = True

    @classmethod
    def paper(cls, **overrides: Any) -> CDMCA:
        """Return CDMCA as the paper describes it: CCA of Pyrcca, with λ = 0.01, on one row for each link.

        Pyrcca adds λ itself to sums over the rows, does not centre vectors in its linear mode, has a Gaussian kernel of
        width 1, divides that by its largest eigenvalue, and adds λ to its square. All of it is computed here without
        copying a row for each link.

        Examples
        --------
        >>> CDMCA.paper(kernel="rbf").bandwidth
        1.0
        """
        return cls(**{"regularization": 0.01, "bandwidth": 1.0, "ridge": "absolute", "centred": False, **overrides})

    def fit(self, X: RelationalData, y: Any = None) -> Self:
        """Compute the projections, and the map of all items."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: RelationalData, y: Any = None) -> Embedding:
        """Compute the projections and return the map of all items."""
        K = check_integer("n_components", self.n_components, minimum=1)
        data, items, total = self._whitened_data(X)
        ranks = [Z.shape[1] for Z in items.values()]
        most = _most_components(data, ranks)
        if most == 0:
            raise ParameterError("there is nothing to correlate: the vectors of linked items do not vary")
        if most < K:
            raise ParameterError(f"n_components must be at most {most}, the rank of the problem, got {K}")
        # covariances over the links between two domains, or inside one
        H = [[np.asarray(items[a].T @ (links(data, a, b) @ items[b]) / total) for b in items] for a in items]
        self.correlations_, A = _matching(H, ranks, K)
        coordinates = {name: Z @ part for (name, Z), part in zip(items.items(), A, strict=True)}
        self.embedding_ = Embedding(coordinates, data=data)
        return self.embedding_

    def max_components(self, X: RelationalData) -> int:
        """Return the largest K that the data allows.

        Examples
        --------
        >>> import mrsne
        >>> data, _ = mrsne.datasets.make_groups(random_state=0)
        >>> mrsne.baselines.CDMCA().max_components(data)
        32
        """
        data, items, _ = self._whitened_data(X)
        return _most_components(data, [Z.shape[1] for Z in items.values()])

    def _whitened_data(self, X: Any) -> tuple[RelationalData, dict[str, Array], float]:
        """Return the data, its whitened vectors by domain, and the total weight of the links."""
        data = check_data(X, "CDMCA")
        check_option("kernel", self.kernel, KERNELS)
        check_option("ridge", self.ridge, RIDGES)
        if not isinstance(self.centred, bool):
            raise ParameterError(f"centred must be True or False, got {describe(self.centred)}")
        strength = check_number("regularization", self.regularization, minimum=0)
        weights, total = link_weights(data)
        ridge = Ridge(strength, total if self.ridge == "absolute" else None)
        return data, {name: self._whitened_domain(data, name, weights[name], ridge) for name in data.sizes}, total

    def _whitened_domain(self, data: RelationalData, name: str, weight: Array, ridge: Ridge) -> Array:
        if not weight.any():
            return np.zeros((len(weight), 0))
        vectors = dense_vectors(data, name)
        X = np.eye(data.sizes[name]) if vectors is None else vectors
        if self.kernel == "linear":
            return whitened(X, weight, ridge, self.centred)
        return whitened_by_kernel(gaussian_kernel(X, self._width(X, name)), weight, ridge, self.centred)

    def _width(self, X: Array, name: str) -> float:
        bandwidth = self.bandwidth
        if isinstance(bandwidth, Mapping):
            if name not in bandwidth:
                raise ParameterError(f"bandwidth has no value for the domain {name!r}")
            return check_number(f"bandwidth[{name!r}]", bandwidth[name], above=0)
        if isinstance(bandwidth, str):
            check_option("bandwidth", bandwidth, ["median"])
            return median_distance(X)
        return check_number("bandwidth", bandwidth, above=0)


def link_weights(data: RelationalData) -> tuple[dict[str, Array], float]:
    """Return every item's share m_i of the total weight of the links, each counted at both ends, and that total."""
    weights = {name: np.zeros(size) for name, size in data.sizes.items()}
    for a, b in data.relations:
        W = links(data, a, b)
        weights[a] += np.asarray(W.sum(axis=1)).ravel()
        if a != b:
            weights[b] += np.asarray(W.sum(axis=0)).ravel()
    total = sum(float(weight.sum()) for weight in weights.values()) / 2
    return {name: weight / total for name, weight in weights.items()}, total


def _most_components(data: RelationalData, ranks: list[int]) -> int:
    """Return the number of solutions: for two domains the smaller rank."""
    has_inner_relation = any(a == b for a, b in data.relations)
    return sum(ranks) if has_inner_relation else sum(ranks) - max(ranks)


def _matching(H: list[list[Array]], ranks: list[int], K: int) -> tuple[Array, list[Array]]:
    """Return the K largest solutions ρ of Σ_e H_de A_e = ρ A_d, and the A_d, whose signs are fixed by a rule."""
    if len(ranks) == 2 and not (H[0][0].any() or H[1][1].any()):
        U, correlations, Vt = linalg.svd(H[0][1], full_matrices=False)
        A = np.concatenate([U[:, :K], Vt[:K].T]) / np.sqrt(2)
        correlations = correlations[:K]
    else:
        size = sum(ranks)
        correlations, A = linalg.eigh(np.block(H), subset_by_index=(size - K, size - 1))
        correlations, A = correlations[::-1], A[:, ::-1]
    A = A * np.where(A[np.abs(A).argmax(axis=0), np.arange(K)] < 0, -1, 1)
    return correlations, np.split(A, np.cumsum(ranks)[:-1])
