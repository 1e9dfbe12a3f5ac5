"""``mrsne update``: new items in a map for good, with the old ones where they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from mrsne.cli.map_files import PAGES, coordinates_beside, data_beside, left_out_beside, write_coordinates
from mrsne.cli.options import Json, MapFile, NewSource, check_suffix
from mrsne.cli.outputs import check_map_output, write_outputs
from mrsne.cli.place import ImageModel, NewTags, NewTextFiles, check_has_data
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import open_map
from mrsne.cli.summary import by_pair
from mrsne.io.problems import Problems
from mrsne.io.writing import check_outputs


def update(
    path: MapFile,
    source: Annotated[
        Path,
        typer.Argument(help="A folder of new pictures, or a table of new rows, as map took them.", show_default=False),
    ],
    tags: NewTags = None,
    text_files: NewTextFiles = False,
    image_model: ImageModel = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The new map (.npz), or a page (.html) with the map beside it.",
            show_default="the map itself, and its page where there is one",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add new items to a map for good; the old ones stay where they are.

    Items that the map has already are left out, and so are tags and other values that it does not have: to have these,
    make the map anew.

    Example: mrsne update map.npz new-photos --tags new.csv
    """
    from mrsne.cli.new_items import placed, read_new_items
    from mrsne.data.growth import grown
    from mrsne.data.storage import save_data
    from mrsne.model.embedding import Embedding

    target = path if output is None else output
    check_suffix(target, (".npz", *PAGES))
    saved_at = target.with_suffix(".npz")
    page = (
        target if target != saved_at else next((p for end in PAGES if (p := saved_at.with_suffix(end)).is_file()), None)
    )
    files = [saved_at, data_beside(saved_at), coordinates_beside(saved_at), left_out_beside(saved_at)]
    check_map_output(saved_at)
    check_outputs([*files, *([] if page is None else [page])], [file for file in (source, tags) if file is not None])
    report, problems = Reporter(as_json), Problems()
    saved = open_map(path)
    check_has_data(path, saved)
    new = read_new_items(saved, NewSource(source, tags, text_files, image_model), report, problems)
    places = placed(saved, new, report)
    data = grown(saved.data, new)
    coordinates = {
        name: np.concatenate([Y, places]) if name == new.domain else Y for name, Y in saved.embedding.items()
    }
    embedding = Embedding(
        coordinates,
        n_iter=saved.embedding.n_iter,
        data=data,
        weights=saved.embedding.weights,
        relation_norm=saved.embedding.relation_norm,
        settings=saved.affinity_settings,
    )
    title = saved.folder.name if saved.folder is not None else path.stem
    writers: dict[Path, Callable[[Path], object]] = {
        saved_at: embedding.save,
        data_beside(saved_at): lambda file: save_data(data, file, saved.about),
        coordinates_beside(saved_at): lambda file: write_coordinates(embedding, data, file),
    }
    if page is not None:
        writers[page] = lambda file: embedding.to_html(file, data, title=title)
    if problems:
        writers[left_out_beside(saved_at)] = problems.write
    write_outputs(writers)
    report.summary(
        {
            "items": dict(data.sizes),
            "new_items": {new.domain: len(new)},
            "links": by_pair({pair: W.nnz for pair, W in data.relations.items()}),
            "left_out": problems,
            "left_out_table": str(left_out_beside(saved_at)) if problems else None,
            "map": str(saved_at),
            "data": str(data_beside(saved_at)),
            "coordinates": str(coordinates_beside(saved_at)),
            "page": None if page is None else str(page),
            "page_url": None if page is None else page.resolve().as_uri(),
        }
    )
