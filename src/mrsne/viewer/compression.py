"""Arrays as a browser reads them: little-endian, and compressed with gzip."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
from numpy.typing import NDArray


def compressed(*arrays: NDArray[Any]) -> bytes:
    """Return arrays one after another, compressed with gzip."""
    return gzip.compress(
        b"".join(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes() for array in arrays), 6, mtime=0
    )
