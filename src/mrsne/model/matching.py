"""Which items of some data are in a map already: by name, or by position where nothing has names."""

from collections.abc import Mapping

import numpy as np

from mrsne.arrays import Float32, Int64
from mrsne.data.outline import Outline
from mrsne.parameters import ParameterError

Matches = Mapping[str, Int64]


def match_items(data: Outline, old: Mapping[str, Float32], known: Outline | None) -> tuple[Matches, dict[str, str]]:
    """Return the position in an old map of every item, −1 for new ones, and by what each domain was matched.

    Raises
    ------
    ParameterError
        If nothing tells which item is which, or no item is in the old map.
    """
    found: dict[str, Int64] = {}
    by: dict[str, str] = {}
    for domain, size in data.sizes.items():
        if domain not in old:
            found[domain] = np.full(size, -1, np.int64)
            continue
        names, old_names = data.names.get(domain), None if known is None else known.names.get(domain)
        by[domain] = "name" if names is not None and old_names is not None else "position"
        if names is not None and old_names is not None:
            place = {name: position for position, name in enumerate(old_names)}
            found[domain] = np.array([place.get(name, -1) for name in names], np.int64)
        elif names is None and old_names is None and size == len(old[domain]):
            found[domain] = np.arange(size, dtype=np.int64)
        else:
            told = {"data": names is not None, "start_from": old_names is not None}
            without = [what for what, named in told.items() if not named]
            raise ParameterError(
                f"start_from has {len(old[domain])} items of {domain!r} and data has {size}, but which of them are the "
                f"same is not known: {' and '.join(without)} {'has' if len(without) == 1 else 'have'} no names for "
                "them; give names= to RelationalData"
            )
    if not any((positions >= 0).any() for positions in found.values()):
        raise ParameterError(
            f"start_from has no item of data: it has {_listing(old)}, data has {_listing(data.sizes)}, and items are "
            "the same if kind and name are"
        )
    return found, by


def stacked_matches(matches: Matches, old: Mapping[str, Float32]) -> Int64:
    """Return the row in the stacked old map of every item of the new one, −1 for new ones."""
    starts = dict(zip(old, np.cumsum([0, *map(len, old.values())]).tolist(), strict=False))
    rows = [np.where(found < 0, -1, found + starts.get(domain, 0)) for domain, found in matches.items()]
    return np.concatenate(rows)


def _listing(kinds: Mapping[str, object]) -> str:
    counts = {name: value if isinstance(value, int) else len(value) for name, value in kinds.items()}  # type: ignore[arg-type]
    return ", ".join(f"{count} of {name!r}" for name, count in counts.items())
