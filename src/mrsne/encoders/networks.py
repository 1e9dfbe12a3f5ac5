"""The networks that turn pictures into vectors: the bundled one, any ONNX file, or one by name from a hub."""

from __future__ import annotations

import hashlib
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.encoders.hub import load_from_hub
from mrsne.encoders.network import Network
from mrsne.parameters import ParameterError, describe
from mrsne.threads import thread_count

BUNDLED = "efficientnet-lite0"
LARGEST_SIDE = 4096  # pixels of a network's input
HUBS = ("timm", "open_clip", "sentence-transformers")


def load_network(model: str | os.PathLike[str], n_jobs: int | None = None) -> Network:
    """Return a network by name.

    Parameters
    ----------
    model : str or path
        ``"efficientnet-lite0"``, the bundled one; the path of an ONNX file that takes pictures (n, 3, side, side); or
        ``timm:NAME``, ``open_clip:NAME[/WEIGHTS]``, ``sentence-transformers:NAME`` where those packages are installed.
    n_jobs : int, optional
        Threads; None uses all cores.
    """
    text = os.fspath(model) if isinstance(model, (str, os.PathLike)) else ""
    if is_from_hub(text):
        hub, _, name = text.partition(":")
        return load_from_hub(hub, name)
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
    """Return whether a model is one by name, whose weights are known only when it is loaded.

    Examples
    --------
    >>> is_from_hub("timm:resnet50"), is_from_hub("efficientnet-lite0")
    (True, False)
    """
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
    except Exception as error:  # onnxruntime has exceptions of its own, without a common base
        raise ParameterError(f"model {path!r} cannot be loaded ({error})") from error
    entry = session.get_inputs()[0]
    if side is None:
        side = entry.shape[-1] if len(entry.shape) == 4 and isinstance(entry.shape[-1], int) else 224
        if len(entry.shape) != 4 or entry.shape[1] not in (3, "3"):
            raise ParameterError(f"model {path!r} must take pictures (n, 3, side, side), but takes {entry.shape}")
        if not 1 <= side <= LARGEST_SIDE:
            raise ParameterError(f"model {path!r} takes pictures of {side} pixels; at most {LARGEST_SIDE} are accepted")

    def encode(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        scaled = (pictures.astype(np.float32) - 127) / 128
        try:
            output: Any = session.run(None, {entry.name: np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))})[0]
            return np.asarray(output, dtype=np.float32).reshape(len(pictures), -1)
        except Exception as error:  # of onnxruntime's own, or an output that is not a vector for each picture
            raise ParameterError(
                f"model {path!r} gives no vectors for {len(pictures)} pictures at a time ({error})"
            ) from error

    return Network(name, side, encode)
