"""``mrsne update``: new items in a map for good, with the old ones where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import mrsne
from mrsne.cli.map_outputs import write_files
from mrsne.cli.options import Json, MapFile, argument, check_suffix, output_file
from mrsne.cli.outputs import check_map_outputs
from mrsne.cli.place import NEW_ITEMS, ImageModel, NewTags, NewTextFiles
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import by_pair
from mrsne.data.files.generation import current
from mrsne.viewer import PAGES


def update(
    path: MapFile,
    source: Annotated[Path, argument(NEW_ITEMS)],
    tags: NewTags = None,
    text_files: NewTextFiles = False,
    image_model: ImageModel = None,
    output: Annotated[
        Path | None,
        output_file(
            "The new map (.npz), or a page (.html) with the map beside it.",
            "the map itself, and its page where there is one",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add new items to a map for good; the old ones stay where they are.

    Items that the map has already are left out, and so are tags and other values that it does not have: to have these,
    make the map anew.

    Example: mrsne update map.npz new-photos --tags new.csv
    """
    current(path)  # before it is looked for what is there
    target = path if output is None else output
    check_suffix(target, (".npz", *PAGES))
    saved_at = target.with_suffix(".npz")
    beside = filter(Path.is_file, map(saved_at.with_suffix, PAGES))
    page = next(beside, None) if target == saved_at else target
    check_map_outputs(saved_at if page is None else page, [file for file in (source, tags) if file is not None])
    report = Reporter(as_json)
    saved = mrsne.SavedMap.load(path)
    saved.check_has_data(path)
    with report.warnings_as_notes():
        new = saved.collection.read_new(
            source, tags=tags, text_files=text_files, image_model=image_model, progress=report
        )
        larger = saved.grown(new)
    folder = saved.collection.folder
    title = folder.name if folder is not None else path.stem
    shown = None if page is None else lambda file: larger.embedding.to_html(file, larger.data, title=title)
    written = write_files(larger, saved_at if page is None else page, shown, anew=False)
    record = {
        "items": dict(larger.data.sizes),
        "new_items": {new.domain: len(new)},
        "links": by_pair({pair: W.nnz for pair, W in larger.data.relations.items()}),
        "left_out": new.left_out,
    }
    report.summary(record | {key: file for key, file in written.items() if key != "picture"})
