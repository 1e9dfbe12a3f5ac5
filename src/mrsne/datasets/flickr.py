"""Images from Flickr and their tags."""

import csv
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float32, UInt8
from mrsne.data.files.damage import file_errors
from mrsne.data.files.pictures import find_pictures
from mrsne.data.relational import RelationalData
from mrsne.datasets.files import THUMBNAIL, DatasetError, error_at, find_file, lines, read_thumbnails
from mrsne.parameters import ParameterError, check_integer, random_numbers
from mrsne.regular_files import open_regular

SOURCE = (
    "the folder needs pictures, such as MIRFLICKR's (https://press.liacs.nl/mirflickr), or vectors of them, computed "
    "with a network of your choice"
)


def load_flickr(
    path: str | os.PathLike[str], *, n_images: int = 1000, n_tags: int = 613, random_state: Any = 0
) -> RelationalData:
    r"""Read tagged images as the paper uses them: 1,000 images at random and their 613 most frequent tags.

    Parameters
    ----------
    path : path
        A folder that holds ``tags.csv``, a table with the columns ``image`` and ``tag`` and a row for each tag of each
        image, and the pictures themselves, named as in the table by their path in the folder; those that are drawn
        are turned into vectors by :func:`mrsne.encoders.encode_images`. Or, instead of pictures or beside them,
        ``image_vectors.npy``, a row for each image, and ``images.txt``, the images' names, one on each line, in the
        same order.
    n_images : int, default=1000
        Drawn at random.
    n_tags : int, default=613
        The most frequent tags of those images; among equally frequent ones the first by name.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    data : RelationalData
        Domain "image" with vectors and names; domain "tag" with names and without vectors, the paper's one-hot vectors.
        An image none of whose tags is among the most frequent has no link. Where all drawn images are in the folder,
        their thumbnails are in ``data.pictures``.

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message says which.
    DatasetError
        If a file does not have the expected format; the message names the line and what was expected there.

    See Also
    --------
    mrsne.datasets.load_awa2 : The paper's other data.
    mrsne.datasets.load_emoji : Bundled pictures and keywords.

    Examples
    --------
    >>> import mrsne, numpy as np, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = pathlib.Path(name)
    ...     np.save(folder / "image_vectors.npy", np.eye(3, 5))
    ...     _ = (folder / "images.txt").write_text("a.jpg\nb.jpg\nc.jpg\n")
    ...     _ = (folder / "tags.csv").write_text("image,tag\na.jpg,sea\nb.jpg,sea\nc.jpg,sky\n")
    ...     mrsne.datasets.load_flickr(folder, n_images=3, n_tags=2)
    RelationalData(image: 3 items, 5-d; tag: 2 items, no vectors; image-tag: 3 links)
    """
    check_integer("n_images", n_images, minimum=1)
    check_integer("n_tags", n_tags, minimum=1)
    files = _picture_files(Path(path))
    has_vectors = not files or any(Path(path).rglob("images.txt"))
    names = _read_names(path) if has_vectors else sorted(files)
    all_vectors = _read_vectors(path, len(names)) if has_vectors else None
    position = {name: index for index, name in enumerate(names)}
    tags_file = find_file(path, ["tags.csv"], "the tags of the images", SOURCE)
    links = _read_tags(tags_file, position, "images.txt" if has_vectors else "the folder")
    if n_images > len(names):
        raise ParameterError(f"n_images is {n_images}, but there are {len(names)} images")
    sample = np.sort(random_numbers(random_state).choice(len(names), size=n_images, replace=False))
    sample_position = {image: index for index, image in enumerate(sample.tolist())}
    sample_links = [(sample_position[image], tag) for image, tag in links if image in sample_position]
    counts = Counter(tag for _, tag in sample_links)
    if n_tags > len(counts):
        raise ParameterError(f"n_tags is {n_tags}, but the {n_images} images have {len(counts)} different tags")
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))[:n_tags]
    sample_names = [names[i] for i in sample]
    sample_files = [files[name] for name in sample_names if name in files]
    pictures = {}
    if all_vectors is None:
        vectors, pictures["image"] = _encoded(sample_files)
    else:
        vectors = np.asarray(all_vectors[sample])
        if len(sample_files) == n_images:
            pictures["image"] = read_thumbnails(sample_files)
    frequent = set(tags)
    return RelationalData(
        {"image": vectors, "tag": n_tags},
        {("image", "tag"): [(image, tag) for image, tag in sample_links if tag in frequent]},
        names={"image": sample_names, "tag": tags},
        pictures=pictures,
    )


def _picture_files(folder: Path) -> dict[str, Path]:
    """Return the pictures in a folder by their path in it, with ``/``; none where there is no folder or picture."""
    try:
        return {file.relative_to(folder).as_posix(): file for file in find_pictures(folder)}
    except FileNotFoundError:
        return {}


def _encoded(files: list[Path]) -> tuple[Float32, UInt8]:
    from mrsne.encoders.images import encode_pictures

    encoded = encode_pictures(files, thumbnail_side=THUMBNAIL)
    for index, reason in encoded.problems.items():
        raise DatasetError(f"{str(files[index])!r} cannot be read as a picture: {reason}")
    assert encoded.thumbnails is not None
    return encoded.vectors, encoded.thumbnails


def _read_names(path: str | os.PathLike[str]) -> list[str]:
    file = find_file(path, ["images.txt"], "the names of the images", SOURCE)
    names = [line.strip() for _, line in lines(file)]
    if len(set(names)) != len(names):
        repeated = Counter(names).most_common(1)[0][0]
        raise DatasetError(f"{str(file)!r} names {repeated!r} more than once; expected one line for each image")
    return names


def _read_vectors(path: str | os.PathLike[str], count: int) -> NDArray[Any]:
    file = find_file(path, ["image_vectors.npy"], "a vector for each image", SOURCE)
    with file_errors(file, "a numpy file of numbers", DatasetError), open_regular(file):
        vectors = np.load(file, mmap_mode="r", allow_pickle=False)
    if not isinstance(vectors, np.ndarray):
        raise DatasetError(f"{str(file)!r} is an archive; expected one array, as numpy.save writes it")
    if vectors.ndim != 2 or len(vectors) != count:
        raise DatasetError(f"{str(file)!r} has the shape {vectors.shape}; expected {count} rows, one for each name")
    return vectors


def _read_tags(path: Path, position: dict[str, int], names_file: str) -> list[tuple[int, str]]:
    """Return the distinct (image, tag) of the table, in the order of its rows."""
    links: dict[tuple[int, str], None] = {}
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            if not {"image", "tag"} <= set(reader.fieldnames or ()):
                raise error_at(path, 1, "a header with 'image' and 'tag'", ",".join(reader.fieldnames or ()))
            for row in reader:
                image, tag, found = (row["image"] or "").strip(), (row["tag"] or "").strip(), map(str, row.values())
                if not image or not tag or None in row:
                    raise error_at(path, reader.line_num, "the name of an image and a tag", ",".join(found))
                if image not in position:
                    raise error_at(path, reader.line_num, f"an image that {names_file} names", image)
                links[position[image], tag] = None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{str(path)!r} is not a table of comma-separated values in UTF-8 ({error})") from error
    if not links:
        raise DatasetError(f"{str(path)!r} has no rows; expected one for each tag of each image")
    return list(links)
