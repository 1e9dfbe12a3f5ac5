"""The page about the architecture, and others that name files and functions: all of them exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "src" / "mrsne"
PAGE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
QUOTED = set(re.findall(r"`([^`\s]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.S)))
PATHS = sorted(name for name in QUOTED if re.fullmatch(r"[\w./-]+(/|\.(py|ts|toml))(:\w+)?", name) or "/" in name)
OTHER_PAGES = (
    "CONTRIBUTING.md",
    *(f"docs/{name}.md" for name in ("algorithm", "metrics", "map", "scaling", "performance")),
)
ENDINGS = (".py", ".ts")
BUILT = {"viewer/static"}  # by hatch_build.py
PROTOCOLS = ("Backend", "Forces", "Motion", "Matrix", "Operator")


def definitions(path: Path) -> set[str]:
    """Return the names that a module defines."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize("name", PATHS)
def test_every_file_exists_and_defines_what_is_named(name: str) -> None:
    path, _, wanted = name.partition(":")
    if path in BUILT:
        return
    found = next((base / path for base in (PACKAGE, PACKAGE / "backends", REPOSITORY) if (base / path).exists()), None)
    assert found is not None, name
    if wanted:
        assert wanted in definitions(found), name


def names_on(page: str) -> list[str]:
    """Return the files and the dotted names of functions on a page, those of the package without its name."""
    quoted = set(
        re.findall(r"`([\w./-]+)`", re.sub(r"```.*?```", "", (REPOSITORY / page).read_text("utf-8"), flags=re.S))
    )
    packages = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    files = {name for name in quoted if "/" in name and name.endswith(ENDINGS)}
    functions = {name for name in quoted if "." in name and "/" not in name and name.split(".")[0] in packages}
    return sorted(files | {name for name in functions if not name.endswith(ENDINGS)})


@pytest.mark.parametrize(("page", "name"), [(page, name) for page in OTHER_PAGES for name in names_on(page)])
def test_other_pages_name_only_what_exists(page: str, name: str) -> None:
    if "/" in name:
        assert any((base / name).exists() for base in (PACKAGE, PACKAGE / "backends", REPOSITORY)), name
        return
    path = name.replace(".", "/")
    module, _, wanted = path.rpartition("/")
    is_module = (PACKAGE / f"{path}.py").exists()
    assert is_module or wanted in definitions(PACKAGE / f"{module}.py"), name


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_methods_of_an_engine_are_those_of_the_protocols(protocol: str) -> None:
    tree = ast.parse((PACKAGE / "backends" / "base.py").read_text(encoding="utf-8"))
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == protocol]
    methods = {node.name for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")}
    (listed,) = re.findall(rf"^- \*\*{protocol}\*\*: (.*?)(?=^- |^$)", PAGE, re.M | re.S)
    assert set(re.findall(r"`(\w+)`", listed)) == methods


def test_every_package_is_in_the_table() -> None:
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    assert {name for name in packages if f"`{name}/`" not in rows} == set()
