"""What is in a cell: text, nothing, a number, or a list."""

import datetime
import json
import math
import numbers
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mrsne.arrays import Float64, Int64
from mrsne.data.tables.vocabulary import is_plural
from mrsne.regular_files import decode_text

Cell: TypeAlias = str | tuple[str, ...]  # a text, or a list of texts

MISSING_WORDS = frozenset(("", "na", "n/a", "#n/a", "nan", "nat", "null", "none", "nil", "-", "--", "–", "—", "?"))
NAMING_KEYS = ("name", "label", "title", "term", "value", "text", "id")  # of an object in a list: what it is called

PLAIN = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")  # 1,234,567.8
DECIMAL_COMMA = re.compile(r"[+-]?(?:(?:0|[1-9]\d*),\d+|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?)")  # 3,14 and 1.234,5
AROUND = re.compile(r"^[€$£¥]\s*|\s*(?:[€$£¥]|%|cm|mm|km|kg|m|g)$")  # a currency or a unit
LONGEST_NUMBER = 40  # characters

BRACKETS = re.compile(r"\s*[(\[].*")  # "libc6 (>= 2.14)" refers to libc6
SEPARATORS = (";", "|", "\n", ",")
JSON = "[]"  # in place of a separator: cells are JSON arrays
SAMPLE = 4000  # distinct values that are looked at for a separator
FEWEST_SEPARATED = 0.05  # share of rows with a separator, for it to separate lists
FEWEST_ALONE = 0.8  # share of the parts of rare lists, or of lists separated by spaces, that other rows have alone
MOST_ALONE = 0.5  # of the values, which are one word
FEWEST_WORDS = 5  # different ones, in lists separated by spaces
LONGEST_PART = 40  # characters of the median part of a list; longer ones are sentences
COMMA = re.compile(r",\s*")


def read_cell(value: Any) -> Cell | None:
    """Return a value of any type as a text or a tuple of texts; None for None, NaN and an empty text."""
    if isinstance(value, str):
        return value.strip() or None
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        if math.isnan(number):
            return None
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        parts = map(read_cell, sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)
        return tuple(cell_text(part) for part in parts if part is not None)
    if isinstance(value, dict):
        named = next((value[key] for key in NAMING_KEYS if value.get(key) is not None), None)
        return read_cell(named if named is not None else json.dumps(value, sort_keys=True, default=str))
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, bytes):
        return read_cell(decode_text(value))
    return read_cell(str(value))


def cell_text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else "; ".join(cell)


def without_missing_words(cell: Cell) -> Cell | None:
    """Return a cell without what stands for nothing, such as "n/a"; None where nothing else is in it."""
    if isinstance(cell, str):
        return None if cell.casefold() in MISSING_WORDS else cell
    if len(cell) > 1 and all(len(part) == 2 and part.isalpha() for part in cell):
        return cell  # of codes, NA is one: of Namibia, or of the language of Nauru
    return tuple(part for part in cell if part.casefold() not in MISSING_WORDS)


def numbers_of(values: Sequence[Cell]) -> Float64:
    """Return the numbers that texts stand for, NaN for other texts.

    Whether a comma separates thousands or decimals is decided for all together. 00501 is a code and no number.
    """
    texts = [
        AROUND.sub("", value) if isinstance(value, str) and len(value) <= LONGEST_NUMBER else "" for value in values
    ]
    are_thousands = all(THOUSANDS.fullmatch(text) for text in texts if "," in text)
    found = np.full(len(texts), np.nan)
    for index, text in enumerate(texts):
        if PLAIN.fullmatch(text):
            found[index] = float(text)
        elif "," in text and are_thousands:
            found[index] = float(text.replace(",", ""))
        elif "," in text and DECIMAL_COMMA.fullmatch(text):
            found[index] = float(text.replace(".", "").replace(",", "."))
    found[~np.isfinite(found)] = np.nan
    return found


def separator_of(values: Sequence[Cell], counts: Int64, heading: str) -> str | None:
    """Return what separates the lists in a column, ``[]`` for JSON arrays; None where cells are no lists."""
    order = np.argsort(-counts, kind="stable")[:SAMPLE]
    sample = [(value, int(counts[index])) for index in order.tolist() if isinstance(value := values[index], str)]
    rows = sum(count for _, count in sample)
    if not rows:
        return None
    if sum(count for value, count in sample if value[:1] == "[" and value[-1:] == "]") > 0.5 * rows:
        return JSON
    for separator in SEPARATORS:
        share = sum(count for value, count in sample if separator in value) / rows
        if share >= FEWEST_SEPARATED and _are_lists([value for value, _ in sample], separator, share, heading):
            return separator
    parts = {part for value, _ in sample for part in value.split()}
    alone = sum(value in parts for value, _ in sample)
    # "Comedy Drama" beside "Comedy" and "Drama", but not "New York"
    return " " if len(parts) >= FEWEST_WORDS and FEWEST_ALONE * len(parts) <= alone < MOST_ALONE * len(sample) else None


def rare_separator(values: Sequence[Cell]) -> str | None:
    """Return what separates the few lists in a column whose parts stand alone in other rows; None where there are none.

    Commas do not count: "New York, New York" is no list, though each part may be a value.
    """
    texts = {value for value in values if isinstance(value, str)}
    for separator in SEPARATORS[:-1]:
        parts = {part for text in texts if separator in text for part in split_cell(text, separator)}
        if len(parts & texts) >= max(FEWEST_ALONE * len(parts), 2):
            return separator
    return None


def _are_lists(values: Sequence[str], separator: str, share: float, heading: str) -> bool:
    lists = [split_cell(value, separator) for value in values]
    parts = [part for cells in lists for part in cells]
    if not parts or np.median([len(part) for part in parts]) > LONGEST_PART:
        return False
    distinct = len(set(parts))
    if separator != ",":
        return is_plural(heading) or share >= 0.3 or distinct < 0.7 * len(parts)
    lengths = {len(cells) for cells in lists}
    # "Turner, Joseph" has always two parts, and as many first names as there are names; lists share their parts
    return len(lengths) > 1 and (is_plural(heading) or distinct < 0.7 * len(values)) and distinct < 0.8 * len(parts)


def split_cell(cell: Cell, separator: str | None) -> tuple[str, ...]:
    """Return the parts of a cell, each once."""
    if isinstance(cell, tuple):
        return tuple(dict.fromkeys(cell))
    if separator is None:
        return (cell,)
    parts = _array(cell) if separator == JSON else cell.split(separator)
    kept = without_missing_words(tuple(" ".join(part.split()) for part in parts))
    return tuple(dict.fromkeys(kept or ()))


def one_spelling(counts: Mapping[str, int]) -> dict[str, str]:
    """Return for each word the most frequent, or else first, spelling of those that differ in capitals only."""
    spelling: dict[str, str] = {}
    for word in sorted(counts, key=lambda word: -counts[word]):
        spelling.setdefault(word.casefold(), word)
    return {word: spelling[word.casefold()] for word in counts}


def _array(cell: str) -> Sequence[str]:
    """Return the parts of a JSON array, or of a list as Python writes it."""
    for text in (cell, cell.replace("'", '"')):
        try:
            found = read_cell(json.loads(text))
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, tuple) else () if found is None else (found,)
    return [part.strip().strip("'\"") for part in COMMA.split(cell.strip("[]"))]
