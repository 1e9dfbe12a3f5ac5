"""Every engine has what the stages ask for, and nobody but the engines asks where something runs."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import mrsne
from mrsne.backends import base
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.forces import CpuForces
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.backends.cpu.motion import CpuMotion
from mrsne.backends.cpu.operator import EntriesOperator
from mrsne.backends.dask.backend import DaskBackend, ThreadedDaskBackend
from mrsne.backends.dask.forces import ClusterForces, ClusterMotion
from mrsne.backends.dask.matrix import ClusterMatrix, ClusterOperator
from mrsne.backends.gpu.backend import GpuBackend
from mrsne.backends.gpu.forces import DeviceForces
from mrsne.backends.gpu.matrix import DeviceMatrix, DeviceOperator
from mrsne.backends.gpu.motion import DeviceMotion

IMPLEMENTATIONS: dict[Any, list[Any]] = {
    base.Backend: [CpuBackend, GpuBackend, DaskBackend, ThreadedDaskBackend],
    base.Matrix: [CpuMatrix, DeviceMatrix, ClusterMatrix],
    base.Operator: [EntriesOperator, DeviceOperator, ClusterOperator],
    base.Forces: [CpuForces, DeviceForces, ClusterForces],
    base.Motion: [CpuMotion, DeviceMotion, ClusterMotion],
}
PAIRS = [(protocol, found) for protocol, classes in IMPLEMENTATIONS.items() for found in classes]
WHERE = re.compile(
    r'isinstance\([^)]*(Lazy|Cluster|Device)|hasattr\(\w+, "(client|device)"\)|(device|where) (==|!=) "|__dask_graph__'
)


@pytest.mark.parametrize(("protocol", "found"), PAIRS, ids=[f"{found.__name__}" for _, found in PAIRS])
def test_every_engine_has_every_method_under_the_same_parameters(protocol: Any, found: Any) -> None:
    methods = [name for name, value in vars(protocol).items() if callable(value) and not name.startswith("_")]
    assert methods
    for name in methods:
        asked = list(inspect.signature(getattr(protocol, name)).parameters)
        has = list(inspect.signature(getattr(found, name)).parameters)
        assert has == asked, name


def test_where_something_runs_is_asked_in_the_backends_only() -> None:
    """And whether something is a dask collection where data is read."""
    package = Path(mrsne.__file__).parent
    asked = [
        f"{path.relative_to(package)}:{number}"
        for path in package.rglob("*.py")
        if "backends" not in path.parts and path.name != "lazy.py"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if WHERE.search(line)
    ]
    assert asked == []
