"""Sparse matrices with indices that point elsewhere, from callers and from files: refused before they are followed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from mrsne.parameters import ParameterError
from mrsne.sparse_structure import check_structure
from tests.data.files.hostile_files import in_another_process

FORMATS = ("csr", "csc", "bsr", "coo", "lil", "dok", "dia")

# in a process of its own, since what is shown here is that it does not crash
ENTRIES = {
    "vectors['a']": "RelationalData({'a': bad, 'b': 3})",
    "relations[('a', 'b')]": "RelationalData({'a': 3, 'b': 3}, {('a', 'b'): bad})",
    "X": "MRSNE(perplexity=1.5).fit(bad)",
    "P": "mrsne.embed(bad)",
    "P ": "mrsne.kl_gradient(bad, np.eye(3)[:, :2])",
    "within": "mrsne.metrics.hit_rate(embedding, whole, k=1, query='a', target='a', within=bad)",
    "vectors": "MRSNE(perplexity=1.5, max_iter=10).fit(good).transform(bad)",
    "vectors['b']": "fitted.transform({'b': bad})",
    "relations[('b', 'a')]": "fitted.transform(relations={('b', 'a'): bad})",
}
SCRIPT = """
import numpy as np, mrsne, warnings
from scipy import sparse
from mrsne import MRSNE, RelationalData
warnings.simplefilter("ignore")
good = sparse.csr_matrix([[0, 1.0, 2], [1, 0, 3], [2, 3, 0]])
embedding = mrsne.Embedding(dict.fromkeys("ab", np.eye(3)[:, :2]))
whole = RelationalData({"a": 3, "b": good}, {("a", "b"): good})
fitted = MRSNE(perplexity=1.5, max_iter=10).fit(whole)
falling, outside, negative = good.copy(), good.tocsc(), good.tocoo()
falling.indptr[1] = 900_000
outside.indices[0] = 900_000
negative.row[0] = -900_000
for bad in (falling, outside, negative):
    try:
        ENTRY
        print("accepted")
    except ValueError as error:
        print(error)
"""


@pytest.mark.parametrize("argument", ENTRIES)
def test_whatever_a_caller_hands_over_is_checked_and_named(argument: str) -> None:
    result = in_another_process(SCRIPT.replace("ENTRY", ENTRIES[argument]))
    start = f"{argument.strip()} is a damaged sparse matrix of shape (3, 3): "
    assert result.stdout.splitlines() == [
        start + "indptr must start at 0 and not fall",
        start + "rows must be 0 … 2, got 0 … 900000",
        start + "rows must be 0 … 2, got -900000 … 2",
    ], (result.returncode, result.stderr)


def test_saved_data_with_indices_that_point_elsewhere_names_file_and_relation(tmp_path: Path) -> None:
    script = """
import numpy as np
from mrsne import RelationalData
from mrsne.data.archive import read_archive, write_archive
write_archive(RelationalData({"a": 3, "b": 3}, {("a", "b"): np.eye(3)}), sys.argv[1])
arrays = dict(np.load(sys.argv[1]))
for part, values in (("indices", [900_000, 5, 7]), ("indptr", [0, 900_000, 0, 3]), ("indptr", [0, 2, 1, 3])):
    np.savez(sys.argv[1], **{**arrays, f"relation_0_{part}": np.array(values, np.int32)})
    try:
        print(read_archive(sys.argv[1], RelationalData))
    except ValueError as error:
        print(error)
