"""Models from files and hubs: those that take pictures work, the others say why not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import helper
from PIL import Image

from mrsne.encoders.images import encode_images, encode_pictures
from mrsne.encoders.networks import load_network
from tests.encoders.hubs import offer_timm
from tests.encoders.models import save_mean_model, save_model


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    for index in range(3):
        Image.new("RGB", (50, 50), (255, 127, 100 * index)).save(tmp_path / f"{index}.png")
    return [tmp_path / f"{index}.png" for index in range(3)]


def test_any_other_onnx_model(paths: list[Path], tmp_path: Path) -> None:
    vectors = encode_images(paths[:1], model=save_mean_model(tmp_path / "mean.onnx"))
    np.testing.assert_allclose(vectors, [[1.0, 0.0, -127 / 128]], atol=1e-6)


def test_a_model_for_one_picture_at_a_time_says_so(paths: list[Path], tmp_path: Path) -> None:
    model = save_mean_model(tmp_path / "one.onnx", batch=1)
    assert encode_images(paths, model=model, batch_size=1).shape == (3, 3)
    with pytest.raises(ValueError, match=r"one.onnx' gives no vectors for 3 pictures at a time \("):
        encode_images(paths, model=model)


def test_a_model_that_gives_one_vector_for_all_says_so(paths: list[Path], tmp_path: Path) -> None:
    node = helper.make_node("ReduceMean", ["x"], ["y"], axes=[0, 2, 3], keepdims=0)
    with pytest.raises(ValueError, match=r"all.onnx' gives no vectors for 2 pictures at a time"):
        encode_images(paths, model=save_model(tmp_path / "all.onnx", node), batch_size=2)


@pytest.mark.parametrize(
    ("side", "said"), [(0, "takes pictures of 0 pixels"), (5000, "5,000 pixels; .* 4,096 at most .*MRSNE_NETWORK_SIDE")]
)
def test_a_model_for_enormous_pictures_is_refused(side: int, said: str, paths: list[Path], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"large.onnx' .*{said}"):
        encode_images(paths, model=save_mean_model(tmp_path / "large.onnx", side=side))


def test_a_vector_that_is_not_finite_is_a_problem_of_its_picture(paths: list[Path], tmp_path: Path) -> None:
    """The logarithm of means that are above 0, 0 and below: finite, infinite and not a number."""
    mean = helper.make_node("ReduceMean", ["x"], ["m"], axes=[1, 2, 3], keepdims=1)
    model = save_model(tmp_path / "log.onnx", mean, helper.make_node("Log", ["m"], ["y"]))
    for index, grey in enumerate((200, 127, 50)):
        Image.new("L", (50, 50), grey).save(paths[index])
    for cache in (None, tmp_path / "cache", tmp_path / "cache"):
        found = encode_pictures(paths, model=model, cache=cache, thumbnail_side=4)
        assert list(found.problems) == [1, 2]
        assert found.problems[1] == "the model gives no finite vector for it"
        assert np.isnan(found.vectors).ravel().tolist() == [False, True, True]
        assert found.thumbnails is not None
        assert found.thumbnails.any(axis=(1, 2, 3)).tolist() == [True, False, False]


def test_models_that_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.onnx").write_text("no model")
    with pytest.raises(ValueError, match=r"bad.onnx' cannot be loaded"):
        load_network(tmp_path / "bad.onnx")
    with pytest.raises(FileNotFoundError, match=r"there is no model 'nowhere.onnx'"):
        load_network("nowhere.onnx")
    with pytest.raises(
        ValueError, match=r"model must be one of 'efficientnet-lite0', a path that ends in .onnx, 'timm:"
    ):
        load_network("resnet50")
    monkeypatch.setitem(sys.modules, "timm", None)
    with pytest.raises(ImportError, match=r"timm:vit needs timm, which cannot be imported .*: pip install timm"):
        load_network("timm:vit")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ImportError, match=r"pictures need onnxruntime.*pip install 'mrsne\[images\]'"):
        load_network("efficientnet-lite0")


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    content = save_mean_model(tmp_path / "mean.onnx").read_bytes()
    random = np.random.default_rng(0)
    messages = []
    for _ in range(100):
        damaged = bytearray(content)
        damaged[random.integers(len(content))] ^= 1 << random.integers(8)
        (tmp_path / "damaged.onnx").write_bytes(damaged)
        try:
            network = load_network(tmp_path / "damaged.onnx")
            network.encode(np.zeros((1, network.side, network.side, 3), np.uint8))
        except ValueError as error:
            messages.append(str(error))
    assert len(messages) > 30
    assert all("damaged.onnx" in message for message in messages)


@pytest.mark.parametrize("change", [{"weight": 2.0}, {"version": "1.1"}, {"mean": 0.25}])
def test_only_vectors_of_the_same_network_come_from_the_cache(
    change: dict[str, float | str], paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {"weight": 1.0, "version": "1.0", "mean": 0.5}
    for settings, n_known in ((before, 0), (before, 3), (before | change, 0), (before | change, 3), (before, 3)):
        offer_timm(monkeypatch, **settings)  # type: ignore[arg-type]
        found = encode_pictures(paths, model="timm:small", cache=tmp_path / "cache")
        assert found.n_known == n_known
        plain = encode_pictures(paths, model="timm:small")
        np.testing.assert_allclose(found.vectors, plain.vectors, atol=1e-3)
