"""Data as users bring it, and worse: arrays, sparse matrices, DataFrames and tables of links of all kinds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy import sparse

ODD = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 5e-324, 1e-310, 1e-200, 1e-45, 1e30, 1e200, 1.7e308, np.nan, np.inf, -np.inf]
DTYPES = ["f8", "f8", "f4", "f2", "g", ">f8", "i1", "i8", "u8", "?", "c16", "O", "U3", "S2", "M8[s]", "m8[s]"]
SCALARS: list[Any] = [None, True, False, -1, 0, 1, 2, 2.5, 10**30, -(10**30), float("nan"), float("inf"), 1j, "",
              "auto",
                      "\0", "\ud800", b"bytes", (), [], {}, {"a": 3}, {"b": 3}, {5: 3}, {"a": None}, np.float64(3),
                      np.int64(2), np.bool_(True), np.array(2), np.array([1.0, 2.0]), np.zeros((0, 2)), range(3),
                      object, {1, 2}, "x" * 300, [None], ["a", "b"], np.datetime64("2001-01-01")]  # fmt: skip


def _placed(draw: Any, numbers: Any) -> Any:
    """Put a few odd numbers somewhere."""
    for _ in range(draw(st.integers(0, 2))):
        if numbers.size:
            numbers.flat[draw(st.integers(0, numbers.size - 1))] = draw(st.sampled_from(ODD))
    return numbers


def _numbers(draw: Any, shape: tuple[int, ...], non_negative: bool = False) -> Any:
    random = np.random.default_rng(draw(st.integers(0, 9)))
    form = draw(st.sampled_from(["normal", "normal", "same", "zeros", "few values", "tiny", "huge", "two groups"]))
    numbers = np.asarray(random.normal(size=shape))
    if form == "same":
        numbers[...] = 1.5
    elif form == "zeros":
        numbers[...] = 0
    elif form == "few values":
        numbers = np.asarray(np.rint(numbers))
    elif form in ("tiny", "huge"):
        numbers = np.asarray(numbers * (1e-300 if form == "tiny" else 1e300))
    elif form == "two groups" and numbers.ndim:
        numbers[len(numbers) // 2 :] = 1e6
    return _placed(draw, np.asarray(np.abs(numbers)) if non_negative else numbers)


@st.composite
def arrays(draw: Any, shapes: Any, non_negative: bool = False) -> Any:
    """Draw a dense array of an odd type, layout or content."""
    numbers = _numbers(draw, draw(shapes), non_negative)
    dtype = draw(st.sampled_from(DTYPES))
    with np.errstate(all="ignore"):
        if dtype in ("M8[s]", "m8[s]", "i1", "i8", "u8"):
            numbers = np.nan_to_num(numbers, posinf=9, neginf=-9).clip(-100, 100).astype("i8")
        array = np.asarray(numbers.astype(dtype))
    layout = draw(st.sampled_from(["C", "C", "C", "F", "reversed", "strided", "read-only", "list", "matrix", "masked"]))
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "reversed":
        return array[::-1] if array.ndim else array
    if layout == "strided":
        return np.repeat(array, 2, axis=0)[::2] if array.ndim else array
    if layout == "read-only":
        array.flags.writeable = False
    if layout == "list":
        return array.tolist()
    if layout == "matrix" and array.ndim <= 2 and not array.dtype.hasobject:
        with warnings.catch_warnings(action="ignore"):  # numpy's matrices are on their way out, but still around
            return np.asmatrix(array)
    if layout == "masked":
        return np.ma.masked_array(array, mask=np.zeros(array.shape, bool))
    return array


@st.composite
def sparse_matrices(draw: Any, shapes: Any, non_negative: bool = False) -> Any:
    """Draw a sparse matrix of any format; some have indices that are out of range, unsorted or not unique."""
    shape = draw(shapes)
    numbers = _numbers(draw, shape, non_negative)
    numbers[np.random.default_rng(1).random(shape) < 0.6] = 0
    matrix = sparse.csr_matrix(numbers)
    fault = draw(st.sampled_from([None, None, None, "far", "negative", "falling", "long", "short", "repeated", "wide"]))
    if fault == "far" and matrix.nnz:
        matrix.indices[draw(st.integers(0, matrix.nnz - 1))] = 900_000
    elif fault == "negative" and matrix.nnz:
        matrix.indices[draw(st.integers(0, matrix.nnz - 1))] = -7
    elif fault == "falling" and len(matrix.indptr) > 2:
        matrix.indptr[1] = matrix.indptr[-1] + 5
    elif fault == "long":
        matrix.indptr[-1] += 100
    elif fault == "short" and matrix.nnz:
        matrix.indices = matrix.indices[:-1]
    elif fault == "repeated" and matrix.nnz:
        matrix.indices[:] = matrix.indices[0]
    elif fault == "wide":
        matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
    if fault is not None:
        return matrix
    form = draw(st.sampled_from(["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]))
    other = matrix.asformat(form)
    return draw(st.sampled_from([other, getattr(sparse, f"{form}_array")(other), matrix.astype("?").asformat(form)]))


@st.composite
def frames(draw: Any, shapes: Any) -> Any:
    """Draw a DataFrame."""
    rows, columns = draw(shapes)
    frame = pd.DataFrame(_numbers(draw, (rows, columns)))
    form = draw(
        st.sampled_from(["plain", "names", "repeated names", "text", "dates", "missing", "nullable", "category"])
    )
    if form == "names":
        frame.index = pd.Index([f"n{index}" for index in range(rows)])
    elif form == "repeated names":
        frame.index = pd.Index(["n"] * rows)
    elif columns and form == "text":
        frame[0] = "x"
    elif columns and form == "dates":
        frame[0] = pd.Timestamp("2001-01-01")
    elif columns and form == "missing":
        frame.iloc[:1, 0] = None
    elif columns and form == "nullable":
        frame[0] = pd.array([None, *range(rows)][:rows], dtype="Int64")
    elif columns and form == "category":
        frame[0] = pd.Categorical(["x"] * rows)
    return frame


COUNTS = st.sampled_from([2, 3, 5, 14, 20, 1, 0, -1, True, 2.0, "3", None, np.int64(4), 10**15, 10**30, np.array(3)])
SHAPES = st.tuples(st.sampled_from([3, 5, 14, 18, 25, 2, 1, 0]), st.sampled_from([2, 3, 1, 5, 0]))
ODD_SHAPES = st.sampled_from([(), (5,), (3, 2, 2), (0,), (4, 0, 1)])


def vectors() -> Any:
    """Draw what stands for one domain."""
    odd = st.one_of(arrays(SHAPES), arrays(ODD_SHAPES), sparse_matrices(SHAPES), frames(SHAPES), COUNTS)
    ordinary = st.sampled_from([(3, 2), (5, 3), (14, 2), (18, 1), (25, 5), (2, 2)]).map(
        lambda shape: np.random.default_rng(0).normal(size=shape)
    )
    counts = st.sampled_from([3, 2, 5, 14, 1])
    return st.one_of(ordinary, ordinary, ordinary, ordinary, counts, counts, odd, odd, odd, st.sampled_from(SCALARS))


def _size(value: Any) -> int:
    if isinstance(value, int):
        return int(min(max(value, 0), 50))
    shape = getattr(value, "shape", None)
    return shape[0] if shape else 3


@st.composite
def links(draw: Any, rows: int, columns: int, ends: tuple[str, str]) -> Any:
    """Draw a relation between so many items."""
    fitting = st.just((rows, columns))
    shapes = draw(st.sampled_from([fitting, fitting, fitting, SHAPES]))
    ordinary = np.eye(max(rows, 1), max(columns, 1)) + 0.5
    item = st.sampled_from([0, 0, 1, 2, rows - 1, columns - 1, -1, 99, "n1", 1.0, 2.5, None, 10**30, float("nan")])
    weight = st.sampled_from([1, 1.0, 0.5, 0, -1, 1e200, 1e-310, float("nan"), float("inf"), "1", None, True, 10**400])
    row = st.one_of(st.tuples(item, item), st.tuples(item, item, weight), st.tuples(item))
    whole = st.tuples(st.integers(0, max(rows - 1, 0)), st.integers(0, max(columns - 1, 0)))
    table = st.lists(st.one_of(whole, whole, whole, row), max_size=6)
    return draw(st.one_of(
        *[st.just(ordinary)] * 6, *[st.lists(whole, min_size=1, max_size=9)] * 3,
        arrays(shapes, non_negative=True), sparse_matrices(shapes, non_negative=True), table,
        table.map(lambda rows: {ends[0]: [row[0] for row in rows], ends[1]: [row[-1] for row in rows]}),
        table.map(lambda rows: pd.DataFrame([(*row, 1)[:2] for row in rows], columns=list(ends))),
        st.sampled_from(SCALARS),
    ))  # fmt: skip


@st.composite
def data(draw: Any) -> dict[str, Any]:
    """Draw the arguments of RelationalData."""
    first = draw(vectors())
    parts: dict[str, Any] = {"vectors": {"a": first}}
    if draw(st.integers(0, 3)):
        parts["vectors"]["b"] = draw(vectors())
        pair = draw(
            st.sampled_from([*[("a", "b")] * 8, ("b", "a"), ("b", "a"), ("a", "a"), ("a", "a"), ("a", "z"), "ab"])
        )
        sizes = [_size(parts["vectors"].get(end, 3)) for end in (pair if isinstance(pair, tuple) else ("a", "b"))]
        ends = pair if isinstance(pair, tuple) and pair[0] != pair[1] else ("source", "target")
        parts["relations"] = {pair: draw(links(sizes[0], sizes[1], ends))}
    size = _size(first)
    extra = draw(st.sampled_from([*[None] * 8, "names", "missing", "pictures", "everything"]))
    if extra == "names":
        many = [f"n{index}" for index in range(size)]
        parts["names"] = draw(st.sampled_from([{"a": many}, {"a": many[:-1]}, {"a": ["n"] * size}, {"a": range(size)},
                                               {"a": "n" * size}, {"a": [None] * size}, {"z": []}, {"a": 5}, 5,
                                               {"a": np.array(many)}, {"a": ["\ud800", *many[1:]]}]))  # fmt: skip
    elif extra == "missing":
        some = np.arange(size) % 3 == 0
        parts["missing"] = draw(st.sampled_from([{"a": some}, {"a": ~some}, {"a": some * 2}, {"a": some[:-1]},
                                                 {"a": np.ones(size, bool)}, {"a": 5}, 5, {"z": some}]))  # fmt: skip
    elif extra == "pictures":
        shape = draw(st.sampled_from([(size, 4, 4, 3), (size, 4, 4, 4), (size, 0, 0, 3), (1, 4, 4, 3), (size,), ()]))
        parts["pictures"] = {"a": np.zeros(shape, draw(st.sampled_from(["u1", "f8"])))}
    elif extra == "everything":
        parts[draw(st.sampled_from(["vectors", "relations", "names", "missing", "pictures"]))] = draw(
            st.sampled_from(SCALARS)
        )
    return parts
