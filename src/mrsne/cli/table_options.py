"""Options of ``mrsne map`` for tables: what columns are, and what else is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from mrsne.cli.options import split_value

PANEL = "Tables: what columns are (by default guessed)"

Item = Annotated[str | None, typer.Option("--item", help="What a row is.", rich_help_panel=PANEL, metavar="NAME")]
IdColumn = Annotated[
    str | None,
    typer.Option("--id", help="The name by which links refer to a row.", rich_help_panel=PANEL, metavar="COLUMN"),
]
LabelColumn = Annotated[
    str | None,
    typer.Option("--label", help="What people read; also a column of --tags.", rich_help_panel=PANEL, metavar="COLUMN"),
]
KindColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        help="A further kind of item, as lists or single values.",
        rich_help_panel=PANEL,
        metavar="NAME=COLUMN",
    ),
]
NumberColumns = Annotated[
    list[str] | None, typer.Option("--number", help="Numbers to colour by.", rich_help_panel=PANEL, metavar="COLUMN")
]
DateColumns = Annotated[
    list[str] | None, typer.Option("--date", help="Dates to colour by.", rich_help_panel=PANEL, metavar="COLUMN")
]
CategoryColumns = Annotated[
    list[str] | None, typer.Option("--category", help="Words to colour by.", rich_help_panel=PANEL, metavar="COLUMN")
]
TextColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        help="Text to compare rows by. Alone, for a folder of pictures: the same as --text-files.",
        rich_help_panel=PANEL,
        metavar="COLUMN",
    ),
]
ShownColumns = Annotated[
    list[str] | None,
    typer.Option("--show", help="Only to be shown and searched.", rich_help_panel=PANEL, metavar="COLUMN"),
]
PictureColumn = Annotated[
    str | None,
    typer.Option("--picture", help="Paths of pictures to compare rows by.", rich_help_panel=PANEL, metavar="COLUMN"),
]
VectorColumns = Annotated[
    list[str] | None,
    typer.Option("--vector", help="Numbers to compare rows by.", rich_help_panel=PANEL, metavar="COLUMN"),
]
IgnoredColumns = Annotated[
    list[str] | None, typer.Option("--ignore", help="To be left out.", rich_help_panel=PANEL, metavar="COLUMN")
]
PictureFolder = Annotated[
    Path | None,
    typer.Option(
        "--pictures",
        help="Folder of the pictures, by their paths or called like the ids.",
        rich_help_panel=PANEL,
        show_default="that of the table",
    ),
]
TableName = Annotated[
    str | None, typer.Option("--table", help="Which one, in a database.", rich_help_panel=PANEL, metavar="NAME")
]
AlsoTables = Annotated[
    list[Path] | None,
    typer.Option("--also", help="A second table, about one of the kinds.", rich_help_panel=PANEL, metavar="FILE"),
]
OnColumns = Annotated[
    list[str] | None,
    typer.Option("--on", help="The column that holds the ids of --also.", rich_help_panel=PANEL, metavar="COLUMN"),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what the columns are taken for, and stop.", rich_help_panel=PANEL)
]


@dataclass(frozen=True)
class TableOptions:
    """What is said of a table; names are those of the options."""

    item: str | None = None
    id: str | None = None
    label: str | None = None
    kind: Sequence[str] = ()
    number: Sequence[str] = ()
    date: Sequence[str] = ()
    category: Sequence[str] = ()
    text: Sequence[str] = ()
    show: Sequence[str] = ()
    picture: str | None = None
    vector: Sequence[str] = ()
    ignore: Sequence[str] = ()
    pictures: Path | None = None
    table: str | None = None
    also: Sequence[Path] = ()
    on: Sequence[str] = ()
    dry_run: bool = False

    def given(self) -> list[str]:
        """Return the options that were given, as they are typed.

        Examples
        --------
        >>> TableOptions(label="title", dry_run=True).given()
        ['--label', '--dry-run']
        """
        return [f"--{option.name.replace('_', '-')}" for option in fields(self) if getattr(self, option.name)]

    def choices(self, min_count: int) -> Any:
        """Return what is said of columns."""
        from mrsne.data.table_plan import table_choices

        kinds: dict[str, list[str]] = {}
        for text in self.kind:
            name, column = split_value("--kind", text, "NAME=COLUMN") if "=" in text else (text, text)
            kinds.setdefault(name, []).append(column)
        return table_choices(
            kinds=kinds,
            item=self.item,
            id=self.id,
            label=self.label,
            numbers=self.number,
            dates=self.date,
            categories=self.category,
            texts=self.text,
            shown=self.show,
            pictures=[] if self.picture is None else [self.picture],
            vectors=self.vector,
            ignore=self.ignore,
            min_count=min_count,
        )


def with_text_files(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of ``map`` with ``--text`` alone, as it is given for a folder, as ``--text-files``.

    Examples
    --------
    >>> with_text_files(["map", "photos", "--text", "-o", "map.html"])
    ['map', 'photos', '--text-files', '-o', 'map.html']
    >>> with_text_files(["map", "papers.csv", "--text", "abstract"])
    ['map', 'papers.csv', '--text', 'abstract']
    """
    if "map" not in arguments[:1]:
        return list(arguments)
    found = list(arguments)
    for index, argument in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else "-"
        if argument == "--text" and (following.startswith("-") or Path(following).is_dir()):
            found[index] = "--text-files"
    return found
