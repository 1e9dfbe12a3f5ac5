"""What a column of a table is by itself: guessed from its heading and its values."""

import re
from collections import Counter
from typing import Any

import numpy as np

from mrsne.data.files.pictures import ENDINGS as PICTURE_ENDINGS
from mrsne.data.tables.cells import numbers_of, rare_separator, separator_of, split_cell
from mrsne.data.tables.compared import ADDRESSES, FEW_ITEMS, HALF, MOST_CLASSES, YES_OR_NO
from mrsne.data.tables.dates import FIRST_YEAR, LAST_YEAR, are_years, dates_of, is_undated, years_of
from mrsne.data.tables.table import SENTENCE, Coded, Column, Facts, Role
from mrsne.data.tables.vocabulary import ends_in, is_about, is_code_heading, singular

PLACEHOLDERS = 5  # most distinct words ("unknown", "n.d.") that may stand in a column of many numbers or dates
PLACEHOLDER_SHARE = 0.75  # of the rows with a value that must be numbers or dates in such a column
MOSTLY = 0.9  # of the rows with a value, for a column of numbers, dates, pictures or addresses
REPEATED = 0.4  # share of rows whose value others have too, for values that are items of a further kind
FEWEST_ITEMS = 5  # of a kind; fewer values than that are categories to colour by
SHARED_VALUES = 0.15  # of the values that several rows have, for them to be items of a further kind
FEWEST_OTHERS = 1.5  # other rows with the same value, in the mean, for the same
LEAST_ROWS = 0.2  # share of all rows that have a value which others have too, for the same; or a text
FEWEST_LISTS = 0.1  # of the rows that have a list, and of the parts of lists that several have, for items
MOST_KIND_WORDS = 5.0  # in the mean name of an item
SAMPLE = 20_000  # different values that are looked at
TRUTHS = frozenset(("true", "false", "yes", "no", "y", "n", "t", "f", "0", "1", "ja", "nein", "oui", "non"))
LEADING_ZERO = re.compile(r"0\d+")  # of a code; where one has it, the others are codes too
TIME_OF_DAY = re.compile(r"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s*[ap]\.?m\.?)?", re.IGNORECASE)
ADDRESS = re.compile(r"(?:https?|ftp|doi|urn|mailto):\S+", re.IGNORECASE)


def guess_column(heading: str, column: Column, facts: Facts, size: int) -> Role:
    """Return what a column is treated as by itself, where it is neither id nor label."""
    if not facts.present:
        return Role("unused", reason="empty")
    if not isinstance(column, Coded):
        return _guess_array(heading, column, facts, size)
    if facts.lists:
        return _guess_lists(heading, column, facts, size)
    if facts.different == 1 and facts.present == size:
        return Role("unused", reason=f"{_short(column.values[0])} in every row")
    if facts.different <= 2 and {str(value).casefold() for value in column.values} <= TRUTHS:
        return Role("category", reason=YES_OR_NO)
    guess = guess_by_cells(heading, column, facts, size)
    if guess is not None:
        return guess
    separator = separator_of(column.values, column.counts(), heading)
    if separator is not None:
        between = "JSON arrays" if separator == "[]" else f'lists separated by "{separator}"'.replace("\n", "\\n")
        return _guess_parts(heading, column, separator, between, size)
    if facts.repeated >= REPEATED and not is_about(heading, "texts"):
        return _guess_repeated(heading, column, facts, size)
    is_filled = facts.present >= LEAST_ROWS * size
    if is_filled and (facts.words >= SENTENCE or (is_about(heading, "texts") and facts.words >= 1)):
        return Role("text", reason="sentences" if facts.words >= SENTENCE else "words")
    return Role("shown", reason=f"{facts.different} different values, hardly any repeats")


def _guess_repeated(heading: str, column: Column, facts: Facts, size: int) -> Role:
    """Return what a column is that has most of its values several times: items of a further kind, or categories."""
    different = f"{facts.different} different values"
    if facts.different < FEWEST_ITEMS or (facts.different < FEW_ITEMS and facts.largest > HALF):
        return Role("category", reason=different)
    if facts.shared < SHARED_VALUES:
        return Role("category", reason=f"{different}, of which {facts.shared:.0%} are in several rows")
    if facts.words > MOST_KIND_WORDS:
        return Role("category", reason=f"{different}, of many words each")
    if facts.repeated * facts.present < LEAST_ROWS * size:
        return Role("category", reason=f"{different}, in {facts.present / size:.0%} of the rows")
    if facts.others < FEWEST_OTHERS:
        return Role("category", reason=f"{different}, hardly more than two rows with the same")
    separator = rare_separator(column.values) if isinstance(column, Coded) else None
    reason = different if separator is None else f'{different}, some of them lists separated by "{separator}"'
    return Role("kind", singular(heading), separator, reason)


