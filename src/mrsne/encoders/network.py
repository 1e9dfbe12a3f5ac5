"""What every network that turns pictures into vectors has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Network:
    """A network and the pictures it wants.

    Attributes
    ----------
    name : str
        Identifies the network and its preparation of pictures, for the cache.
    side : int
        Width and height of a picture in pixels.
    encode : callable
        Takes pictures (n, side, side, 3), uint8, and returns vectors (n, d), float32.
    """

    name: str
    side: int
    encode: Callable[[NDArray[np.uint8]], NDArray[np.float32]]
