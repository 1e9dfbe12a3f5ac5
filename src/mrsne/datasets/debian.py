"""Debian's packages, their tags and maintainers, from apt's own package lists where there are any."""

import os
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np

from mrsne.data.files.damage import file_errors
from mrsne.data.relational import RelationalData
from mrsne.datasets.files import DatasetError
from mrsne.regular_files import read_text

LISTS = Path("/var/lib/apt/lists")
FIELDS = {  # of apt, and the columns they become
    **{name: name.lower() for name in ("Package", "Maintainer", "Section", "Description", "Homepage")},
    "Installed-Size": "installed size",
    "Tag": "tags",
}
DUMP = "what `apt-cache dumpavail` prints"
CONTINUED = re.compile(r"\n[ \t]+")
ADDRESS = re.compile(r"\s*<[^>]*>")


def load_debian(
    path: str | os.PathLike[str] | None = None, *, n_packages: int = 5_000, min_count: int = 3, random_state: int = 0
) -> RelationalData:
    r"""Return Debian's packages, their tags and maintainers, from this computer's package lists or from a file.

    Parameters
    ----------
    path : path, optional
        What ``apt-cache dumpavail`` prints; by default the package lists of apt, where there are any.
    n_packages : int, default=5000
        Drawn at random from the packages that have tags.
    min_count : int, default=3
        Tags and maintainers of fewer packages are left out.
    random_state : int, default=0

    Returns
    -------
    data : RelationalData
        Domain "package", compared by the words of its description, with its section, installed size and homepage as
        columns; "tag" and "maintainer".

    Raises
    ------
    DatasetError
        If there are no package lists, or they have no packages with tags.

    See Also
    --------
    mrsne.datasets.load_icons : Three kinds, bundled.

    Examples
    --------
    >>> import tempfile
    >>> entry = "Package: p{0}\nMaintainer: A <a@b.c>\nTag: role::program,\n use::editing\n"
    >>> entry += "Description: edits\n\n"
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("".join(entry.format(i) for i in range(9)))
    ...     _ = file.seek(0)
    ...     data = load_debian(file.name)
    >>> data.sizes, data.names["tag"]
    (mappingproxy({'package': 9, 'maintainer': 1, 'tag': 2}), ('role::program', 'use::editing'))
    """
    text = _available() if path is None else _read(Path(path))
    packages = {package["package"]: package for package in packages_of(text) if "tags" in package}
    if len(packages) < 2:
        where = "the package lists of apt" if path is None else repr(os.fspath(path))
        raise DatasetError(f"{where} have {len(packages)} packages with tags; expected {DUMP}")
    names = sorted(packages)
    if len(names) > n_packages:
        sample = np.sort(np.random.default_rng(random_state).choice(len(names), n_packages, replace=False))
        names = [names[index] for index in sample]
    frame = {column: [packages[name].get(column) for name in names] for column in FIELDS.values()}
    frame["tags"] = [[tag.strip() for tag in (tags or "").split(",")] for tags in frame["tags"]]  # type: ignore[misc]
    frame["maintainer"] = [ADDRESS.sub("", name or "") for name in frame["maintainer"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the rare tags and maintainers that min_count leaves out
        return RelationalData.from_frame(
            frame,
            item="package",
            id="package",
            kinds={"tag": "tags", "maintainer": "maintainer"},
            categories=["section"],
            numbers=["installed size"],
            texts=["description"],
            shown=["homepage"],
            min_count=min_count,
        )


def packages_of(text: str) -> list[dict[str, str]]:
    """Return the packages of apt's text, by the names of columns; a line that begins with a space continues a value."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = (line.partition(":") for line in CONTINUED.sub(" ", paragraph.strip()).split("\n"))
        package = {FIELDS[name]: value.strip() for name, colon, value in lines if colon and name in FIELDS}
        if "package" in package:
            found.append(package)
    return found


def _available() -> str:
    """Return the package lists of this computer: as files, or as apt prints them where it keeps them compressed."""
    lists = sorted(LISTS.glob("*_Packages")) if LISTS.is_dir() else []
    if lists:
        return "\n\n".join(_read(file) for file in lists)
    program = shutil.which("apt-cache")
    if program is not None:
        printed = subprocess.run([program, "dumpavail"], capture_output=True, check=False).stdout
        if printed.strip():
            return printed.decode("utf-8", "replace")
    raise DatasetError(
        "there are no package lists of apt here; on Debian or Ubuntu `apt-get update` brings them, elsewhere give a "
        f"file with {DUMP} (--data FILE)"
    )


def _read(path: Path) -> str:
    with file_errors(path, DUMP, DatasetError):
        return read_text(path)
