"""How a table was read, kept with its map, so that later rows are read the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.data.files.problems import Problems
from mrsne.data.tables.items import Items, item_columns, item_labels, items_of, numbered_items
from mrsne.data.tables.kinds import linked_words
from mrsne.data.tables.models import ItemModel, Learnt, PictureSource, apply_model
from mrsne.data.tables.parts import Parts
from mrsne.data.tables.table import Role, Table, TableError
from mrsne.data.tables.text import TextModel
from mrsne.parameters import ParameterError


@dataclass(frozen=True)
class Recipe:
    """What columns were treated as, and how rows became vectors."""

    item: str  # what a row is
    roles: Mapping[str, Role]
    model: ItemModel
    ids: str | None = None  # the column that tells rows apart; None where rows were counted

    @classmethod
    def of(cls, parts: Parts) -> Recipe:
        """Return the recipe by which parts were made."""
        return cls(parts.item, parts.roles, parts.model, parts.ids)

    def to_record(self) -> dict[str, Any]:
        """Return the recipe as JSON can hold it."""
        roles = {heading: asdict(role) for heading, role in self.roles.items()}
        return {"item": self.item, "roles": roles, "model": asdict(self.model), "ids": self.ids}

    @classmethod
    def from_record(cls, record: Any) -> Recipe:
        """Return the recipe of a record; raise ValueError where it is none."""
        try:
            text = TextModel(**record["model"]["text"])
            model = ItemModel(**{**record["model"], "text": text})
            roles = {str(heading): Role(**role) for heading, role in record["roles"].items()}
        except (KeyError, TypeError, AttributeError) as error:
            raise _unreadable(error) from error
        words, numbers = (model.columns, text.vocabulary), (model.centres, model.scales, text.weights)
        if not all(_are(several, str) for several in words) or not all(
            _are(several, (int, float)) for several in numbers
        ):
            raise _unreadable("words and numbers are expected")
        if len(text.vocabulary) != len(text.weights) or len(model.centres) != len(model.scales):
            raise _unreadable("lists differ in length")
        if not all(isinstance(role.role, str) and isinstance(role.kind, str | None) for role in roles.values()):
            raise _unreadable("roles are expected")
        chosen = next((heading for heading, role in roles.items() if role.role == "id"), None)
        ids = record.get("ids", chosen)  # which maps of older versions do not have
        if ids is not None and (not isinstance(ids, str) or ids not in roles):
            raise _unreadable("the ids must be one of its columns")
        return cls(str(record["item"]), roles, model, ids)


def _unreadable(reason: object) -> ParameterError:
    return ParameterError(f"what was kept of the table cannot be read ({reason})")


def _are(several: Any, kind: Any) -> bool:
    return isinstance(several, list) and all(isinstance(one, kind) and not isinstance(one, bool) for one in several)


@dataclass(frozen=True)
class NewRows:
    """The rows of a table as new items of a map."""

    items: Items
    learnt: Learnt  # their vectors, as those of the map were made
    links: dict[str, sparse.csr_matrix]  # by kind, of shape (new items, items of that kind)
    labels: list[str] | None
    columns: dict[str, Any]


def read_new_rows(
    table: Table, recipe: Recipe, known: Mapping[str, Sequence[str]], pictures: PictureSource, problems: Problems
) -> NewRows:
    """Return the rows of a table as the recipe reads them.

    ``known`` has the names of the items of each kind in the map; values that the map does not have are noted.
    """
    problems.extend(table.problems)
    roles = {heading: role for heading, role in recipe.roles.items() if heading in table.columns}
    if not roles:
        raise TableError(
            f"{table.source} has none of the columns that the map was made from: {', '.join(list(recipe.roles)[:10])}"
        )
    if recipe.ids is None:
        items = numbered_items(table.size, known.get(recipe.item, ()))
    elif recipe.ids in table.columns:
        items = items_of(table, recipe.ids, problems)
    else:
        raise TableError(f"{table.source} has no column {recipe.ids!r}, which holds the ids of the map's items")
    shown = {heading: "shown" if role.role == "kind" else role.role for heading, role in roles.items()}
    columns = item_columns(table, shown, items, problems)
    labels = item_labels(table, roles, items, recipe.ids)
    links = {
        kind: _links(table, roles, items, kind, known[kind], problems)
        for kind in dict.fromkeys(role.kind for role in roles.values() if role.role == "kind")
        if kind is not None and kind in known
    }
    absent = [heading for heading in recipe.model.columns if heading not in table.columns]
    for heading in absent:
        problems.add("column that items of the map are compared by, and that is not there", table.source, heading)
    learnt = Learnt(recipe.model) if absent else apply_model(recipe.model, table, items, pictures, problems)
    return NewRows(items, learnt, links, labels, columns)


def _links(
    table: Table, roles: Mapping[str, Role], items: Items, kind: str, known: Sequence[str], problems: Problems
) -> sparse.csr_matrix:
    """Return which new items have which values; those that the map does not have are noted once."""
    position = {name.casefold(): index for index, name in enumerate(known)}
    item, word, words = linked_words(table, roles, items, kind, problems)
    found = np.array([position.get(name.casefold(), -1) for name in words], np.int64)
    counts = np.bincount(word, minlength=len(words))
    for index in np.flatnonzero((found < 0) & (counts > 0)).tolist():
        what = f"{words[index]} ({counts[index]} items)"
        problems.add("value that the map does not have", f"{table.source}, {kind}", what)
    column = found[word]
    rows, columns = item[column >= 0], column[column >= 0]
    W = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(items), len(known)))
    W.data[:] = 1.0
    return W
