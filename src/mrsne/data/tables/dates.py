"""Dates as people write them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrsne.data.tables.cells import Cell

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = rf"(?P<month>{'|'.join(MONTHS)})[a-z]*\.?"
CLOCK = (
    r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?)?"
)
SPELLINGS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?:(?P=mark)(?P<day>\d{{1,2}}){CLOCK})?",
        rf"(?P<year>\d{{4}})(?P<month>\d\d)(?P<day>\d\d){CLOCK}",
        rf"(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<second_part>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}){CLOCK}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[. -]+{MONTH}[, -]+(?P<year>\d{{4}}){CLOCK}",
        rf"{MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){CLOCK}",
        rf"{MONTH}[, -]+(?P<year>\d{{4}})",
    )
]
LONGEST = 40  # characters of a date


def dates_of(values: Sequence[Cell]) -> NDArray[np.datetime64]:
    """Return the moments that texts stand for, NaT where one is none.

    Of 3/4/2021 the month comes first, of 3.4.2021 and 3-4-2021 the day, unless a number above 12 in the column shows
    that it is the other way round.
    """
    found = [_matched(value) if isinstance(value, str) and len(value) <= LONGEST else None for value in values]
    day_first = _day_first(found)
    moments = np.full(len(found), np.datetime64("NaT"), "datetime64[s]")
    for index, parts in enumerate(found):
        if parts is not None:
            moments[index] = _moment(parts, day_first)
    return moments


def _matched(text: str) -> dict[str, str] | None:
    for spelling in SPELLINGS:
        match = spelling.fullmatch(text)
        if match is not None:
            return {name: value for name, value in match.groupdict().items() if value is not None}
    return None


def _day_first(found: list[dict[str, str] | None]) -> dict[str, bool]:
    """Return by separator whether the day comes before the month."""
    order = {"/": False, ".": True, "-": True}
    for mark in order:
        pairs = [
            (int(parts["first"]), int(parts["second_part"]))
            for parts in found
            if parts is not None and parts.get("mark") == mark and "first" in parts
        ]
        above = [sum(pair[side] > 12 for pair in pairs) for side in (0, 1)]
        if above[0] != above[1]:
            order[mark] = above[0] > above[1]
    return order


def _moment(parts: dict[str, str], day_first: dict[str, bool]) -> np.datetime64:
    year = int(parts["year"])
    if "first" in parts:
        pair = int(parts["first"]), int(parts["second_part"])
        day, month = pair if day_first[parts["mark"]] else pair[::-1]
    else:
        named = parts["month"]
        month = int(named) if named.isdecimal() else MONTHS.index(named[:3].lower()) + 1
        day = int(parts.get("day", 1))
    try:
        moment = datetime.datetime(
            year, month, day, int(parts.get("hour", 0)), int(parts.get("minute", 0)), int(parts.get("second", 0))
        )
        zone = parts.get("zone", "Z").replace(":", "")
        if zone[0] in "+-":
            shift = datetime.timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
            moment = moment - shift if zone[0] == "+" else moment + shift
        return np.datetime64(moment, "s")
    except (ValueError, OverflowError):
        return np.datetime64("NaT", "s")
