"""Networks by name, for those who have timm, open_clip or sentence-transformers, and their weights."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.encoders.network import Network
from mrsne.parameters import ParameterError

PACKAGES = {"timm": "timm", "open_clip": "open_clip_torch", "sentence-transformers": "sentence-transformers"}


def load_from_hub(hub: str, name: str) -> Network:
    """Return a network of a hub, on the CPU, with the weights that the hub's package keeps or downloads."""
    try:
        module = import_module(hub.replace("-", "_"))
        import_module("torch")
    except Exception as error:  # a broken installation raises other things than ImportError
        raise ImportError(
            f"{hub}:{name} needs {PACKAGES[hub]}, which cannot be imported ({error}): pip install {PACKAGES[hub]}"
        ) from error
    try:
        return {"timm": _timm, "open_clip": _open_clip, "sentence-transformers": _sentence}[hub](module, name)
    except Exception as error:  # a name the package does not know, or weights that cannot be downloaded: it says which
        raise ParameterError(
            f"{hub}:{name} cannot be loaded; is the name right, and the network there? ({error})"
        ) from error


def _timm(timm: Any, name: str) -> Network:
    model = timm.create_model(name, pretrained=True, num_classes=0).eval()
    settings = timm.data.resolve_data_config({}, model=model)
    mean, deviation = np.array(settings["mean"]), np.array(settings["std"])
    return Network(f"timm:{name}", int(settings["input_size"][-1]), _torch(model, mean, deviation))


def _open_clip(open_clip: Any, name: str) -> Network:
    architecture, _, weights = name.partition("/")
    model = open_clip.create_model(architecture, pretrained=weights or None).eval()
    visual = model.visual
    side = visual.image_size[0] if isinstance(visual.image_size, tuple) else visual.image_size
    mean, deviation = np.array(visual.image_mean), np.array(visual.image_std)
    return Network(f"open_clip:{name}", int(side), _torch(model.encode_image, mean, deviation))


def _sentence(package: Any, name: str) -> Network:
    from PIL import Image

    model = package.SentenceTransformer(name, device="cpu")

    def encode(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        return np.asarray(model.encode([Image.fromarray(picture) for picture in pictures]), dtype=np.float32)

    return Network(f"sentence-transformers:{name}", 224, encode)


def _torch(function: Any, mean: NDArray[np.float64], deviation: NDArray[np.float64]) -> Any:
    """Return a function from pictures to vectors around one from torch's tensors to tensors."""
    import torch

    def encode(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        scaled = ((pictures / 255 - mean) / deviation).astype(np.float32)
        with torch.no_grad():
            output = function(torch.from_numpy(np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))))
        return np.asarray(output.numpy(), dtype=np.float32)

    return encode
