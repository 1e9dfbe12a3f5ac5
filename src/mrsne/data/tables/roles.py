"""What each column of a table is, unless users choose: which names the rows, and what the others are by themselves."""

from collections.abc import Mapping

import numpy as np

from mrsne.data.tables.cells import cell_text, numbers_of, separator_of
from mrsne.data.tables.choices import LABEL_AND_TEXT, Choices
from mrsne.data.tables.columns import MOSTLY, SAMPLE, guess_by_cells, guess_column
from mrsne.data.tables.compared import ADDRESSES, HALF
from mrsne.data.tables.dates import are_years
from mrsne.data.tables.table import SENTENCE, Coded, Column, Facts, Role, Table, as_coded
from mrsne.data.tables.vocabulary import ID_HEADINGS, is_code_heading, is_id_heading, is_label_heading, words_in

LONGEST_CODE = 20  # characters of an id, where no heading names one
FEWEST_DIFFERENT = 0.3  # of the rows, for a column of ids or labels


def guess_roles(table: Table, choices: Choices) -> dict[str, Role]:
    """Return what each column is treated as by itself, before it is known what rows are compared by."""
    chosen, facts = choices.checked(table), table.facts
    roles = {heading: _chosen_role(heading, table.columns[heading], *choice) for heading, choice in chosen.items()}

    def lacks(role: str) -> bool:
        return role not in {given.role for given in roles.values()}

    if lacks("id") and (found := _id_column(table, set(roles), {choices.item, *choices.kinds})) is not None:
        roles[found] = Role("id", reason=f"{facts[found].different} different")
    if lacks("label") and (found := label_column(table, set(roles))) is not None:
        roles[found] = Role("label", reason="what people read")
    for heading, column in table.columns.items():
        if heading in table.categories:
            roles.setdefault(heading, Role("category", reason=f"{facts[heading].different} different values"))
        elif heading not in roles:
            roles[heading] = guess_column(heading, column, facts[heading], table.size)
    if lacks("label") and (found := _telling_column(table, roles)) is not None:
        roles[found] = Role("label", reason=f"{facts[found].different} different")
    return {heading: roles[heading] for heading in table.columns}


def _chosen_role(heading: str, column: Column, role: str, kind: str | None) -> Role:
    if role == LABEL_AND_TEXT:
        return Role("label", reason="your choice, and text to compare by", compared=True)
    separator = None
    if role == "kind" and isinstance(column, Coded):
        separator = separator_of(column.values, column.counts(), heading)
    only_years = role == "date" and are_years(as_coded(column).values)
    return Role(role, kind, separator, "your choice", only_years=only_years)


def _id_column(table: Table, used: set[str], named: set[str | None]) -> str | None:
    """Return the column that tells items apart: one called so, or else the first if no value comes twice.

    Of two ids, "id" or that of an item as users have ``named`` it comes first: for a paper, "paper_id" before "doi".
    """
    facts = table.facts
    free = [heading for heading in table.columns if heading not in used and not facts[heading].lists]
    unique = [heading for heading in free if facts[heading].different == table.size]
    trust = ID_HEADINGS | {f"{name} id": 0 for name in named}
    ids = [heading for heading in unique if is_id_heading(heading)]
    if ids:
        return min(ids, key=lambda heading: trust.get(" ".join(words_in(heading)), 99))
    first = next(iter(table.columns))
    if first in unique and _could_be_id(first, table.columns[first], facts[first]):
        return first
    # called an id and not unique: rows with the same one belong to one item
    seen, is_bare = facts[first], " ".join(words_in(first)) in ID_HEADINGS  # unlike "player_id"
    is_there = seen.present >= MOSTLY * table.size and seen.different >= FEWEST_DIFFERENT * table.size
    if first in free and is_bare and is_there:
        return first
    return next((heading for heading in unique if _is_code(heading, table.columns[heading], facts[heading])), None)


def _could_be_id(heading: str, column: Column, facts: Facts) -> bool:
    """Return whether a column without repetitions is one of ids: short words or whole numbers, no dates, no titles."""
    if not isinstance(column, Coded) or facts.words >= SENTENCE or is_label_heading(heading):
        return False
    guess = guess_by_cells(heading, column, facts, facts.present)
    if guess is None or guess.role in ("picture", "shown"):
        return True
    if guess.role != "number" or not all(str(value).isdecimal() for value in column.values):
        return False
    is_increasing = (np.diff(numbers_of(column.values)[column.codes]) > 0).all()
    return bool(is_code_heading(heading) or heading == "column 1" or is_increasing)


def _is_code(heading: str, column: Column, facts: Facts) -> bool:
    if not isinstance(column, Coded) or is_label_heading(heading):
        return False
    is_short = all(len(str(value)) <= LONGEST_CODE and len(str(value).split()) == 1 for value in column.values)
    return is_short and guess_by_cells(heading, column, facts, facts.present) is None


def label_column(table: Table, used: set[str]) -> str | None:
    """Return the column that says what items are called: one headed so, whose values differ and are mostly there."""
    for heading in sorted(table.columns, key=lambda heading: heading.casefold() not in ("title", "name", "label")):
        column, seen = table.columns[heading], table.facts[heading]
        if heading in used or not isinstance(column, Coded) or not is_label_heading(heading) or seen.lists:
            continue
        differs = seen.different >= FEWEST_DIFFERENT * seen.present and seen.present >= 0.5 * table.size
        if differs and np.isnan(numbers_of(column.values[:SAMPLE])).mean() > HALF:
            return heading
    return None


def _telling_column(table: Table, roles: Mapping[str, Role]) -> str | None:
    """Return the wordiest column that hardly repeats, where nothing but numbers says what items are called."""
    if any(role.role == "id" and table.facts[heading].words >= 1 for heading, role in roles.items()):
        return None
    candidates = [
        heading
        for heading, role in roles.items()
        if role.role == "shown" and role.reason != ADDRESSES
        if table.facts[heading].different >= MOSTLY * table.size and not table.facts[heading].lists
        if any(letter.isalpha() for letter in cell_text(as_coded(table.columns[heading]).values[0]))
    ]
    return max(candidates, key=lambda heading: table.facts[heading].words, default=None)
