"""``mrsne compare``: two maps side by side in one page, and what moved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import mrsne
from mrsne.cli.options import Json, argument, option, output_file
from mrsne.cli.outputs import check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.files.generation import data_beside
from mrsne.data.tables.reading import WRITTEN, write_table
from mrsne.viewer import PAGES

MOST_NAMED = 5  # items in the summary
SMALLEST_MOVE = 0.005  # radii that an item has to move to be named: less would be shown as 0.00


def compare(
    first: Annotated[Path, argument("A map that fit or map wrote (.npz).")],
    second: Annotated[Path, argument("Another one, with some of the same items (.npz).")],
    output: Annotated[
        Path, output_file("The page (.html), or a table of what moved: .csv, .tsv, .jsonl or .parquet.")
    ] = Path("compare.html"),
    theme: Annotated[str, option("auto, light or dark.")] = "auto",
    as_json: Json = False,
) -> None:
    """Show two maps of the same items side by side, and what moved: other weights or seeds, before and after an update.

    Items are the same if their kind and name are. The second map is turned, reflected and scaled onto the first.

    Example: mrsne compare before.npz after.npz -o compare.html
    """
    from mrsne.parameters import check_option
    from mrsne.viewer.page import THEMES

    check_option("--theme", theme, THEMES)
    check_output(output, (*PAGES, *WRITTEN), [file for path in (first, second) for file in (path, data_beside(path))])
    (one, data), (other, other_data) = _load(first), _load(second)
    found = mrsne.metrics.compare(one, other, data, other_data)
    is_page = output.suffix.lower() in PAGES
    titles = (first.stem, second.stem) if first.stem != second.stem else (str(first), str(second))
    frame = found.to_frame()

    def write(path: Path) -> None:
        if is_page:
            found.to_html(path, titles=titles, title=" and ".join(titles), theme=theme)
        else:
            write_table(path, {str(name): frame[name].to_numpy() for name in frame.columns})

    write_outputs({output: write})
    moved = frame[frame["where"] == "both"].head(MOST_NAMED).round(4)
    record: dict[str, Any] = {
        "items": {name: int((places >= 0).sum()) for name, places in found.matches.items()},
        "only_first": {name: len(items) for name, items in found.only_first.items()},
        "only_second": {name: len(items) for name, items in found.only_second.items()},
        "neighbors_kept": {name: round(share, 4) for name, share in found.kept_by_domain.items()},
        "moved_most": moved[["kind", "id", "moved", "kept"]].to_dict("records"),
        "page": str(output) if is_page else None,
        "page_url": output.resolve().as_uri() if is_page else None,
        "table": None if is_page else str(output),
    }
    Reporter(as_json).summary(record, _lines(record, titles))


def _load(path: Path) -> tuple[mrsne.Embedding, mrsne.RelationalData | None]:
    """Return a map with its data, or alone where there is none beside it: then items are matched by position."""
    embedding = mrsne.Embedding.load(path)
    if not data_beside(path).exists():
        return embedding, None
    saved = mrsne.SavedMap.load(path)
    return saved.embedding, saved.data


def _lines(record: dict[str, Any], titles: tuple[str, str]) -> list[str]:
    lines = [f"items of {name} in both maps: {count}" for name, count in record["items"].items()]
    for key, title in zip(("only_first", "only_second"), titles, strict=True):
        lines += [f"items of {name} only in {title}: {count}" for name, count in record[key].items() if count]
    lines += [f"neighbours that {name} items keep: {share:.0%}" for name, share in record["neighbors_kept"].items()]
    lines += [
        f"moved far: {row['kind']} {row['id']} ({row['moved']:.2f} radii, keeps {row['kept']:.0%})"
        for row in record["moved_most"]
        if row["moved"] >= SMALLEST_MOVE
    ]
    where = record["page_url"] or record["table"]
    return [*lines, f"to see both side by side, open in a browser: {where}" if record["page"] else f"table: {where}"]
