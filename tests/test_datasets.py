"""Published data sets in their own layout, written small, and made-up data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from mrsne import RelationalData, datasets
from mrsne.datasets import DatasetError, load_arrays, load_awa2, load_flickr, make_groups

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


def test_awa2_from_text_files(awa2: Path) -> None:
    data = load_awa2(awa2, images_per_class=3)
    assert repr(data) == "RelationalData(image: 9 items, 3-d; tag: 4 items, 2-d; image-tag: 15 links)"
    assert data.names["tag"] == tuple(PREDICATES)
    vectors: Any = data.vectors["image"]
    np.testing.assert_array_equal(vectors[:, 1], np.repeat([1, 2, 3], 3))
    for name, row in zip(data.names["image"], vectors, strict=True):
        assert int(name.split("_")[-1][:-4]) - 10001 == int(row[0])
    expected = np.array([line.split() for line in TABLE], dtype=float)[np.repeat([0, 1, 2], 3)]
    np.testing.assert_array_equal(data.relations["image", "tag"].toarray(), expected)


def test_awa2s_words_are_taken_apart_where_glove_does_not_know_them(awa2: Path) -> None:
    data = load_awa2(awa2, images_per_class=1)
    words: Any = data.vectors["tag"]
    np.testing.assert_array_equal(words[:3], [[16, -16.5], [3, -3.5], [8, -8.5]])  # long + neck, not lon + gneck
    np.testing.assert_array_equal(data.missing["tag"], [False, False, False, True])


def test_awa2s_images_are_drawn_by_the_seed(awa2: Path) -> None:
    first, again, other = (load_awa2(awa2, images_per_class=2, random_state=seed) for seed in (0, 0, 3))
    assert first.names["image"] == again.names["image"] != other.names["image"]


def test_awa2_from_the_mat_file(awa2: Path) -> None:
    text = load_awa2(awa2, images_per_class=3)
    features = awa2 / "Animals_with_Attributes2" / "Features" / "ResNet101"
    names = (features / "AwA2-filenames.txt").read_text().split()
    files = np.empty((len(names), 1), dtype=object)
    for i, name in enumerate(names):
        files[i, 0] = f"/somewhere/Animals_with_Attributes2//JPEGImages/{name.rsplit('_', 1)[0]}/{name}"
    matrix = np.loadtxt(features / "AwA2-features.txt")
    (awa2 / "xlsa17").mkdir()
    savemat(awa2 / "xlsa17" / "res101.mat", {"features": matrix.T, "image_files": files, "labels": np.ones((15, 1))})
    for file in features.iterdir():
        file.unlink()
    data = load_awa2(awa2, images_per_class=3)
    assert data.names == text.names
    (awa2 / "xlsa17" / "AWA2").mkdir()
    (awa2 / "xlsa17" / "res101.mat").rename(awa2 / "xlsa17" / "AWA2" / "res101.mat")
    (awa2 / "xlsa17" / "APY").mkdir()
    (awa2 / "xlsa17" / "APY" / "res101.mat").write_bytes(b"other data")
    assert load_awa2(awa2, images_per_class=3).names == text.names
    (awa2 / "xlsa17" / "AWA2" / "res101.mat").write_bytes(b"")
    with pytest.raises(DatasetError, match=r"res101.mat' must hold 'features' and 'image_files'"):
        load_awa2(awa2, images_per_class=3)
    np.testing.assert_array_equal(data.vectors["image"], text.vectors["image"])
    assert (data.relations["image", "tag"] != text.relations["image", "tag"]).nnz == 0


AWA2 = "Animals_with_Attributes2"
RESNET = f"{AWA2}/Features/ResNet101"
SPOILED: list[tuple[str, str | None, str, str]] = [
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


@pytest.mark.parametrize(("file", "content", "which", "message"), SPOILED)
def test_awa2_names_what_is_wrong(awa2: Path, file: str, content: str | None, which: str, message: str) -> None:
    target = awa2 / file
    target.unlink() if content is None else target.write_text(content)
    if which == "all":  # so that the spoiled line is drawn
        (awa2 / RESNET / "AwA2-labels.txt").write_text("".join(f"{i}\n" for i in np.repeat([1, 2, 3], 5)))
    error: type[Exception] = FileNotFoundError if content is None else DatasetError
    with pytest.raises(error, match=message):
        load_awa2(awa2, images_per_class=5 if which == "all" else 1)


def test_awa2s_other_errors(awa2: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="images_per_class is 5, but the class 'antelope' has 4 images"):
        load_awa2(awa2, images_per_class=5)
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        load_awa2(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="glove must be a GloVe text file"):
        load_awa2(awa2, images_per_class=1, glove=tmp_path / "words.txt")
    (awa2 / AWA2 / "classes.txt").write_bytes(b"1 \xff\xfe\n")
    with pytest.raises(DatasetError, match="is not a text file in UTF-8"):
        load_awa2(awa2)


@pytest.fixture
def flickr(tmp_path: Path) -> Path:
    np.save(tmp_path / "image_vectors.npy", np.arange(24, dtype=np.float32).reshape(8, 3))
    (tmp_path / "images.txt").write_text("".join(f"im{i}.jpg\n" for i in range(8)))
    rows = [(i, tag) for i in range(7) for tag in ["sky", "sea", "dog"][: 1 + i % 3]] + [
        (7, 'a "rare", tag'),
        (0, "sky"),
    ]
    lines = ["image,tag"] + [f'im{i}.jpg,"{tag.replace(chr(34), chr(34) * 2)}"' for i, tag in rows]
    (tmp_path / "tags.csv").write_text("\n".join(lines), encoding="utf-8-sig")
    return tmp_path


def test_flickr(flickr: Path) -> None:
    data = load_flickr(flickr, n_images=8, n_tags=2)
    assert data.names["tag"] == ("sky", "sea")
    W = data.relations["image", "tag"].toarray()
    np.testing.assert_array_equal(W[:, 0], [1] * 7 + [0])  # a repeated row counts once; the last image has no link
    np.testing.assert_array_equal(W[:, 1], [0, 1, 1, 0, 1, 1, 0, 0])
    assert data.vectors["tag"] is None
    some = load_flickr(flickr, n_images=5, n_tags=2, random_state=1)
    vectors: Any = some.vectors["image"]
    assert [f"im{int(row[0]) // 3}.jpg" for row in vectors] == list(some.names["image"])


FLICKR: list[tuple[str, str | None, str]] = [
    ("tags.csv", "picture,tag\n", "tags.csv', line 1: expected a header with 'image' and 'tag', got 'picture,tag'"),
    ("tags.csv", "image,tag\nim0.jpg,sky\nim0.jpg\n", "tags.csv', line 3: expected the name of an image and a tag"),
    (
        "tags.csv",
        "image,tag\nim9.jpg,sky\n",
        "tags.csv', line 2: expected an image that images.txt names, got 'im9.jpg'",
    ),
    ("tags.csv", "image,tag\n", "tags.csv' has no rows"),
    ("tags.csv", 'image,tag\nim0.jpg,"sky\n', "tags.csv' is not a table of comma-separated values"),
    ("tags.csv", None, "no tags.csv"),
    ("images.txt", "im0.jpg\nim0.jpg\n", "images.txt' names 'im0.jpg' more than once"),
    ("images.txt", "im0.jpg\n", r"has the shape \(8, 3\); expected 1 rows, one for each name"),
    ("image_vectors.npy", "no numbers", "image_vectors.npy' is not a numpy file of numbers"),
    ("image_vectors.npy", None, "no image_vectors.npy"),
]


@pytest.mark.parametrize(("file", "content", "message"), FLICKR)
def test_flickr_names_what_is_wrong(flickr: Path, file: str, content: str | None, message: str) -> None:
    target = flickr / file
    target.unlink() if content is None else target.write_text(content)
    with pytest.raises(FileNotFoundError if content is None else DatasetError, match=message):
        load_flickr(flickr, n_images=5, n_tags=2)


def test_marks_and_line_ends_of_other_systems_do_not_matter(flickr: Path) -> None:
    expected = load_flickr(flickr, n_images=8, n_tags=2)
    names = (flickr / "images.txt").read_text().replace("\n", "\r\n")
    (flickr / "images.txt").write_bytes(b"\xef\xbb\xbf" + names.encode() + b"\r\n")
    assert load_flickr(flickr, n_images=8, n_tags=2).names == expected.names


def test_an_archive_of_vectors_is_not_taken_for_an_array(flickr: Path) -> None:
    with open(flickr / "image_vectors.npy", "wb") as file:
        np.savez(file, np.eye(8))
    with pytest.raises(DatasetError, match="is an archive; expected one array"):
        load_flickr(flickr, n_images=8, n_tags=2)


def test_flickrs_numbers_must_be_there(flickr: Path) -> None:
    with pytest.raises(ValueError, match="n_images is 1000, but there are 8 images"):
        load_flickr(flickr)
    with pytest.raises(ValueError, match="n_tags is 9, but the 8 images have 4 different tags"):
        load_flickr(flickr, n_images=8, n_tags=9)


def test_arrays(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    np.savez(path, image_vectors=np.eye(4), relation=np.eye(4, 3), tag_vectors=np.eye(3), tag_names=["a", "b", "c"])
    data = load_arrays(path)
    assert (data.names["tag"], data.sizes["image"]) == (("a", "b", "c"), 4)
    np.savez(path, image_vectors=np.eye(4))
    with pytest.raises(DatasetError, match=r"'data.npz' has no 'relation'; it has 'image_vectors'"):
        load_arrays(path)
    np.savez(path, image_vectors=np.eye(4), relation=np.ones(4))
    with pytest.raises(DatasetError, match="expected images × tags"):
        load_arrays(path)
    np.savez(path, image_vectors=np.eye(4), relation=np.eye(4), others=np.array([{}]))
    assert load_arrays(path).n_items == 8
    np.save(tmp_path / "one.npy", np.eye(3))
    with pytest.raises(DatasetError, match="is not an npz file of arrays"):
        load_arrays(tmp_path / "one.npy")
    path.write_text("text")
    with pytest.raises(DatasetError, match="is not an npz file of arrays"):
        load_arrays(path)


def test_made_groups_have_the_structure_they_say() -> None:
    data, groups = make_groups(
        {"a": 300, "b": 40, "c": 20},
        n_groups=4,
        dimensions={"a": 8, "c": 5},
        pairs=[("a", "b"), ("b", "b")],
        random_state=1,
    )
    assert (data.vectors["b"], data.sizes) == (None, {"a": 300, "b": 40, "c": 20})
    W = sparse_pairs(data, "a", "b")
    assert W.sum() == 1200
    same = groups["a"][:, None] == groups["b"][None]
    assert 0.95 <= W[same].sum() / W.sum() <= 0.98  # 95 %, and a quarter of the strays
    inside = sparse_pairs(data, "b", "b")
    assert inside.diagonal().sum() == 0
    vectors: Any = data.vectors["a"]
    centres = np.array([vectors[groups["a"] == g].mean(axis=0) for g in range(4)])
    nearest = ((vectors[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == groups["a"]).mean() > 0.8


def sparse_pairs(data: RelationalData, a: str, b: str) -> Any:
    return data.relations[a, b].toarray()


def test_made_groups_follow_the_seed_and_take_any_number_of_domains() -> None:
    one, two = (make_groups(random_state=3)[0] for _ in range(2))
    np.testing.assert_array_equal(one.vectors["image"], two.vectors["image"])
    assert (one.relations["image", "tag"] != two.relations["image", "tag"]).nnz == 0
    single, _ = make_groups({"a": 10}, pairs=[])
    assert not single.relations
    five, _ = make_groups(dict.fromkeys("abcde", 8), random_state=0)
    assert len(five.relations) == 10
    full, _ = make_groups({"a": 3, "b": 2}, links_per_item=100, random_state=0)
    assert full.relations["a", "b"].nnz == 6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": {"a": 0}}, r"sizes\['a'\] must be a whole number of at least 1, got 0"),
        ({"n_groups": 0}, "n_groups must be a whole number"),
        ({"dimensions": -1}, "dimensions must be a whole number of at least 0, got -1"),
        ({"dimensions": {"word": 3}}, "dimensions names 'word', but the domains are 'image', 'tag'"),
        ({"strays": 2}, "strays must be between 0 and 1, got 2"),
        ({"pairs": [("image", "word")]}, r"pairs must be pairs of the domains 'image', 'tag', got \('image', 'word'\)"),
        ({"links_per_item": 0}, "links_per_item must be a finite number greater than 0"),
    ],
)
def test_made_groups_with_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        datasets.make_groups(**settings)
