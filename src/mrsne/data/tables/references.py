"""Columns of references: values that are ids of the table's own rows, and so links inside a kind."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from mrsne.data.tables.cells import BRACKETS, JSON, SEPARATORS, Cell, cell_text, numbers_of, split_cell
from mrsne.data.tables.choices import Choices
from mrsne.data.tables.items import id_column
from mrsne.data.tables.table import Coded, Role, Table, TableError, as_coded
from mrsne.data.tables.vocabulary import is_about, words_in

ITEM = "item"  # what the rows of a table are called by default
SAMPLE = 500  # different values that are looked at
SHARE, SHARE_IN_LISTS, SHARE_OF_CODES, SHARE_WHERE_NAMED = 0.8, 0.5, 0.9, 0.2  # of values that are ids, for references
LONGEST_CODE = 2  # characters of ids that may mean anything, as numbers may


def with_references(
    table: Table, roles: Mapping[str, Role], choices: Choices, default: str
) -> tuple[str, dict[str, Role]]:
    """Return what a row is, and the roles of columns, of which those of references are links inside that kind."""
    chosen, ids = choices.checked(table), id_column(table, roles)
    names = [str(row + 1) for row in range(table.size)] if ids is None else as_coded(table.columns[ids]).values
    known = {cell_text(name).casefold() for name in names}
    item, found = choices.item or default, dict(roles)
    for heading, role in roles.items():
        kind = role.kind
        if heading not in chosen or kind is None or (kind != item and (choices.item is not None or item != ITEM)):
            continue
        separator, hits, share = _separator(as_coded(table.columns[heading]).values, known)
        if kind == item and not hits:
            raise TableError(
                f"no value of the column {heading!r} is the id of a row of {table.source}, and kind {item!r} is "
                "its rows; name the column of ids with --id, or another kind"
            )
        if kind == item or share >= SHARE_IN_LISTS:
            item, found[heading] = kind, Role("kind", kind, separator, "your choice: references to other rows")
    for heading, role in roles.items():
        if heading in chosen:
            continue
        if ids is not None and role.role not in ("id", "label", "picture", "unused"):
            found[heading] = _with_reference(table, heading, role, item, known)
        if role.role == "kind" and role.kind == item and found[heading] is role:  # no other kind is called like rows
            found[heading] = replace(role, kind=heading if heading != item else f"{item} (column)")
    return item, found


def _with_reference(table: Table, heading: str, role: Role, item: str, known: Collection[str]) -> Role:
    """Return the role of a column: of references where its values are ids.

    Ids that are numbers or a letter or two may be anything, so there the heading must speak of references.
    """
    words, column = words_in(heading), table.columns[heading]
    is_one = is_about(heading, "one_reference") or words[-2:] == [*words_in(item)[-1:], "id"]
    is_named = is_one or is_about(heading, "references")
    ids = list(islice(known, SAMPLE))
    are_codes = np.median([len(name) for name in ids]) <= LONGEST_CODE or not np.isnan(numbers_of(ids)).any()
    if getattr(column, "ndim", 1) == 2 or not (is_named or (isinstance(column, Coded) and not are_codes)):
        return role
    values = as_coded(column).values
    separator, hits, share = _separator(values, known)
    are_lists = separator is not None or any(isinstance(value, tuple) for value in values[:SAMPLE])
    if are_codes:
        fits = share >= SHARE_OF_CODES and (is_one or are_lists)
    else:
        fits = share >= (SHARE_WHERE_NAMED if is_named else SHARE_IN_LISTS if are_lists else SHARE)
    return Role("kind", item, separator, "references to other rows") if fits and hits > 1 else role


def _separator(values: Sequence[Cell], known: Collection[str]) -> tuple[str | None, int, float]:
    """Return the separator by which most parts of values are known, how many these are, and which share of all."""
    sample = values[:SAMPLE]
    best: tuple[str | None, int, float] = (None, 0, 0.0)
    for separator in (None, JSON, *SEPARATORS, " "):
        if separator is not None and not any(isinstance(value, str) and separator[0] in value for value in sample):
            continue
        parts = [part.casefold() for value in sample for part in split_cell(value, separator)]
        hits = sum(part in known or BRACKETS.sub("", part) in known for part in parts)
        if hits > best[1]:
            best = separator, hits, hits / len(parts)
    return best
