"""Images from Flickr and their tags."""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mrsne.data import RelationalData
from mrsne.datasets.files import DatasetError, error_at, find_file, lines
from mrsne.io import file_errors, open_regular
from mrsne.parameters import ParameterError, check_integer

SOURCE = (
    "the folder needs vectors of images, computed with a network of your choice, for pictures such as MIRFLICKR's "
    "(https://press.liacs.nl/mirflickr)"
)


def load_flickr(
    path: str | os.PathLike[str], *, n_images: int = 1000, n_tags: int = 613, random_state: Any = 0
) -> RelationalData:
    """Read tagged images as the paper uses them: 1,000 images at random and their 613 most frequent tags.

    Parameters
    ----------
    path : path
        A folder that holds ``image_vectors.npy``, a row for each image; ``images.txt``, the images' names, one on each
        line, in the same order; and ``tags.csv``, a table with the columns ``image`` and ``tag`` and a row for each tag
        of each image.
    n_images : int, default=1000
        Drawn at random.
    n_tags : int, default=613
        The most frequent tags of those images; among equally frequent ones the first by name.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    data : RelationalData
        Domain "image" with vectors and names; domain "tag" with names and without vectors, the paper's one-hot vectors.
        An image none of whose tags is among the most frequent has no link.

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message says which.
    DatasetError
        If a file does not have the expected format; the message names the line and what was expected there.
    """
    check_integer("n_images", n_images, minimum=1)
    check_integer("n_tags", n_tags, minimum=1)
    names_file = find_file(path, ["images.txt"], "the names of the images", SOURCE)
    names = [line.strip() for _, line in lines(names_file)]
    position = {name: index for index, name in enumerate(names)}
    if len(position) != len(names):
        repeated = Counter(names).most_common(1)[0][0]
        raise DatasetError(f"{str(names_file)!r} names {repeated!r} more than once; expected one line for each image")
    vectors_file = find_file(path, ["image_vectors.npy"], "a vector for each image", SOURCE)
    with file_errors(vectors_file, "a numpy file of numbers", DatasetError), open_regular(vectors_file):
        vectors = np.load(vectors_file, mmap_mode="r", allow_pickle=False)
    if not isinstance(vectors, np.ndarray):
        raise DatasetError(f"{str(vectors_file)!r} is an archive; expected one array, as numpy.save writes it")
    if vectors.ndim != 2 or len(vectors) != len(names):
        raise DatasetError(
            f"{str(vectors_file)!r} has the shape {vectors.shape}; expected {len(names)} rows, one for each name"
        )
    links = _read_tags(find_file(path, ["tags.csv"], "the tags of the images", SOURCE), position, names_file.name)
    if n_images > len(names):
        raise ParameterError(f"n_images is {n_images}, but there are {len(names)} images")
    sample = np.sort(check_random_state(random_state).choice(len(names), size=n_images, replace=False))
    sample_position = {image: index for index, image in enumerate(sample.tolist())}
    sample_links = [(sample_position[image], tag) for image, tag in links if image in sample_position]
    counts = Counter(tag for _, tag in sample_links)
    if n_tags > len(counts):
        raise ParameterError(f"n_tags is {n_tags}, but the {n_images} images have {len(counts)} different tags")
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))[:n_tags]
    frequent = set(tags)
    return RelationalData(
        {"image": np.asarray(vectors[sample]), "tag": n_tags},
        {("image", "tag"): [(image, tag) for image, tag in sample_links if tag in frequent]},
        names={"image": [names[i] for i in sample], "tag": tags},
    )


def _read_tags(path: Path, position: dict[str, int], names_file: str) -> list[tuple[int, str]]:
    """Return the distinct (image, tag) of the table, in the order of its rows."""
    links: dict[tuple[int, str], None] = {}
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            if not {"image", "tag"} <= set(reader.fieldnames or ()):
                raise error_at(path, 1, "a header with 'image' and 'tag'", ",".join(reader.fieldnames or ()))
            for row in reader:
                image, tag = (row["image"] or "").strip(), (row["tag"] or "").strip()
                if not image or not tag or None in row:
                    raise error_at(
                        path, reader.line_num, "the name of an image and a tag", ",".join(map(str, row.values()))
                    )
                if image not in position:
                    raise error_at(path, reader.line_num, f"an image that {names_file} names", image)
                links[position[image], tag] = None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{str(path)!r} is not a table of comma-separated values in UTF-8 ({error})") from error
    if not links:
        raise DatasetError(f"{str(path)!r} has no rows; expected one for each tag of each image")
    return list(links)
