"""Tables that commands write, in the format of the file's ending."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.io.writing import write_text

TABLES = (".csv", ".tsv", ".jsonl", ".parquet")


def write_table(path: Path, rows: Mapping[str, Any]) -> None:
    """Write columns of values as CSV, TSV, JSON Lines or Parquet, in one step."""
    ending = path.suffix.lower()
    if ending == ".parquet":
        from mrsne.interchange.item_rows import write_parquet

        write_parquet(path, rows)
        return
    columns = [_plain(values) for values in rows.values()]
    if ending == ".jsonl":
        lines = (
            json.dumps(dict(zip(rows, row, strict=True)), ensure_ascii=False) for row in zip(*columns, strict=True)
        )
        write_text(path, "".join(f"{line}\n" for line in lines))
        return
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if ending == ".tsv" else ",")
    writer.writerow(rows)
    writer.writerows(zip(*columns, strict=True))
    write_text(path, text.getvalue())


def _plain(values: Any) -> list[Any]:
    """Return values as JSON has them: None for what is missing, dates as text."""
    array = np.asarray(values)
    if array.dtype.kind == "M":
        return [
            None if text == "NaT" else text for text in np.datetime_as_string(array.astype("datetime64[s]")).tolist()
        ]
    found = array.tolist()
    return [None if isinstance(value, float) and value != value else value for value in found]
