"""Dates as people write them, and years with words such as "c.1915–20" and "19th century"."""

import datetime
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float64
from mrsne.data.tables.cells import Cell
from mrsne.data.tables.vocabulary import vocabulary

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = rf"(?P<month>{'|'.join(MONTHS)})[a-z]*\.?"
CLOCK = (
    r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?)?"
)
SPELLINGS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?:(?P=mark)(?P<day>\d{{1,2}}){CLOCK}|(?<!\D\d))",
        rf"(?P<year>\d{{4}})(?P<month>\d\d)(?P<day>\d\d){CLOCK}",
        rf"(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<second_part>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}){CLOCK}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[. -]+{MONTH}[, -]+(?P<year>\d{{4}}){CLOCK}",
        rf"{MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){CLOCK}",
        rf"{MONTH}[, -]+(?P<year>\d{{4}})",
    )
]
LONGEST = 60  # characters of a date

DIGIT = re.compile(r"\d")
TOKEN = re.compile(r"\d+|[^\W\d_]+|\S")
FIRST_YEAR, LAST_YEAR = 1000, 2100
DASHES = frozenset("-–—/")  # before the end of a span of years
MARKS = DASHES | frozenset(".,;:?!()[]'’~±<>&+")


def dates_of(values: Sequence[Cell]) -> NDArray[np.datetime64]:
    """Return the moments that texts stand for, NaT where one is none.

    Of 3/4/2021 the month comes first, of 3.4.2021 and 3-4-2021 the day, unless a number above 12 in the column shows
    that it is the other way round. A span of years counts as its first one.
    """
    found = _parts(values)
    day_first = _day_first(found)
    moments = np.full(len(found), np.datetime64("NaT"), "datetime64[s]")
    for index, parts in enumerate(found):
        if parts is not None:
            moments[index] = _moment(parts, day_first)
    return moments


def are_years(values: Sequence[Cell]) -> bool:
    """Return whether nothing is known of dates but their years."""
    return all(parts is None or len(parts) == 1 for parts in _parts(values))


def years_of(dates: NDArray[np.datetime64]) -> Float64:
    """Return the years of dates as numbers, NaN where there is none."""
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970.0
    return np.where(np.isnat(dates), np.nan, years)


def is_undated(value: Cell) -> bool:
    """Return whether a cell says that there is no date, as "n.d." does."""
    return isinstance(value, str) and value.casefold().strip(" .[]()?") in vocabulary("undated")


def _parts(values: Sequence[Cell]) -> list[dict[str, str] | None]:
    """Return what each text says of a date, at least its year.

    Where 1915-20 is in the column, 1901-02 is a span of years as well, and no month.
    """
    found = [_matched(value) if isinstance(value, str) and len(value) <= LONGEST else None for value in values]
    spans = [parts for parts in found if parts is not None and parts.keys() == {"year", "mark", "month"}]
    if any(int(parts["month"]) > len(MONTHS) for parts in spans):
        for parts in spans:
            del parts["mark"], parts["month"]
    return found


def _matched(text: str) -> dict[str, str] | None:
    for spelling in SPELLINGS:
        match = spelling.fullmatch(text)
        if match is not None:
            return {name: value for name, value in match.groupdict().items() if value is not None}
    year = _first_year(text)
    return None if year is None else {"year": str(year)}


def _first_year(text: str) -> int | None:
    """Return the first year of a text that has nothing but years, or centuries, and words that go with them."""
    year = century = None
    after_dash = False
    centuries, known = vocabulary("centuries"), vocabulary("around_years")
    if not DIGIT.search(text):
        return None
    for token in TOKEN.findall(text.casefold()):
        if token.isdecimal():
            if len(token) == 4 and FIRST_YEAR <= int(token) < LAST_YEAR:
                year = int(token) if year is None else year
            elif len(token) > 2 or (year is not None and not after_dash):
                return None
            elif year is None and century is None:
                century = int(token)
        elif token in centuries:
            year = 100 * (century - 1) if year is None and century else year
        elif token not in known and token not in MARKS:
            return None
        after_dash = token in DASHES
    return year


def _day_first(found: list[dict[str, str] | None]) -> dict[str, bool]:
    order = {"/": False, ".": True, "-": True}
    numeric = [parts for parts in found if parts is not None and "first" in parts]
    ends = [(parts["mark"], end, int(parts[end])) for parts in numeric for end in ("first", "second_part")]
    above = Counter((mark, end) for mark, end, number in ends if number > 12)
    for mark in order:
        if above[mark, "first"] != above[mark, "second_part"]:
            order[mark] = above[mark, "first"] > above[mark, "second_part"]
    return order


def _moment(parts: dict[str, str], day_first: dict[str, bool]) -> np.datetime64:
    year = int(parts["year"])
    if "first" in parts:
        pair = int(parts["first"]), int(parts["second_part"])
        day, month = pair if day_first[parts["mark"]] else pair[::-1]
    else:
        named = parts.get("month", "1")
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
