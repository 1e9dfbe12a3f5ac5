"""The same data with other names for its domains."""

from __future__ import annotations

from collections.abc import Mapping

from mrsne.data.relational import RelationalData


def renamed(data: RelationalData, names: Mapping[str, str]) -> RelationalData:
    """Return data whose domains are called otherwise.

    Examples
    --------
    >>> data = RelationalData({"image": 2, "tag": 1}, {("image", "tag"): [(0, 0)]})
    >>> renamed(data, {"image": "emoji", "tag": "keyword"})
    RelationalData(emoji: 2 items, no vectors; keyword: 1 items, no vectors; emoji-keyword: 1 links)
    """

    def new(name: str) -> str:
        return names.get(name, name)

    return RelationalData(
        {new(name): data.sizes[name] if X is None else X for name, X in data.vectors.items()},
        {(new(a), new(b)): W for (a, b), W in data.relations.items()},
        {new(name): known for name, known in data.names.items()},
        {new(name): mask for name, mask in data.missing.items() if data.vectors[name] is not None},
        {new(name): pictures for name, pictures in data.pictures.items()},
        {new(name): labels for name, labels in data.labels.items()},
        {new(name): columns for name, columns in data.columns.items()},
    )
