"""The calls that are tried, each a function of values that can be sent to another process."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import mrsne
from tests.fuzz.outcomes import CommandFaultError, UnnamedFileError

Settings = Mapping[str, Any]


def build(parts: Mapping[str, Any]) -> None:
    """Check data."""
    mrsne.RelationalData(**parts)


def fit(parts: Mapping[str, Any], settings: Settings) -> None:
    """Make a map of data; every item has a place in it, or no place is told from chance."""
    data = mrsne.RelationalData(**parts)
    Y = mrsne.MRSNE(**settings).fit_transform(data)
    assert {name: len(rows) for name, rows in Y.items()} == dict(data.sizes)
    assert np.isfinite(Y.stacked).all(), "the map has places that are no numbers"


def fit_array(X: Any, settings: Settings) -> None:
    """Make a map of one array."""
    assert np.isfinite(mrsne.MRSNE(**settings).fit_transform(X)).all(), "the map has places that are no numbers"


def affinities(parts: Mapping[str, Any], settings: Settings) -> None:
    """Compute P̃ alone."""
    P = mrsne.joint_affinities(mrsne.RelationalData(**parts), **settings)
    assert np.isfinite(P.data).all()
    assert (P.data >= 0).all()


def embed(P: Any, settings: Settings) -> None:
    """Lay out a matrix of affinities."""
    assert np.isfinite(mrsne.embed(P, **settings)).all(), "the map has places that are no numbers"


def gradient(P: Any, Y: Any) -> None:
    """Compute the gradient of a map."""
    mrsne.kl_gradient(P, Y)


def transform(vectors: Any, relations: Any) -> None:
    """Place new items into a small map."""
    fitted().transform(vectors, relations)


def fitted() -> Any:
    """Return a model of twelve images and three tags, made once."""
    if not _fitted:
        _fitted.append(mrsne.MRSNE(max_iter=20, random_state=0).fit(small_data()))
    return _fitted[0]


_fitted: list[Any] = []


def small_data() -> mrsne.RelationalData:
    """Return twelve images of three kinds, with a tag for each kind and a thumbnail."""
    kind = np.repeat(np.arange(3), 4)
    images = np.eye(3)[kind] + 0.1 * np.random.default_rng(0).normal(size=(12, 3))
    names = {"image": [f"image {index}" for index in range(12)], "tag": ["cat", "dog", "owl"]}
    pictures = {"image": np.full((12, 8, 8, 3), 90, np.uint8)}
    return mrsne.RelationalData(
        {"image": images, "tag": 3}, {("image", "tag"): np.eye(3)[kind]}, names, pictures=pictures
    )


def show(coordinates: Any, parts: Mapping[str, Any] | None, columns: Any, options: Settings) -> None:
    """Write a map as a page."""
    embedding = mrsne.Embedding(coordinates)
    data = None if parts is None else mrsne.RelationalData(**parts)
    with tempfile.TemporaryDirectory() as folder:
        embedding.to_html(Path(folder, "map.html"), data, columns=columns, **options)
        assert Path(folder, "map.html").stat().st_size > 1000


def draw(coordinates: Any, parts: Mapping[str, Any] | None, options: Settings) -> None:
    """Draw a map."""
    data = None if parts is None else mrsne.RelationalData(**parts)
    figure = mrsne.plot.map_figure(mrsne.Embedding(coordinates), data, **options)
    figure.savefig(io.BytesIO(), dpi=20)


def score(name: str, coordinates: Any, parts: Mapping[str, Any], options: Settings) -> None:
    """Compute a score of a map."""
    value = getattr(mrsne.metrics, name)(mrsne.Embedding(coordinates), mrsne.RelationalData(**parts), **options)
    assert value is not None


def continue_run(checkpoint: str) -> None:
    """Go on from a checkpoint of :func:`start_run`."""
    with _naming(checkpoint):
        Y = mrsne.MRSNE(**RUN, checkpoint=checkpoint).fit_transform(small_data())
    np.testing.assert_array_equal(Y.stacked, fitted_by_run().stacked)


RUN: dict[str, Any] = {"max_iter": 100, "random_state": 0, "perplexity": 3, "min_grad_norm": 0.0}


def fitted_by_run() -> mrsne.Embedding:
    """Return the map of that run, made without a stop."""
    if not _run:
        _run.append(mrsne.MRSNE(**RUN).fit_transform(small_data()))
    return _run[0]


_run: list[mrsne.Embedding] = []


class _Stop(BaseException):
    pass


def stop(iteration: int, kl: float, Y: Any) -> None:
    """End a run as an interrupt does."""
    raise _Stop


def start_run(checkpoint: Path) -> None:
    """Leave a checkpoint of a run that was stopped half-way."""
    with contextlib.suppress(_Stop):
        mrsne.MRSNE(**RUN, checkpoint=checkpoint, callbacks=stop).fit(small_data())


def read(kind: str, path: str) -> str:
    """Read a file by the function of the library that is for its kind."""
    with _naming(path):
        return READERS[kind](Path(path)) or "returned"


def _read_links(path: Path) -> None:
    from mrsne.data.collection.files import read_links

    read_links(path, "image", "tag")


def _read_matrix(path: Path) -> None:
    from mrsne.data.tables.matrices import read_matrix

    read_matrix(path)


def _read_table(path: Path) -> None:
    from mrsne.data.tables.joining import parts_from_tables, plan_tables
    from mrsne.data.tables.reading import open_table

    parts_from_tables(*plan_tables(open_table(path)))


def _read_arrays(path: Path) -> None:
    mrsne.datasets.load_arrays(path)


def _read_data(path: Path) -> None:
    data = mrsne.RelationalData.load(path)
    for pair in data.pairs:
        data.relation(*pair)


def _read_map(path: Path) -> None:
    mrsne.Embedding.load(path)


def _read_pictures(path: Path) -> str:
    from mrsne.encoders.images import encode_pictures

    model = path.parent / "model.onnx"
    encoded = encode_pictures([path], model=model, n_jobs=1, thumbnail_side=16)
    if encoded.problems:
        assert encoded.problems[0].strip()
        return "left out"
    assert np.isfinite(encoded.vectors).all()
    return "returned"


READERS: dict[str, Callable[[Path], str | None]] = {
    "map": _read_map,
    "data": _read_data,
    "matrix": _read_matrix,
    "links": _read_links,
    "picture": _read_pictures,
    "table": _read_table,
    "arrays": _read_arrays,
}


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Raise if an error does not say which file it is about."""
    try:
        yield
    except (ValueError, OSError, MemoryError) as error:
        if Path(path).name not in str(error):
            raise UnnamedFileError(f"{type(error).__name__}: {error}") from error
        raise


