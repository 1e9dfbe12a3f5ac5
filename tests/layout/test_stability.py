"""The same data give the same map: the measures and limits are those of docs/stability.md."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from benchmarks.stability import CHANGES, compared, every, other_transforms

import mrsne
from tests.conftest import clusters

DISPARITY, KEPT = 0.05, 0.75


@cache
def reference() -> mrsne.Embedding:
    return mrsne.MRSNE(random_state=0).fit_transform(mrsne.datasets.load_emoji())


@pytest.mark.parametrize("change", CHANGES)
def test_a_small_change_of_the_data_gives_the_same_map(change: str) -> None:
    data, items = CHANGES[change](mrsne.datasets.load_emoji(), np.random.default_rng(0))
    disparity, kept = compared(reference(), mrsne.MRSNE(random_state=0).fit_transform(data), items)
    assert disparity < DISPARITY
    assert kept > KEPT


def test_another_seed_gives_the_same_map() -> None:
    """By a start that is another one: nothing ignores the seed."""
    data = mrsne.datasets.load_emoji()
    other = mrsne.MRSNE(random_state=1).fit_transform(data)
    assert not np.array_equal(other.stacked, reference().stacked)
    disparity, kept = compared(reference(), other, every(data))
    assert disparity < DISPARITY
    assert kept > KEPT


def test_other_rounding_gives_the_same_map() -> None:
    data = mrsne.datasets.load_emoji()
    with other_transforms():
        other = mrsne.MRSNE(random_state=0, method="fft").fit_transform(data)
    disparity, kept = compared(reference(), other, every(data))
    assert disparity < DISPARITY
    assert kept > KEPT


def test_the_schedule_of_earlier_versions_gives_the_maps_of_earlier_versions() -> None:
    P = mrsne.joint_affinities(mrsne.RelationalData({"photo": clusters(120)}), perplexity=10)
    Y = mrsne.embed(P, random_state=0, max_iter=60, schedule="stages", early_exaggeration=12)
    # of version 0.1, whose default this was; sums have another order on other processors, and 60 iterations are few
    np.testing.assert_allclose(Y[:3], [[4.2232, -9.4864], [-10.4009, 11.3718], [17.4345, 1.1916]], atol=0.01)
    assert mrsne.kl_gradient(P, Y)[0] == pytest.approx(0.18562, abs=1e-4)
