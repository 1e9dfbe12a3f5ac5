"""The data that methods are compared on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mrsne import RelationalData, datasets
from mrsne.experiments.studies import awa2_thumbnails, is_awa2, load_study


@pytest.mark.parametrize(
    ("name", "sizes", "within"),
    [
        ("awa2", {"image": 800, "tag": 85}, "identical"),
        ("flickr", {"image": 1000, "tag": 613}, "shared"),
    ],
)
def test_made_up_data_stands_in_for_the_papers(name: str, sizes: dict[str, int], within: str) -> None:
    study = load_study(name)
    assert (study.data.sizes, study.within, study.paper, study.same_data) == (sizes, within, name, False)
    assert len(study.data.names["tag"]) == sizes["tag"]  # for the maps


def test_awa2s_pictures_become_thumbnails(tmp_path: Path) -> None:
    data = datasets.load_arrays(saved(tmp_path / "data.npz"))
    assert awa2_thumbnails(tmp_path, data) == {}
    for name in data.names["image"]:
        folder = tmp_path / "JPEGImages" / name.split("_")[0]
        folder.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (120, 60), (200, 30, 30)).save(folder / name)
    thumbnails = awa2_thumbnails(tmp_path, data)["image"]
    assert thumbnails.shape == (3, 48, 48, 4)
    assert thumbnails[0, 24, 24, 0] > 180
    assert thumbnails[0, 2, 24, 3] == 0  # a wide picture leaves the top free


def saved(path: Path) -> Path:
    names = ["fox_1.jpg", "fox_2.jpg", "cow_1.jpg"]
    np.savez(path, image_vectors=np.eye(3), relation=np.eye(3, 2), image_names=names)
    return path


def test_only_awa2_itself_is_called_awa2(tmp_path: Path) -> None:
    data = RelationalData(
        {"image": np.zeros((2500, 2048), np.float32), "tag": np.zeros((85, 300), np.float32)},
        {("image", "tag"): np.eye(2500, 85)},
    )
    assert not is_awa2(tmp_path, data)
    (tmp_path / "AwA2-labels.txt").write_text("1\n" * 37_322)
    assert is_awa2(tmp_path, data)
    narrow = RelationalData({"image": np.zeros((2500, 64)), "tag": 85}, {("image", "tag"): np.eye(2500, 85)})
    assert not is_awa2(tmp_path, narrow)
    (tmp_path / "AwA2-labels.txt").write_text("1\n" * 2_500)
    assert not is_awa2(tmp_path, data)


def test_a_folder_laid_out_like_awa2_is_called_by_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "my-animals"
    folder.mkdir()
    (folder / "classes.txt").write_text("1 fox\n2 cow\n")
    (folder / "predicates.txt").write_text("1 red\n2 big\n3 wild\n")
    (folder / "predicate-matrix-binary.txt").write_text("1 0 1\n0 1 0\n")
    (folder / "glove.6B.2d.txt").write_text("red 1 0\nbig 0 1\nwild 1 1\n")
    (folder / "AwA2-labels.txt").write_text("1\n" * 50 + "2\n" * 50)
    (folder / "AwA2-filenames.txt").write_text("".join(f"animal_{index}.jpg\n" for index in range(100)))
    (folder / "AwA2-features.txt").write_text("".join(f"{index} 1.5\n" for index in range(100)))
    study = load_study("awa2", folder, perplexity=12)
    assert study.title == "my-animals: laid out as AwA2, but not AwA2"
    assert (study.paper, study.same_data, study.perplexity) == ("awa2", False, 12.0)
