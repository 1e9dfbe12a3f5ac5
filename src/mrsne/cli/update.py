"""``mrsne update``: new and changed items in a map for good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import mrsne
from mrsne.cli.map_outputs import changes_record, write_files
from mrsne.cli.options import Anchor, Json, MapFile, anchor_of, argument, check_suffix, output_file
from mrsne.cli.outputs import check_map_outputs
from mrsne.cli.place import NEW_ITEMS, ImageModel, NewTags, NewTextFiles
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import by_pair
from mrsne.data.files.generation import current
from mrsne.data.identity import identity
from mrsne.parameters import ParameterError
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
    anchor: Anchor = "keep",
    as_json: Json = False,
) -> None:
    """Add new items to a map for good, and take over what has changed of those it has.

    Tags and other values that are new become items too. The others stay where they are unless their vectors or links
    have changed, as far as --anchor says. Items that the source does not have stay in the map: to take some out, or to
    have new columns, run map again.

    Example: mrsne update map.npz new-photos --tags new.csv

    Example: mrsne update map.npz corrected.csv --anchor follow
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
        found = saved.collection.read_changes(
            source, tags=tags, text_files=text_files, image_model=image_model, progress=report
        )
        collection = saved.collection.updated(found)
        if identity(collection.data) == identity(saved.data):
            raise ParameterError(
                f"there is nothing new in {str(source)!r}: the map has all {len(found)} items as they are"
            )
        larger = saved.continued(collection, anchor_of(anchor), verbose=report.live)
    folder = saved.collection.folder
    title = folder.name if folder is not None else path.stem
    shown = None if page is None else lambda file: larger.embedding.to_html(file, larger.data, title=title)
    written = write_files(larger, saved_at if page is None else page, shown, anew=False)
    added = {name: size - saved.data.sizes[name] for name, size in larger.data.sizes.items()}
    record = {
        "items": dict(larger.data.sizes),
        "new_items": {name: count for name, count in added.items() if count or name == found.domain},
        "links": by_pair({pair: W.nnz for pair, W in larger.data.relations.items()}),
        "left_out": found.left_out,
        "changes": changes_record(larger.embedding),
    }
    report.summary(record | {key: file for key, file in written.items() if key != "picture"})
