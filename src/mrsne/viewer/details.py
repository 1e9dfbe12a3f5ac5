"""What a map shows of its items besides their places: names, pictures and links, as far as they are in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import Outline, Pair, in_memory
from mrsne.data.columns import Values
from mrsne.data.strength import link_strength
from mrsne.parameters import ParameterError, describe

Coordinates: TypeAlias = Mapping[str, NDArray[np.float32]]  # of each domain, an array of shape (items, dimensions)


@dataclass(frozen=True)
class Details:
    """Names, pictures, links and columns by domain.

    Parameters
    ----------
    names : mapping of str to tuple of str
        What people read: the labels of items, or else their names.
    ids : mapping of str to tuple of str
        The names, where labels take their place.
    pictures : mapping of str to array of shape (n, height, width, 3 or 4)
    relations : mapping of (str, str) to CSR matrix
    strengths : mapping of str to array of shape (n,)
        Of each item, the weight of all its links.
    columns : mapping of str to mapping of str to values
    """

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pictures: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    relations: Mapping[Pair, sparse.csr_matrix] = field(default_factory=dict)
    strengths: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)

    def strength(self, domain: str, size: int) -> NDArray[np.float64]:
        """Return the weight of the links of each of a domain's items, zeros where no links are known."""
        return self.strengths.get(domain, np.zeros(size))


def read_details(data: Outline | None) -> Details:
    """Return what a map can show of data: everything in memory and, of data on a cluster, the names.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"photo": 2, "tag": 1}, {("photo", "tag"): [(0, "dog")]}, names={"tag": ["dog"]})
    >>> details = read_details(data)
    >>> details.names["tag"], details.strength("photo", 2)
    (('dog',), array([1., 0.]))
    """
    if data is None:
        return Details()
    if not isinstance(data, Outline):
        raise ParameterError(f"data must be a RelationalData, got {describe(data)}")
    known = in_memory(data)
    strengths = {name: link_strength(known, name) for name in known.sizes}
    shown = {name: names for name in known.sizes if (names := known.shown_names(name)) is not None}
    ids = {name: names for name, names in known.names.items() if name in known.labels}
    return Details(shown, ids, known.pictures, known.relations, strengths, known.columns)
