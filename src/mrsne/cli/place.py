"""``mrsne place``: new items in a map that stays as it is."""

from pathlib import Path
from typing import Annotated

import mrsne
from mrsne.cli.options import DataOptions, Json, MapFile, argument, check_suffix, option, output_file
from mrsne.cli.outputs import check_map_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.files.generation import data_beside, left_out_beside
from mrsne.data.files.problems import Problems
from mrsne.data.files.writing import check_outputs
from mrsne.data.tables.reading import WRITTEN, write_table
from mrsne.parameters import ParameterError
from mrsne.viewer import PAGES

NEW_ITEMS = "A folder of new pictures, or a table of new rows, as map took them."
NewTags = Annotated[Path | None, option("Table of the new pictures and their tags.", "--tags")]
ImageModel = Annotated[
    str | None, option("That of the map, if it was not the bundled one.", "--image-model", default="the bundled one")
]
NewTextFiles = Annotated[bool, option("Tags are in text files beside the new pictures: dog.txt.", "--text-files")]


def place(
    path: MapFile,
    source: Annotated[Path | None, argument(NEW_ITEMS)] = None,
    tags: NewTags = None,
    text_files: NewTextFiles = False,
    image_model: ImageModel = None,
    domain: Annotated[list[str] | None, option("NAME=FILE with vectors of new items.")] = None,
    relation: Annotated[list[str] | None, option("A:B=FILE: links of new items of A to items of B.")] = None,
    output: Annotated[
        Path,
        output_file(
            "Coordinates of the new items (.npz, .csv, .tsv, .jsonl, .parquet), or a page on which they are marked "
            "(.html)."
        ),
    ] = Path("placed.npz"),
    as_json: Json = False,
) -> None:
    """Place new items into a map, which stays as it is.

    Example: mrsne place map.npz new-photos --tags new.csv -o placed.html

    Example: mrsne place map.npz --domain image=new.npy -o placed.csv
    """
    from mrsne.data.interchange.rows import item_rows

    report = Reporter(as_json)
    given = DataOptions(domain or [], relation or [])
    _check(path, source, tags, given, output)
    saved = mrsne.SavedMap.load(path)
    saved.check_has_data(path)
    new = None
    with report.warnings_as_notes():
        if source is None:
            coordinates = saved.transform(*given.parsed().read_new(saved.data.names))
        else:
            new = saved.collection.read_new(
                source, tags=tags, text_files=text_files, image_model=image_model, progress=report
            )
            coordinates = saved.place(new)

    def write(file: Path) -> None:
        if output.suffix.lower() in PAGES:
            saved.write_marked_page(file, coordinates, new, path.stem)
        elif output.suffix.lower() in WRITTEN:
            write_table(file, item_rows(coordinates, None if new is None else new.outline()))
        else:
            coordinates.save(file)

    problems = Problems() if new is None else new.left_out
    left_out, writers = left_out_beside(output), {output: write}
    if problems:
        writers[left_out] = lambda file: write_table(file, problems.columns())
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
        raise ParameterError(
            "give new items: a folder of pictures or a table, --domain NAME=FILE for their vectors, "
            "--relation A:B=FILE for their links"
        )
    if source is not None and (given.domains or given.relations):
        raise ParameterError("--domain and --relation are another way to give new items; leave out the folder or table")
    check_suffix(output, (".npz", *WRITTEN, *PAGES))
    if output.suffix == ".npz":
        check_map_output(output)
    inputs = [path, data_beside(path), *given.files(), *(file for file in (source, tags) if file is not None)]
    check_outputs([output, left_out_beside(output)], inputs)
