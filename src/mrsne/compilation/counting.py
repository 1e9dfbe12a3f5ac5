"""How many threads a call gets."""

from __future__ import annotations

import numbers

from mrsne.parameters import ParameterError, describe

MOST = 1024  # threads; more than any machine has cores for


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` stands for: None and -1 mean every core this process may use.

    A container may be given less time than its cores have; that counts too. More threads than ``MOST`` are never used,
    since starting very many takes longer than any map.

    Examples
    --------
    >>> thread_count(1), thread_count(3), thread_count(10**6)
    (1, 3, 1024)
    """
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise ParameterError(f"n_jobs must be None or a non-zero integer (-1: all cores), got {describe(n_jobs)}")
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), MOST)
    from joblib import cpu_count

    return max(1, int(cpu_count()) + 1 + int(n_jobs or -1))