"""
    result = in_another_process(script, tmp_path / "map.data.npz")
    lines = result.stdout.splitlines()
    assert len(lines) == 3, (result.returncode, result.stderr)
    for line in lines:
        assert "map.data.npz' is not saved data, or is damaged (relations[('a', 'b')] is a damaged" in line


@pytest.mark.parametrize("kind", FORMATS)
def test_whole_matrices_of_every_format_pass(kind: str) -> None:
    for matrix in (sparse.random(6, 4, 0.4, random_state=0), sparse.coo_matrix((3, 2)), sparse.coo_matrix((0, 5))):
        check_structure("X", matrix.asformat(kind))
        check_structure("X", sparse.coo_array(matrix).asformat(kind))


def test_arrays_that_are_longer_than_what_is_used_pass() -> None:
    matrix = sparse.csr_matrix(np.eye(3))
    matrix.indices, matrix.data = np.append(matrix.indices, 77), np.append(matrix.data, 1.0)
    check_structure("X", matrix)


def _set(name: str, value: Any) -> Callable[[Any], None]:
    return lambda matrix: setattr(matrix, name, value)


@pytest.mark.parametrize(
    ("kind", "damage", "reason"),
    [
        ("csr", _set("indices", np.array([0, 3, 2])), "columns must be 0 … 2, got 0 … 3"),
        ("csr", _set("indices", np.array([0, -1, 2])), "columns must be 0 … 2, got -1 … 2"),
        ("csr", _set("indices", np.array([0, 2**63, 2], np.uint64)), "columns must be 0 … 2"),
        ("csr", _set("indices", np.array([9, 1, 9, 1, 9])[::2]), "columns must be 0 … 2, got 9 … 9"),
        ("csr", _set("indices", np.array([0.0, 1, 2])), "indices must be a list of whole numbers"),
        ("csr", _set("indices", np.array([0, 1])), "indptr must not end beyond the 2 indices and 3 numbers, got 3"),
        ("csr", _set("data", np.ones(2)), "indptr must not end beyond the 3 indices and 2 numbers, got 3"),
        ("csr", _set("data", np.ones((3, 1))), "data must be a list of numbers"),
        ("csr", _set("indptr", np.array([0, 1, 3])), "indptr must have 4 numbers, got 3"),
        ("csr", _set("indptr", np.array([1, 1, 2, 3])), "indptr must start at 0 and not fall"),
        ("csc", _set("indices", np.array([0, 3, 2])), "rows must be 0 … 2, got 0 … 3"),
        ("bsr", _set("indices", np.array([7])), "columns must be 0 … 0, got 7 … 7"),
        ("bsr", _set("data", np.ones((1, 2, 2))), r"blocks of shape \(2, 2\) do not fill it"),
        ("bsr", _set("data", np.ones(3)), "data must hold blocks"),
        ("coo", _set("row", np.array([0, 3, 2], np.int32)), "rows must be 0 … 2, got 0 … 3"),
        ("coo", _set("data", np.ones(2)), "row, col and data must have the same length"),
        ("lil", lambda matrix: matrix.rows[0].__setitem__(0, 5), "columns must be 0 … 2, got 5 … 5"),
        ("lil", lambda matrix: matrix.rows[0].append(2), "every row must have as many columns as numbers"),
        ("dok", lambda matrix: matrix._dict.__setitem__((4, 0), 1.0), "rows must be 0 … 2, got 0 … 4"),
        ("dia", _set("offsets", np.array([0, 1])), "offsets must be as many as the diagonals, got 2 of 1"),
    ],
)
def test_what_is_wrong_is_said_for_every_format(kind: str, damage: Callable[[Any], None], reason: str) -> None:
    matrix = sparse.bsr_matrix(np.eye(3), blocksize=(3, 3)) if kind == "bsr" else sparse.eye(3).asformat(kind)
    damage(matrix)
    with pytest.raises(ParameterError, match=rf"^X is a damaged sparse matrix of shape \(3, 3\): {reason}"):
        check_structure("X", matrix)


def test_more_columns_than_loops_can_count_and_other_dimensions_are_refused() -> None:
    with pytest.raises(ParameterError, match="it may have at most 2147483647 rows and columns"):
        check_structure("X", sparse.coo_matrix((3, 2**31)))
    with pytest.raises(ParameterError, match="it must have two dimensions"):
        check_structure("X", sparse.coo_array(np.ones(3)))


@given(
    st.lists(st.integers(-4, 12), min_size=1, max_size=8),
    st.lists(st.integers(-4, 12), max_size=8),
    st.sampled_from([np.int32, np.int64]),
)
def test_nothing_passes_that_scipy_refuses_after_a_full_check(indptr: Any, indices: Any, dtype: Any) -> None:
    matrix = sparse.csr_matrix((len(indptr) - 1, 5))
    matrix.indptr, matrix.indices = np.array(indptr, dtype), np.array(indices, dtype)
    matrix.data = np.ones(len(indices))
    try:
        check_structure("X", matrix)
    except ParameterError:
        rises = indptr[0] == 0 and all(a <= b for a, b in pairwise(indptr))
        assert not rises or indptr[-1] > len(indices) or not all(0 <= i < 5 for i in indices[: indptr[-1]])
    else:
        matrix.check_format(full_check=True)
