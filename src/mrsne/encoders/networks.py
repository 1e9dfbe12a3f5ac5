"""The networks that turn pictures into vectors: the bundled one, any ONNX file, or one by name from a hub."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from PIL import Image

from mrsne.arrays import Float32, Float64, UInt8
from mrsne.budgets import NETWORK_SIDE
from mrsne.parameters import ParameterError, describe
from mrsne.threads import thread_count

BUNDLED = "efficientnet-lite0"
HUBS = {"timm": "timm", "open_clip": "open_clip_torch", "sentence-transformers": "sentence-transformers"}  # packages
PREPARING = {"sentence-transformers": ("transformers",)}  # other packages that decide what a network is given

Encode: TypeAlias = Callable[[UInt8], Float32]
Loaded: TypeAlias = tuple[Any, str, int, Encode]  # torch's model, how its pictures are prepared, their side


@dataclass(frozen=True)
class Network:
    name: str  # identifies the network and its preparation of pictures, for the cache
    side: int  # width and height of a picture in pixels
    encode: Encode  # takes pictures (n, side, side, 3), uint8, and returns vectors (n, d), float32


def load_network(model: str | os.PathLike[str], n_jobs: int | None = None) -> Network:
    """Return the bundled network, one of an ONNX file that takes pictures (n, 3, side, side), or one of a hub."""
    text = os.fspath(model) if isinstance(model, (str, os.PathLike)) else ""
    if is_from_hub(text):
        hub, _, name = text.partition(":")
        return _from_hub(hub, name)
    if text == BUNDLED:
        content = files("mrsne.encoders").joinpath("models", f"{BUNDLED}.onnx").read_bytes()
        return _onnx(content, f"{BUNDLED} {hashlib.sha256(content).hexdigest()}", n_jobs, 224, text)
    if text.endswith(".onnx"):
        if not Path(text).is_file():
            raise FileNotFoundError(f"there is no model {text!r}")
        content = Path(text).read_bytes()
        return _onnx(content, hashlib.sha256(content).hexdigest(), n_jobs, None, text)
    known = ", ".join([repr(BUNDLED), "a path that ends in .onnx", *(f"'{hub}:NAME'" for hub in HUBS)])
    raise ParameterError(f"model must be one of {known}; got {describe(model)}")


def is_from_hub(model: str) -> bool:
    """Return whether a model is one of a hub, whose weights are known only when it is loaded."""
    hub, _, name = model.partition(":")
    return hub in HUBS and name != ""


def _onnx(content: bytes, name: str, n_jobs: int | None, side: int | None, path: str) -> Network:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # since 1.29 it reports to its makers unless told not to
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError(
            f"pictures need onnxruntime, which cannot be imported ({error}): pip install 'mrsne[images]'"
        ) from error
    onnxruntime.disable_telemetry_events()  # where it was imported before
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = thread_count(n_jobs)
    options.log_severity_level = 3
    # threads that wait for the next batch would take the cores from those that decode it: 17 % of the time of both
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common base
        raise ParameterError(f"model {path!r} cannot be loaded ({error})") from error
    entry = session.get_inputs()[0]
    if side is None:
        side = entry.shape[-1] if len(entry.shape) == 4 and isinstance(entry.shape[-1], int) else 224
        if len(entry.shape) != 4 or entry.shape[1] not in (3, "3"):
            raise ParameterError(f"model {path!r} must take pictures (n, 3, side, side), but takes {entry.shape}")
        if side < 1:
            raise ParameterError(f"model {path!r} takes pictures of {side} pixels")
        NETWORK_SIDE.check(f"a side of the pictures that model {path!r} takes", side, ParameterError)

    def encode(pictures: UInt8) -> Float32:
        scaled = (pictures.astype(np.float32) - 127) / 128
        try:
            output: Any = session.run(None, {entry.name: np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))})[0]
            return np.asarray(output, dtype=np.float32).reshape(len(pictures), -1)
        except MemoryError:
            raise
        except Exception as error:  # onnxruntime's, or the output is not a vector for each picture
            raise ParameterError(
                f"model {path!r} gives no vectors for {len(pictures)} pictures at a time ({error})"
            ) from error

    return Network(name, side, encode)


def _from_hub(hub: str, name: str) -> Network:
    """Return a network of a hub on the CPU, named by the versions of its packages and a hash of its weights."""
    try:
        module = import_module(hub.replace("-", "_"))
        import_module("torch")
    except Exception as error:  # a broken installation raises other things than ImportError
        raise ImportError(
            f"{hub}:{name} needs {HUBS[hub]}, which cannot be imported ({error}): pip install {HUBS[hub]}"
        ) from error
    try:
        load = {"timm": _timm, "open_clip": _open_clip, "sentence-transformers": _sentence}[hub]
        model, preparation, side, encode = load(module, name)
        weights = _weights_digest(model)
    except Exception as error:  # a name the package does not know, or weights that cannot be downloaded: it says which
        raise ParameterError(
            f"{hub}:{name} cannot be loaded; is the name right, and the network there? ({error})"
        ) from error
    versions = []
    for package in (HUBS[hub], *PREPARING.get(hub, ())):
        with suppress(metadata.PackageNotFoundError):  # it is on the path without having been installed
            versions.append(f"{package}={metadata.version(package)}")
    return Network(" ".join([f"{hub}:{name}", *versions, preparation, weights]), side, encode)


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
    model = package.SentenceTransformer(name, device="cpu")

    def encode(pictures: UInt8) -> Float32:
        return np.asarray(model.encode([Image.fromarray(picture) for picture in pictures]), dtype=np.float32)

    return model, "", 224, encode


def _torch(function: Any, mean: Float64, deviation: Float64) -> Encode:
    """Return a function from pictures to vectors around one from torch's tensors to tensors."""
    import torch

    def encode(pictures: UInt8) -> Float32:
        scaled = ((pictures / 255 - mean) / deviation).astype(np.float32)
        with torch.no_grad():
            output = function(torch.from_numpy(np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))))
        return np.asarray(output.numpy(), dtype=np.float32)

    return encode


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
