"""How every numeric loop of mrsne is compiled, and how it is shared among threads.

Loops are compiled without numba's own threads, whose code rounds differently when fresh from the compiler and when read
from the cache. A kernel works on a range of rows instead, and :meth:`Kernel.over` gives ranges to threads.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.compilation.blas import one_blas_thread
from mrsne.compilation.counting import thread_count
from mrsne.compilation.kernels import WORTH_SHARING, Kernel, kernel
from mrsne.compilation.notices import COMPILING, compilations_told
from mrsne.compilation.settings import Array, inlined
from mrsne.compilation.team import share, threads

__all__ = [
    "COMPILING",
    "WORTH_SHARING",
    "Array",
    "Kernel",
    "compilations_told",
    "inlined",
    "kernel",
    "one_blas_thread",
    "share",
    "thread_count",
    "threads",
]
