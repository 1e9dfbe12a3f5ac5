"""Which data this is: a fingerprint that a map keeps of what it was made from."""

import hashlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.data.archive import DataFileError
from mrsne.data.relational import RelationalData

BLOCK_BYTES = 2**24  # of vectors read at a time: they may be in a file that is larger than memory


def identity(data: RelationalData) -> str:
    """Return a fingerprint of domains, names, vectors and links, on which the map depends; pictures only show them."""
    digest = hashlib.blake2b(digest_size=16)
    for name, size in data.sizes.items():
        _add_text(digest, (name, size, data.names.get(name)))
        _add_array(digest, data.missing[name])
        _add_matrix(digest, data.vectors[name])
    for pair, W in data.relations.items():
        _add_text(digest, pair)
        _add_matrix(digest, W)
    return digest.hexdigest()


def read_beside(file: Path, known: str | None) -> RelationalData | None:
    """Return the data in a file if its fingerprint is the one that is known; warn and return None otherwise."""
    try:
        data = RelationalData.load(file)
    except FileNotFoundError:
        reason = f"the data of the map is not beside it: there is no {str(file)!r}"
    except DataFileError as error:
        reason = str(error)
    else:
        if known is None or identity(data) == known:
            return data
        reason = f"{str(file)!r} holds other data than the map was made from"
    warnings.warn(f"{reason}; names, links and pictures are not known", UserWarning, stacklevel=3)
    return None


def _add_matrix(digest: Any, matrix: Any) -> None:
    if sparse.issparse(matrix):
        _add_text(digest, matrix.shape)
        # scipy chooses the width of indices anew when it reads them
        for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
            _add_array(digest, part)
    elif matrix is not None:
        _add_array(digest, matrix)


def _add_array(digest: Any, array: Any) -> None:
    _add_text(digest, (array.dtype.str, array.shape))
    rows = max(1, BLOCK_BYTES * len(array) // max(array.nbytes, 1))
    for start in range(0, len(array), rows):
        digest.update(np.ascontiguousarray(array[start : start + rows]).data)


def _add_text(digest: Any, value: object) -> None:
    digest.update(ascii(value).encode())
