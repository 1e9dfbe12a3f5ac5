"""Filters of a map in a notebook, checked, and what passes them; ``web/src/filterwords.ts`` has the same."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Bool
from mrsne.data.outline import Pair, check_known
from mrsne.parameters import ParameterError, describe
from mrsne.viewer.details import MISSING, Column

Filters: TypeAlias = dict[str, dict[str, dict[str, Any]]]
Columns: TypeAlias = Mapping[str, Sequence[Column]]

RANGE = {"from", "to", "missing"}, "(from, to) or {'from': ..., 'to': ..., 'missing': ...}"
CHOICE = {"only", "except", "missing"}, "a list of categories or {'only': ..., 'except': ..., 'missing': ...}"
WORDS = {"contains"}, "words or {'contains': ...}"
RULES = {"number": RANGE, "date": RANGE, "category": CHOICE, "text": WORDS}  # keys, and what users may give
LISTS = (list, tuple, set, frozenset, np.ndarray)


def read_filters(given: Any, columns: Columns) -> Filters:
    """Return filters as the map has them, from what a user gives, without rules that everything passes."""
    check_known("filters", given, columns)
    found: Filters = {}
    for domain, rules in given.items():
        if not isinstance(rules, Mapping):
            raise ParameterError(f"filters[{domain!r}] must be a mapping of columns to rules, got {describe(rules)}")
        known = {column.name: column for column in columns[domain]}
        for name, rule in rules.items():
            if name not in known:
                names = ", ".join(map(repr, known)) or "none"
                raise ParameterError(f"filters[{domain!r}] names {name!r}, but the columns are {names}")
            words = _rule(f"filters[{domain!r}][{name!r}]", known[name], rule)
            if words is not None:
                found.setdefault(domain, {})[name] = words
    return found


def _rule(argument: str, column: Column, given: Any) -> dict[str, Any] | None:
    """Return a rule of a column as the map has it, with all keys; None where everything passes it."""
    words = given if isinstance(given, Mapping) else _spelled_out(column, given)
    keys, accepted = RULES[column.kind]
    if not words or not keys.issuperset(words):
        raise ParameterError(f"{argument} must be {accepted}, got {describe(given)}")
    if column.kind == "text":
        if not isinstance(words["contains"], str):
            raise ParameterError(f"{argument}['contains'] must be words, got {describe(words['contains'])}")
        return {"contains": words["contains"]} if words["contains"].strip() else None
    missing = words.get("missing")
    if missing is not None and not isinstance(missing, bool | np.bool_):
        raise ParameterError(f"{argument}['missing'] must be True or False, got {describe(missing)}")
    if column.kind == "category":
        return _category_rule(argument, column, words, missing)
    ends = [end for end in ("from", "to") if words.get(end) is not None]
    rule: dict[str, Any] = {end: _end(f"{argument}[{end!r}]", column, words[end]) for end in ends}
    if len(rule) == 2 and _number(rule["from"]) > _number(rule["to"]):
        raise ParameterError(f"{argument} must run from low to high, got from {words['from']} to {words['to']}")
    if rule:
        return rule | {"missing": bool(missing)}
    return None if missing is None or missing else {"missing": False}


def _spelled_out(column: Column, given: Any) -> dict[str, Any]:
    """Return the rule that a range, a list of categories or a text is short for; an empty one for anything else."""
    if column.kind == "text" and isinstance(given, str):
        return {"contains": given}
    if column.kind == "category" and isinstance(given, LISTS):
        return {"only": list(given)}
    if column.kind in ("number", "date") and isinstance(given, list | tuple | np.ndarray) and len(given) == 2:
        return {"from": given[0], "to": given[1]}
    return {}


def _category_rule(argument: str, column: Column, words: Mapping[str, Any], missing: Any) -> dict[str, Any] | None:
    keys = [key for key in ("only", "except") if key in words]
    if len(keys) == 2:
        raise ParameterError(f"{argument} must have 'only' or 'except', and not both")
    rule: dict[str, Any] = {"missing": "only" not in words if missing is None else bool(missing)}
    known = dict.fromkeys(column.categories or ())
    for key in keys:
        if not isinstance(words[key], LISTS):
            raise ParameterError(f"{argument}[{key!r}] must be a list of categories, got {describe(words[key])}")
        names = {str(name): None for name in words[key]}  # in their order
        for name in names:
            if name not in known:
                raise ParameterError(f"{argument}[{key!r}] names {name!r}, which is not a category of the column")
        rule = {key: [name for name in known if name in names]} | rule
    is_all = len(rule.get("only", known)) == len(known) and not rule.get("except")
    return None if is_all and rule["missing"] else rule


def _end(argument: str, column: Column, given: Any) -> float | str:
    """Return an end of a range: a number, or a date as text; days since 1970 where its year has not four digits."""
    is_number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    is_number = is_number and bool(np.isfinite(given))
    if column.kind == "number":
        if not is_number:
            raise ParameterError(f"{argument} must be a number, got {describe(given)}")
        return float(given)
    day: Any
    try:
        day = np.datetime64(int(np.floor(given)) if is_number else given, "D")
    except (TypeError, ValueError, OverflowError):
        day = np.datetime64("NaT")
    if np.isnat(day) or isinstance(given, bool | np.bool_):
        raise ParameterError(f"{argument} must be a date such as '2001-05-17', got {describe(given)}")
    text = str(day)
    return text if len(text) == len("2001-05-17") and text[0] != "-" else float(day.astype(np.int64))


def _number(end: float | str) -> float:
    """Return an end of a range as values are: of a date, days since 1970."""
    return float(np.datetime64(end, "D").astype(np.int64)) if isinstance(end, str) else float(end)


def passing(
    filters: Filters,
    columns: Columns,
    sizes: Mapping[str, int],
    relations: Mapping[Pair, sparse.csr_matrix],
    linked_only: bool = False,
) -> dict[str, NDArray[np.intp]]:
    masks = {name: np.ones(size, bool) for name, size in sizes.items()}
    for domain, rules in filters.items():
        known = {column.name: column for column in columns[domain]}
        for name, rule in rules.items():
            masks[domain] &= _passes(known[name], rule)
    if filters and linked_only:
        others = {name: np.zeros(size, bool) for name, size in sizes.items() if name not in filters}
        for (a, b), W in relations.items():
            for one, other, links in ((a, b, W), (b, a, W.T)):
                if one in others and other in filters:
                    others[one] |= np.asarray(abs(links) @ masks[other].astype(np.float64)).ravel() > 0
        masks |= others
    return {name: np.flatnonzero(mask) for name, mask in masks.items()}


def _passes(column: Column, rule: Mapping[str, Any]) -> Bool:
    if column.kind == "text":
        words = _folded(rule["contains"]).split()
        return np.array([all(word in _folded(text or "") for word in words) for text in column.texts], bool)
    missing = bool(rule["missing"])
    if column.kind == "category":
        named = {name: code for code, name in enumerate(column.categories or ())}
        codes = [named[name] for name in rule.get("only", rule.get("except", []))]
        inside = np.isin(column.values, codes)
        known = column.values != MISSING
        return np.where(known, inside if "only" in rule else ~inside, missing)
    values = np.floor(column.values) if column.kind == "date" else column.values
    low, high = np.float32(_number(rule.get("from", -np.inf))), np.float32(_number(rule.get("to", np.inf)))
    return np.where(np.isnan(values), missing, (values >= low) & (values <= high))


def _folded(text: str) -> str:
    """Return a text without case and accents, as the map compares it."""
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if unicodedata.category(letter)[0] != "M").lower()
