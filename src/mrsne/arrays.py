"""Short names for arrays of each type of number."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Floating = NDArray[np.floating]  # of any precision
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UInt8 = NDArray[np.uint8]
UInt16 = NDArray[np.uint16]
Bool = NDArray[np.bool_]
