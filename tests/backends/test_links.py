"""Links into R, and what they add up to, on matrices that can be checked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mrsne.backends.base import LinkFactors, LinkNorm
from mrsne.backends.links import link_totals, link_values, relation_probabilities, totals_of

W = sparse.csr_matrix(np.array([[1.0, 1.0], [0.0, 2.0]]))
FACTORS = LinkFactors(np.array([0.5, 0.5]), np.array([1.0, 0.0]))


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ((0.0, 0.0), [[1, 1], [0, 2]]),
        ((1.0, 1.0), [[1 / 2, 1 / 6], [0, 1 / 3]]),
        ((1.0, 0.0), [[1 / 2, 1 / 2], [0, 1]]),
        (FACTORS, [[1.5, 0.5], [0, 1]]),
    ],
)
def test_links_are_divided_by_powers_of_their_sums_or_multiplied_with_factors(
    norm: LinkNorm, expected: list[list[float]]
) -> None:
    np.testing.assert_allclose(relation_probabilities(W, norm).toarray(), np.array(expected) / np.sum(expected))


def test_both_ends_of_a_link_have_a_part_in_its_scale() -> None:
    rows, columns = np.array([4.0, 9.0]), np.array([1.0, 4.0])
    np.testing.assert_allclose(link_values(np.array([1.0, 2.0]), rows, columns, (0.5, 0.5)), [1 / 2, 1 / 3])


def test_totals_are_relative_to_the_largest_weight() -> None:
    rows, columns = link_totals(sparse.csr_matrix(np.array([[2.0, 2.0], [0.0, 1.0]])))
    assert (rows.sums.tolist(), columns.sums.tolist()) == ([2, 0.5], [1, 1.5])
    assert rows.effective.tolist() == [2, 1]
    equal = np.array([3.0, 1.0, 0.0])
    assert totals_of(equal, equal).effective.tolist() == [3, 1, 0]
