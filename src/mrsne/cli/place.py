"""``mrsne place``: new items in a map that stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from mrsne.cli.link_tables import pair_and_file
from mrsne.cli.map_files import PAGES, data_beside, left_out_beside
from mrsne.cli.options import DataOptions, Json, MapFile, NewSource, check_suffix
from mrsne.cli.outputs import check_map_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import SavedMap, open_map
from mrsne.cli.table_files import TABLES, write_table
from mrsne.io.problems import Problems
from mrsne.io.writing import check_outputs

if TYPE_CHECKING:
    from mrsne.data.growth import NewItems
    from mrsne.model.embedding import Embedding

MARK = "placed"  # heading of the column that tells new items from those before

NewPath = Annotated[
    Path | None,
    typer.Argument(help="A folder of new pictures, or a table of new rows, as map took them.", show_default=False),
]
NewTags = Annotated[Path | None, typer.Option("--tags", help="Table of the new pictures and their tags.")]
ImageModel = Annotated[
    str | None,
    typer.Option(
        "--image-model", help="That of the map, if it was not the bundled one.", show_default="the bundled one"
    ),
]
NewTextFiles = Annotated[
    bool, typer.Option("--text-files", help="Tags are in text files beside the new pictures: dog.txt.")
]


def place(
    path: MapFile,
    source: NewPath = None,
    tags: NewTags = None,
    text_files: NewTextFiles = False,
    image_model: ImageModel = None,
    domain: Annotated[list[str] | None, typer.Option(help="NAME=FILE with vectors of new items.")] = None,
    relation: Annotated[list[str] | None, typer.Option(help="A:B=FILE: links of new items of A to items of B.")] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Coordinates of the new items (.npz, .csv, .tsv, .jsonl, .parquet), or a page on which they are "
            "marked (.html).",
        ),
    ] = Path("placed.npz"),
    as_json: Json = False,
) -> None:
    """Place new items into a map, which stays as it is.

    Example: mrsne place map.npz new-photos --tags new.csv -o placed.html

    Example: mrsne place map.npz --domain image=new.npy -o placed.csv
    """
    report = Reporter(as_json)
    given = DataOptions(domain or [], relation or [])
    _check(path, source, tags, given, output)
    saved = open_map(path)
    check_has_data(path, saved)
    problems = Problems()
    new = None
    if source is not None:
        coordinates, new = _placed_items(saved, NewSource(source, tags, text_files, image_model), report, problems)
    else:
        coordinates = _placed_arrays(saved, given, report)
    left_out = left_out_beside(output)
    writers: dict[Path, Any] = {output: lambda file: write_placed(file, saved, coordinates, new, path.stem)}
    if problems:
        writers[left_out] = problems.write
    write_outputs(writers)
    record = {
        "items": {name: len(Y) for name, Y in coordinates.items()},
        "left_out": problems,
        "left_out_table": str(left_out) if problems else None,
        "placed": str(output),
    }
    report.summary(record)


def _check(path: Path, source: Path | None, tags: Path | None, given: DataOptions, output: Path) -> None:
    if source is None and not given.domains and not given.relations:
        raise ValueError(
            "give new items: a folder of pictures or a table, --domain NAME=FILE for their vectors, "
            "--relation A:B=FILE for their links"
        )
    if source is not None and (given.domains or given.relations):
        raise ValueError("--domain and --relation are another way to give new items; leave out the folder or table")
    check_suffix(output, (".npz", *TABLES, *PAGES))
    if output.suffix == ".npz":
        check_map_output(output)
    inputs = [path, data_beside(path), *given.files(), *(file for file in (source, tags) if file is not None)]
    check_outputs([output, left_out_beside(output)], inputs)


def check_has_data(path: Path, saved: SavedMap) -> None:
    """Raise for maps that new items cannot be placed in."""
    if not saved.data.relations and all(vectors is None for vectors in saved.data.vectors.values()):
        raise ValueError(f"{str(path)!r} was made with --cluster, which keeps no data to place new items by")


def _placed_items(
    saved: SavedMap, given: NewSource, report: Reporter, problems: Problems
) -> tuple[Embedding, NewItems]:
    from mrsne.cli.new_items import placed, read_new_items
    from mrsne.model.embedding import Embedding

    new = read_new_items(saved, given, report, problems)
    return Embedding({new.domain: placed(saved, new, report)}), new


def _placed_arrays(saved: SavedMap, given: DataOptions, report: Reporter) -> Embedding:
    from mrsne import MRSNE
    from mrsne.cli.inputs import links_by_position, read_domains
    from mrsne.io.arrays import read_links

    vectors, _ = read_domains(given.domains)
    tables = {}
    for text in given.relations:
        pair, file = pair_and_file(text)
        names = {pair[1]: list(saved.data.names[pair[1]])} if pair[1] in saved.data.names else {}
        tables[pair] = links_by_position(read_links(file, *pair), pair, names)
    with report.warnings_as_notes():
        return MRSNE(**saved.settings).restore(saved.data, saved.embedding).transform(vectors, tables)


def write_placed(path: Path, saved: SavedMap, coordinates: Embedding, new: NewItems | None, title: str) -> None:
    """Write new items in the format of the file's ending: coordinates, a table, or the map with them marked."""
    from mrsne.data import RelationalData
    from mrsne.interchange.item_rows import item_rows

    if path.suffix.lower() in PAGES:
        write_marked_page(path, saved, coordinates, new, title)
    elif path.suffix.lower() in TABLES:
        known = None
        if new is not None:
            labels = {} if new.labels is None else {new.domain: list(new.labels)}
            known = RelationalData({new.domain: len(new)}, names={new.domain: new.names}, labels=labels)
        write_table(path, item_rows(coordinates, known))
    else:
        coordinates.save(path)


def write_marked_page(path: Path, saved: SavedMap, coordinates: Embedding, new: NewItems | None, title: str) -> None:
    """Write a page of the old items and the new ones, coloured by which is which."""
    from mrsne.data.growth import NewItems, grown
    from mrsne.viewer.content import Content
    from mrsne.viewer.page import write_page

    data, places = saved.data, dict(saved.embedding)
    marks = {}
    for name, Y in coordinates.items():
        items = new or NewItems(name, [f"new {index + 1}" for index in range(len(Y))])
        marks[name] = {MARK: ["before"] * data.sizes[name] + ["new"] * len(Y)}
        data, places = grown(data, items), {**places, name: np.concatenate([places[name], Y])}
    foremost = {name: np.arange(len(Y)) >= saved.data.sizes[name] for name, Y in places.items() if name in marks}
    content = Content(places, data, columns=marks, title=title, report=False, foremost=foremost)
    content.colour_by(next(iter(marks)), MARK)
    write_page(path, content)
