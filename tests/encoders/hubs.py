"""A hub of one small network: torch is real, and the package around it has what mrsne calls."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def offer_timm(monkeypatch: pytest.MonkeyPatch, weight: float, version: str = "1.0", mean: float = 0.5) -> None:
    """Have ``timm:small`` give the means of red, green and blue, times a weight."""
    torch = pytest.importorskip("torch")

    class Small(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor(weight))
            self.register_buffer("table", torch.ones(2, 3, dtype=torch.bfloat16))

        def forward(self, pictures: Any) -> Any:
            return self.weight * pictures.mean(dim=(2, 3))

    timm = ModuleType("timm")
    settings = {"mean": (mean,) * 3, "std": (0.5,) * 3, "input_size": (3, 32, 32)}
    timm.create_model = lambda name, pretrained, num_classes: Small()  # type: ignore[attr-defined]
    timm.data = SimpleNamespace(resolve_data_config=lambda given, model: settings)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "timm", timm)
    monkeypatch.setattr("importlib.metadata.version", lambda package: version)
