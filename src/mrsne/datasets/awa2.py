"""Animals with Attributes 2: images, the attributes of their classes, and word vectors."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.arrays import Bool, Float32, Float64, Int64
from mrsne.data.relational import RelationalData
from mrsne.datasets.files import DatasetError, check_count, error_at, find_file, lines, numbered_names, numbers
from mrsne.encoders.words import splits_of
from mrsne.parameters import ParameterError, check_integer, random_numbers

SOURCE = "AwA2 is available from https://cvml.ista.ac.at/AwA2 (base package and ResNet101 features)"
GLOVE_SOURCE = "GloVe is available from https://nlp.stanford.edu/projects/glove (glove.6B.300d.txt)"


def load_awa2(
    path: str | os.PathLike[str],
    *,
    images_per_class: int = 50,
    glove: str | os.PathLike[str] | None = None,
    random_state: Any = 0,
) -> RelationalData:
    """Read Animals with Attributes 2 as the paper uses it: 50 images from each of 50 classes, and 85 attributes.

    Parameters
    ----------
    path : path
        A folder that contains the published files under their own names, in subfolders or not: ``classes.txt``,
        ``predicates.txt``, ``predicate-matrix-binary.txt``, and either ``AwA2-features.txt`` with ``AwA2-labels.txt``
        and ``AwA2-filenames.txt``, or ``res101.mat``.
    images_per_class : int, default=50
        Drawn at random from each class.
    glove : path, optional
        A GloVe text file; by default the one in ``path`` whose name begins with ``glove``, with 300 dimensions if there
        is one.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    data : RelationalData
        Domain "image" with ResNet vectors and file names; domain "tag" with word vectors and the attributes' names; an
        image is linked to the attributes of its class. Attributes whose words GloVe does not know have no vector.

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message says which, and where to get it.
    DatasetError
        If a file does not have the expected format; the message names the line and what was expected there.

    See Also
    --------
    mrsne.datasets.load_flickr : The paper's other data.
    mrsne.datasets.load_arrays : The same from one file of arrays.
    mrsne.datasets.make_classes : Made data of the same structure.

    Examples
    --------
    A file that is missing is named, with where to get it.

    >>> import mrsne, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         mrsne.datasets.load_awa2(folder)
    ...     except FileNotFoundError as error:
    ...         print("classes.txt" in str(error))
    True
    """
    check_integer("images_per_class", images_per_class, minimum=1)
    classes = numbered_names(find_file(path, ["classes.txt"], "the names of the classes", SOURCE))
    predicates = numbered_names(find_file(path, ["predicates.txt"], "the names of the attributes", SOURCE))
    table_file = find_file(path, ["predicate-matrix-binary.txt"], "the attributes of the classes", SOURCE)
    table = _read_table(table_file, classes, predicates)
    if glove is None:
        glove = find_file(path, ["glove*300d*.txt", "glove*.txt"], "word vectors", GLOVE_SOURCE)
    elif not Path(glove).is_file():
        found = os.fspath(glove)
        raise FileNotFoundError(f"glove must be a GloVe text file, but there is no {found!r}; {GLOVE_SOURCE}")
    tags, missing = glove_vectors(Path(glove), predicates)
    # the archive with AWA2/res101.mat also has a res101.mat for each of several other data sets
    patterns = ["AwA2-features.txt", "AWA2/res101.mat", "res101.mat"]
    features = find_file(path, patterns, "ResNet vectors of the images", SOURCE)
    is_mat = features.suffix == ".mat"
    labels, names, vectors = _read_mat(features, classes) if is_mat else _read_labels(features.parent, classes)
    images = _draw_images(labels, classes, images_per_class, random_state)
    vectors = _read_rows(features, images, len(labels)) if vectors is None else vectors[images]
    return RelationalData(
        {"image": vectors, "tag": tags},
        {("image", "tag"): table[labels[images]]},
        names={"image": [names[i] for i in images], "tag": predicates},
        missing={"tag": missing},
    )


def _read_table(path: Path, classes: list[str], predicates: list[str]) -> Float64:
    expected = f"{len(predicates)} numbers 0 or 1, one for each attribute"
    rows = []
    for number, line in lines(path):
        row = numbers(path, number, line, len(predicates), expected)
        if not np.isin(row, (0, 1)).all():
            raise error_at(path, number, expected, line)
        rows.append(row)
    check_count(path, len(rows), "rows", len(classes), "class")
    return np.array(rows)


def _read_labels(folder: Path, classes: list[str]) -> tuple[Int64, list[str], None]:
    """Return the class and the file name of every image; their vectors are in another file."""
    path = find_file(folder, ["AwA2-labels.txt"], "the class of each image", SOURCE)
    labels = []
    for number, line in lines(path):
        if not line.strip().isdecimal() or not 1 <= int(line) <= len(classes):
            raise error_at(path, number, f"the number of a class, 1 to {len(classes)}", line)
        labels.append(int(line) - 1)
    path = find_file(folder, ["AwA2-filenames.txt"], "the file name of each image", SOURCE)
    names = [line.strip() for _, line in lines(path)]
    check_count(path, len(names), "lines", len(labels), "label")
    return np.array(labels, dtype=np.int64), names, None


def _read_rows(path: Path, images: Int64, n_images: int) -> Float32:
    """Return the vectors of the given images, without parsing the lines of the others."""
    needed, width, n_lines = set(images.tolist()), None, 0
    rows: dict[int, Float64] = {}
    for n_lines, (number, line) in enumerate(lines(path), start=1):
        if n_lines - 1 in needed:
            expected = "numbers" if width is None else f"{width} numbers, as in the lines before"
            rows[n_lines - 1] = row = numbers(path, number, line, width, expected)
            width = len(row)
    check_count(path, n_lines, "lines", n_images, "label")
    return np.array([rows[i] for i in images.tolist()], dtype=np.float32)


def _read_mat(path: Path, classes: list[str]) -> tuple[Int64, list[str], Float32]:
    """Return class, file name and vector of every image; an image's class is the folder its file is in."""
    from scipy.io import loadmat

    try:
        content = loadmat(path, variable_names=["features", "image_files"])
        vectors = np.asarray(content["features"], dtype=np.float32).T
        files = [str(np.ravel(entry)[0]) for entry in np.ravel(content["image_files"])]
    except Exception as error:  # scipy's own exceptions for damaged files have no common base class
        raise DatasetError(f"{str(path)!r} must hold 'features' and 'image_files' ({error})") from error
    labels = []
    for number, file in enumerate(files, start=1):
        folder = Path(file).parent.name
        if folder not in classes:
            raise DatasetError(f"{str(path)!r}, image {number}: expected a file in the folder of a class, got {file!r}")
        labels.append(classes.index(folder))
    if len(vectors) != len(files):
        raise DatasetError(f"{str(path)!r} has {len(vectors)} vectors for {len(files)} images")
    return np.array(labels, dtype=np.int64), [Path(file).name for file in files], vectors


