"""``mrsne view``: a map in the browser, or as a page of its own."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from mrsne.cli.options import Json, PictureFolders, argument, check_suffix, option, output_file
from mrsne.cli.outputs import PICTURES, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import sentences
from mrsne.cli.view_sources import picture_folders, read_columns
from mrsne.data.files.generation import current
from mrsne.data.files.problems import Problems
from mrsne.data.files.writing import check_outputs
from mrsne.parameters import ParameterError
from mrsne.viewer import PAGES

BESIDE = (*PAGES, *PICTURES)  # endings of what lies beside a map


def view(
    path: Annotated[Path, argument("A map that fit or map wrote (.npz), or the picture or page beside it.")],
    pictures: PictureFolders = None,
    columns: Annotated[
        list[str] | None,
        option("DOMAIN=TABLE to colour by: with headings, the first column is the item's name or position."),
    ] = None,
    port: Annotated[int, option("Port on this computer.", min=0, max=65535, default="any that is free")] = 0,
    browser: Annotated[bool | None, option("Open the browser.", "--open/--no-open", default="on a terminal")] = None,
    theme: Annotated[str, option("auto, light or dark.")] = "auto",
    output: Annotated[Path | None, output_file("Write one page (.html) instead of serving.")] = None,
    as_json: Json = False,
) -> None:
    """Look at a map in the browser, until Ctrl-C; or, with --output, write it as one page.

    Only this computer can reach it, and only by the address that is printed.

    Example: mrsne view map.npz --columns image=years.csv
    """
    from mrsne.model.saved_map import SavedMap
    from mrsne.parameters import check_option
    from mrsne.viewer.content import Content
    from mrsne.viewer.page import THEMES, write_page
    from mrsne.viewer.reasons import PAGE_ITEMS, SERVED_ITEMS
    from mrsne.viewer.reporting import page_report
    from mrsne.viewer.server import MapServer

    check_option("--theme", theme, THEMES)
    report = Reporter(as_json)
    file = map_file(path)
    if output is not None:
        check_suffix(output, PAGES)
        check_outputs([output], [file])
        if pictures:
            raise ParameterError(
                "--pictures is for looking at a map in the browser; a page of --output has thumbnails only"
            )
    saved = SavedMap.load(file)
    folder = saved.collection.folder
    problems = Problems()
    content = Content(
        saved.embedding,
        saved.data,
        columns=read_columns(columns or [], saved, problems),
        title=folder.name if folder is not None else file.stem,
        report=page_report(saved.embedding, saved.data, saved.metrics) or False,
        explained=SERVED_ITEMS if output is None else PAGE_ITEMS,
        settings=saved.affinity_settings,
    )
    if output is not None:
        write_outputs({output: lambda path: write_page(path, content, theme)})
        report.summary({"left_out": problems, "address": None, "page": str(output)})
        return
    folders = picture_folders(pictures or [], saved, problems)
    try:
        server = MapServer(content, folders, port, theme)
    except OSError as error:
        raise ParameterError(f"--port {port} cannot be used ({error.strerror or error})") from error
    record = {"left_out": problems, "address": server.url, "page": None}
    report.summary(record, [*sentences(record), "to end it, press Ctrl-C"])
    sys.stdout.flush()  # a program that reads the address is waiting for it
    try:
        server.start()
        if sys.stdout.isatty() if browser is None else browser:
            webbrowser.open(server.url)
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
    if not as_json:
        report.summary({}, [f"ended: {server.url}"])


def map_file(path: Path) -> Path:
    """Return the map that is meant, by its own name or by that of something beside it."""
    file = path.with_suffix(".npz") if path.suffix.lower() in BESIDE else path
    if file.suffix.lower() != ".npz":
        raise ParameterError(
            f"the map must end in .npz, or in {', '.join(BESIDE)} with a map beside it, got {str(path)!r}"
        )
    if not os.path.isfile(current(file)):
        beside = "" if file == path else f" beside {str(path)!r}"
        raise FileNotFoundError(f"there is no map {str(file)!r}{beside}; mrsne fit and mrsne map write one")
    return file
