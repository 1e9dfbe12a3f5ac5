"""A database whose tables refer to each other: tables of items, tables of pairs, and the links that they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mrsne.data.files.problems import Problems
from mrsne.data.tables.choices import Choices
from mrsne.data.tables.items import items_of, known_items
from mrsne.data.tables.joining import choices_for, with_reason
from mrsne.data.tables.kinds import words_of_items
from mrsne.data.tables.models import PictureSource
from mrsne.data.tables.pairs import describes_a_pair, roles_of_pairs
from mrsne.data.tables.parts import FEWEST, Parts, Plan, absorb, parts_from_table, plan_table, with_colours
from mrsne.data.tables.table import Table, TableError, as_coded
from mrsne.data.tables.vocabulary import singular, words_in

SHARE = 0.5  # of the different values of a column that are keys of the table that it is called like


@dataclass(frozen=True)
class Database:
    """What is to become of the tables of a database: those of items, largest first, then those of pairs."""

    source: str
    plans: list[Plan]
    unused: Sequence[str]  # tables without links, or without rows

    def drawing(self) -> list[str]:
        """Return kinds and links as a small diagram of text."""
        sizes = {plan.item: plan.table.size for plan in self.plans if not plan.pairs}
        branches: dict[str, list[str]] = {kind: [] for kind in sizes}
        for plan in self.plans:
            weights = [f", weighed by {heading}" for heading, role in plan.roles.items() if role.role == "weight"]
            for heading, role in plan.roles.items():
                if role.role == "kind" and role.kind in sizes:
                    first, second = sorted((plan.item, role.kind), key=list(sizes).index)
                    by = f"the table {plan.table.source}{''.join(weights)}" if plan.pairs else heading
                    count = plan.table.facts[heading].present
                    branches[first].append(f"{second} ({sizes[second]:,}): {count:,} links by {by}")
        lines = [f"{self.source}: {len(sizes)} kinds and their links" if len(sizes) > 1 else f"{self.source}: one kind"]
        for kind, found in branches.items():
            lines += [f"  {kind} ({sizes[kind]:,})"] if found else []
            lines += [f"  {'└' if text is found[-1] else '├'}─ {text}" for text in found]
        return [*lines, f"  not used: {', '.join(self.unused)}"] if self.unused else lines


def plan_database(source: str, tables: Sequence[Table], choices: Choices) -> Database:
    """Return what is to become of tables that refer to each other; without plans where none does.

    A table with two references is one of pairs where they are its key, or all else in it describes a pair; any other
    has an item in each row.
    """
    large = {table.source: table for table in tables if table.size >= FEWEST}
    references = {name: _references(table, large) for name, table in large.items()}
    targets = {target for found in references.values() for target in found.values()}
    linked = [name for name, found in references.items() if found or name in targets]
    for _, column, _ in choices.named():
        if linked and not any(column in large[name].columns for name in linked):
            raise TableError(f"{source} has no column {column!r} in its tables {', '.join(linked)}")
    if linked and choices.item is not None:
        raise TableError(f"{source} has several tables; --item is for the rows of one, which --table NAME chooses")
    kinds: dict[str, str] = {}
    for name in linked:
        kinds[name] = singular(name) if singular(name) not in kinds.values() else name
    plans = []
    for name in linked:
        table, ends = large[name], {heading: kinds[target] for heading, target in references[name].items()}
        own = choices_for(choices, set(table.columns))
        others = [heading for heading in table.columns if heading not in ends and heading not in table.primary_key]
        are_pairs = {*table.primary_key} == {*ends} or all(describes_a_pair(table, h) for h in others)
        if len(ends) == 2 and name not in targets and are_pairs:
            own = replace(own, ignore=[*own.ignore, *(heading for heading in table.primary_key if heading not in ends)])
            plans.append(Plan(table, roles_of_pairs(table, ends, own), next(iter(ends.values())), pairs=True))
            continue
        held = {kind: list(columns) for kind, columns in own.kinds.items()}
        for heading, kind in ends.items():
            held.setdefault(kind, []).append(heading)
        plan = with_colours(
            plan_table(table, replace(own, id=own.id or _key(table), kinds=held, item=kinds[name])), ends
        )
        for heading, target in references[name].items():
            plan = with_reason(plan, heading, f"the ids of {target}")
        other_tables = {*kinds.values()} - {plan.item}
        for heading, role in plan.roles.items():  # words that are called like the rows of another table
            if role.role == "kind" and role.kind in other_tables and heading not in held.get(role.kind, ()):
                own_kind = replace(role, kind=f"{role.kind} of {plan.item}")
                plan = replace(plan, roles={**plan.roles, heading: own_kind})
        plans.append(plan)
    labelled = {plan.item for plan in plans if any(role.role == "label" for role in plan.roles.values())}
    plans.sort(key=lambda plan: (plan.pairs, plan.item not in labelled, -plan.table.size))
    return Database(source, plans, [table.source for table in tables if table.source not in linked])


def _key(table: Table) -> str | None:
    """Return the column that other tables refer to: the primary key, or one called like it whose values differ."""
    named = (["id"], [*words_in(singular(table.source)), "id"])
    found = [h for h in table.columns if words_in(h) in named and table.facts[h].different == table.size]
    return next(iter(table.primary_key if len(table.primary_key) == 1 else found), None)


def _references(table: Table, tables: Mapping[str, Table]) -> dict[str, str]:
    """Return the tables that columns refer to: by foreign keys or, in a table without any, by names and values."""
    keys = {name: key for name, other in tables.items() if (key := _key(other)) is not None}
    called = {"".join(words_in(singular(name))) + "id": name for name in keys}
    called |= {"".join(words_in(key)): name for name, key in keys.items() if words_in(key) != ["id"]}
    named = {name.casefold(): name for name in keys}
    references = {}
    for heading, column in table.columns.items():
        declared = named.get(table.foreign_keys.get(heading, "").casefold())
        name = declared if table.foreign_keys else called.get("".join(words_in(heading)))
        if name is not None and (declared or heading != keys.get(table.source)):
            values, known = (set(map(str, as_coded(c).values)) for c in (column, tables[name].columns[keys[name]]))
            if len(values & known) >= max(0 if declared else SHARE * len(values), 1):
                references[heading] = name
    return references


def parts_from_database(database: Database, pictures: PictureSource | None = None) -> Parts:
    """Return the items of all tables and the links between them; new rows are read as those of the first."""
    known: dict[str, list[str]] = {}
    for plan in database.plans:
        if not plan.pairs:
            known[plan.item] = items_of(plan.table, plan.ids, Problems()).names
    found = []
    for plan in database.plans:
        problems = Problems()
        items = known_items(plan.table, plan.ids, known[plan.item], problems) if plan.pairs else None
        found.append(parts_from_table(plan, pictures, known, items))
        found[-1].problems.extend(problems)
    parts = replace(found[0], relations=dict(found[0].relations))
    for more in found[1:]:
        absorb(parts, more, known)
    if not parts.relations:
        raise TableError(f"{database.source} has tables that refer to each other, but no reference leads to a row")
    for more in found:
        for (kind, other), W in more.relations.items():
            words = words_of_items(parts.labels.get(other, parts.names[other]), W)
            if words is not None and kind != other in known:  # to colour by the one that each item refers to
                parts.columns.setdefault(kind, {})[other] = words
    return parts
