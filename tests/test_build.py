"""The program of the interactive map is built when mrsne is installed, and comes with all that is published."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from importlib import resources
from pathlib import Path

import hatch_build
import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", hatch_build.BUNDLE)
def test_the_installed_package_has_the_bundle(name: str) -> None:
    assert resources.files("mrsne.viewer").joinpath("static", name).read_text("utf-8").strip()


def test_no_other_package_is_in_the_bundle() -> None:
    licences = resources.files("mrsne.viewer").joinpath("static", "LICENSES.txt").read_text("utf-8")
    assert "no other package" in licences, "where one is, its licence is here"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_what_is_built_is_not_tracked() -> None:
    listed = ["git", "ls-files", str(hatch_build.STATIC), "web/node_modules"]
    assert subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout == b""


def write(path: Path, time: int) -> Path:
    path.write_text("text")
    os.utime(path, (time, time))
    return path


def test_a_bundle_is_built_again_when_a_source_is_newer(tmp_path: Path) -> None:
    source, program, style = (write(tmp_path / name, 10) for name in ("main.ts", "map.js", "map.css"))
    assert hatch_build.is_current([program, style], [source])
    write(source, 11)
    assert not hatch_build.is_current([program, style], [source])
    write(program, 12)
    assert not hatch_build.is_current([program, style], [source])
    write(style, 12)
    assert hatch_build.is_current([program, style], [source])
    assert not hatch_build.is_current([program, tmp_path / "LICENSES.txt"], [source])


def test_a_failure_says_what_failed_and_what_to_do(tmp_path: Path) -> None:
    def npm(arguments: list[str], cwd: Path) -> int:
        return 3

    with pytest.raises(hatch_build.BundleError, match=r"`npm ci` in .* failed with status 3.*; check the network"):
        hatch_build.run(npm, ["ci"], tmp_path, "check the network")


def hatchling(folder: Path, target: str, into: Path) -> Path:
    """Build one target of the project in `folder` with the environment's own hatchling and Node."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    subprocess.run(command, cwd=folder, check=True)
    (built,) = into.iterdir()
    return built


def bundle_in_wheel(wheel: Path) -> set[str]:
    names = {f"mrsne/viewer/static/{name}" for name in hatch_build.BUNDLE}
    return names & set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_wheels_and_sdists_have_the_bundle(tmp_path: Path) -> None:
    wheel = hatchling(ROOT, "wheel", tmp_path / "wheel")
    assert len(bundle_in_wheel(wheel)) == len(hatch_build.BUNDLE)

    with tarfile.open(hatchling(ROOT, "sdist", tmp_path / "sdist")) as sdist:
        assert not [name for name in sdist.getnames() if "node_modules" in name]
        sdist.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert (unpacked / "web/package-lock.json").exists()
    assert bundle_in_wheel(hatchling(unpacked, "wheel", tmp_path / "again")) == bundle_in_wheel(wheel)
    assert not (unpacked / "web/node_modules").exists(), "a wheel from an sdist needs no npm registry"
