"""Animals with Attributes 2 in the layout of its published archives, written small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from mrsne.datasets.awa2 import load_awa2
from mrsne.datasets.files import DatasetError

CLASSES = ["antelope", "grizzly+bear", "killer+whale"]
PREDICATES = ["black", "longneck", "ocean", "qwzx"]
TABLE = ["1 0 0 1", " 1 1  0 0", "0 0 1 0"]


@pytest.fixture
def awa2(tmp_path: Path) -> Path:
    """Files in the layout of the published archives: 3 classes of 4, 5 and 6 images, 4 attributes."""
    base = tmp_path / "Animals_with_Attributes2"
    features = base / "Features" / "ResNet101"
    features.mkdir(parents=True)
    (base / "classes.txt").write_text("".join(f"{i:6}\t{name}\n" for i, name in enumerate(CLASSES, 1)))
    (base / "predicates.txt").write_text("".join(f"{i:6}\t{name}\n" for i, name in enumerate(PREDICATES, 1)))
    (base / "predicate-matrix-binary.txt").write_text("\n".join(TABLE) + "\n")
    labels = np.repeat([1, 2, 3], [4, 5, 6])
    (features / "AwA2-labels.txt").write_text("".join(f"{label}\n" for label in labels))
    names = [f"{CLASSES[label - 1]}_{10001 + i}.jpg" for i, label in enumerate(labels)]
    (features / "AwA2-filenames.txt").write_text("".join(f"{name}\n" for name in names))
    (features / "AwA2-features.txt").write_text("".join(f"{i}.5 {label} 0.0\n" for i, label in enumerate(labels)))
    words = {"the": 1, "long": 2, "neck": 4, "ocean": 8, "black": 16, "lon": 100, "gneck": 100}
    (tmp_path / "glove.6B.2d.txt").write_text("".join(f"{word} {x} -{x}.5\n" for word, x in words.items()))
    return tmp_path


def test_images_attributes_and_links_are_read_from_text_files(awa2: Path) -> None:
    data = load_awa2(awa2, images_per_class=3)
    assert repr(data) == "RelationalData(image: 9 items, 3-d; tag: 4 items, 2-d; image-tag: 15 links)"
    assert data.names["tag"] == tuple(PREDICATES)
    vectors: Any = data.vectors["image"]
    np.testing.assert_array_equal(vectors[:, 1], np.repeat([1, 2, 3], 3))
    for name, row in zip(data.names["image"], vectors, strict=True):
        assert int(name.split("_")[-1][:-4]) - 10001 == int(row[0])
    expected = np.array([line.split() for line in TABLE], dtype=float)[np.repeat([0, 1, 2], 3)]
    np.testing.assert_array_equal(data.relations["image", "tag"].toarray(), expected)


def test_words_that_glove_does_not_know_are_split_into_two_that_it_does(awa2: Path) -> None:
    data = load_awa2(awa2, images_per_class=1)
    words: Any = data.vectors["tag"]
    np.testing.assert_array_equal(words[:3], [[16, -16.5], [3, -3.5], [8, -8.5]])  # long + neck, not lon + gneck
    np.testing.assert_array_equal(data.missing["tag"], [False, False, False, True])


def test_the_seed_decides_which_images_are_drawn(awa2: Path) -> None:
    first, again, other = (load_awa2(awa2, images_per_class=2, random_state=seed) for seed in (0, 0, 3))
    assert first.names["image"] == again.names["image"] != other.names["image"]


def save_mat_file(awa2: Path) -> Path:
    """Put the features of the text files into xlsa17/res101.mat, as the archive of that name has them."""
    features = awa2 / "Animals_with_Attributes2" / "Features" / "ResNet101"
    names = (features / "AwA2-filenames.txt").read_text().split()
    files = np.empty((len(names), 1), dtype=object)
    for i, name in enumerate(names):
        files[i, 0] = f"/somewhere/Animals_with_Attributes2//JPEGImages/{name.rsplit('_', 1)[0]}/{name}"
    content = {
        "features": np.loadtxt(features / "AwA2-features.txt").T,
        "image_files": files,
        "labels": np.ones((15, 1)),
    }
    archive = awa2 / "xlsa17"
    archive.mkdir()
    savemat(archive / "res101.mat", content)
    for file in features.iterdir():
        file.unlink()
    return archive


def test_the_mat_file_gives_the_same_data_as_the_text_files(awa2: Path) -> None:
    text = load_awa2(awa2, images_per_class=3)
    save_mat_file(awa2)
    data = load_awa2(awa2, images_per_class=3)
    assert data.names == text.names
    np.testing.assert_array_equal(data.vectors["image"], text.vectors["image"])
    assert (data.relations["image", "tag"] != text.relations["image", "tag"]).nnz == 0


def test_the_mat_file_of_other_data_is_passed_over(awa2: Path) -> None:
    text = load_awa2(awa2, images_per_class=3)
    archive = save_mat_file(awa2)
    (archive / "AWA2").mkdir()
    (archive / "res101.mat").rename(archive / "AWA2" / "res101.mat")
    (archive / "APY").mkdir()
    (archive / "APY" / "res101.mat").write_bytes(b"other data")
    assert load_awa2(awa2, images_per_class=3).names == text.names


def test_a_damaged_mat_file_is_refused(awa2: Path) -> None:
    (save_mat_file(awa2) / "res101.mat").write_bytes(b"")
    with pytest.raises(DatasetError, match=r"res101.mat' must hold 'features' and 'image_files'"):
        load_awa2(awa2, images_per_class=3)


AWA2 = "Animals_with_Attributes2"
RESNET = f"{AWA2}/Features/ResNet101"
DAMAGED: list[tuple[str, str | None, str, str]] = [
    (f"{AWA2}/classes.txt", None, "", r"no classes.txt \(the names of the classes\) in .*https://cvml.ista.ac.at/AwA2"),
    (f"{AWA2}/classes.txt", "1 a\n3 b\n", "", r"classes.txt', line 2: expected '2' and a name, got '3 b'"),
    (f"{AWA2}/classes.txt", "\n", "", r"classes.txt' is empty"),
    (f"{AWA2}/predicate-matrix-binary.txt", "1 0 0\n", "", r"binary.txt', line 1: expected 4 numbers 0 or 1"),
    (f"{AWA2}/predicate-matrix-binary.txt", "1 0 0 2\n", "", r"binary.txt', line 1: expected 4 numbers 0 or 1"),
    (f"{AWA2}/predicate-matrix-binary.txt", "1 0 0 x\n", "", r"line 1: expected 4 numbers 0 or 1.*got '1 0 0 x'"),
    (f"{AWA2}/predicate-matrix-binary.txt", "1 0 0 1\n", "", r"has 1 rows; expected 3, one for each class"),
    (
        f"{RESNET}/AwA2-labels.txt",
        "1\n4\n",
        "",
        r"labels.txt', line 2: expected the number of a class, 1 to 3, got '4'",
    ),
    (f"{RESNET}/AwA2-filenames.txt", "a.jpg\n", "", r"filenames.txt' has 1 lines; expected 15, one for each label"),
    (f"{RESNET}/AwA2-filenames.txt", None, "", r"no AwA2-filenames.txt"),
    (f"{RESNET}/AwA2-features.txt", "1 2\n", "", r"features.txt' has 1 lines; expected 15"),
    (
        f"{RESNET}/AwA2-features.txt",
        "1 2 3\n" * 14 + "1 2\n",
        "all",
        r"line 15: expected 3 numbers, as in the lines before",
    ),
    (f"{RESNET}/AwA2-features.txt", "1 2 3\n" * 14 + "1 nan 2\n", "all", r"line 15: expected 3 numbers"),
    (f"{RESNET}/AwA2-features.txt", None, "", r"no AwA2-features.txt or AWA2/res101.mat or res101.mat"),
    ("glove.6B.2d.txt", None, "", r"no glove\*300d\*.txt or glove\*.txt.*nlp.stanford.edu"),
    ("glove.6B.2d.txt", "the 1 2\nblack 1\n", "", r"glove.6B.2d.txt', line 2: expected a word and 2 numbers"),
    ("glove.6B.2d.txt", "", "", r"glove.6B.2d.txt' is empty"),
]


@pytest.mark.parametrize(("file", "content", "which", "message"), DAMAGED)
def test_errors_name_the_file_and_the_line(
    awa2: Path, file: str, content: str | None, which: str, message: str
) -> None:
    target = awa2 / file
    target.unlink() if content is None else target.write_text(content)
    if which == "all":  # so that the damaged line is drawn
        (awa2 / RESNET / "AwA2-labels.txt").write_text("".join(f"{i}\n" for i in np.repeat([1, 2, 3], 5)))
    error: type[Exception] = FileNotFoundError if content is None else DatasetError
    with pytest.raises(error, match=message):
        load_awa2(awa2, images_per_class=5 if which == "all" else 1)


def test_more_images_of_a_class_than_there_are_are_refused(awa2: Path) -> None:
    with pytest.raises(ValueError, match="images_per_class is 5, but the class 'antelope' has 4 images"):
        load_awa2(awa2, images_per_class=5)


def test_paths_that_lead_nowhere_are_named(awa2: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        load_awa2(awa2 / "nowhere")
    with pytest.raises(FileNotFoundError, match="glove must be a GloVe text file"):
        load_awa2(awa2, images_per_class=1, glove=awa2 / "words.txt")


def test_files_that_are_not_utf_8_are_refused(awa2: Path) -> None:
    (awa2 / AWA2 / "classes.txt").write_bytes(b"1 \xff\xfe\n")
    with pytest.raises(DatasetError, match="is not a text file in UTF-8"):
        load_awa2(awa2)
