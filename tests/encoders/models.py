"""Small models in ONNX files."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def save_model(path: Path, *nodes: Any, side: int | str = 48, batch: int | str = "n") -> Path:
    """Write a model of some nodes, from pictures ``x`` (batch, 3, side, side) to vectors ``y``."""
    import onnx
    from onnx import TensorProto, helper

    pictures = helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, side, side])
    vectors = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(list(nodes), "model", [pictures], [vectors])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9), path)
    return path


def save_mean_model(path: Path, **shape: Any) -> Path:
    """Write a model whose vectors are the means of red, green and blue."""
    from onnx import helper

    return save_model(path, helper.make_node("ReduceMean", ["x"], ["y"], axes=[2, 3], keepdims=0), **shape)
