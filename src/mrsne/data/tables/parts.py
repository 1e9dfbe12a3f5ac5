"""A table, and what its columns are, as the parts of relational data; and the recipe by which later rows are read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from scipy import sparse

from mrsne.data.files.problems import Problems
from mrsne.data.tables.choices import Choices
from mrsne.data.tables.compared import MANY_NUMBERS, choose_compared
from mrsne.data.tables.items import Items, id_column, item_columns, item_labels, items_of
from mrsne.data.tables.kinds import kind_from_columns, links_to_known, words_of_items
from mrsne.data.tables.models import ItemModel, PictureSource, is_wide, is_words, learn_vectors
from mrsne.data.tables.pairs import items_of_pairs, pair_roles, weight_role
from mrsne.data.tables.references import ITEM, with_references
from mrsne.data.tables.roles import guess_roles
from mrsne.data.tables.table import Role, Table, TableError
from mrsne.data.tables.text import TextModel, name_vectors
from mrsne.parameters import ParameterError

FEWEST = 2  # items of a map
DATA = ("vectors", "relations", "names", "missing", "pictures", "labels", "columns")


@dataclass(frozen=True)
class Recipe:
    """What columns were treated as, and how rows became vectors: kept with a map, to read later rows the same way."""

    item: str  # what a row is
    roles: Mapping[str, Role]
    model: ItemModel
    ids: str | None = None  # the column that tells rows apart; None where rows were counted
    pairs: bool = False  # whether rows were links, and not items

    @classmethod
    def from_record(cls, record: Any) -> Self:
        """Return the recipe that ``asdict`` made a record of; raise ParameterError where it is none."""
        try:
            text = TextModel(**record["model"]["text"])
            model = ItemModel(**{**record["model"], "text": text})
            roles = {str(heading): Role(**role) for heading, role in record["roles"].items()}
            chosen = next((heading for heading, role in roles.items() if role.role == "id"), None)
            ids = record.get("ids", chosen)  # which maps of older versions do not have
            words = _are_all(str, model.columns, text.vocabulary, *model.categories)
            if not words or not _are_all((int, float), model.centres, model.scales, text.weights):
                raise ValueError("words and numbers are expected")
            if len(text.vocabulary) != len(text.weights) or len(model.centres) != len(model.scales):
                raise ValueError("lists differ in length")
            if not all(isinstance(role.role, str) and isinstance(role.kind, str | None) for role in roles.values()):
                raise ValueError("roles are expected")
            if ids is not None and (not isinstance(ids, str) or ids not in roles):
                raise ValueError("the ids must be one of its columns")
            return cls(str(record["item"]), roles, model, ids, bool(record.get("pairs")))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ParameterError(f"what was kept of the table cannot be read ({error})") from error


def _are_all(kind: Any, *lists: Any) -> bool:
    return all(
        isinstance(values, list) and all(isinstance(value, kind) and not isinstance(value, bool) for value in values)
        for values in lists
    )


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
    recipe: Recipe | None = None  # by which later rows of the table are read
    problems: Problems = field(default_factory=Problems)  # what was left out

    def arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in DATA}


@dataclass(frozen=True)
class Plan:
    table: Table
    roles: Mapping[str, Role]  # what each column is treated as
    item: str = ITEM  # what a row is
    min_count: int = 1  # values of further kinds that fewer items have are left out
    pairs: bool = False  # whether a row is a link, and not an item
    on: str | None = None  # of a second table, the column of the first that names its rows

    @property
    def ids(self) -> str | None:
        """The column that tells rows apart; None where they are counted."""
        return id_column(self.table, self.roles)


def plan_table(table: Table, choices: Choices | None = None, item: str = ITEM) -> Plan:
    """Return what is to become of a table, by what users choose and what its columns look like.

    ``item`` is what a row is where users do not say.
    """
    choices = choices or Choices()
    pairs = pair_roles(table, choices)
    if pairs is not None:
        plan = Plan(table, pairs[1], pairs[0], choices.min_count, pairs=True)
    else:
        guessed = guess_roles(table, replace(choices, item=choices.item or item))
        item, roles = with_references(table, guessed, choices, item)
        references = [heading for heading, role in roles.items() if role.kind == item]
        roles = choose_compared(table, roles, {*choices.checked(table), *table.categories, *references})
        if choices.weight is not None:
            roles[choices.weight] = weight_role(choices.weight, choices.ratings, item)
        plan = Plan(table, roles, item, choices.min_count)
    if choices.ratings is not None and not {role.role for role in plan.roles.values()} & {"weight", "rating"}:
        raise TableError(f"{table.source} has no column that is called a rating; name it with --weight (weight=)")
    return plan


def with_colours(plan: Plan, references: Collection[str] = ()) -> Plan:
    """Return a plan in which single values are only to colour by, but for ``references`` and what users choose.

    What tables of pairs link is what a map is of; the few values of a column would pull everything together. Nor are
    items compared by the words of their labels, as those that nothing links may be.
    """
    labels = {
        heading: Role("label", reason="what people read")
        for heading, role in plan.roles.items()
        if role.role == "label" and not role.reason.startswith("your choice")
    }
    single = {
        heading: Role("category", reason=role.reason)
        for heading, role in plan.roles.items()
        if role.role == "kind" and role.separator is None and heading not in references
        if not role.reason.startswith(("your choice", "references", "lists"))
    }
    return replace(plan, roles={**plan.roles, **single, **labels})


def parts_from_table(
    plan: Plan,
    pictures: PictureSource | None = None,
    known: Mapping[str, Sequence[str]] | None = None,
    items: Items | None = None,
) -> Parts:
    """Return the items of a table, the kinds that its columns hold, and the links between them.

    ``pictures`` is where those of a column of paths are; ``known`` are the items of kinds that have other tables, and
    ``items`` those of this one, if others name them. Without either, it must give something to compare its items by.
    """
    table, roles = plan.table, plan.roles
    parts, is_alone = Parts(plan.item), known is None and items is None
    parts.problems.extend(table.problems)
    if items is None and plan.pairs:
        items = items_of_pairs(table, roles, plan.item, parts.problems)
    elif items is None:
        items = items_of(table, plan.ids, parts.problems)
    if len(items) < FEWEST:
        raise TableError(f"{table.source} has {len(items)} item; a map needs at least {FEWEST} rows with different ids")
    _add_items(parts, plan, items)
    learnt = learn_vectors(table, roles, items, pictures, parts.problems)
    parts.recipe = Recipe(plan.item, dict(roles), learnt.model, plan.ids, plan.pairs)
    parts.vectors[parts.item] = len(items)
    if learnt.vectors is not None:
        parts.vectors[parts.item], parts.missing[parts.item] = learnt.vectors, learnt.without
    if learnt.thumbnails is not None:
        parts.pictures[parts.item] = learnt.thumbnails
    for kind in dict.fromkeys(role.kind for role in roles.values() if role.role == "kind"):
        assert kind is not None
        names = items.names if kind == plan.item else (known or {}).get(kind)
        if names is None:
            _add_kind(parts, plan, items, kind)
            continue
        links = links_to_known(table, roles, items, kind, names, parts.problems)
        if kind == plan.item:
            links = sparse.csr_matrix(links - sparse.diags(links.diagonal()))  # none to themselves
            links.eliminate_zeros()
        if links.nnz:
            parts.relations[plan.item, kind] = links
    if is_alone and not parts.relations and learnt.vectors is None:
        words = [f"{heading}: {role.role}" for heading, role in roles.items()]
        raise TableError(
            f"nothing in {table.source} says which rows are alike: no column is text, a list, a repeated value or a "
            f"picture ({', '.join(words[:8])}{', …' if len(words) > 8 else ''}); name one with --text COLUMN, --kind "
            "NAME=COLUMN or --vector COLUMN (in Python texts=, kinds= or vectors=)"
        )
    return parts


def absorb(parts: Parts, more: Parts, known: Collection[str] = ()) -> None:
    """Add what another table tells of a kind, with its further kinds, some of which are ``known`` from elsewhere."""
    own = {kind: f"{kind} of {more.item}" for kind in more.vectors if kind in parts.vectors}
    own |= {kind: kind for kind in (more.item, *known)}
    for kind, headings in more.columns.items():
        parts.columns[own.get(kind, kind)] = parts.columns.get(own.get(kind, kind), {}) | headings
    for name in ("names", "labels", "vectors", "missing", "pictures"):
        held = getattr(parts, name)
        for kind, values in getattr(more, name).items():
            if not isinstance(values, int) or own.get(kind, kind) not in held:  # vectors, and not only their number
                held[own.get(kind, kind)] = values
    for (a, b), W in more.relations.items():
        pair, links = (a, own.get(b, b)), W
        if pair[::-1] in parts.relations:
            pair, links = pair[::-1], W.T.tocsr()
        parts.relations[pair] = links + parts.relations[pair] if pair in parts.relations else links
    parts.problems.extend(more.problems)


def _add_items(parts: Parts, plan: Plan, items: Items) -> None:
    table, parts.names[parts.item] = plan.table, items.names
    roles = {heading: role.values for heading, role in plan.roles.items()}
    numbers = [heading for heading, role in roles.items() if role == "vector" and not is_wide(table, heading)]
    if len(numbers) < MANY_NUMBERS:
        roles.update({heading: "category" if is_words(table, heading) else "number" for heading in numbers})
    columns = item_columns(table, roles, items, parts.problems)
    if columns:
        parts.columns[parts.item] = columns
    labels = item_labels(table, plan.roles, items, plan.ids)
    if labels is not None:
        parts.labels[parts.item] = labels


def _add_kind(parts: Parts, plan: Plan, items: Items, kind: str) -> None:
    names, links = kind_from_columns(plan.table, plan.roles, items, kind, plan.min_count, parts.problems)
    headings = [heading for heading, role in plan.roles.items() if role.role == "kind" and role.kind == kind]
    if not names:
        parts.problems.add("kind without an item", f"{plan.table.source}, column {', '.join(headings)}", kind)
        return
    parts.vectors[kind], parts.names[kind], parts.relations[parts.item, kind] = len(names), names, links
    meanings = name_vectors(names)
    if meanings is not None:
        parts.vectors[kind], parts.missing[kind] = meanings
    words = words_of_items(names, links)
    if words is not None:
        parts.columns.setdefault(parts.item, {})[headings[0]] = words
