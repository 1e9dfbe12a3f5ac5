"""Cross-domain matching correlation analysis, linear and with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from mrsne.baselines.features import check_data, dense_vectors, links
from mrsne.data import RelationalData
from mrsne.embedding import Embedding
from mrsne.parameters import ParameterError, check_integer, check_number, check_option

KERNELS = ("linear", "rbf")
RANK_TOLERANCE = 1e-12  # relative to the largest variance; smaller ones are rounding errors
ROUNDING = 1e-24  # relative to the mean square of the vectors; smaller variances count as zero
MEDIAN_SAMPLE = 1_000  # items whose distances give the default width of the kernel


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
        λ: λ times the mean variance is added to the variance in every direction. The mean is over the dimensions of
        a domain; with a kernel, over its items.
    bandwidth : "median", float or mapping of str to float, default="median"
        Width s of the kernel. "median" is the median distance of a domain's items (of a sample of 1,000).

    Attributes
    ----------
    correlations_ : array of shape (K,)
        Canonical correlations in descending order: solutions ρ of the (regularised) eigenproblem
        Σ_e H_de A_e = ρ G_d A_d with the covariances H between and G within domains. With more than two domains, or
        relations inside one, the last ones may be negative.
    embedding_ : Embedding

    Notes
    -----
    Vectors are centred, each with the weight of its links. A domain without vectors has one-hot vectors; a single item
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

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: str = "linear",
        regularization: float = 0.01,
        bandwidth: str | float | Mapping[str, float] = "median",
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.regularization = regularization
        self.bandwidth = bandwidth

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
        H = [[_covariance(items[a], links(data, a, b), items[b], total) for b in items] for a in items]
        self.correlations_, A = _matching(H, ranks, K)
        self.embedding_ = Embedding(
            {name: Z @ part for (name, Z), part in zip(items.items(), A, strict=True)}, data=data
        )
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

    def _whitened_data(self, X: Any) -> tuple[RelationalData, dict[str, NDArray[np.float64]], float]:
        """Return the data, its whitened vectors by domain, and the total weight of the links."""
        data = check_data(X, "CDMCA")
        check_option("kernel", self.kernel, KERNELS)
        check_number("regularization", self.regularization, minimum=0)
        weights, total = link_weights(data)
        return data, {name: self._whitened_domain(data, name, weights[name]) for name in data.sizes}, total

    def _whitened_domain(self, data: RelationalData, name: str, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        if not weight.any():
            return np.zeros((len(weight), 0))
        X = dense_vectors(data, name)
        if X is None:
            X = np.eye(data.sizes[name])
        if self.kernel == "linear":
            return whitened(X, weight, float(self.regularization))
        return whitened_by_kernel(gaussian_kernel(X, self._width(X, name)), weight, float(self.regularization))

    def _width(self, X: NDArray[np.float64], name: str) -> float:
        bandwidth = self.bandwidth
        if isinstance(bandwidth, Mapping):
            if name not in bandwidth:
                raise ParameterError(f"bandwidth has no value for the domain {name!r}")
            return check_number(f"bandwidth[{name!r}]", bandwidth[name], above=0)
        if isinstance(bandwidth, str):
            check_option("bandwidth", bandwidth, ["median"])
            return median_distance(X)
        return check_number("bandwidth", bandwidth, above=0)


def link_weights(data: RelationalData) -> tuple[dict[str, NDArray[np.float64]], float]:
    """Return every item's share m_i of the total weight of the links, each counted at both ends, and that total."""
    weights = {name: np.zeros(size) for name, size in data.sizes.items()}
    for a, b in data.relations:
        W = links(data, a, b)
        weights[a] += np.asarray(W.sum(axis=1)).ravel()
        if a != b:
            weights[b] += np.asarray(W.sum(axis=0)).ravel()
    total = sum(float(weight.sum()) for weight in weights.values()) / 2
    return {name: weight / total for name, weight in weights.items()}, total


def whitened(X: NDArray[np.float64], weight: NDArray[np.float64], regularization: float) -> NDArray[np.float64]:
    """Return the items in coordinates in which their regularised covariance G is the identity.

    √M (X − μ) = U S Vᵀ, so G = V (S² + λα) Vᵀ with α the mean of the p variances. Directions without variance are
    dropped: nothing correlates with them.
    """
    X = X / (np.abs(X).max() or 1.0)
    centred = X - weight @ X / weight.sum()
    _, S, Vt = linalg.svd(np.sqrt(weight)[:, None] * centred, full_matrices=False)
    varies = _varying(S**2, float(weight @ (X**2).sum(axis=1)))
    squares = S[varies] ** 2
    return np.asarray(centred @ Vt[varies].T / np.sqrt(squares + regularization * squares.sum() / X.shape[1]))


def whitened_by_kernel(
    kernel: NDArray[np.float64], weight: NDArray[np.float64], regularization: float
) -> NDArray[np.float64]:
    """Return the same in the kernel's feature space, from √M K √M = U S² Uᵀ with K centred by the weights."""
    share = weight / weight.sum()
    mean = kernel @ share
    centred = kernel - mean[:, None] - mean[None, :] + share @ mean
    root = np.sqrt(weight)
    squares, U = linalg.eigh(root[:, None] * centred * root[None, :])
    varies = _varying(squares, float(weight @ np.diag(kernel)))
    squares, U = squares[varies], U[:, varies]
    variances = squares + regularization * squares.sum() / len(kernel)
    return np.asarray(centred @ (root[:, None] * U) / np.sqrt(squares * variances))


def _most_components(data: RelationalData, ranks: list[int]) -> int:
    """Return the number of solutions: for two domains the smaller rank."""
    has_inner_relation = any(a == b for a, b in data.relations)
    return sum(ranks) if has_inner_relation else sum(ranks) - max(ranks)


def _varying(variances: NDArray[np.float64], mean_square: float) -> NDArray[np.bool_]:
    """Return which variances are more than rounding errors."""
    return np.asarray(variances > max(RANK_TOLERANCE * variances.max(initial=0), ROUNDING * mean_square))


def _covariance(
    left: NDArray[np.float64], W: sparse.csr_matrix | None, right: NDArray[np.float64], total: float
) -> NDArray[np.float64]:
    """Return H, the covariance of two domains over the links between them."""
    if W is None:
        return np.zeros((left.shape[1], right.shape[1]))
    return np.asarray(left.T @ (W @ right) / total)


def _matching(
    H: list[list[NDArray[np.float64]]], ranks: list[int], K: int
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
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


def gaussian_kernel(X: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Return exp(−‖x − x'‖²/2s²) for all pairs."""
    return np.asarray(np.exp(-cdist(X, X, "sqeuclidean") / (2 * width**2)))


def median_distance(X: NDArray[np.float64]) -> float:
    """Return the median distance between distinct items, of every n-th item where there are many.

    Examples
    --------
    >>> median_distance(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    sample = X[:: max(1, -(-len(X) // MEDIAN_SAMPLE))]
    distances = cdist(sample, sample)[np.triu_indices(len(sample), 1)]
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 1.0
