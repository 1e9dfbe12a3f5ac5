"""``mrsne place``: new items in a map that stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mrsne.cli.map_files import data_beside
from mrsne.cli.options import DataOptions, Json, MapFile, split_pair
from mrsne.cli.outputs import check_map_output, check_outputs, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import open_map


def place(
    path: MapFile,
    domain: Annotated[list[str] | None, typer.Option(help="NAME=FILE with vectors of new items.")] = None,
    relation: Annotated[list[str] | None, typer.Option(help="A:B=FILE: links of new items of A to items of B.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Coordinates of the new items.")] = Path("placed.npz"),
    as_json: Json = False,
) -> None:
    """Place new items into a map, which stays as it is.

    Example: mrsne place map.npz --domain image=new.npy -o placed.npz
    """
    from mrsne import MRSNE
    from mrsne.cli.inputs import links_by_position, read_domains
    from mrsne.io.arrays import read_links

    report = Reporter(as_json)
    if not domain and not relation:
        raise ValueError(
            "give new items: --domain NAME=FILE for their vectors, --relation A:B=FILE for their links, or both"
        )
    given = DataOptions(domain or [], relation or [])
    check_map_output(output)
    check_outputs([output], [path, data_beside(path), *given.files()])
    saved = open_map(path)
    if not saved.data.relations and all(vectors is None for vectors in saved.data.vectors.values()):
        raise ValueError(f"{str(path)!r} was made with --cluster, which keeps no data to place new items by")
    embedding, data = saved.embedding, saved.data
    vectors, _ = read_domains(given.domains)
    tables = {}
    for text in given.relations:
        pair, file = split_pair("--relation", text)
        names = {pair[1]: list(data.names[pair[1]])} if pair[1] in data.names else {}
        tables[pair] = links_by_position(read_links(Path(file), *pair), pair, names)
    with report.warnings_as_notes():
        placed = MRSNE(**saved.settings).restore(data, embedding).transform(vectors, tables)
    write_outputs({output: placed.save})
    report.summary({"items": {name: len(Y) for name, Y in placed.items()}, "placed": str(output)})
