"""A table, and what its columns are, as the parts of relational data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mrsne.io.problems import Problems
from mrsne.io.tables import TableError
from mrsne.tables.choices import Choices
from mrsne.tables.items import Items, id_column, items_of, row_labels
from mrsne.tables.kinds import kind_from_columns, words_of_items
from mrsne.tables.models import ItemModel, is_wide, learn_vectors
from mrsne.tables.pictured import PictureSource
from mrsne.tables.roles import MANY_NUMBERS, Role, guess_roles
from mrsne.tables.table import Table
from mrsne.tables.text import name_vectors
from mrsne.tables.values import item_dates, item_numbers, item_words

ITEM = "item"  # what the rows of a table are called unless somebody says
FEWEST = 2  # items of a map
MOST_COLOURS = 10_000  # values of a kind that is also something to colour by


@dataclass
class Parts:
    """What :class:`mrsne.RelationalData` takes, and how it came about.

    Attributes
    ----------
    item : str
        The kind of item that a row is.
    vectors, relations, names, missing, pictures, labels, columns : dict
        As for :class:`mrsne.RelationalData`.
    roles : dict of str to Role
        What each column was taken for.
    ids : str or None
        The column that tells rows apart; None where they were counted.
    model : ItemModel
        How the items became vectors, for those that come later.
    problems : Problems
        What was left out.
    """

    item: str
    vectors: dict[str, Any] = field(default_factory=dict)
    relations: dict[tuple[str, str], Any] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    missing: dict[str, Any] = field(default_factory=dict)
    pictures: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    ids: str | None = None
    model: ItemModel = field(default_factory=ItemModel)
    problems: Problems = field(default_factory=Problems)

    def arguments(self) -> dict[str, Any]:
        """Return what :class:`mrsne.RelationalData` is built from."""
        return {
            name: getattr(self, name)
            for name in ("vectors", "relations", "names", "missing", "pictures", "labels", "columns")
        }


@dataclass(frozen=True)
class Plan:
    """A table and what is to become of it.

    Attributes
    ----------
    table : Table
    roles : mapping of str to Role
        What each column is taken for.
    item : str
        What a row is.
    min_count : int
        Values of further kinds that fewer items have are left out.
    """

    table: Table
    roles: Mapping[str, Role]
    item: str = ITEM
    min_count: int = 1


def plan_table(table: Table, choices: Choices | None = None) -> Plan:
    """Return what is to become of a table, by what users say and what its columns look like."""
    choices = choices or Choices()
    item = choices.item or ITEM
    return Plan(table, _with_free_names(guess_roles(table, choices), item), item, choices.min_count)


def parts_from_table(plan: Plan, pictures: PictureSource | None = None, alone: bool = True) -> Parts:
    """Return the items of a table, the kinds that its columns hold, and the links between them.

    Parameters
    ----------
    plan : Plan
    pictures : PictureSource, optional
        Where the pictures of a column of paths are; by default beside the table.
    alone : bool
        Whether this table must give something to compare its items by; not so where it only adds to another.
    """
    table, roles = plan.table, plan.roles
    parts = Parts(plan.item, roles=dict(roles))
    parts.problems.extend(table.problems)
    parts.ids = id_column(table, roles)
    items = items_of(table, parts.ids, parts.problems)
    if len(items) < FEWEST:
        raise TableError(f"{table.source} has {len(items)} item; a map needs at least {FEWEST} rows with different ids")
    _add_items(parts, table, items)
    learnt = learn_vectors(table, roles, items, pictures or PictureSource(table.folder), parts.problems)
    parts.model, parts.vectors[parts.item] = learnt.model, len(items)
    if learnt.vectors is not None:
        parts.vectors[parts.item] = learnt.vectors
        parts.missing[parts.item] = learnt.without
    if learnt.thumbnails is not None:
        parts.pictures[parts.item] = learnt.thumbnails
    for kind in dict.fromkeys(role.kind for role in roles.values() if role.role == "kind"):
        assert kind is not None
        _add_kind(parts, table, items, kind, plan.min_count)
    if alone and not parts.relations and learnt.vectors is None:
        raise TableError(
            f"nothing in {table.source} says which rows are alike: no column is text, a list, a repeated value or a "
            f"picture ({_roles_in_words(roles)}); name one with --text COLUMN, --kind NAME=COLUMN or --vector COLUMN "
            "(in Python texts=, kinds= or vectors=)"
        )
    return parts


def _add_items(parts: Parts, table: Table, items: Items) -> None:
    """Add names, labels and columns of the items."""
    item = parts.item
    parts.names[item] = items.names
    numbers = [
        heading for heading, role in parts.roles.items() if role.role == "vector" and not is_wide(table, heading)
    ]
    columns: dict[str, Any] = {}
    for heading, role in parts.roles.items():
        if role.role == "label":
            words = item_words(table, heading, items)
            labels = [name if word is None else word for name, word in zip(items.names, words, strict=True)]
            if labels != items.names:
                parts.labels[item] = labels
        elif role.role == "number" or (heading in numbers and len(numbers) < MANY_NUMBERS):
            columns[heading] = item_numbers(table, heading, items, parts.problems)
        elif role.role == "date":
            columns[heading] = item_dates(table, heading, items, parts.problems)
        elif role.role in ("category", "shown", "text"):
            columns[heading] = item_words(table, heading, items)
    if columns:
        parts.columns[item] = columns
    if parts.ids is None and item not in parts.labels:
        parts.labels[item] = row_labels(items)


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


def _with_free_names(roles: Mapping[str, Role], item: str) -> dict[str, Role]:
    """Return roles in which no kind is called like the rows."""
    return {
        heading: Role(role.role, heading if heading != item else f"{item} (column)", role.separator, role.reason)
        if role.role == "kind" and role.kind == item
        else role
        for heading, role in roles.items()
    }


def _roles_in_words(roles: Mapping[str, Role]) -> str:
    found = [f"{heading}: {role.role}" for heading, role in roles.items()]
    return ", ".join(found[:8]) + (", …" if len(found) > 8 else "")
