"""Probabilistic multi-view graph embedding: a neural network for each domain."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from mrsne.arrays import Float32, Float64
from mrsne.baselines.inputs import EDGES, GRAPHS, check_data, dense_vectors, training_graph
from mrsne.data.relational import RelationalData
from mrsne.metrics.arguments import SIMILARITIES
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError, check_integer, check_number, check_option, describe, random_numbers

OPTIONS = {
    "similarity": SIMILARITIES,
    "graph": GRAPHS,
    "edges": EDGES,
    "optimizer": ("adam", "sgd"),
    "negatives": ("equal", "likelihood"),
}
PAPER_LEARNING_RATE = 0.03  # of the mean loss of a pair; at 0.1 second-order proximity with K = 100 diverged


@dataclass(eq=False, repr=False)
class PMvGE(BaseEstimator):
    """Probabilistic multi-view graph embedding: neural networks that map vectors so that linked items are near.

    Every domain has a network f with one hidden layer, y = f(x); a link between two items has the probability
    σ(c − ‖y − y'‖²) or σ(c + ⟨y, y'⟩), and the networks are fitted to the observed links by minibatches with negative
    sampling. Needs torch: ``pip install 'mrsne[neural]'``.

    Parameters
    ----------
    n_components : int, default=2
        K. The paper uses 2 and 100; :func:`flatten` brings the latter into the plane.
    similarity : {"euclidean", "inner"}, default="euclidean"
        What makes a link likely: a small squared distance, or a large inner product. The embedding records it, and
        :func:`mrsne.metrics.link_auc` uses it.
    graph : {"across", "second-order", "neighbors"}, default="across"
        What to learn from: the relations only (the paper's "ignored"); the relations with W Wᵀ and WᵀW inside the
        domains; or the relations with edges drawn from the stochastic neighbour graphs.
    hidden : int, default=128
        Width of the hidden layer.
    max_iter : int, default=2000
        Largest number of minibatches.
    batch_size : int, default=512
        Linked pairs in a minibatch.
    n_negatives : int, default=5
        Unlinked pairs for each linked one.
    learning_rate : float, default=5e-3
        Learning rate of Adam.
    validation_fraction : float, default=0.1
        Share of the links held out for early stopping; 0 trains on all of them for ``max_iter`` minibatches.
    n_iter_no_change : int, default=10
        Stop when the validation loss, computed every 50 minibatches, has not improved this many times in a row.
    tol : float, default=1e-4
        Smallest decrease of the loss that counts as an improvement.
    n_edges : int, default=100_000
        Edges drawn from the neighbour graphs for ``graph="neighbors"``.
    perplexity : float, default=30
        Perplexity of those neighbour graphs.
    random_state : int, RandomState or None, default=None
    verbose : bool, default=False
        Show a progress bar.
    intercept : bool, default=True
        Whether the intercepts c are learned, one for each pair of domains; otherwise c = 0, and no distance can make a
        link more likely than not.
    optimizer : {"adam", "sgd"}, default="adam"
    negatives : {"equal", "likelihood"}, default="equal"
        How sampled unlinked pairs count. "equal": as much as linked ones; "likelihood": with weights that make the
        expected loss the likelihood of all pairs, divided by their number.
    edges : {"each", "all"}, default="each"
        Whether ``n_edges`` are drawn from each domain's neighbour graph, or from all of them together.

    Attributes
    ----------
    embedding_ : Embedding
    n_iter_ : int
        Number of minibatches.
    validation_losses_ : list of float
        Mean loss of the held-out links and of unlinked pairs, every 50 minibatches.

    See Also
    --------
    mrsne.MRSNE : The method that it is compared with.
    mrsne.baselines.CDMCA : The other one.
    mrsne.baselines.flatten : Brings its map into the plane.

    Notes
    -----
    Vectors are standardised. A domain without vectors has one-hot vectors; a single item without one has the mean of
    its domain.

    References
    ----------
    A. Okuno, T. Hada, H. Shimodaira: A probabilistic framework for multi-view feature learning with many-to-many
    associations via neural networks (2018).

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_groups({"image": 80, "tag": 16}, random_state=0)
    >>> model = mrsne.baselines.PMvGE(max_iter=20, random_state=0)
    >>> model.fit_transform(data)
    Embedding(image: 80 items, tag: 16 items; 2-d)
    """

    n_components: int = 2
    _: KW_ONLY
    similarity: str = "euclidean"
    graph: str = "across"
    hidden: int = 128
    max_iter: int = 2000
    batch_size: int = 512
    n_negatives: int = 5
    learning_rate: float = 5e-3
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-4
    n_edges: int = 100_000
    perplexity: float = 30.0
    random_state: Any = None
    verbose: bool = False
    intercept: bool = True
    optimizer: str = "adam"
    negatives: str = "equal"
    edges: str = "each"

    @classmethod
    def paper(cls, **overrides: Any) -> PMvGE:
        """Return PMvGE as the paper describes it.

        No intercept, minibatches of plain stochastic gradient descent on all links, unlinked pairs as in the Bernoulli
        likelihood, and 10^5 edges drawn in all. Network, batches, learning rate and number of steps, which the paper
        does not state, are ours.

        Examples
        --------
        >>> PMvGE.paper(graph="neighbors").n_edges
        100000
        """
        model: dict[str, Any] = {"intercept": False, "negatives": "likelihood", "edges": "all"}
        descent = {"optimizer": "sgd", "learning_rate": PAPER_LEARNING_RATE, "validation_fraction": 0.0}
        return cls(**{**model, **descent, **overrides})

    def fit(self, X: RelationalData, y: Any = None) -> Self:
        """Train the networks, and map all items."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: RelationalData, y: Any = None) -> Embedding:
        """Train the networks and return the map of all items."""
        self._check()
        data = check_data(X, "PMvGE")
        try:
            import torch
        except ImportError as error:
            why = f"which cannot be imported ({error}): pip install 'mrsne[neural]'"
            raise ImportError(f"PMvGE needs torch, {why}") from error
        from mrsne.baselines.training import Model, PairSampler, train

        random = random_numbers(self.random_state)
        graph = training_graph(data, self.graph, self.perplexity, self.n_edges, random, self.edges)
        sampler = PairSampler(graph, float(self.validation_fraction), random)
        vectors = {name: _standardised(dense_vectors(data, name)) for name in data.sizes}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(random.randint(2**31 - 1))
            shape = (self.hidden, self.n_components, self.similarity, self.intercept)
            model = Model(vectors, data.sizes, list(graph), *shape)
        self.n_iter_, self.validation_losses_ = train(model, sampler, self.get_params())
        coordinates = {name: model.coordinates(name, size) for name, size in data.sizes.items()}
        self.embedding_ = Embedding(coordinates, similarity=self.similarity, data=data)
        return self.embedding_

    def _check(self) -> None:
        for name, words in OPTIONS.items():
            check_option(name, getattr(self, name), words)
        if not isinstance(self.intercept, bool):
            raise ParameterError(f"intercept must be True or False, got {describe(self.intercept)}")
        for name in ("n_components", "hidden", "max_iter", "batch_size", "n_negatives", "n_iter_no_change", "n_edges"):
            check_integer(name, getattr(self, name), minimum=1)
        check_number("learning_rate", self.learning_rate, above=0)
        check_number("perplexity", self.perplexity, above=1)
        check_number("tol", self.tol, minimum=0)
        share = self.validation_fraction
        if not 0 <= check_number("validation_fraction", share, minimum=0) < 1:
            raise ParameterError(f"validation_fraction must be at least 0 and less than 1, got {share!r}")


def _standardised(X: Float64 | None) -> Float32 | None:
    """Return vectors whose dimensions have mean 0 and variance 1; dimensions that do not vary become 0."""
    if X is None:
        return None
    deviation = X.std(axis=0)
    varies = deviation > 1e-12 * np.abs(X).max(axis=0)  # below that it is rounding
    return np.asarray(np.where(varies, (X - X.mean(axis=0)) / np.where(varies, deviation, 1), 0), dtype=np.float32)
