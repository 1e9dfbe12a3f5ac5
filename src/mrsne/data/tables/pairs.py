"""Tables of pairs: ratings, junction tables and lists of edges, of which a row is a link and not an item."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np

from mrsne.arrays import Int64
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import numbers_of
from mrsne.data.tables.choices import Choices
from mrsne.data.tables.dates import dates_of
from mrsne.data.tables.items import Items, items_of
from mrsne.data.tables.table import SENTENCE, Coded, Column, Role, Table, as_coded
from mrsne.data.tables.vocabulary import ends_in, is_about, is_id_heading, is_label_heading, singular, words_in

MOST_COLUMNS = 8  # of a table of pairs, in which not all rows are the same
DIFFERENT = 0.9  # share of the rows whose pair no other row has
REPEATED = 0.3  # share of the rows whose end other rows have too
FEWEST, FEWEST_NUMBERED = 5, 20  # different values of an end that no heading speaks of, or that is numbered
FEW = 0.05  # different words to a row, at most, in a column that says what a link is
IN_COMMON = 0.1  # share of the values of one end that the other has too, for links inside a kind
INSIDE = (  # by what the headings of two ends of one kind differ
    ("source", "target"), ("from", "to"), ("src", "dst"), ("head", "tail"), ("citing", "cited"), ("home", "away"),
    ("follower", "followee"), ("parent", "child"), ("origin", "destination"), ("source", "destination"),
)  # fmt: skip
NUMBERED = (("1", "2"), ("a", "b"))  # as genes may be, and answers and measurements


def pair_roles(table: Table, choices: Choices) -> tuple[str, dict[str, Role]] | None:
    """Return what the first end of a table of pairs is, and its columns; None of a table with an item in each row.

    A table of pairs has two columns that name things, whose values come again while their pairs do not, and otherwise
    only what describes a pair, a weight, a time, a kind of link, or what is the same wherever one of the ends is.
    """
    chosen = choices.checked(table)
    varied = [column for column in table.columns.values() if not isinstance(column, Coded) or len(column.values) > 1]
    possible = all(role in ("id", "kind", "weight", "unused") for role, _ in chosen.values())
    if not possible or len(varied) > MOST_COLUMNS:
        return None
    facts = table.facts
    ids, kinds = ([h for h, (role, _) in chosen.items() if role == wanted] for wanted in ("id", "kind"))
    ends = _ends(table, ids, kinds)
    if ends is None:
        return None
    others = [h for h in table.columns if h not in (*chosen, *ends) and not describes_a_pair(table, h)]
    about = {h: end for h in others for end in ends if _depends_on(table, h, end)}
    if len(about) < len(others):
        return None
    pairs = _pairs_of(table, *ends)
    inside = _name_inside(table, *ends)
    repeated = [facts[end].repeated for end in ends]  # in a tree, each child comes once
    come_again = len(np.unique(pairs)) < DIFFERENT * len(pairs) and not inside  # as those of triples may
    if not len(pairs) or come_again or (max if inside else min)(repeated) < REPEATED:
        return None
    names = [chosen.get(end, ("", None))[1] for end in ends]
    item = choices.item or names[0] or inside or singular(ends[0])
    kind = names[1] or (item if inside else singular(ends[1]))
    labels = [h for h in reversed(about) if is_label_heading(h) and facts[h].different == facts[about[h]].different]
    named = {about[h]: h for h in labels} | {end: end for end in ends if end in chosen}  # of labels, by the first
    held = dict(zip((named.get(end, end) for end in ends), (item, kind), strict=True))
    return item, roles_of_pairs(table, held, choices)


def roles_of_pairs(table: Table, kinds: Mapping[str, str], choices: Choices) -> dict[str, Role]:
    """Return what the columns of a table of pairs are, of which two hold items of ``kinds``, in this order."""
    facts = table.facts
    roles = {heading: Role("unused", reason="it describes the pair") for heading in table.columns}
    for (end, kind), role in zip(kinds.items(), ("id", "kind"), strict=True):
        roles[end] = Role(role, kind, reason=f"{facts[end].different} different values")
    found = [h for h in table.columns if h not in (*kinds, *choices.ignore) and ends_in(h, "weights")]
    numeric = [
        h for h in found if facts[h].present and not np.isnan(numbers_of(as_coded(table.columns[h]).values)).any()
    ]
    for heading in [choices.weight] if choices.weight else numeric[:1]:
        roles[heading] = weight_role(heading, choices.ratings, next(iter(kinds.values())))
    return roles


def weight_role(heading: str, ratings: str | None, item: str) -> Role:
    """Return how a column weighs the links of its rows: as ratings, or by its numbers."""
    if (ratings or ("above-mean" if ends_in(heading, "ratings") else "as-is")) == "above-mean":
        return Role("rating", reason=f"those above the mean of their {item} are links")
    return Role("weight", reason="how strongly a link counts")


def items_of_pairs(table: Table, roles: Mapping[str, Role], item: str, problems: Problems) -> Items:
    """Return the items of the first end; of links inside a kind, those of both ends."""
    first = next(heading for heading, role in roles.items() if role.role == "id")
    inside = [heading for heading, role in roles.items() if role.role == "kind" and role.kind == item]
    found = items_of(table, first, problems, once=False)
    others = (str(value) for heading in inside for value in as_coded(table.columns[heading]).values)
    names = list(dict.fromkeys([*found.names, *others]))
    return replace(found, names=names, first_row=np.resize(found.first_row, len(names)))


def describes_a_pair(table: Table, heading: str) -> bool:
    """Return whether a column holds numbers, times or a few words, and no ids, titles or text of rows."""
    column, facts = table.columns[heading], table.facts[heading]
    is_own_id = (
        is_id_heading(heading) and facts.different == table.size and words_in(heading) not in (["id"], ["index"])
    )
    if facts.lists or is_label_heading(heading) or is_about(heading, "texts") or is_own_id:
        return False
    if not isinstance(column, Coded) or facts.different <= max(FEW * table.size, 2):
        return True
    return not np.isnan(numbers_of(column.values)).any() or not np.isnat(dates_of(column.values)).any()


def _pairs_of(table: Table, one: str, other: str) -> Int64:
    """Return the pairs of values of two columns, each as one number, of the rows that have both."""
    first, second = (as_coded(table.columns[heading]) for heading in (one, other))
    linked = (first.codes >= 0) & (second.codes >= 0)
    return first.codes[linked].astype(np.int64) * len(second.values) + second.codes[linked]


def _depends_on(table: Table, heading: str, end: str) -> bool:
    """Return whether a column has the same value wherever an end has, which comes again, as a name beside its id."""
    facts = table.facts[end]
    return facts.repeated >= REPEATED and len(np.unique(_pairs_of(table, end, heading))) <= facts.different


def _ends(table: Table, ids: list[str], kinds: list[str]) -> tuple[str, str] | None:
    """Return the two columns that name things, that of people first; None where there are not two.

    Columns that users take for ids or kinds are among them, the ids first.
    """
    named, facts = [*ids, *kinds], table.facts
    possible = [h for h in table.columns if h in named or _could_be_end(table, h)]
    allowed = [(a, b) for a, b in permutations(possible, 2) if a not in kinds and b not in ids]
    inside = [(a, b) for a, b in allowed if _name_inside(table, a, b)]
    if not table.has_headings or (inside and {*named} <= {*inside[0]}):
        return inside[0] if inside else None
    again = [h for h in possible if h in named or facts[h].repeated >= REPEATED]
    found = [
        h for h in again if h in named or ends_in(singular(h), "things") or (is_id_heading(h) and words_in(h) != ["id"])
    ]
    is_weighted = any(ends_in(heading, "weights") for heading in table.columns)
    if len(found) != 2 and not named and (is_weighted or len(table.columns) == 2):
        found = [h for h in again if _are_words(table.columns[h]) and facts[h].different >= FEWEST]
    found.sort(key=lambda h: (h not in ids, h in kinds, not ends_in(singular(h), "people")))
    return (found[0], found[1]) if len(found) == 2 else None


def _could_be_end(table: Table, heading: str) -> bool:
    """Return whether a column may name things, but no years: by short words or whole numbers, in nearly all rows."""
    column, facts = table.columns[heading], table.facts[heading]
    is_filled = facts.present >= DIFFERENT * table.size
    if not is_filled or facts.lists or facts.words >= SENTENCE or facts.different < 2 or is_about(heading, "times"):
        return False
    if not isinstance(column, Coded):
        return column.dtype.kind in "iu"
    numbers = numbers_of(column.values)
    are_words = np.isnan(numbers)  # as "01003" is among codes of five digits
    are_dates = are_words.any() and not np.isnat(dates_of(column.values[:100])).any()
    return not are_dates and bool((are_words | (numbers == np.round(numbers))).all())


def _are_words(column: Column) -> bool:
    return bool(np.isnan(numbers_of(as_coded(column).values[:100])).all())


def _name_inside(table: Table, a: str, b: str) -> str | None:
    """Return what both ends are where they hold the same things and their headings say so; None for two kinds.

    Without headings, words do, and numbers where nothing else is there.
    """
    first, second = ([word for word in words_in(end) if word != "id"] for end in (a, b))
    differing = " ".join(w for w in first if w not in second), " ".join(w for w in second if w not in first)
    are_words = _are_words(table.columns[a])
    are_ids = is_id_heading(a) and is_id_heading(b)
    fewest = FEWEST_NUMBERED if differing in NUMBERED else 1
    name = ""
    if not table.has_headings:
        name = "node" if are_words or len(table.columns) == 2 else ""
    elif differing in INSIDE or (differing in NUMBERED and (are_words or are_ids)):
        name = " ".join(word for word in first if word in second) or "node"
    elif are_ids and second[-len(first) :] == first:
        name = " ".join(first)
    values = [set(map(str, as_coded(table.columns[end]).values)) if name else set() for end in (a, b)]
    is_same = len(values[0] & values[1]) > IN_COMMON * min(map(len, values))
    return name if is_same and len(values[0] | values[1]) >= fewest else None
