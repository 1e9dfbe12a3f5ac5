"""What layout settings stand for."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

import mrsne
from mrsne.affinity.settings import AffinitySettings
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.layout.settings import LayoutSettings, choose_method
from mrsne.parameters import ParameterError


def test_the_method_follows_from_size_and_dimension() -> None:
    found = [choose_method("auto", n, K, CpuBackend()) for n, K in ((1000, 2), (100_000, 2), (1000, 5))]
    assert found == ["exact", "fft", "exact"]
    with pytest.raises(ParameterError, match="method='fft' needs n_components of 1, 2 or 3, got 5"):
        choose_method("fft", 1000, 5, CpuBackend())
    with pytest.raises(ParameterError, match="n_components=4 can only be computed exactly"):
        choose_method("auto", 30_000, 4, CpuBackend())


@pytest.mark.parametrize(
    ("function", "settings", "others"),
    [
        (mrsne.joint_affinities, AffinitySettings, {}),
        (mrsne.embed, LayoutSettings, {}),
        (mrsne.MRSNE, LayoutSettings, {}),
        (mrsne.MRSNE, AffinitySettings, {"relation_norm": "auto", "weights": "auto"}),
    ],
)
def test_public_defaults_are_those_of_the_settings(function: object, settings: type, others: dict[str, str]) -> None:
    """The two that differ are the paper's in joint_affinities."""
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    for field in fields(settings):
        assert parameters[field.name].default == others.get(field.name, field.default), field.name
