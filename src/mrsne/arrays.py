"""Short names for arrays of each type of number.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Floating = NDArray[np.floating]  # of any precision
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]
