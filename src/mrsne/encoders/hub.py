"""Networks by name, for those who have timm, open_clip or sentence-transformers, and their weights."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.encoders.network import Network
from mrsne.parameters import ParameterError

PACKAGES = {"timm": "timm", "open_clip": "open_clip_torch", "sentence-transformers": "sentence-transformers"}
PREPARING = {"sentence-transformers": ("transformers",)}  # other packages that decide what a network is given


def load_from_hub(hub: str, name: str) -> Network:
    """Return a network of a hub, on the CPU, with the weights that the hub's package keeps or downloads.

    Cached vectors are found by the name, the versions of the packages and a hash of the weights.
    """
    try:
        module = import_module(hub.replace("-", "_"))
        import_module("torch")
    except Exception as error:  # a broken installation raises other things than ImportError
        raise ImportError(
            f"{hub}:{name} needs {PACKAGES[hub]}, which cannot be imported ({error}): pip install {PACKAGES[hub]}"
        ) from error
    try:
        load = {"timm": _timm, "open_clip": _open_clip, "sentence-transformers": _sentence}[hub]
        model, preparation, side, encode = load(module, name)
        weights = _weights_digest(model)
    except Exception as error:  # a name the package does not know, or weights that cannot be downloaded: it says which
        raise ParameterError(
            f"{hub}:{name} cannot be loaded; is the name right, and the network there? ({error})"
        ) from error
    return Network(" ".join([f"{hub}:{name}", *_versions(hub), preparation, weights]), side, encode)


Loaded = tuple[Any, str, int, Callable[[NDArray[np.uint8]], NDArray[np.float32]]]


def _timm(timm: Any, name: str) -> Loaded:
    model = timm.create_model(name, pretrained=True, num_classes=0).eval()
    settings = timm.data.resolve_data_config({}, model=model)
    mean, deviation = np.array(settings["mean"]), np.array(settings["std"])
    return model, f"{mean} {deviation}", int(settings["input_size"][-1]), _torch(model, mean, deviation)


def _open_clip(open_clip: Any, name: str) -> Loaded:
    architecture, _, weights = name.partition("/")
    model = open_clip.create_model(architecture, pretrained=weights or None).eval()
    visual = model.visual
    side = visual.image_size[0] if isinstance(visual.image_size, tuple) else visual.image_size
    mean, deviation = np.array(visual.image_mean), np.array(visual.image_std)
    return model, f"{mean} {deviation}", int(side), _torch(model.encode_image, mean, deviation)


def _sentence(package: Any, name: str) -> Loaded:
    from PIL import Image

    model = package.SentenceTransformer(name, device="cpu")

    def encode(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        return np.asarray(model.encode([Image.fromarray(picture) for picture in pictures]), dtype=np.float32)

    return model, "", 224, encode


def _weights_digest(model: Any) -> str:
    """Return a hash of a model's weights: behind one name may be others tomorrow, trained again or downloaded anew."""
    import torch

    digest = hashlib.blake2b(digest_size=16)
    for name, weights in sorted(model.state_dict().items()):
        if isinstance(weights, torch.Tensor):
            digest.update(f"{name} {weights.dtype} {tuple(weights.shape)}".encode())
            digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
        else:
            digest.update(f"{name} {weights}".encode())
    return digest.hexdigest()


def _versions(hub: str) -> list[str]:
    versions = []
    for package in (PACKAGES[hub], *PREPARING.get(hub, ())):
        try:
            versions.append(f"{package}={metadata.version(package)}")
        except metadata.PackageNotFoundError:  # it is on the path without having been installed
            continue
    return versions


def _torch(
    function: Any, mean: NDArray[np.float64], deviation: NDArray[np.float64]
) -> Callable[[NDArray[np.uint8]], NDArray[np.float32]]:
    """Return a function from pictures to vectors around one from torch's tensors to tensors."""
    import torch

    def encode(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        scaled = ((pictures / 255 - mean) / deviation).astype(np.float32)
        with torch.no_grad():
            output = function(torch.from_numpy(np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))))
        return np.asarray(output.numpy(), dtype=np.float32)

    return encode
