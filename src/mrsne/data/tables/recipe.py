"""How a table was read, kept with its map, so that later rows are read the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mrsne.data.tables.models import ItemModel
from mrsne.data.tables.parts import Parts
from mrsne.data.tables.table import Role
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
