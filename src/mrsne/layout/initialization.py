"""Where the items start: a spectral embedding of the graph, chance, or a given layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Matrix
from mrsne.layout.positions import check_layout
from mrsne.layout.schedule import START_DEVIATION
from mrsne.layout.spectral import spectral_layout
from mrsne.parameters import ParameterError, describe

PAPER_DEVIATION = 1e-2  # Algorithm 1: variance 1e-4


def initial_layout(
    P: Matrix,
    init: Any,
    n_components: int,
    random: np.random.RandomState,
    deviation: float = START_DEVIATION,
) -> NDArray[np.float32]:
    """Return a start for the map.

    Parameters
    ----------
    P : Matrix
        P̃; only "spectral" looks at it.
    init : {"spectral", "random"} or array of shape (n, K)
        A given layout is used as it is.
    n_components : int
    random : RandomState
    deviation : float
        Standard deviation of the start.

    Returns
    -------
    Y : array of shape (n, K), float32
    """
    given = check_init(init, P.shape[0], n_components)
    if given is not None:
        return given
    if init == "spectral":
        return spectral_layout(P, n_components, random, deviation)
    return (deviation * random.standard_normal((P.shape[0], n_components))).astype(np.float32)


def check_init(init: Any, n: int, n_components: int) -> NDArray[np.float32] | None:
    """Return the start that ``init`` gives, or None where it says how to make one."""
    if isinstance(init, str) and init in ("spectral", "random"):
        return None
    if init is None or isinstance(init, str):
        raise ParameterError(
            f"init must be 'spectral', 'random' or an array of shape ({n}, {n_components}), got {describe(init)}"
        )
    layout = check_layout("init", init, n)
    if layout.shape[1] != n_components:
        raise ParameterError(f"init has {layout.shape[1]} columns, but n_components is {n_components}")
    if not np.ptp(layout, axis=0).any():
        raise ParameterError(
            "init puts all items on one spot, where nothing pushes them apart; give them different ones"
        )
    return layout
