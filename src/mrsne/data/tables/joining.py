"""Links between two tables: the rows of one tell more about a kind of item in another."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.data.files.pictures import PictureNames, find_pictures
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import split_cell
from mrsne.data.tables.choices import ROLES, Choices, columns_in
from mrsne.data.tables.items import Items, items_of, known_items
from mrsne.data.tables.models import PictureSource
from mrsne.data.tables.parts import Parts, Plan, absorb, parts_from_table, plan_table, with_colours
from mrsne.data.tables.references import ITEM
from mrsne.data.tables.table import Coded, Role, Table, TableError, as_coded
from mrsne.data.tables.vocabulary import singular

PICTURES = "picture files"  # heading of a column that a table does not have


def plan_tables(
    table: Table, also: Sequence[tuple[Table, str]] = (), choices: Choices | None = None, item: str = ITEM
) -> tuple[Plan, list[Plan]]:
    """Return what is to become of a table, and of others, each with the column of the first that names its rows.

    ``choices`` are for columns of all tables; ``item`` is what a row of the first is where they do not say.
    """
    choices = choices or Choices()
    others = [set(other.columns) - set(table.columns) for other, _ in also]
    main = replace(choices_for(choices, set().union(*others), inverse=True), item=choices.item)
    plan = plan_table(table, main, item)
    for _, on in also:
        if on not in table.columns:
            raise TableError(f"{table.source} has no column {on!r} to find rows of another table by; --on names one")
        if plan.roles[on].role not in ("id", "kind"):
            main = replace(main, kinds={**main.kinds, singular(on): [on]})
            plan = plan_table(table, main, item)
    seconds = []
    for (other, on), own in zip(also, others, strict=True):
        role = plan.roles[on]
        kind = plan.item if role.role == "id" else role.kind
        assert kind is not None
        own_choices = choices_for(choices, own)
        known = own_choices.id or _naming_column(table, on, role, other)
        second = plan_table(other, replace(own_choices, id=known, item=kind))
        second = with_colours(second) if plan.pairs else second
        if known is not None and own_choices.id is None:
            second = with_reason(second, known, f"named in the column {on!r} of {table.source}")
        plan = with_reason(plan, on, f"the ids of {other.source}")
        seconds.append(replace(second, on=on))
    return plan, seconds


def with_reason(plan: Plan, column: str, reason: str) -> Plan:
    return replace(plan, roles={**plan.roles, column: replace(plan.roles[column], reason=reason)})


def _naming_column(table: Table, on: str, role: Role, other: Table) -> str | None:
    """Return the column of another table that has most of the names in a column of the first."""
    names = {
        part.casefold() for value in as_coded(table.columns[on]).values for part in split_cell(value, role.separator)
    }
    found = {}
    for heading, column in other.columns.items():
        if isinstance(column, Coded) or column.ndim == 1:
            values = as_coded(column).values
            found[heading] = len(names & {value.casefold() for value in values if isinstance(value, str)})
    best = max(found, key=lambda heading: found[heading], default=None)
    return best if best is not None and found[best] else None


def with_pictures(plan: Plan, folder: Path) -> Plan:
    """Return a plan with the pictures of a folder whose files are called like the ids of rows, with or without ending.

    A table that has a column of paths already stays as it is.
    """
    ids = [heading for heading, role in plan.roles.items() if role.role == "id"]
    if not ids or any(role.role == "picture" for role in plan.roles.values()):
        return plan
    paths = find_pictures(folder)
    names = PictureNames([path.relative_to(folder).as_posix() for path in paths])
    coded = as_coded(plan.table.columns[ids[0]])
    found = [names.find(value) if isinstance(value, str) else "" for value in coded.values]
    if not any(isinstance(position, int) for position in found):
        raise TableError(
            f"no picture in {str(folder)!r} is called like an id of {plan.table.source}, such as {coded.values[0]!r}; "
            "name the column of their paths with --picture"
        )
    files = coded.with_values(str(paths[at]) if isinstance(at, int) else None for at in found)
    table = replace(plan.table, columns={**plan.table.columns, PICTURES: files})
    role = Role("picture", reason=f"pictures that are called like the column {ids[0]!r}")
    return replace(plan, table=table, roles={**plan.roles, PICTURES: role})


def parts_from_tables(plan: Plan, seconds: Sequence[Plan] = (), pictures: PictureSource | None = None) -> Parts:
    """Return the parts of a table, and of others that tell more about its kinds."""
    parts = parts_from_table(plan, pictures)
    for second in seconds:
        absorb(parts, parts_from_table(second, pictures, items=_named_items(parts, second)))
    return parts


def choices_for(choices: Choices, columns: set[str], inverse: bool = False) -> Choices:
    """Return the choices for some columns; inverse, for all others."""

    def within(given: Sequence[str] | str | None) -> list[str]:
        return [column for column in columns_in(given) if (column in columns) != inverse]

    chosen: dict[str, Any] = {name: within(getattr(choices, name)) for name in ROLES if name != "kinds"}
    chosen["kinds"] = {kind: found for kind, given in choices.kinds.items() if (found := within(given))}
    chosen |= {name: next(iter(chosen[name]), None) for name in ("id", "label", "weight")}
    return Choices(ratings=choices.ratings, min_count=choices.min_count, **chosen)


def _named_items(parts: Parts, second: Plan) -> Items:
    """Return the items of a kind with the rows of another table that are about them; note those without a row."""
    kind, other = second.item, second.table
    if kind not in parts.names:
        raise TableError(f"no item is left of the column {second.on!r}; there is nothing that {other.source} is about")
    unnamed = "row of a second table that no row of the first names"
    items = known_items(other, second.ids, parts.names[kind], parts.problems, unnamed)
    if (items.first_row < 0).all():
        own = ", ".join(items_of(other, second.ids, Problems()).names[:3])
        raise TableError(
            f"no row of {other.source} is named in the column {second.on!r}: its ids are {own}, … and those of the "
            f"column {', '.join(parts.names[kind][:3])}, …; choose its ids with --id"
        )
    for position in np.flatnonzero(items.first_row < 0).tolist():
        name = parts.names[kind][position]
        parts.problems.add("item that is in the map without its row in a second table", f"{other.source}, {kind}", name)
    return items
