"""What the rows of a table are compared by: what most of them share, or else their numbers and categories."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from mrsne.arrays import Float64
from mrsne.data.tables.cells import numbers_of
from mrsne.data.tables.table import Coded, Column, Facts, Role, Table, as_coded
from mrsne.data.tables.vocabulary import is_about, is_class_heading

FEW_ITEMS = 20  # of a kind; fewer are a class to colour by, where rows are compared by numbers
COVERED = 0.9  # of the rows that share something with another one, for numbers not to be needed
HALF = 0.5  # of the rows that have a text or a picture, for the same; or a number, to be compared with categories
FEWEST_MEASURED = 0.6  # of the rows that have a number, for it to be compared with others
FEWEST_NUMBERS = 2  # columns, to compare rows by
MANY_TIMES = 2  # as many columns of numbers as kinds, for kinds of few items to be classes beside larger ones
MORE_NUMBERS = 3  # columns, where rows share single values only
MANY_NUMBERS = 50  # columns, which are compared in any case
MOST_CLASSES = 20
MOST_ANSWERS, FEWEST_QUESTIONS = 11, 5  # different answers to each of several questions, on one scale
ON_ONE_SCALE = 0.8  # of the columns of numbers, for the others not to be compared with them
YES_OR_NO = "yes or no"
ADDRESSES = "addresses"
SAME = 0.95  # of values and of rows, for two columns to say the same


def choose_compared(table: Table, roles: Mapping[str, Role], chosen: set[str]) -> dict[str, Role]:
    """Return roles in which numbers and categories are vectors where most rows have nothing else to be compared by.

    Numbers are compared if fewer than nine rows of ten share something with another row, be it a part of a list or one
    of 20 values or more, and fewer than half have a text or a picture; values of which there are fewer than 20 are then
    categories. They are compared as well if all that rows share are single values, and there are three columns of
    numbers or more, more than of such values. Where there is at most one column of numbers, categories are compared
    too, but never a class; where there is not even that, labels are.
    """
    facts = table.facts
    found = _without_repetitions(table, _without_making(dict(roles), chosen), chosen)
    classes = _class_numbers(table, found, chosen)
    found |= {heading: Role("category", reason=f"{facts[heading].different} classes") for heading in classes}
    free = {heading: role for heading, role in found.items() if heading not in chosen}
    sparse = [it for it, role in free.items() if role.role == "number" and _is_measured(table, it)]
    numbers = _on_one_scale(table, [it for it in sparse if facts[it].present >= FEWEST_MEASURED * table.size])
    few = [it for it, role in free.items() if is_single(role, facts[it]) and facts[it].different < FEW_ITEMS]
    words = [it for it, role in free.items() if role.role == "category" and not is_class_heading(it)]
    categories = [it for it in words if 2 <= facts[it].different < FEW_ITEMS]
    kinds = [it for it, role in found.items() if role.role == "kind" and it not in few]
    vectors = [it for it, role in found.items() if role.role == "vector"]
    contents = [it for it, role in found.items() if role.role in ("text", "picture") or role.compared]
    answers = [it for it in categories if found[it].reason == YES_OR_NO]
    if len(numbers) + len(answers) >= MANY_NUMBERS:
        return _compared(found, [*numbers, *answers], few)
    if _share(table, found, vectors) >= HALF:
        return _compared(found, (), few)
    if _share(table, found, contents) >= HALF or _share(table, found, kinds, among_others=True) >= COVERED:
        is_single_only = not contents and all(is_single(found[it], facts[it]) for it in kinds)
        outnumber = len(numbers) >= MORE_NUMBERS and len(numbers) > len(kinds)
        has_many = len(numbers) > MANY_TIMES * (len(kinds) + len(few))
        return _compared(found, numbers, few if has_many else ()) if is_single_only and outnumber else found
    if len(numbers) >= FEWEST_NUMBERS:
        return _compared(found, numbers, few if _share(table, found, numbers) >= COVERED else ())
    if _share(table, found, [*kinds, *few, *contents]) >= COVERED:
        return found
    columns = [*sparse, *categories, *few]
    return _compared(found, columns, few) if len(columns) >= FEWEST_NUMBERS else _by_words(table, found)


def _by_words(table: Table, roles: dict[str, Role]) -> dict[str, Role]:
    """Return roles in which rows are compared by their labels and other words, as there is nothing else.

    "Turner, Joseph" is a person, whose first name says nothing.
    """

    def says_something(heading: str) -> bool:
        values = as_coded(table.columns[heading]).values
        return table.facts[heading].words >= 1 and sum("," in value for value in values) < HALF * len(values)

    found = dict(roles)
    for heading, role in roles.items():
        if role.role == "label" and says_something(heading):
            found[heading] = replace(role, reason=f"{role.reason}, and compare by", compared=True)
        elif role.role == "shown" and role.reason != ADDRESSES and says_something(heading):
            found[heading] = Role("text", reason="words")
    return found


def is_single(role: Role, facts: Facts) -> bool:
    """Return whether a column gives each row at most one item of a further kind."""
    return role.role == "kind" and role.separator is None and not facts.lists


def _compared(roles: dict[str, Role], columns: Iterable[str], few: Iterable[str] = ()) -> dict[str, Role]:
    """Return roles in which columns are vectors, and other kinds of few items categories."""
    columns = list(columns)
    what = "numbers" if all(roles[heading].role == "number" for heading in columns) else "numbers and categories"
    vectors = {heading: Role("vector", reason=f"one of {len(columns)} columns of {what}") for heading in columns}
    classes = {heading: Role("category", reason=roles[heading].reason) for heading in few}
    return {**roles, **classes, **vectors}


def _without_making(roles: dict[str, Role], chosen: set[str]) -> dict[str, Role]:
    """Return roles in which what says how things are made is no kind, where there is another kind, or a text."""
    shared = [heading for heading, role in roles.items() if role.role in ("kind", "text", "picture")]
    making = [it for it in shared if roles[it].role == "kind" and it not in chosen and is_about(it, "making")]
    for heading in making if len(making) < len(shared) else ():
        other = "category" if roles[heading].separator is None else "shown"
        roles[heading] = replace(roles[heading], role=other, kind=None, separator=None)
    return roles


def _without_repetitions(table: Table, roles: dict[str, Role], chosen: set[str]) -> dict[str, Role]:
    """Return roles in which no kind comes again as another column of the same groups of rows, and no class either."""
    seen: list[str] = []
    for heading, role in sorted(roles.items(), key=lambda item: not is_class_heading(item[0])):
        is_kind = is_single(role, table.facts[heading])
        if not is_kind and role.role != "category":
            continue
        for other in seen if heading not in chosen.union(table.categories) else ():
            if (is_kind or is_class_heading(other)) and _same_groups(table, heading, other):
                roles[heading] = Role("shown", reason=f"the same groups of rows as {other}")
                break
        else:
            seen.append(heading)
    return roles


def _same_groups(table: Table, one: str, other: str) -> bool:
    """Return whether the values of two columns stand for each other, but for a few that are missing."""
    fewer, more = sorted(table.facts[heading].different for heading in (one, other))
    if fewer < SAME * more:
        return False
    codes = np.stack([as_coded(table.columns[heading]).codes for heading in (one, other)])
    known = codes[:, (codes >= 0).all(axis=0)]
    return known.shape[1] >= SAME * table.size and len(np.unique(known, axis=1).T) <= more


def _class_numbers(table: Table, roles: Mapping[str, Role], chosen: set[str]) -> list[str]:
    """Return the columns of numbers that are classes: few whole numbers from 0 or 1 on, called a class or the like.

    Or else in the first or last column, if all other numbers are more different; or anywhere beside vectors.
    """
    numbers = [heading for heading, role in roles.items() if role.role == "number" and heading not in chosen]
    steps = [heading for heading in numbers if _counts_classes(table.columns[heading], table.facts[heading])]
    ends = [heading for heading in numbers if table.facts[heading].different <= MOST_CLASSES]
    edges = (next(iter(table.columns)), list(table.columns)[-1])
    is_alone = len(ends) == 1 and len(numbers) > MORE_NUMBERS
    beside = any(role.role == "vector" for role in roles.values())
    return [it for it in steps if beside or is_class_heading(it) or (is_alone and it in edges)]


def _counts_classes(column: Column, facts: Facts) -> bool:
    if not 2 <= facts.different <= MOST_CLASSES or facts.present < 5 * facts.different:
        return False
    values = np.unique(_numbers(column))
    return bool(values[0] in (0, 1) and (np.diff(values) == 1).all())


def _on_one_scale(table: Table, numbers: list[str]) -> list[str]:
    """Return columns of numbers; of the answers to questions only these, and not who answers: age, education."""
    few = [it for it in numbers if table.facts[it].different <= MOST_ANSWERS]
    scales = {it: tuple(np.unique(_numbers(table.columns[it]))) for it in few}
    common = Counter(scales.values()).most_common(1)
    answers = [it for it, scale in scales.items() if scale == common[0][0]]
    return answers if len(answers) >= max(ON_ONE_SCALE * len(numbers), FEWEST_QUESTIONS) else numbers


def _numbers(column: Column) -> Float64:
    """Return the different numbers of a column, without NaN; those of an array as they are."""
    values = numbers_of(column.values) if isinstance(column, Coded) else column.astype(np.float64)
    return np.asarray(values[~np.isnan(values)])


def _is_measured(table: Table, heading: str) -> bool:
    """Return whether a column of numbers has quantities for most rows: no parts of dates, no counter, no target."""
    seen = table.facts[heading]
    is_time = is_about(heading, "times") or is_about(heading, "parts_of_dates")
    if is_time or is_class_heading(heading) or _are_times_of_day(heading, table.columns[heading]):
        return False
    if seen.present < HALF * table.size:
        return False
    if seen.different < table.size:
        return True
    return not (np.diff(_numbers(table.columns[heading])) == 1).all()  # from row to row; ranks are quantities


def _are_times_of_day(heading: str, column: Column) -> bool:
    """Return whether numbers are hours and minutes, such as 517 and 2359 under "dep_time"."""
    if not is_about(heading, "clocks"):
        return False
    known = _numbers(column)
    return bool((known <= 2400).all() and (known % 100 < 60).all() and len(known) > 60)


def _share(table: Table, roles: Mapping[str, Role], headings: Iterable[str], among_others: bool = False) -> float:
    """Return the share of rows that have a value in one of the columns; of single values, one that others have too."""
    covered = np.zeros(table.size, bool)
    for heading in headings:
        column, role = table.columns[heading], roles[heading]
        if not isinstance(column, Coded) and role.role != "kind":
            covered |= np.ones(table.size, bool) if column.ndim == 2 else ~np.isnan(column)
            continue
        coded = as_coded(column)
        is_one = among_others and role.role == "kind" and role.separator is None
        fewest = [2 if is_one and isinstance(value, str) else 1 for value in coded.values]
        covered |= np.append(coded.counts() >= fewest, False)[coded.codes]
    return float(covered.mean())
