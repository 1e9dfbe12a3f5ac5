"""``mrsne view``: a map in the browser, or as a page of its own."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import mrsne
from mrsne.cli.options import Json, PictureFolders, argument, option, output_file, split_value
from mrsne.cli.outputs import PICTURES, check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import sentences
from mrsne.data.files.generation import current
from mrsne.data.files.problems import Problems
from mrsne.data.outline import check_known
from mrsne.data.tables.known_items import columns_from_table
from mrsne.parameters import ParameterError, check_option
from mrsne.viewer import PAGES

if TYPE_CHECKING:
    from mrsne.viewer.pictures import PictureFolder

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
    from mrsne.viewer.content import Content
    from mrsne.viewer.page import THEMES, write_page
    from mrsne.viewer.reasons import PAGE_ITEMS, SERVED_ITEMS
    from mrsne.viewer.reporting import page_report
    from mrsne.viewer.server import MapServer

    check_option("--theme", theme, THEMES)
    report, file = Reporter(as_json), map_file(path)
    if output is not None:
        check_output(output, PAGES, [file])
        if pictures:
            hint = "a page of --output has thumbnails only"
            raise ParameterError(f"--pictures is for looking at a map in the browser; {hint}")
    saved, problems = mrsne.SavedMap.load(file), Problems()
    folder = saved.collection.folder
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
    with suppress(KeyboardInterrupt), server:
        if sys.stdout.isatty() if browser is None else browser:
            webbrowser.open(server.url)
        server.serve()
    if not as_json:
        report.summary({}, [f"ended: {server.url}"])


def map_file(path: Path) -> Path:
    """Return the map that is meant, by its own name or by that of something beside it."""
    file = path.with_suffix(".npz") if path.suffix.lower() in BESIDE else path
    if file.suffix.lower() != ".npz":
        endings = f".npz, or in {', '.join(BESIDE)} with a map beside it"
        raise ParameterError(f"the map must end in {endings}, got {str(path)!r}")
    if not os.path.isfile(current(file)):
        what = f"map {str(file)!r}" + ("" if file == path else f" beside {str(path)!r}")
        raise FileNotFoundError(f"there is no {what}; mrsne fit and mrsne map write one")
    return file


def read_columns(given: Sequence[str], saved: mrsne.SavedMap, problems: Problems) -> dict[str, dict[str, Any]]:
    """Return the columns of ``--columns`` by domain and heading, and note what could not be used."""
    columns: dict[str, dict[str, Any]] = {}
    for text in given:
        domain, file = split_value("--columns", text, "DOMAIN=TABLE")
        check_known("--columns", {domain: file}, saved.embedding)
        names, pictured = saved.data.names.get(domain, ()), domain in saved.data.pictures
        found = columns_from_table(file, saved.data.sizes[domain], problems, names, pictured)
        for heading, values in found.items():
            if heading in columns.setdefault(domain, {}):
                raise ParameterError(f"--columns gives {domain!r} two columns {heading!r}")
            columns[domain][heading] = values
    return columns


def picture_folders(given: Sequence[str], saved: mrsne.SavedMap, problems: Problems) -> dict[str, PictureFolder]:
    """Return the folders of ``--pictures`` by domain, and that of ``mrsne map`` if it is still there."""
    from mrsne.viewer.pictures import PictureFolder

    folders: dict[str, PictureFolder] = {}
    for text in given:
        domain, folder = split_value("--pictures", text, "DOMAIN=FOLDER")
        check_known("--pictures", {domain: folder}, saved.embedding)
        if domain in folders:
            raise ParameterError(f"--pictures gives {domain!r} two folders")
        if domain not in saved.data.names:
            raise ParameterError(f"--pictures needs the names of files, but the items of {domain!r} have no names")
        if not Path(folder).is_dir():
            raise FileNotFoundError(f"--pictures {domain}={folder}: {folder!r} is not a folder")
        folders[domain] = PictureFolder(folder, saved.data.names[domain])
    kept, names = saved.collection.folder, saved.data.names
    if kept is not None and "image" in names and "image" not in folders:
        if kept.is_dir():
            folders["image"] = PictureFolder(kept, names["image"])
        else:
            problems.add("folder of pictures that is gone; --pictures image=FOLDER names it", str(kept), "")
    return folders