def command(arguments: Sequence[str], files: Mapping[str, bytes], originals: str) -> str:
    """Run a command in a folder of its own, with copies of the originals and these files, and return its exit code."""
    from mrsne.cli import main

    here = os.getcwd()
    printed, errors = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(originals, folder, dirs_exist_ok=True)
        for name, content in files.items():
            Path(folder, name).parent.mkdir(exist_ok=True)
            Path(folder, name).write_bytes(content)
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
                main(list(arguments))
        except SystemExit as end:
            code = end.code
        finally:
            os.chdir(here)
        left_over = [path.name for path in Path(folder).rglob("*.partial")]
    words = errors.getvalue()
    if code not in (0, 1, 2, 3) or "Traceback" in words + printed.getvalue():
        raise CommandFaultError(f"exit code {code} of {' '.join(arguments)}: {words[-3000:]}")
    if code != 0 and not words.strip():
        raise CommandFaultError(f"exit code {code} of {' '.join(arguments)} without a word")
    if left_over:
        raise CommandFaultError(f"{' '.join(arguments)} left {left_over} behind")
    return f"exit code {code}"


def crash() -> None:
    """Read where nothing is."""
    import ctypes

    ctypes.string_at(0)


def hang() -> None:
    """Wait for nothing."""
    import time

    time.sleep(3600)


def raise_error(error: BaseException) -> None:
    """Raise what is given, from here."""
    raise error


def change(array: Any) -> None:
    """Change what belongs to the caller."""
    array[0] += 1
