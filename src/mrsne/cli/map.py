"""``mrsne map``: a folder of pictures and their tags into a map."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from mrsne.cli.map_files import (
    PAGES,
    PICTURES,
    coordinates_beside,
    data_beside,
    left_out_beside,
    write_coordinates,
    write_picture,
)
from mrsne.cli.options import Json, Seed, check_suffix
from mrsne.cli.outputs import check_map_output, check_outputs, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.scoring import brief_scores
from mrsne.cli.summary import Record, sentences

if TYPE_CHECKING:
    from mrsne.cli.picture_data import Pictures
    from mrsne.data import RelationalData
    from mrsne.embedding import Embedding
    from mrsne.io import Problems

WORDING = {
    ("items", "image"): "pictures: {value}",
    ("items", "tag"): "tags: {value}",
    ("links", "image", "tag"): "links: {value}",
    ("items_without_vector", "tag"): "tags without a vector: {value}",
    ("hit_rate_10", "image", "tag"): "pictures with one of their tags among the 10 nearest: {value}",
    ("trustworthiness", "image"): "trustworthiness of pictures: {value}",
    ("trustworthiness", "tag"): "trustworthiness of tags: {value}",
}


def map_pictures(
    folder: Annotated[
        Path, typer.Argument(help="Folder of pictures; folders inside it count too.", show_default=False)
    ],
    tags: Annotated[
        Path | None,
        typer.Option(
            help='Table of pictures and tags (CSV, TSV, Parquet): picture,tag[,weight] or picture,"tag; tag".'
        ),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Tags are in text files beside the pictures: dog.txt.")] = False,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The map: .html to explore, or .png, .svg, .pdf to print; coordinates go beside it as .npz.",
        ),
    ] = Path("map.html"),
    min_count: Annotated[int, typer.Option(min=1, help="Leave out tags of fewer pictures.")] = 1,
    stop_tags: Annotated[str, typer.Option(help="Leave out these tags, separated by commas.")] = "",
    links: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How much the tags decide; the rest is what the pictures look like.")
    ] = 0.5,
    image_model: Annotated[
        str, typer.Option(help="efficientnet-lite0, a path that ends in .onnx, or timm:NAME and others.")
    ] = "efficientnet-lite0",
    word_vectors: Annotated[bool, typer.Option(help="Use what tags mean (English), not only where they occur.")] = True,
    cache: Annotated[
        Path | None, typer.Option(help="Folder that keeps vectors of pictures.", show_default="yours")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no vectors.")] = False,
    theme: Annotated[
        str | None, typer.Option(help="light or dark.", show_default="what the browser prefers; light for pictures")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Make a map of a folder of pictures and their tags.

    Without --tags and --text, the names of the folders inside the folder are the tags. What cannot be used (broken
    pictures, rows for pictures that are not there, ...) is counted at the end and listed in a table beside the map.

    Example: mrsne map photos --tags tags.csv -o map.html
    """
    from mrsne import MRSNE
    from mrsne.cli.picture_data import TagChoice, encode, picture_data, picture_paths, read_tags
    from mrsne.encoders.cache import usable_default_cache

    _check_output(output, theme, tags)
    start = time.perf_counter()
    report = Reporter(as_json)
    paths, problems = picture_paths(folder, output)
    names = [path.relative_to(folder).as_posix() for path in paths]
    found = read_tags(folder, names, tags, text)
    found.problems.extend(problems)
    cache_folder = None if no_cache else cache or usable_default_cache()
    pictures = encode(paths, names, image_model, cache_folder, report, found.problems)
    data = picture_data(pictures, found, TagChoice(min_count, stop_tags.split(","), word_vectors))
    model = MRSNE(weights=links if data.relations else "size", random_state=seed, verbose=report.live)
    about = {"settings": {"weights": model.weights}, "folder": str(folder.resolve())}
    with report.warnings_as_notes():
        embedding = model.fit_transform(data)
        files = _write(embedding, data, found.problems, output, theme, about)
    record = {
        **_counts(pictures, data),
        "left_out": found.problems,
        "iterations": model.n_iter_,
        "kl_divergence": round(float(model.kl_divergence_), 4),
        **brief_scores(embedding, data),
        "seconds": round(time.perf_counter() - start, 1),
        **files,
    }
    report.summary(record, _lines(record))


def _lines(record: Record) -> list[str]:
    """Return what people read, with a word about full-size pictures where the map is a page."""
    lines = list(sentences(record, WORDING))
    page = record["page"]
    return lines if page is None else [*lines, f"with pictures in full size: mrsne view {shlex.quote(page)}"]


def _check_output(output: Path, theme: str | None, tags: Path | None) -> None:
    """Raise, before anything is done, if the map cannot be written or would take the place of something else."""
    from mrsne.parameters import check_option
    from mrsne.plot import THEMES

    check_suffix(output, (*PAGES, *PICTURES))
    if theme is not None:
        check_option("--theme", theme, THEMES)
    saved = output.with_suffix(".npz")
    check_map_output(saved)
    files = [saved, data_beside(saved), output, coordinates_beside(output), left_out_beside(output)]
    check_outputs(files, [] if tags is None else [tags])


def _write(
    embedding: Embedding,
    data: RelationalData,
    problems: Problems,
    output: Path,
    theme: str | None,
    about: dict[str, Any],
) -> dict[str, str | None]:
    """Write the map and what belongs to it, and return where."""
    from mrsne.data.storage import save_data
    from mrsne.plot import map_figure

    def write_page(path: Path) -> None:
        embedding.to_html(path, data, title=Path(about["folder"]).name, theme=theme or "auto")

    def write_map_picture(path: Path) -> None:
        labels = [name for name in ("tag",) if name in data.names]
        write_picture(map_figure(embedding, data, theme=theme or "light", labels=labels), path, dpi=200)

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
    return {
        "map": str(saved),
        "data": str(data_beside(saved)),
        "coordinates": str(coordinates_beside(output)),
        "left_out_table": str(left_out) if problems else None,
        "picture": None if is_page else str(output),
        "page": str(output) if is_page else None,
        "page_url": output.resolve().as_uri() if is_page else None,
    }


def _counts(pictures: Pictures, data: RelationalData) -> dict[str, Any]:
    """Return the numbers of pictures, tags and links; without tags they are zero."""
    tagged = "tag" in data.sizes
    return {
        "picture_files": len(pictures.names),
        "unreadable_pictures": len(pictures.encoded.problems),
        "pictures_from_cache": pictures.encoded.n_known,
        "pictures_per_second": round(len(pictures.names) / max(pictures.seconds, 1e-9), 1),
        "items": {"image": data.sizes["image"], "tag": data.sizes.get("tag", 0)},
        "links": {"image": {"tag": data.relations["image", "tag"].nnz if tagged else 0}},
        "items_without_vector": {"tag": int(np.count_nonzero(data.missing["tag"])) if tagged else 0},
    }
