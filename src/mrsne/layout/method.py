"""How repulsion is computed: between all pairs, or on a mesh."""

from __future__ import annotations

from mrsne.backends.base import Backend
from mrsne.parameters import ParameterError, check_option

METHODS = ("auto", "exact", "fft")
MOST_EXACT = 20_000  # items; beyond, K > 3 would take seconds per iteration


def choose_method(method: str, n: int, n_components: int, backend: Backend) -> str:
    """Return "exact" or "fft" for a map of this size.

    Examples
    --------
    >>> from mrsne.backends.cpu.backend import CpuBackend
    >>> [choose_method("auto", n, K, CpuBackend()) for n, K in ((1000, 2), (100_000, 2), (1000, 5))]
    ['exact', 'fft', 'exact']
    """
    check_option("method", method, METHODS)
    backend.check_layout(method, n_components)
    if n_components <= 3:
        return method if method != "auto" else "exact" if n <= backend.exact_up_to(n_components) else "fft"
    if method == "fft":
        raise ParameterError(f"method='fft' needs n_components of 1, 2 or 3, got {n_components}; use method='exact'")
    if n > MOST_EXACT:
        raise ParameterError(
            f"n_components={n_components} can only be computed exactly, for at most {MOST_EXACT} items, "
            f"got {n}; use n_components <= 3"
        )
    return "exact"
