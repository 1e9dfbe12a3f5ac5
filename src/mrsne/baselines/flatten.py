"""From K dimensions to the plane, as the paper does for every method with K > 2."""

from __future__ import annotations

from typing import Any

import numpy as np

from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError, describe


def flatten(embedding: Embedding, perplexity: float = 30.0, random_state: Any = None) -> Embedding:
    """Return a map in two dimensions: t-SNE of the K coordinates of all items, all domains together.

    Parameters
    ----------
    embedding : Embedding
        Returned unchanged if it has one or two dimensions.
    perplexity : float, default=30
    random_state : int, RandomState or None, default=None

    See Also
    --------
    mrsne.baselines.CDMCA, mrsne.baselines.PMvGE : Methods with maps of many dimensions.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> rng = np.random.default_rng(0)
    >>> wide = mrsne.Embedding({"image": rng.normal(size=(40, 9)), "tag": rng.normal(size=(10, 9))})
    >>> mrsne.baselines.flatten(wide, perplexity=5, random_state=0)
    Embedding(image: 40 items, tag: 10 items; 2-d)
    """
    from mrsne.model.estimator import MRSNE

    if not isinstance(embedding, Embedding):
        raise ParameterError(f"embedding must be an Embedding, got {describe(embedding)}")
    if embedding.n_components <= 2:
        return embedding
    # one domain without links: neither norm nor weights matter
    model = MRSNE(perplexity=perplexity, relation_norm="pmi", weights="size", random_state=random_state)
    Y = model.fit_transform(embedding.stacked)
    parts = np.split(Y, np.cumsum([len(coordinates) for coordinates in embedding.values()])[:-1])
    plane = dict(zip(embedding, parts, strict=True))
    return Embedding(plane, model.kl_divergence_, model.n_iter_, data=embedding.data)
