"""``mrsne demo``: maps to try at once, of bundled emoji or icons, or of this computer's Debian packages."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import mrsne
from mrsne.cli.map_outputs import map_record
from mrsne.cli.options import Json, option, output_file
from mrsne.cli.outputs import check_map_outputs, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import Wording, by_pair, sentences
from mrsne.data.files.generation import data_beside
from mrsne.data.files.writing import check_outputs, write_figure
from mrsne.parameters import ParameterError, check_option
from mrsne.viewer import PAGES

WORDING: Wording = {("items",): "{0}: {value}", ("seconds",): "seconds for the map: {value}"}


def demo(
    name: Annotated[str, typer.Argument(help="emoji, icons or debian.")] = "emoji",
    output: Annotated[Path, output_file("Folder for the map and its picture, or a page (.html) alone.")] = Path("demo"),
    data: Annotated[
        Path | None, option("For debian: what apt-cache dumpavail prints.", default="this computer's package lists")
    ] = None,
    as_json: Json = False,
) -> None:
    """Map something at once, and write a map to explore in a browser and a picture of it.

    emoji: 1,636 emoji and 997 keywords. icons: 7,447 icons, the words for them and their authors. debian: 5,000
    packages, their tags and maintainers, from the package lists of apt.

    Example: mrsne demo -o demo

    Example: mrsne demo icons
    """
    from mrsne.datasets.demos import DEMOS
    from mrsne.metrics.prediction import link_auc

    check_option("the demo", name, tuple(DEMOS))
    if data is not None and DEMOS[name].load_from is None:
        raise ParameterError(f"--data is for the demo 'debian'; {name!r} is bundled")
    page = page_for(output, name)
    path, picture = page.with_suffix(".npz"), None if page == output else page.with_suffix(".png")
    inputs = [] if data is None else [data]
    check_map_outputs(page, inputs)
    check_outputs([] if picture is None else [picture], inputs)
    report, shown = Reporter(as_json), DEMOS[name]
    start = time.perf_counter()
    items = shown.load() if data is None or shown.load_from is None else shown.load_from(data)
    settings: dict[str, Any] = {"weights": "auto", "relation_norm": "auto"}
    with report.warnings_as_notes():
        embedding = mrsne.MRSNE(**settings, random_state=0, verbose=report.live).fit_transform(items)
    seconds = time.perf_counter() - start
    saved = mrsne.SavedMap(embedding, mrsne.Collection(items), settings)
    writers = saved.writers(path)
    writers[page] = lambda path: embedding.to_html(path, items, columns=shown.columns(), title=shown.title)
    if picture is not None:
        writers[picture] = lambda path: write_figure(path, mrsne.plot.map_figure(embedding, items, size=12), dpi=150)
    with report.warnings_as_notes():
        write_outputs(writers)
    record = {
        "items": dict(items.sizes),
        "links": by_pair({pair: W.nnz for pair, W in items.relations.items()}),
        "seconds": round(seconds, 1),
        "link_auc": by_pair({pair: round(link_auc(embedding, items, pair), 3) for pair in items.relations}),
        **map_record(saved),
        "map": str(path),
        "data": str(data_beside(path)),
        "picture": None if picture is None else str(picture),
        "page": str(page),
        "page_url": page.resolve().as_uri(),
    }
    report.summary(record, sentences(record, WORDING))


def page_for(output: Path, name: str = "emoji") -> Path:
    """Return the page to write: the output if it ends like a page, or else a page in that folder."""
    if output.is_dir() or not output.suffix:
        return output / f"{name}.html"
    if output.suffix.lower() not in PAGES:
        raise ParameterError(
            f"--output must be a folder, or a page that ends in {' or '.join(PAGES)}, got {str(output)!r}; "
            "a folder with such a name must be there already"
        )
    return output