def _draw_images(labels: Int64, classes: list[str], count: int, random_state: Any) -> Int64:
    random = random_numbers(random_state)
    images = []
    for index, name in enumerate(classes):
        members = np.flatnonzero(labels == index)
        if len(members) < count:
            raise ParameterError(f"images_per_class is {count}, but the class {name!r} has {len(members)} images")
        images.append(np.sort(random.choice(members, size=count, replace=False)))
    return np.concatenate(images)


def glove_vectors(path: Path, words: Sequence[str]) -> tuple[Float64, Bool]:
    """Return a vector for every word, and which words have none.

    A word that is not in the file is split in two that are, with the rarer part as frequent as possible: their mean.
    """
    splits = {word: splits_of(word.lower()) for word in words}
    vocabulary = {part for word in words for pair in splits[word] for part in pair} | {word.lower() for word in words}
    rank: dict[str, int] = {}
    vector_of: dict[str, Float64] = {}
    width: int | None = None
    for number, line in lines(path):
        word, _, rest = line.partition(" ")
        if width is None or word in vocabulary:
            expected = "a word and numbers" if width is None else f"a word and {width} numbers"
            row = numbers(path, number, rest, width, expected)
            width = len(row)
            if word in vocabulary:
                rank[word], vector_of[word] = number, row
    if not width:
        raise DatasetError(f"{str(path)!r} is empty; expected lines of a word and numbers")
    vectors, missing = np.zeros((len(words), width)), np.zeros(len(words), dtype=bool)
    for index, word in enumerate(words):
        known_splits = [pair for pair in splits[word] if pair[0] in vector_of and pair[1] in vector_of]
        if word.lower() in vector_of:
            vectors[index] = vector_of[word.lower()]
        elif known_splits:
            first, second = min(known_splits, key=lambda pair: max(rank[part] for part in pair))
            vectors[index] = (vector_of[first] + vector_of[second]) / 2
        else:
            missing[index] = True
    return vectors, missing
