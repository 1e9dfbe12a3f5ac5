"""Numbers as people write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrsne.tables.table import Cell

PLAIN = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")  # 1,234,567.8
DECIMAL_COMMA = re.compile(r"[+-]?(?:(?:0|[1-9]\d*),\d+|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?)")  # 3,14 and 1.234,5
AROUND = re.compile(r"^[€$£¥]\s*|\s*(?:[€$£¥]|%|cm|mm|km|kg|m|g)$")  # a currency or a unit
LONGEST = 40  # characters of a number


def numbers_of(values: Sequence[Cell]) -> NDArray[np.float64]:
    """Return the numbers that texts stand for, NaN where one is none.

    Whether a comma separates thousands or decimals is decided for all together. 00501 is a code and no number.

    Examples
    --------
    >>> numbers_of(["1,234", "2,500", "7"]).tolist(), numbers_of(["3,14", "2"]).tolist()
    ([1234.0, 2500.0, 7.0], [3.14, 2.0])
    >>> numbers_of(["00501", "1e3", "c. 1890", "$5"]).tolist()
    [nan, 1000.0, nan, 5.0]
    """
    texts = [AROUND.sub("", value) if isinstance(value, str) and len(value) <= LONGEST else "" for value in values]
    commas = [text for text in texts if "," in text]
    thousands = all(THOUSANDS.fullmatch(text) for text in commas)
    found = np.full(len(texts), np.nan)
    for index, text in enumerate(texts):
        if PLAIN.fullmatch(text):
            found[index] = float(text)
        elif "," in text:
            if thousands:
                found[index] = float(text.replace(",", ""))
            elif DECIMAL_COMMA.fullmatch(text):
                found[index] = float(text.replace(".", "").replace(",", "."))
    found[~np.isfinite(found)] = np.nan
    return found
