"""What users choose for columns, which overrules every guess."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mrsne.data.tables.table import Table, TableError
from mrsne.parameters import check_integer, check_option

LABEL_AND_TEXT = "label and text"  # the one pair of roles that a column may have at once

RATINGS = ("above-mean", "as-is")  # which links ratings are: those above a person's mean, or all by their values

ROLES = {  # by what users name: what its columns become
    "id": "id",
    "label": "label",
    "kinds": "kind",
    "numbers": "number",
    "dates": "date",
    "categories": "category",
    "texts": "text",
    "shown": "shown",
    "pictures": "picture",
    "vectors": "vector",
    "weight": "weight",
    "ignore": "unused",
}


@dataclass(frozen=True)
class Choices:
    """What columns are treated as; those that are not named are guessed."""

    item: str | None = None  # what a row is called
    id: str | None = None  # the column by which links and other tables refer to an item
    label: str | None = None  # the column that people read
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)  # for each further kind, the columns that hold it
    numbers: Sequence[str] = ()
    dates: Sequence[str] = ()
    categories: Sequence[str] = ()
    texts: Sequence[str] = ()  # that become vectors
    shown: Sequence[str] = ()  # that are only shown and searched
    pictures: Sequence[str] = ()  # paths
    vectors: Sequence[str] = ()  # numbers that become vectors
    ignore: Sequence[str] = ()
    weight: str | None = None  # the column that says how strongly a row's links count
    ratings: str | None = None  # one of RATINGS; by default those above the mean, where the weight is called a rating
    min_count: int = 1  # items of further kinds that fewer rows have are left out

    def checked(self, table: Table) -> dict[str, tuple[str, str | None]]:
        """Return by column the role that was chosen and, for a kind, its name; raise for columns that are not there."""
        check_integer("min_count", self.min_count, minimum=1)
        if self.ratings is not None:
            check_option("ratings", self.ratings, RATINGS)
        if self.item is not None and (not isinstance(self.item, str) or not self.item.strip()):
            raise TableError(f"item must be the name of what the rows are, got {self.item!r}")
        chosen: dict[str, tuple[str, str | None]] = {}
        for role, column, kind in self.named():
            if column not in table.columns:
                folded = {name.casefold(): name for name in table.columns}
                close = difflib.get_close_matches(str(column).casefold(), folded, n=1)
                meant = f"; is {folded[close[0]]!r} meant?" if close else ""
                there = ", ".join(map(repr, list(table.columns)[:20]))
                raise TableError(f"{table.source} has no column {column!r}{meant}; its columns are {there}")
            if role == "text" and chosen.get(column) == ("label", None):
                chosen[column] = (LABEL_AND_TEXT, None)
                continue
            if column in chosen:
                first = chosen[column][0]
                raise TableError(f"the column {column!r} of {table.source} is chosen twice, as {first} and {role}")
            chosen[column] = (role, kind)
        return chosen

    def named(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield the columns that are named: what each is to be, its heading and, of a kind, its name."""
        for name, role in ROLES.items():
            given = self.kinds.items() if name == "kinds" else [(None, getattr(self, name))]
            for kind, columns in given:
                yield from ((role, column, kind) for column in columns_in(columns))


def columns_in(columns: Sequence[str] | str | None) -> Sequence[str]:
    return () if columns is None else (columns,) if isinstance(columns, str) else columns