def _guess_array(heading: str, column: Any, facts: Facts, size: int) -> Role:
    if column.ndim == 2:
        return Role("vector", reason=f"{column.shape[1]} numbers in each row")
    if column.dtype.kind == "M":
        return Role("date", reason=span(column.astype("datetime64[D]")))
    return _guess_numbers(heading, column, column, facts, size)


def _guess_numbers(heading: str, column: Column, numbers: Any, facts: Facts, size: int) -> Role:
    known = numbers[numbers == numbers]  # without NaN
    are_years = (known >= FIRST_YEAR) & (known < LAST_YEAR) & (known == np.floor(known))
    if is_about(heading, "times") and len(known) and are_years.mean() >= MOSTLY:
        return Role("date", reason=span(numbers), only_years=True)
    if is_code_heading(heading):
        if facts.repeated >= REPEATED and facts.different >= FEWEST_ITEMS and not ends_in(heading, "given_numbers"):
            return _guess_repeated(heading, column, facts, size)
        return Role("shown", reason=f"{facts.different} different codes")
    if facts.different == 2 and facts.present > MOST_CLASSES:
        return Role("category", reason="2 different values")
    return Role("number", reason=span(numbers))


def _guess_lists(heading: str, column: Coded, facts: Facts, size: int) -> Role:
    lists = [value for value in column.values if isinstance(value, tuple)]
    widths = {len(value) for value in lists}
    are_alike = len(widths) == 1 and max(widths) >= 2 and len(lists) == len(column.values)
    numbers = numbers_of([part for value in lists[:100] for part in value]) if are_alike else np.array([np.nan])
    if not np.isnan(numbers).any() and (max(widths) >= 3 or (numbers % 1).any()):
        return Role("vector", reason=f"{max(widths)} numbers in each row")
    if not any(lists):
        return Role("unused", reason="empty lists")
    return _guess_parts(heading, column, None, "lists", size)


def _guess_parts(heading: str, column: Coded, separator: str | None, reason: str, size: int) -> Role:
    """Return whether the parts of lists are items of a further kind: several rows have some of them."""
    parts = Counter[str]()
    filled = 0
    for value, count in zip(column.values[:SAMPLE], column.counts().tolist(), strict=False):
        own = split_cell(value, separator)
        parts.update(dict.fromkeys(own, count))
        filled += count if own else 0
    if len(column.values) <= SAMPLE and filled < FEWEST_LISTS * size:
        return Role("shown", reason=f"{reason}, in {filled / size:.0%} of the rows")
    if sum(count for count in parts.values() if count > 1) < FEWEST_LISTS * parts.total():
        return Role("shown", reason=f"{reason}, whose parts hardly repeat")
    return Role("kind", singular(heading), separator, reason)


def guess_by_cells(heading: str, column: Coded, facts: Facts, size: int) -> Role | None:
    """Return what a column is whose cells all look alike: numbers, dates, pictures, addresses."""
    counts = column.counts()

    def share(fits: Any) -> float:
        return float(counts[np.asarray(fits, dtype=bool)].sum() / facts.present)

    def are_values(fits: Any) -> bool:
        others = int(np.count_nonzero(~fits))
        has_placeholders = others <= PLACEHOLDERS and len(fits) > 10 * others
        return share(fits) >= (PLACEHOLDER_SHARE if has_placeholders else MOSTLY)

    numbers = numbers_of(column.values)
    is_time = is_about(heading, "times")
    if share(np.isnan(numbers)) > 1 - MOSTLY or is_time:
        dates = dates_of(column.values)
        undated = np.array([is_undated(value) for value in column.values])
        if not np.isnat(dates).all() and are_values(~np.isnat(dates) | undated):
            only_years = are_years(column.values)
            found = span(years_of(dates) if only_years else dates.astype("datetime64[D]"))
            return Role("date", reason=found, only_years=only_years)
    if are_values(~np.isnan(numbers)) and not any(map(LEADING_ZERO.fullmatch, map(str, column.values))):
        return _guess_numbers(heading, column, numbers, facts, size)
    texts = [str(value) for value in column.values]
    if share([text.lower().endswith(PICTURE_ENDINGS) and not ADDRESS.match(text) for text in texts]) >= MOSTLY:
        return Role("picture", reason="paths of pictures")
    if share([bool(TIME_OF_DAY.fullmatch(text)) for text in texts]) >= MOSTLY:
        return Role("shown", reason="times of day")
    if share([bool(ADDRESS.fullmatch(text)) for text in texts]) >= MOSTLY:
        return Role("shown", reason=ADDRESSES)
    return None


def span(values: Any) -> str:
    known = values[values == values]  # without NaN and NaT
    if not len(known):
        return "none"
    low, high = (f"{end:g}" if values.dtype.kind != "M" else str(end) for end in (known.min(), known.max()))
    return f"{low} to {high}"


def _short(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else text[:37] + "...")
