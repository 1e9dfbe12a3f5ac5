"""What mrsne takes the columns of a table for, held against what a careful person would choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mrsne import Collection, RelationalData
from mrsne.data.table_plan import PlannedTables, plan_collection
from mrsne.data.tables.cells import numbers_of
from mrsne.data.tables.table import Coded, Role
from mrsne.parameters import MrsneError

NOT_IN_THE_MAP = ("number", "date", "category", "shown", "unused")
TIMES = ("number", "date", "vector")
ROLE_OF_RULE = {"kinds": "kind", "vectors": "vector", "text": "text"}
SHARE_OF_LINKS = 0.3  # some mean both directions of a link, and a weight of 0 is none


class Judged:
    """A table of which it is asked what mrsne makes of it."""

    def __init__(self, path: Path, expected: Mapping[str, Any]) -> None:
        self.path, self.expected = path, expected

    @cached_property
    def plan(self) -> PlannedTables:
        return plan_collection(self.path)

    @cached_property
    def data(self) -> RelationalData:
        return Collection.from_table(self.path, cache=None).data

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        return {heading.strip(): role for heading, role in self.plan.plan.roles.items()}

    def mistakes(self) -> list[str]:
        """Return what a careful person would have done otherwise."""
        rules = [self._names, self._what_must_be, self._what_must_not_be, self._lists, self._own_links]
        try:
            return [
                mistake
                for rule in ([self._mistakes_in_data] if "sizes" in self.expected else rules)
                for mistake in rule()
            ]
        except MrsneError as error:
            return [f"nothing is made of it: {error}"]

    def _names(self) -> Iterable[str]:
        """The columns of ids and labels."""
        for role in ("id", "label"):
            found = [heading for heading, given in self.roles.items() if given.role == role] or [""]
            right = self.expected[role]
            # a column that names the rows does both where no other column is right as a label
            if not any(_fits(found[0], pattern) for pattern in right) and not (
                role == "label" and not found[0] and self._heading_of("id") in right
            ):
                yield f"{role} is {found[0] or 'none'}, not {' or '.join(name or 'none' for name in right)}"

    def _heading_of(self, role: str) -> str:
        return next((heading for heading, given in self.roles.items() if given.role == role), "")

    def _what_must_be(self) -> Iterable[str]:
        for rule, role in ROLE_OF_RULE.items():
            for wanted in self.expected.get(rule, ()):
                names = [heading for heading in self.roles if _fits(heading, wanted)]
                if not names:
                    yield f"no column is called {wanted}"
                elif "|" in wanted or rule == "kinds":
                    if not any(self._decides(name, role) for name in names):
                        yield f"{self._described(names)}, not a {role}"
                else:
                    wrong = [name for name in names if not self._decides(name, role)]
                    if wrong:
                        yield f"{self._described(wrong)}, not a {role}"
        either = self.expected.get("either", ())
        if either and not any(self._decides(name) for wanted in either for name in self.roles if _fits(name, wanted)):
            yield f"none of {', '.join(either)} decides where rows are"
        for wanted in self.expected.get("time", ()):
            if self.roles[wanted].role not in (*TIMES, "id"):
                yield f"{self._described([wanted])}, not a time"

    def _what_must_not_be(self) -> Iterable[str]:
        for heading, given in self.roles.items():
            if given.role in ("id", "label", *NOT_IN_THE_MAP):
                continue
            is_class = heading in self.expected.get("class", ())
            rules = [rule for rule, role in ROLE_OF_RULE.items() if role == given.role]
            if given.role == "vector" and self._is_of_words(heading):
                rules.append("kinds")
            patterns = [pattern for rule in rules for pattern in self._patterns(rule)]
            if heading in self.expected.get("own", {}) or any(_fits(heading, pattern) for pattern in patterns):
                continue
            if "kinds" in rules and given.role == "vector" and "vectors" in self.expected and not is_class:
                continue
            shown = " that the map is there to show" if is_class else ""
            yield f"{self._described([heading])}, which should not decide{shown}"

    def _patterns(self, rule: str) -> list[str]:
        return [*self.expected.get(rule, ()), *self.expected.get(f"{rule}_too", ())]

    def _is_of_words(self, heading: str) -> bool:
        column = next(column for name, column in self.plan.plan.table.columns.items() if name.strip() == heading)
        return isinstance(column, Coded) and bool(np.isnan(numbers_of(column.values)).any())

    def _lists(self) -> Iterable[str]:
        for heading, wanted in self.expected.get("items", {}).items():
            if self.roles[heading].role == "kind":
                found = self.data.sizes.get(str(self.roles[heading].kind))
                if found != wanted:
                    yield f"{heading} has {found} different items, not {wanted}"

    def _own_links(self) -> Iterable[str]:
        for heading, wanted in self.expected.get("own", {}).items():
            found = sum(count for (one, other), count in self._links().items() if one == other)
            if not SHARE_OF_LINKS * wanted <= found <= wanted:
                yield f"{found} links inside the kind of the rows by {heading}, not {wanted}"

    def _links(self) -> dict[tuple[str, str], int]:
        """How many pairs are linked, in whichever direction."""
        counts = {}
        for (one, other), matrix in self.data.relations.items():
            both = abs(matrix) + abs(matrix.T) if one == other else matrix
            counts[one, other] = sparse.triu(both, k=1).nnz if one == other else both.nnz
        return counts

    def _mistakes_in_data(self) -> Iterable[str]:
        """The kinds and links of a table of pairs, or of a database."""
        sizes = sorted(self.data.sizes.values(), reverse=True)
        wanted = [size if isinstance(size, list) else [size] for size in self.expected["sizes"]]
        for alternatives in wanted:
            if not set(alternatives) & set(sizes):
                yield f"no kind of {alternatives[0]} items, but of {', '.join(map(str, sizes))}"
        right = {size for alternatives in wanted for size in alternatives} | set(self.expected.get("sizes_too", ()))
        others = [size for size in sizes if size not in right]
        if others:
            yield f"kinds of {', '.join(map(str, others))} items"
        links = self.expected.get("links")
        if links and not SHARE_OF_LINKS * links <= sum(self._links().values()) <= links:
            yield f"{sum(self._links().values())} links, not {links}"
        if self.expected.get("weighted") and not any(
            np.unique(matrix.data).size > 1 for matrix in self.data.relations.values()
        ):
            yield "all links weigh the same"

    def _decides(self, heading: str, role: str | None = None) -> bool:
        given = self.roles[heading]
        if given.compared:
            return role in ("text", None)
        return given.role == role or (role is None and given.role not in ("id", "label", *NOT_IN_THE_MAP))

    def _described(self, headings: list[str]) -> str:
        shown = ", ".join(f"{heading} is {self.roles[heading].role}" for heading in headings[:3])
        return shown + (f" (and {len(headings) - 3} more)" if len(headings) > 3 else "")


def _fits(heading: str, pattern: str) -> bool:
    return any(fnmatchcase(heading, part) for part in pattern.split("|"))
