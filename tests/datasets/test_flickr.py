"""Tagged images in the folder that load_flickr documents, written small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mrsne.datasets.files import DatasetError
from mrsne.datasets.flickr import load_flickr
from mrsne.encoders.images import encode_images


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


def test_the_most_frequent_tags_of_the_drawn_images_are_read(flickr: Path) -> None:
    data = load_flickr(flickr, n_images=8, n_tags=2)
    assert data.names["tag"] == ("sky", "sea")
    W = data.relations["image", "tag"].toarray()
    np.testing.assert_array_equal(W[:, 0], [1] * 7 + [0])  # a repeated row counts once; the last image has no link
    np.testing.assert_array_equal(W[:, 1], [0, 1, 1, 0, 1, 1, 0, 0])
    assert data.vectors["tag"] is None
    drawn = load_flickr(flickr, n_images=5, n_tags=2, random_state=1)
    vectors: Any = drawn.vectors["image"]
    assert [f"im{int(row[0]) // 3}.jpg" for row in vectors] == list(drawn.names["image"])


DAMAGED: list[tuple[str, str | None, str]] = [
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


@pytest.mark.parametrize(("file", "content", "message"), DAMAGED)
def test_errors_name_the_file_and_the_line(flickr: Path, file: str, content: str | None, message: str) -> None:
    target = flickr / file
    target.unlink() if content is None else target.write_text(content)
    with pytest.raises(FileNotFoundError if content is None else DatasetError, match=message):
        load_flickr(flickr, n_images=5, n_tags=2)


def test_byte_order_marks_and_line_ends_of_other_systems_do_not_matter(flickr: Path) -> None:
    expected = load_flickr(flickr, n_images=8, n_tags=2)
    names = (flickr / "images.txt").read_text().replace("\n", "\r\n")
    (flickr / "images.txt").write_bytes(b"\xef\xbb\xbf" + names.encode() + b"\r\n")
    assert load_flickr(flickr, n_images=8, n_tags=2).names == expected.names


def test_an_archive_of_vectors_is_refused(flickr: Path) -> None:
    with open(flickr / "image_vectors.npy", "wb") as file:
        np.savez(file, np.eye(8))
    with pytest.raises(DatasetError, match="is an archive; expected one array"):
        load_flickr(flickr, n_images=8, n_tags=2)


def test_more_images_or_tags_than_there_are_are_refused(flickr: Path) -> None:
    with pytest.raises(ValueError, match="n_images is 1000, but there are 8 images"):
        load_flickr(flickr)
    with pytest.raises(ValueError, match="n_tags is 9, but the 8 images have 4 different tags"):
        load_flickr(flickr, n_images=8, n_tags=9)


def picture(path: Path, colour: tuple[int, int, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (90, 60), colour).save(path)


def test_raw_pictures_are_encoded_and_shown(tmp_path: Path) -> None:
    colours = {"a/red.png": (220, 20, 20), "a/rose.png": (215, 30, 30), "b/blue.png": (20, 20, 220)}
    for name, colour in colours.items():
        picture(tmp_path / name, colour)
    (tmp_path / "tags.csv").write_text("image,tag\na/red.png,warm\na/rose.png,warm\nb/blue.png,cold\n")
    data = load_flickr(tmp_path, n_images=3, n_tags=2)
    assert data.names == {"image": ("a/red.png", "a/rose.png", "b/blue.png"), "tag": ("warm", "cold")}
    np.testing.assert_array_equal(data.relations["image", "tag"].toarray(), [[1, 0], [1, 0], [0, 1]])
    vectors: Any = data.vectors["image"]
    np.testing.assert_array_equal(vectors, encode_images([tmp_path / name for name in colours]))
    near, far = (np.linalg.norm(vectors[0] - vectors[other]) for other in (1, 2))
    assert near < far
    assert data.pictures["image"].shape == (3, 48, 48, 4)
    assert data.pictures["image"][2, 24, 24].tolist() == [20, 20, 220, 255]
    (tmp_path / "b" / "blue.png").write_bytes(b"no picture")
    with pytest.raises(DatasetError, match=r"blue.png' cannot be read as a picture"):
        load_flickr(tmp_path, n_images=3, n_tags=2)


def test_pictures_beside_vectors_become_thumbnails(flickr: Path) -> None:
    assert load_flickr(flickr, n_images=8, n_tags=2).pictures == {}
    for index in range(8):
        picture(flickr / f"im{index}.jpg", (10 * index, 200, 100))
    data = load_flickr(flickr, n_images=5, n_tags=2, random_state=1)
    shown = [int(name[2]) for name in data.names["image"]]
    np.testing.assert_allclose(data.pictures["image"][:, 24, 24, 0], [10 * index for index in shown], atol=4)
