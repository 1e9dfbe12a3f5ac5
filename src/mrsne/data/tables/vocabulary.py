"""Words of several languages by which headings and dates are understood."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources


@functools.cache
def vocabulary(group: str) -> frozenset[str]:
    """Return the words of a group in ``vocabulary.toml``."""
    return frozenset(_groups()[group])


@functools.cache
def _groups() -> dict[str, list[str]]:
    text = resources.files("mrsne.data.tables").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
