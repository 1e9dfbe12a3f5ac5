"""A table with one row for each item, and others about its kinds: what its columns are, and its data."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrsne.data.progress import Progress
from mrsne.data.tables.addresses import table_name
from mrsne.data.tables.choices import Choices
from mrsne.data.tables.database import Database, parts_from_database, plan_database
from mrsne.data.tables.joining import parts_from_tables, plan_tables, with_pictures
from mrsne.data.tables.models import PictureSource
from mrsne.data.tables.parts import Parts, Plan
from mrsne.data.tables.reading import open_database, open_table
from mrsne.data.tables.references import ITEM
from mrsne.data.tables.table import TableError
from mrsne.data.tables.vocabulary import singular
from mrsne.encoders.images import Encoded, encode_pictures
from mrsne.encoders.networks import BUNDLED

WIDEST = 24  # characters of a heading before what it is


@dataclass(frozen=True)
class PlannedTables:
    """A table, others about its kinds, and what their columns were taken for."""

    plan: Plan
    seconds: Sequence[Plan] = ()
    picture_folder: Path | None = None
    database: Database | None = None  # of which the plan is one of several
    table: str | None = None  # the name of the main table, in a file of several

    @property
    def plans(self) -> list[Plan]:
        """The plans of all tables, the main one first."""
        return self.database.plans if self.database else [self.plan, *self.seconds]

    def read(self, image_model: str = BUNDLED, cache: Path | None = None, progress: Progress | None = None) -> Parts:
        folder = self.picture_folder or self.plan.table.folder
        source = PictureSource(folder, picture_encoder(image_model, cache, progress or Progress()))
        if self.database is not None:
            return parts_from_database(self.database, source)
        return parts_from_tables(self.plan, self.seconds, source)

    def record(self) -> dict[str, dict[str, Any]]:
        """Return rows and columns of each table, as programs read it."""
        columns: dict[str, Any] = {plan.table.source: {} for plan in self.plans}
        for plan in self.plans:
            for heading, role in plan.roles.items():
                said = {"role": role.role, "kind": role.kind, "reason": role.reason}
                columns[plan.table.source][heading] = said
        return {"rows": {plan.table.source: plan.table.size for plan in self.plans}, "columns": columns}

    def lines(self) -> list[str]:
        lines = [] if self.database is None else self.database.drawing()
        for plan in self.plans:
            roles = plan.roles
            width = min(max(map(len, roles), default=0), WIDEST)
            lines.append(f"{plan.table.source}: {plan.table.size:,} rows, {len(roles)} column{'s' * (len(roles) != 1)}")
            for heading, role in roles.items():
                what = "not used" if role.role == "unused" else role.role
                if role.kind is not None:
                    inside = role.role == "kind" and role.kind == plan.item
                    what = f'links inside "{role.kind}"' if inside else f'kind "{role.kind}"'
                lines.append(f"  {heading:<{width}}  {what}{f': {role.reason}' if role.reason else ''}")
        return lines


def table_choices(kinds: Mapping[str, str | Sequence[str]] | Sequence[str] | str = (), **columns: Any) -> Choices:
    """Return what is said of columns in the words of :meth:`mrsne.RelationalData.from_frame`."""
    if isinstance(kinds, str):
        kinds = [kinds]
    named = dict(kinds) if isinstance(kinds, Mapping) else {column: [column] for column in kinds}
    return Choices(kinds=named, **columns)


def plan_collection(
    source: Any,
    name: str | None = None,
    also: Mapping[str, Any] | Sequence[tuple[str, Any]] = (),
    choices: Choices | None = None,
    picture_folder: str | os.PathLike[str] | None = None,
) -> PlannedTables:
    """Return what the columns of tables are taken for: by what is said of them, by headings and values.

    ``also`` holds other tables, each with the column of the first that names its rows.
    """
    choices = choices or Choices()
    item = item_name(Path(source)) if isinstance(source, (str, os.PathLike)) else ITEM
    folder = None if picture_folder is None else Path(picture_folder)
    tables = open_database(source) if name is None else []
    if len(tables) > 1 and (database := plan_database(table_name(source), tables, choices)).plans:
        if also:
            raise TableError(f"{database.source} has several tables; --also adds to the one that --table NAME names")
        return PlannedTables(database.plans[0], (), folder, database, database.plans[0].table.source)
    pairs = list(also.items()) if isinstance(also, Mapping) else list(also)
    others = [(open_table(other, name=f"also[{column!r}]"), column) for column, other in pairs]
    plan, seconds = plan_tables(open_table(source, table=name), others, choices, item)
    return PlannedTables(plan if folder is None else with_pictures(plan, folder), seconds, folder, table=name)


def item_name(source: Path) -> str:
    """Return what a row is called: the singular of the file's name, if that is a plural."""
    if source.suffix.lower() == ".h5ad":
        return "cell"
    stem = source.stem
    return singular(stem) if re.fullmatch(r"[^\W\d_]+", stem) and singular(stem) != stem else ITEM


def picture_encoder(model: str, cache: Path | None, progress: Progress) -> Callable[[Sequence[Path], int], Encoded]:
    """Return what turns pictures into vectors and thumbnails of a width, showing how far it is."""

    def encode(paths: Sequence[Path], side: int) -> Encoded:
        with progress.bar("pictures", len(paths)) as advance:
            encoded = encode_pictures(paths, model=model, cache=cache, thumbnail_side=side, progress=advance)
        progress.known_pictures(encoded.n_known, len(paths))
        return encoded

    return encode
