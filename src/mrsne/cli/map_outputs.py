"""What ``mrsne map`` writes: the page or the picture, the map, its data, coordinates, and what was left out."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrsne.cli.map_files import (
    PAGES,
    PICTURES,
    coordinates_beside,
    data_beside,
    left_out_beside,
    write_coordinates,
    write_picture,
)
from mrsne.cli.options import check_suffix
from mrsne.cli.outputs import check_map_output, write_outputs
from mrsne.cli.summary import Record, Wording, sentences
from mrsne.io.writing import check_outputs

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.io import Problems
    from mrsne.model.embedding import Embedding


def lines_of_map(record: Record, wording: Wording, full_size: bool) -> list[str]:
    """Return what people read, with a word about full-size pictures where the map is a page of pictures."""
    lines = list(sentences(record, wording))
    page = record["page"]
    return [*lines, f"with pictures in full size: mrsne view {shlex.quote(page)}"] if page and full_size else lines


def check_map_outputs(output: Path, theme: str | None, inputs: Sequence[Path]) -> None:
    """Raise, before anything is done, if the map cannot be written or would take the place of something else."""
    from mrsne.parameters import check_option
    from mrsne.plot import THEMES

    check_suffix(output, (*PAGES, *PICTURES))
    if theme is not None:
        check_option("--theme", theme, THEMES)
    saved = output.with_suffix(".npz")
    check_map_output(saved)
    files = [saved, data_beside(saved), output, coordinates_beside(output), left_out_beside(output)]
    check_outputs(files, inputs)


def write_map(
    embedding: Embedding,
    data: RelationalData,
    problems: Problems,
    output: Path,
    theme: str | None,
    about: dict[str, Any],
    title: str,
    labels: Sequence[str],
) -> dict[str, str | None]:
    """Write the map and what belongs to it, and return where."""
    from mrsne.data.storage import save_data
    from mrsne.plot import map_figure

    def write_page(path: Path) -> None:
        embedding.to_html(path, data, title=title, theme=theme or "auto")

    def write_map_picture(path: Path) -> None:
        named = [name for name in labels if data.shown_names(name) is not None]
        write_picture(map_figure(embedding, data, theme=theme or "light", labels=named), path, dpi=200)

    is_page = output.suffix.lower() in PAGES
    saved, left_out = output.with_suffix(".npz"), left_out_beside(output)
    writers: dict[Path, Callable[[Path], None]] = {
        saved: embedding.save,
        data_beside(saved): lambda path: save_data(data, path, about),
        coordinates_beside(output): lambda path: write_coordinates(embedding, data, path),
        output: write_page if is_page else write_map_picture,
    }
    if problems:
        writers[left_out] = problems.write
    write_outputs(writers)
    if not problems:
        left_out.unlink(missing_ok=True)  # of an earlier map
    return paths_of_map(output, bool(problems))


def paths_of_map(output: Path, any_left_out: bool) -> dict[str, str | None]:
    """Return where the files of a map are, for its summary."""
    is_page = output.suffix.lower() in PAGES
    saved = output.with_suffix(".npz")
    return {
        "map": str(saved),
        "data": str(data_beside(saved)),
        "coordinates": str(coordinates_beside(output)),
        "left_out_table": str(left_out_beside(output)) if any_left_out else None,
        "picture": None if is_page else str(output),
        "page": str(output) if is_page else None,
        "page_url": output.resolve().as_uri() if is_page else None,
    }
