"""What each column of a table is: guessed from its heading and its values, unless users choose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from mrsne.data.files.pictures import ENDINGS as PICTURE_ENDINGS
from mrsne.data.tables.cells import numbers_of, separator_of
from mrsne.data.tables.choices import LABEL_AND_TEXT, Choices
from mrsne.data.tables.dates import dates_of
from mrsne.data.tables.facts import (
    ID_HEADINGS,
    Facts,
    facts_of,
    is_id_heading,
    is_label_heading,
    is_text_heading,
    singular,
)
from mrsne.data.tables.table import SENTENCE, Coded, Column, Role, Table

PLACEHOLDERS = 5  # most distinct words ("unknown", "n.d.") that may stand in a column of many numbers or dates
PLACEHOLDER_SHARE = 0.75  # of the rows with a value that must be numbers or dates in such a column
MOSTLY = 0.9  # of the rows with a value, for a column of numbers, dates, pictures or addresses
REPEATED = 0.5  # share of rows whose value others have too, for values that are items of a further kind
FEWEST_ITEMS = 5  # of a kind; fewer values than that are categories to colour by
FEW_ITEMS = 20  # of a kind; where one of so few is what most rows have, they are categories too
MOST_KIND_WORDS = 8.0  # in the mean name of an item
MANY_NUMBERS = 50  # columns of numbers, from which they are a vector and not something to colour by
TRUTHS = frozenset(("true", "false", "yes", "no", "y", "n", "t", "f", "0", "1", "ja", "nein", "oui", "non"))
ADDRESS = re.compile(r"(?:https?|ftp|doi|urn|mailto):\S+", re.IGNORECASE)


def guess_roles(table: Table, choices: Choices | None = None) -> dict[str, Role]:
    """Return what each column is treated as."""
    choices = choices or Choices()
    chosen = choices.checked(table)
    facts = {heading: facts_of(column) for heading, column in table.columns.items()}
    roles: dict[str, Role] = {}
    for heading, column in table.columns.items():
        if heading in chosen:
            roles[heading] = _chosen_role(heading, column, *chosen[heading])
    if "id" not in {role.role for role in roles.values()}:
        found = _id_column(table, facts, set(chosen))
        if found is not None:
            roles[found] = Role("id", reason=f"{facts[found].different} different")
    if "label" not in {role.role for role in roles.values()}:
        found = label_column(table, facts, set(roles))
        if found is not None:
            roles[found] = Role("label", reason="what people read")
    for heading, column in table.columns.items():
        if heading not in roles:
            is_known = heading in table.categories
            known = Role("category", reason=f"{facts[heading].different} different values") if is_known else None
            roles[heading] = known or guess_column(heading, column, facts[heading], table.size)
    ordered = {heading: roles[heading] for heading in table.columns}
    return _numbers_as_vectors(ordered, set(chosen))


def _chosen_role(heading: str, column: Column, role: str, kind: str | None) -> Role:
    if role == LABEL_AND_TEXT:
        return Role("label", reason="your choice, and text to compare by", compared=True)
    separator = None
    if role == "kind" and isinstance(column, Coded):
        separator = separator_of(column.values, column.counts(), heading)
    return Role(role, kind, separator, "your choice")


def _id_column(table: Table, facts: Mapping[str, Facts], used: set[str]) -> str | None:
    """Return the column that tells items apart: one called so, or else the first if no value comes twice."""

    def is_unique(heading: str) -> bool:
        return facts[heading].different == table.size and not facts[heading].lists

    candidates = [heading for heading in table.columns if heading not in used and is_id_heading(heading)]
    candidates.sort(key=lambda heading: ID_HEADINGS.get(" ".join(re.split(r"[\W_]+", heading.casefold())), 99))
    for heading in candidates:
        if is_unique(heading):
            return heading
    first = next(iter(table.columns))
    column = table.columns[first]
    if first not in used and is_unique(first) and _could_be_id(first, column, facts[first]):
        return first
    # called an id and not unique: rows with the same one belong to one item
    exact = [heading for heading in candidates if facts[heading].present >= MOSTLY * table.size and heading == first]
    return exact[0] if exact else None


def _could_be_id(heading: str, column: Column, facts: Facts) -> bool:
    """Return whether a column without repetitions is one of ids: short words or whole numbers, no dates, no titles."""
    if not isinstance(column, Coded) or facts.words >= SENTENCE or is_label_heading(heading):
        return False
    guess = _guess_by_cells(heading, column, facts)
    if guess is None or guess.role in ("picture", "shown"):
        return True
    return guess.role == "number" and all(str(value).isdecimal() for value in column.values)


def label_column(table: Table, facts: Mapping[str, Facts], used: set[str]) -> str | None:
    """Return the column that says what items are called: one headed so, whose values differ and are mostly there."""
    for heading in sorted(table.columns, key=lambda heading: heading.casefold() not in ("title", "name", "label")):
        column, seen = table.columns[heading], facts[heading]
        if heading in used or not isinstance(column, Coded) or not is_label_heading(heading) or seen.lists:
            continue
        if seen.different >= 0.3 * seen.present and seen.present >= 0.5 * table.size:
            return heading
    return None


def guess_column(heading: str, column: Column, facts: Facts, size: int) -> Role:
    """Return what a column is treated as by itself, where it is neither id nor label."""
    if not facts.present:
        return Role("unused", reason="empty")
    if not isinstance(column, Coded):
        return _guess_array(heading, column, facts)
    if facts.lists:
        return _guess_lists(heading, column, facts)
    if facts.different == 1 and facts.present == size:
        return Role("unused", reason=f"{_short(column.values[0])} in every row")
    if {str(value).casefold() for value in column.values[:10]} <= TRUTHS and facts.different <= 2:
        return Role("category", reason="yes or no")
    guess = _guess_by_cells(heading, column, facts)
    if guess is not None:
        return guess
    separator = separator_of(column.values, column.counts(), heading)
    if separator is not None:
        between = "JSON arrays" if separator == "[]" else f'lists separated by "{separator}"'.replace("\n", "\\n")
        return Role("kind", singular(heading), separator, between)
    if facts.repeated >= REPEATED and facts.words <= MOST_KIND_WORDS and not is_text_heading(heading):
        if facts.different < FEWEST_ITEMS or (facts.different < FEW_ITEMS and facts.largest > REPEATED):
            return Role("category", reason=f"{facts.different} different values")
        return Role("kind", singular(heading), None, f"{facts.different} different values")
    if facts.words >= SENTENCE or (is_text_heading(heading) and facts.words >= 1):
        return Role("text", reason="sentences" if facts.words >= SENTENCE else "words")
    return Role("shown", reason=f"{facts.different} different values, hardly any repeats")


def _guess_array(heading: str, column: Any, facts: Facts) -> Role:
    if column.ndim == 2:
        return Role("vector", reason=f"{column.shape[1]} numbers in each row")
    if column.dtype.kind == "M":
        return Role("date", reason=span(column.astype("datetime64[D]"), facts))
    if re.search(r"[_ ]id$", heading.casefold()) and column.dtype.kind in "iu" and facts.repeated >= REPEATED:
        return Role("kind", singular(heading), None, f"{facts.different} different values")
    return Role("number", reason=span(column, facts))


def _guess_lists(heading: str, column: Coded, facts: Facts) -> Role:
    lists = [value for value in column.values if isinstance(value, tuple)]
    widths = {len(value) for value in lists}
    are_alike = len(widths) == 1 and max(widths) >= 3 and len(lists) == len(column.values)
    if are_alike and not np.isnan(numbers_of([part for value in lists[:100] for part in value])).any():
        return Role("vector", reason=f"{max(widths)} numbers in each row")
    if not any(lists):
        return Role("unused", reason="empty lists")
    return Role("kind", singular(heading), None, "lists")


def _guess_by_cells(heading: str, column: Coded, facts: Facts) -> Role | None:
    """Return what a column is whose cells all look alike: numbers, dates, pictures, addresses."""
    counts = column.counts()

    def share(fits: Any) -> float:
        return float(counts[np.asarray(fits, dtype=bool)].sum() / facts.present)

    def are_values(fits: Any) -> bool:
        others = int(np.count_nonzero(~fits))
        but_for_placeholders = others <= PLACEHOLDERS and len(fits) > 10 * others and share(fits) >= PLACEHOLDER_SHARE
        return share(fits) >= MOSTLY or but_for_placeholders

    numbers = numbers_of(column.values)
    dates = dates_of(column.values) if share(np.isnan(numbers)) > 1 - MOSTLY or "date" in heading.casefold() else None
    if dates is not None and are_values(~np.isnat(dates)):
        return Role("date", reason=span(dates.astype("datetime64[D]"), facts))
    if are_values(~np.isnan(numbers)):
        if re.search(r"[_ ]id$", heading.casefold()) and facts.repeated >= REPEATED:
            return Role("kind", singular(heading), None, f"{facts.different} different values")
        return Role("number", reason=span(numbers, facts))
    texts = [str(value) for value in column.values]
    if share([text.lower().endswith(PICTURE_ENDINGS) and not ADDRESS.match(text) for text in texts]) >= MOSTLY:
        return Role("picture", reason="paths of pictures")
    if share([bool(ADDRESS.fullmatch(text)) for text in texts]) >= MOSTLY:
        return Role("shown", reason="addresses")
    return None


def _numbers_as_vectors(roles: dict[str, Role], chosen: set[str]) -> dict[str, Role]:
    """Take numbers for vectors where there are very many of them, or nothing else to compare items by."""
    numbers = [heading for heading, role in roles.items() if role.role == "number" and heading not in chosen]
    others = {role.role for role in roles.values()} & {"kind", "text", "picture", "vector"}
    if len(numbers) >= MANY_NUMBERS or (len(numbers) >= 2 and not others):
        why = f"one of {len(numbers)} columns of numbers"
        return {heading: Role("vector", reason=why) if heading in numbers else role for heading, role in roles.items()}
    return roles


def span(values: Any, facts: Facts) -> str:
    """Return the lowest and the highest of values, for people."""
    known = values[~(np.isnat(values) if values.dtype.kind == "M" else np.isnan(values))]
    if not len(known):
        return "none"
    low, high = (f"{end:g}" if values.dtype.kind != "M" else str(end) for end in (known.min(), known.max()))
    return f"{low} to {high}"


def _short(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else text[:37] + "...")
