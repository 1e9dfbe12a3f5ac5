"""``mrsne plot``: a map as a picture."""

from pathlib import Path
from typing import Annotated

import mrsne
from mrsne.cli.options import Json, MapFile, option, output_file, split_value
from mrsne.cli.outputs import PICTURES, check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.files.writing import write_figure
from mrsne.parameters import is_whole_number


def plot(
    path: MapFile,
    output: Annotated[Path, output_file("The picture: .png, .svg or .pdf.")] = Path("map.png"),
    theme: Annotated[str, option("light or dark.")] = "light",
    size: Annotated[float, option("Width and height in inches.", min=1.0, max=100.0)] = 10.0,
    dpi: Annotated[int, option("Dots per inch; 300 for print.", min=20, max=1200)] = 200,
    links: Annotated[list[str] | None, option("DOMAIN=NAME: draw the links of this item.")] = None,
    density: Annotated[bool, option("Shade the background by the density of items.", "--density")] = False,
    regions: Annotated[bool, option("Draw the regions of the map with their names.", "--regions")] = False,
    as_json: Json = False,
) -> None:
    """Draw a map as a picture, for a paper or a slide.

    Example: mrsne plot map.npz -o map.pdf --links tag=dog
    """
    check_output(output, PICTURES, [path])
    saved = mrsne.SavedMap.load(path)
    embedding, data = saved.embedding, saved.data
    linked_items: dict[str, list[int | str]] = {}
    for given in links or []:
        domain, item = split_value("--links", given, "DOMAIN=NAME")
        is_position = is_whole_number(item) and item not in data.names.get(domain, ())
        linked_items.setdefault(domain, []).append(int(item) if is_position else item)
    report = Reporter(as_json)
    with report.warnings_as_notes():
        figure = mrsne.plot.map_figure(
            embedding, data, size=size, theme=theme, links=linked_items, density=density, regions=regions
        )
        write_outputs({output: lambda path: write_figure(path, figure, dpi=dpi)})
    report.summary({"picture": str(output), "inches": size, "dots_per_inch": dpi})
