"""Pictures are found in folders, and by the names that tables have for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mrsne.data.files.pictures import PictureNames, find_pictures
from mrsne.data.files.problems import Problems


def test_pictures_are_found_by_their_endings_in_all_folders_but_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.JPG", "inside/a.webp", ".hidden.png", ".trash/c.png", "notes.txt", "album.jpg/d.tiff"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    problems = Problems()
    names = [path.relative_to(tmp_path).as_posix() for path in find_pictures(tmp_path, problems)]
    assert names == ["album.jpg/d.tiff", "b.JPG", "inside/a.webp"]
    assert not problems


def test_links_to_folders_are_listed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "a.png").touch()
    os.symlink("..", tmp_path / "inside" / "up")
    os.symlink("inside", tmp_path / "again.png")
    os.symlink("inside", tmp_path / ".hidden")
    problems = Problems()
    assert find_pictures(tmp_path, problems) == [tmp_path / "inside" / "a.png"]
    assert [(problem.kind, problem.where, problem.what) for problem in problems] == [
        ("link to a folder, which is not followed", "again.png", "inside"),
        ("link to a folder, which is not followed", "inside/up", ".."),
    ]


def test_folders_that_cannot_be_read_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.png").touch()
    (tmp_path / "closed").mkdir(mode=0)
    tmp_path.chmod(0o755)
    script = """
import os
from mrsne.data.files.problems import Problems
from mrsne.data.files.pictures import find_pictures
if os.getuid() == 0:
    os.setuid(65534)  # nothing is closed to root
problems = Problems()
print(len(find_pictures(".", problems)), *problems)
"""
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    expected = "Problem(kind='folder that cannot be read', where='closed', what='Permission denied')"
    assert result.stdout == f"1 {expected}\n", result.stderr


def test_no_picture_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no picture in .*: no file that ends in \.jpg"):
        find_pictures(tmp_path)
    with pytest.raises(FileNotFoundError, match="is not there: give a folder of pictures"):
        find_pictures(tmp_path / "nowhere")


def test_names_that_fit_two_pictures_are_not_guessed() -> None:
    names = PictureNames(["a/dog.jpg", "b/dog.jpg", "b/Cat.PNG"])
    assert names.find("dog") == "row whose name fits several pictures"
    assert names.find("/home/me/photos/b/dog.jpg") == 1
    assert names.find("C:\\photos\\b\\cat.png") == 2
    assert names.find("c/dog.jpg") == "row for a picture that is not there"
    assert names.find("c/cat.png") == "row for a picture that is not there"
    assert names.find("B\\DOG.jpg") == 1
    assert names.find("./b/cat") == 2


def test_a_folder_that_cannot_be_read_at_all_says_so(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    tmp_path.chmod(0o755)
    script = """
import os
from mrsne.data.files.pictures import find_pictures
if os.getuid() == 0:
    os.setuid(65534)  # nothing is closed to root
try:
    find_pictures("closed")
except PermissionError as error:
    print(error)
"""
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.stdout == "[Errno 13] Permission denied: 'closed'\n", result.stderr
