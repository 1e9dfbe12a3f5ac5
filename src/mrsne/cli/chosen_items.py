"""The items that a table names by kind and id, as the page and ``mrsne export`` write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.io.problems import Problems
from mrsne.io.tables import TableError, read_table


def chosen_items(
    path: Path, sizes: Mapping[str, int], names: Mapping[str, Sequence[str]], problems: Problems
) -> dict[str, NDArray[np.int64]]:
    r"""Return the positions of the items of every domain that a table with the columns kind and id names.

    Items without names are named by their positions. Rows of items that are not in the map are noted.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "items.csv")
    ...     _ = file.write_text("kind,id,label\ntag,dog,Dog\nphoto,1,1\ntag,dog,Dog\n")
    ...     chosen = chosen_items(file, {"photo": 2, "tag": 2}, {"tag": ["cat", "dog"]}, Problems())
    >>> {domain: items.tolist() for domain, items in chosen.items()}
    {'photo': [1], 'tag': [1]}
    """
    (_, first), *rows = read_table(path)
    heads = [cell.strip().casefold() for cell in first]
    if "kind" not in heads or "id" not in heads:
        found = ", ".join(map(repr, first))
        raise TableError(f"--items {str(path)!r} must have the headings kind and id, but it begins with {found}")
    kind_at, id_at = heads.index("kind"), heads.index("id")
    positions = {
        domain: {name: at for at, name in enumerate(names.get(domain) or map(str, range(size)))}
        for domain, size in sizes.items()
    }
    found_items: dict[str, set[int]] = {domain: set() for domain in sizes}
    for line, row in rows:
        kind, name = (row[at] if at < len(row) else "" for at in (kind_at, id_at))
        position = positions.get(kind, {}).get(name)
        if position is None:
            problems.add("row for an item that is not there", f"{path}, line {line}", f"{kind},{name}")
        else:
            found_items[kind].add(position)
    if not any(found_items.values()):
        raise ValueError(f"--items {str(path)!r} names no item of the map")
    return {domain: np.array(sorted(items), dtype=np.int64) for domain, items in found_items.items()}
