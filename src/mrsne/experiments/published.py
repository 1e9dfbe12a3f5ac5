"""The numbers that the paper publishes."""

from __future__ import annotations

import csv
from importlib.resources import files

Key = tuple[str, str, int | None]


def published(data: str | None) -> dict[Key, float]:
    """Return the published value of each (method, score, k) for a data set of the paper; an empty dict for other data.

    Examples
    --------
    >>> published("awa2")["mrsne-pmi-size", "reconstruction_auc", None]
    0.8134
    """
    text = files("mrsne.experiments").joinpath("published.csv").read_text(encoding="utf-8")
    return {
        (row["method"], row["score"], int(row["k"]) if row["k"] else None): float(row["value"])
        for row in csv.DictReader(text.splitlines())
        if row["data"] == data
    }
