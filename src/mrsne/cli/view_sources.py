"""What a map is shown with: columns of ``--columns``, and pictures in full size from folders of ``--pictures``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrsne.cli.options import split_value
from mrsne.data.files.problems import Problems
from mrsne.data.outline import check_known
from mrsne.data.tables.known_items import columns_from_table
from mrsne.parameters import ParameterError

if TYPE_CHECKING:
    from mrsne.model.saved_map import SavedMap
    from mrsne.viewer.pictures import PictureFolder


def read_columns(given: Sequence[str], saved: SavedMap, problems: Problems) -> dict[str, dict[str, Any]]:
    """Return the columns of ``--columns`` by domain and heading, and note what could not be used."""
    columns: dict[str, dict[str, Any]] = {}
    for text in given:
        domain, file = split_value("--columns", text, "DOMAIN=TABLE")
        check_known("--columns", {domain: file}, saved.embedding)
        data = saved.data
        table = columns_from_table(file, data.sizes[domain], data.names.get(domain), domain in data.pictures)
        problems.extend(table.problems)
        for heading, values in table.values.items():
            if heading in columns.setdefault(domain, {}):
                raise ParameterError(f"--columns gives {domain!r} two columns {heading!r}")
            columns[domain][heading] = values
    return columns


def picture_folders(given: Sequence[str], saved: SavedMap, problems: Problems) -> dict[str, PictureFolder]:
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
    kept = saved.collection.folder
    if kept is not None and "image" in saved.data.names and "image" not in folders:
        if kept.is_dir():
            folders["image"] = PictureFolder(kept, saved.data.names["image"])
        else:
            problems.add("folder of pictures that is gone; --pictures image=FOLDER names it", str(kept), "")
    return folders
