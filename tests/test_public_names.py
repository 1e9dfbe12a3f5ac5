"""The names users rely on are there, documented, and shown by an example."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import mrsne

CALLABLE = [name for name in mrsne.__all__ if callable(getattr(mrsne, name))]


@pytest.mark.parametrize("name", CALLABLE)
def test_every_public_name_has_an_example(name: str) -> None:
    documentation = inspect.getdoc(getattr(mrsne, name)) or ""
    assert ">>>" in documentation
    assert "Parameters" in documentation


@pytest.mark.parametrize("name", CALLABLE)
def test_every_parameter_is_documented(name: str) -> None:
    documentation = inspect.getdoc(getattr(mrsne, name)) or ""
    listed = {word for line in documentation.splitlines() if " : " in line for word in line.split(" : ")[0].split(", ")}
    assert set(inspect.signature(getattr(mrsne, name)).parameters) <= listed


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'tsne'"):
        _ = mrsne.tsne


def test_dir_shows_what_is_public_and_nothing_else() -> None:
    import mrsne.layout.embed

    assert set(dir(mrsne)) == {*mrsne.__all__, "__version__"}
    assert mrsne.layout.embed.embed is mrsne.embed


def test_every_other_package_says_that_it_is_internal() -> None:
    packages = [module.name for module in pkgutil.iter_modules(mrsne.__path__) if module.ispkg]
    assert "backends" in packages
    for name in set(packages) - set(mrsne.__all__):
        assert "Internal" in (importlib.import_module(f"mrsne.{name}").__doc__ or ""), name
