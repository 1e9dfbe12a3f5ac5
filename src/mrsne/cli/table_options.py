"""Options of ``mrsne map`` for tables: what columns are, and what else is said of them."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Self, TypeAlias

import typer

from mrsne.cli.options import split_value
from mrsne.data.tables.choices import ROLES

PANEL = "Tables: what columns are (by default guessed)"


def _option(name: str, about: str, metavar: str | None = "COLUMN", **more: Any) -> Any:
    return typer.Option(name, help=about, metavar=metavar, rich_help_panel=PANEL, **more)


Column: TypeAlias = str | None
Columns: TypeAlias = list[str] | None
Item = Annotated[Column, _option("--item", "What a row is.", "NAME")]
IdColumn = Annotated[Column, _option("--id", "The name by which links refer to a row.")]
LabelColumn = Annotated[Column, _option("--label", "What people read; also a column of --tags.")]
KindColumns = Annotated[Columns, _option("--kind", "A further kind of item, as lists or single values.", "NAME=COLUMN")]
NumberColumns = Annotated[Columns, _option("--number", "Numbers to colour by.")]
DateColumns = Annotated[Columns, _option("--date", "Dates to colour by.")]
CategoryColumns = Annotated[Columns, _option("--category", "Words to colour by.")]
TextColumns = Annotated[
    Columns,
    _option("--text", "Text to compare rows by. Alone, for a folder of pictures: the same as --text-files."),
]
ShownColumns = Annotated[Columns, _option("--show", "Only to be shown and searched.")]
PictureColumn = Annotated[Column, _option("--picture", "Paths of pictures to compare rows by.")]
VectorColumns = Annotated[Columns, _option("--vector", "Numbers to compare rows by.")]
WeightColumn = Annotated[Column, _option("--weight", "How strongly the links of a row count.")]
Ratings = Annotated[
    Column,
    _option("--ratings", "Which are links: above-mean (those above a person's mean) or as-is (all).", "WORD"),
]
IgnoredColumns = Annotated[Columns, _option("--ignore", "To be left out.")]
PictureFolder = Annotated[
    Path | None,
    _option(
        "--pictures",
        "Folder of the pictures, by their paths or called like the ids.",
        None,
        show_default="that of the table",
    ),
]
TableName = Annotated[Column, _option("--table", "Which one, in a database.", "NAME")]
AlsoTables = Annotated[list[Path] | None, _option("--also", "A second table, about one of the kinds.", "FILE")]
OnColumns = Annotated[Columns, _option("--on", "The column that holds the ids of --also.")]
DryRun = Annotated[bool, _option("--dry-run", "Say what the columns are taken for, and stop.", None)]


# what options are called in the words of ``RelationalData.from_frame``
COLUMNS = {{"shown": "show", "unused": "ignore"}.get(role, role): name for name, role in ROLES.items()}
COLUMNS |= {"item": "item", "ratings": "ratings"}
OTHERS = ("pictures", "table", "also", "on", "dry_run")


class TableOptions(SimpleNamespace):
    """What is said of a table; names are those of the options."""

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        named = {**parameters, "id": parameters["id_column"]}
        named |= {"also": parameters["also"] or [], "on": parameters["on"] or []}
        return cls(**{name: named[name] for name in (*COLUMNS, *OTHERS)})

    def given(self) -> list[str]:
        return [f"--{name.replace('_', '-')}" for name, value in vars(self).items() if value]

    def choices(self, min_count: int) -> Any:
        from mrsne.data.table_plan import table_choices

        kinds: dict[str, list[str]] = {}
        for text in self.kind or ():
            name, column = split_value("--kind", text, "NAME=COLUMN") if "=" in text else (text, text)
            kinds.setdefault(name, []).append(column)
        named = {COLUMNS[name]: value for name, value in vars(self).items() if name in COLUMNS and value}
        return table_choices(**{**named, "kinds": kinds}, min_count=min_count)
