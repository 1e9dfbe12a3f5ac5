"""Every kernel becomes machine code for a GPU: Triton's interpreter runs much that its compiler refuses.

The compiler needs no GPU. What a kernel is called with is noted while the interpreter runs a small map.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

import mrsne.backends.gpu
from mrsne import RelationalData
from mrsne.affinity.joint import compute_affinities
from mrsne.affinity.settings import AffinitySettings
from mrsne.backends.gpu.backend import GpuBackend
from mrsne.backends.gpu.entries import LIMIT
from mrsne.backends.gpu.forces import DeviceForces, attract
from mrsne.backends.gpu.inverted import smallest
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.relations import DeviceProducts
from mrsne.backends.kernel import StudentKernel
from mrsne.layout.descent import descend
from mrsne.layout.schedule import Run, default_schedule
from tests.conftest import clusters
from tests.devices import DEVICE, GPU

pytestmark = [
    pytest.mark.skipif(GPU, reason="all other tests compile the kernels and run them"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # lanes that are masked divide by zero
]
TYPES = {torch.int32: "*i32", torch.int64: "*i64", torch.float32: "*fp32", torch.float64: "*fp64", torch.bool: "*i1"}

COMPILE = """
import importlib, json, sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

for module, name, signature, constants, options in json.load(sys.stdin):
    kernel = getattr(importlib.import_module(module), name)
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    for capability in (80, 90):  # Ampere and Hopper
        compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
        assert compiled.asm["cubin"]
    print(f"{module}.{name}")
"""


def kernels() -> set[str]:
    """All functions in Triton that are launched, and not only called by others."""
    found = set()
    for module in pkgutil.walk_packages(mrsne.backends.gpu.__path__, "mrsne.backends.gpu."):
        content = importlib.import_module(module.name)
        for name, value in vars(content).items():
            own = type(value).__name__ == "InterpretedFunction" and value.fn.__module__ == module.name
            if own and f"{name}[" in Path(str(content.__file__)).read_text():
                found.add(f"{module.name}.{name}")
    return found


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Note what kernels are called with: their name, the types of their arguments, constants and options."""
    from triton.runtime.interpreter import InterpretedFunction

    noted: list[Any] = []
    run = InterpretedFunction.run

    def noting(self: Any, *arguments: Any, grid: Any, warmup: bool, **named: Any) -> Any:
        options = {name: named[name] for name in ("num_warps",) if name in named}
        values = {**dict(zip(self.arg_names, arguments, strict=False)), **named}
        constants = {name: values[name] for name in self.arg_names if self.fn.__annotations__.get(name)}
        signature = {}
        for name in self.arg_names:
            value = values[name]
            whole = "i64" if isinstance(value, int) and value >= 2**31 else "i32"
            signature[name] = (
                "constexpr" if name in constants else TYPES[value.dtype] if torch.is_tensor(value) else whole
            )
        launch = [self.fn.__module__, self.fn.__name__, signature, constants, options]
        if launch not in noted:
            noted.append(launch)
        return run(self, *arguments, grid=grid, warmup=warmup, **named)

    monkeypatch.setattr(InterpretedFunction, "run", noting)
    return noted


def make_a_map() -> None:
    """Run everything that has a kernel, on few items."""
    backend = GpuBackend(device=DEVICE)
    links = [(item, item % 5) for item in range(40)]
    data = RelationalData({"a": clusters(40), "b": 5}, {("a", "b"): links})
    settings = AffinitySettings(5.0, "auto", "auto", "approximate", "euclidean", "gaussian", None)
    P = compute_affinities(data, settings, backend).P
    star = sparse.lil_matrix((LIMIT + 20, LIMIT + 20), dtype=np.float32)
    star[0, 1:] = star[1:, 0] = 1
    long = DeviceMatrix.of(sparse.csr_matrix(star), DEVICE)
    for graph in (P, long):
        order, starts = graph.components()
        operator = graph.operator(order, starts)
        operator.deflated(operator.start(4, np.random.RandomState(0)))
    forces = DeviceForces(long, "fft")
    forces.kl(Y := torch.randn((LIMIT + 20, 2), device=DEVICE), 1.0)
    attract(long, Y, forces.attractive)
    start = np.random.default_rng(0).normal(0, 1e-4, (P.shape[0], 2)).astype(np.float32)
    wide = (1e5 * start).astype(np.float32)
    for kernel in (StudentKernel(), StudentKernel(0.5)):
        for method, positions in (("exact", wide), ("fft", start), ("fft", wide)):
            descend(P, positions, Run(default_schedule(P.shape[0], 1, 12.0, "auto", 0.8), method, kernel), backend)
    smallest(torch.randn((2, 4096), device=DEVICE), 8, 256)
    products = DeviceProducts(sparse.csr_matrix(star), DEVICE)
    for width in (3, 60):
        products.times(products.start(LIMIT + 20, width))


def test_every_kernel_compiles_for_a_gpu(launches: list[Any], tmp_path: Path) -> None:
    make_a_map()
    assert {f"{module}.{name}" for module, name, *_ in launches} == kernels()
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["TRITON_CACHE_DIR"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", COMPILE], input=json.dumps(launches), capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(done.stdout.splitlines()) == len(launches)
