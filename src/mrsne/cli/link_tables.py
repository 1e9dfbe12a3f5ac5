"""What ``--relation`` names: the kinds that are linked, and a file."""

from __future__ import annotations

from pathlib import Path

from mrsne.cli.options import split_pair
from mrsne.tables.links import linked_kinds


def pair_and_file(given: str) -> tuple[tuple[str, str], Path]:
    """Return the kinds that ``--relation`` links and its file: ``A:B=FILE``, or a table whose headings name them.

    Examples
    --------
    >>> pair_and_file("image:tag=edges.csv")
    (('image', 'tag'), PosixPath('edges.csv'))
    """
    if "=" in given:
        pair, file = split_pair("--relation", given)
        return pair, Path(file)
    path = Path(given.strip())
    if path.suffix in (".npy", ".npz"):
        raise ValueError(f"--relation must be DOMAIN:DOMAIN=FILE for a matrix, got {given!r}")
    return linked_kinds(path), path
