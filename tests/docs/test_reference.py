"""Every public name has a page in the reference: what it takes, an example, and what to see also."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import mrsne

API = Path(__file__).parents[2] / "docs" / "api"
PACKAGES = [name for name in mrsne.__all__ if inspect.ismodule(getattr(mrsne, name))]
NAMES = [f"mrsne.{name}" for name in mrsne.__all__ if name not in PACKAGES] + [
    f"mrsne.{package}.{name}" for package in PACKAGES for name in getattr(mrsne, package).__all__
]
CONSTANTS = {"mrsne.plot.LIGHT", "mrsne.plot.DARK", "mrsne.plot.THEMES"}
RETURNED = [  # by what is public
    "mrsne.data.growth.NewItems",
    "mrsne.model.changes.Changes",
    "mrsne.model.changes.RegionChange",
    "mrsne.model.lineage.Ancestor",
    "mrsne.regions.Region",
    "mrsne.regions.Regions",
    "mrsne.viewer.widget.MapWidget",
]
DOCUMENTED = [name for name in NAMES if name not in CONSTANTS] + RETURNED
OBVIOUS = {"path", "domain", "X", "y"}  # where the first sentence says it all
FROM_SCIKIT_LEARN = {"get_params", "set_params", "get_metadata_routing", "set_transform_request"}


def found(name: str) -> Any:
    """Return what a full name stands for."""
    if name in RETURNED:
        module, _, own = name.rpartition(".")
        return getattr(importlib.import_module(module), own)
    value: Any = mrsne
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def listed() -> set[str]:
    """Return the names for which the reference has a page."""
    names = set()
    for page in API.glob("*.rst"):
        module, directive = "", ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\.\. (\w+)::\s*(\S*)", line):
                directive = match.group(1)
                module = match.group(2) if directive == "currentmodule" else module
            elif directive == "autosummary" and (match := re.match(r"   ([A-Za-z_]\w*)$", line)):
                names.add(f"{module}.{match.group(1)}")
    return names


def test_nothing_public_is_missing() -> None:
    assert set(NAMES) - listed() == set()


def test_everything_in_the_reference_is_public_or_returned_by_what_is() -> None:
    assert listed() - set(NAMES) == set(RETURNED)


def test_pages_of_classes_leave_out_what_comes_from_other_libraries() -> None:
    template = (API.parent / "_templates" / "autosummary" / "class.rst").read_text(encoding="utf-8")
    left_out = re.findall(r"\w+", template.split(":inherited-members:")[1].split("\n")[0])
    for name in (name for name in DOCUMENTED if inspect.isclass(found(name))):
        bases = list(found(name).__mro__)
        end = next((at for at, base in enumerate(bases) if base.__name__ in left_out), len(bases))
        shown = [base for base in bases[:end] if any(not member.startswith("_") for member in vars(base))]
        assert {base.__module__.split(".")[0] for base in shown} <= {"mrsne", "builtins"}, name


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_public_name_has_an_example_and_says_what_to_see_also(name: str) -> None:
    sections = re.findall(r"^([A-Z][A-Za-z ]+)\n-{3,}$", inspect.getdoc(found(name)) or "", re.MULTILINE)
    assert "See Also" in sections
    assert "Examples" in sections
    assert sections.index("See Also") < sections.index("Examples")  # numpydoc's order
    assert ">>>" in (inspect.getdoc(found(name)) or "")


@pytest.mark.parametrize("name", [name for name in DOCUMENTED if not inspect.ismodule(found(name))])
def test_what_to_see_also_is_public(name: str) -> None:
    section = (inspect.getdoc(found(name)) or "").split("See Also\n--------\n")[1].split("\n\n")[0]
    for other in re.findall(r"mrsne(?:\.\w+)+", section):
        assert any(other == public or other.startswith(f"{public}.") for public in NAMES), other
        assert found(other) is not None


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isclass(found(name))])
def test_every_method_of_a_public_class_is_documented(name: str) -> None:
    if issubclass(found(name), Exception):
        return
    for method, value in inspect.getmembers(found(name)):
        if not method.startswith("_") and callable(value) and method not in FROM_SCIKIT_LEARN:
            assert inspect.getdoc(value), f"{name}.{method}"


def callables() -> list[Any]:
    """Return the public functions, classes and methods that take parameters."""
    found_ones = []
    for name in NAMES:
        value = found(name)
        if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception)):
            continue
        found_ones.append(pytest.param(value, id=name))
        if inspect.isclass(value):
            methods = inspect.getmembers(value, lambda member: inspect.isfunction(member) or inspect.ismethod(member))
            found_ones += [
                pytest.param(method, id=f"{name}.{own}")
                for own, method in methods
                if not own.startswith("_") and own not in FROM_SCIKIT_LEARN and method.__module__.startswith("mrsne")
            ]
    return found_ones


@pytest.mark.parametrize("value", callables())
def test_every_parameter_is_described(value: Any) -> None:
    names = [
        name
        for name, parameter in inspect.signature(value).parameters.items()
        if name != "self" and not name.startswith("_") and parameter.kind is not parameter.VAR_KEYWORD
    ]
    text = inspect.getdoc(value) or ""
    described = {
        part.strip(" *")
        for line in re.findall(r"^([\w*, ]+?) ?(?::|$)", text, re.MULTILINE)
        for part in line.split(",")
    }
    assert set(names) - OBVIOUS <= described
