"""A table, and what its columns are, as the parts of relational data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mrsne.data.files.problems import Problems
from mrsne.data.tables.choices import Choices
from mrsne.data.tables.items import (
    Items,
    id_column,
    item_columns,
    item_labels,
    items_of,
    kind_from_columns,
    words_of_items,
)
from mrsne.data.tables.models import ItemModel, PictureSource, is_wide, learn_vectors
from mrsne.data.tables.roles import MANY_NUMBERS, guess_roles
from mrsne.data.tables.table import Role, Table, TableError
from mrsne.data.tables.text import name_vectors

ITEM = "item"  # what the rows of a table are called by default
FEWEST = 2  # items of a map
MOST_COLOURS = 10_000  # values of a kind that is also something to colour by
DATA = ("vectors", "relations", "names", "missing", "pictures", "labels", "columns")


@dataclass
class Parts:
    """What :class:`mrsne.RelationalData` takes, and how it was made."""

    item: str  # the kind of item that a row is
    vectors: dict[str, Any] = field(default_factory=dict)
    relations: dict[tuple[str, str], Any] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    missing: dict[str, Any] = field(default_factory=dict)
    pictures: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    ids: str | None = None  # the column that tells rows apart; None where they were counted
    model: ItemModel = field(default_factory=ItemModel)  # how the items became vectors, for later ones
    problems: Problems = field(default_factory=Problems)  # what was left out

    def arguments(self) -> dict[str, Any]:
        """Return what :class:`mrsne.RelationalData` is built from."""
        return {name: getattr(self, name) for name in DATA}


@dataclass(frozen=True)
class Plan:
    """A table and what is to become of it."""

    table: Table
    roles: Mapping[str, Role]  # what each column is treated as
    item: str = ITEM  # what a row is
    min_count: int = 1  # values of further kinds that fewer items have are left out


def plan_table(table: Table, choices: Choices | None = None) -> Plan:
    """Return what is to become of a table, by what users choose and what its columns look like."""
    choices = choices or Choices()
    item = choices.item or ITEM
    roles = {
        heading: replace(role, kind=heading if heading != item else f"{item} (column)")
        if role.role == "kind" and role.kind == item  # no kind is called like the rows
        else role
        for heading, role in guess_roles(table, choices).items()
    }
    return Plan(table, roles, item, choices.min_count)


def parts_from_table(plan: Plan, pictures: PictureSource | None = None, alone: bool = True) -> Parts:
    """Return the items of a table, the kinds that its columns hold, and the links between them.

    ``pictures`` is where those of a column of paths are; ``alone``, whether this table must give something to compare
    its items by, as one need not that only adds to another.
    """
    table, roles = plan.table, plan.roles
    parts = Parts(plan.item, roles=dict(roles), ids=id_column(table, roles))
    parts.problems.extend(table.problems)
    items = items_of(table, parts.ids, parts.problems)
    if len(items) < FEWEST:
        raise TableError(f"{table.source} has {len(items)} item; a map needs at least {FEWEST} rows with different ids")
    _add_items(parts, table, items)
    learnt = learn_vectors(table, roles, items, pictures, parts.problems)
    parts.model, parts.vectors[parts.item] = learnt.model, len(items)
    if learnt.vectors is not None:
        parts.vectors[parts.item], parts.missing[parts.item] = learnt.vectors, learnt.without
    if learnt.thumbnails is not None:
        parts.pictures[parts.item] = learnt.thumbnails
    for kind in dict.fromkeys(role.kind for role in roles.values() if role.role == "kind"):
        assert kind is not None
        _add_kind(parts, table, items, kind, plan.min_count)
    if alone and not parts.relations and learnt.vectors is None:
        words = [f"{heading}: {role.role}" for heading, role in roles.items()]
        raise TableError(
            f"nothing in {table.source} says which rows are alike: no column is text, a list, a repeated value or a "
            f"picture ({', '.join(words[:8])}{', …' if len(words) > 8 else ''}); name one with --text COLUMN, --kind "
            "NAME=COLUMN or --vector COLUMN (in Python texts=, kinds= or vectors=)"
        )
    return parts


def _add_items(parts: Parts, table: Table, items: Items) -> None:
    """Add names, labels and columns of the items."""
    parts.names[parts.item] = items.names
    roles = {heading: role.role for heading, role in parts.roles.items()}
    numbers = [heading for heading, role in roles.items() if role == "vector" and not is_wide(table, heading)]
    if len(numbers) < MANY_NUMBERS:
        roles.update(dict.fromkeys(numbers, "number"))
    columns = item_columns(table, roles, items, parts.problems)
    if columns:
        parts.columns[parts.item] = columns
    labels = item_labels(table, parts.roles, items, parts.ids)
    if labels is not None:
        parts.labels[parts.item] = labels


def _add_kind(parts: Parts, table: Table, items: Items, kind: str, min_count: int) -> None:
    """Add the items of a kind and their links."""
    found = kind_from_columns(table, parts.roles, items, kind, min_count, parts.problems)
    headings = [heading for heading, role in parts.roles.items() if role.role == "kind" and role.kind == kind]
    if found is None:
        parts.problems.add("kind without an item", f"{table.source}, column {', '.join(headings)}", kind)
        return
    parts.names[kind] = found.names
    parts.relations[parts.item, kind] = found.links
    meanings = name_vectors(found.names)
    parts.vectors[kind] = len(found.names)
    if meanings is not None:
        parts.vectors[kind], parts.missing[kind] = meanings
    words = words_of_items(found, MOST_COLOURS)
    if words is not None:
        parts.columns.setdefault(parts.item, {})[headings[0]] = words
