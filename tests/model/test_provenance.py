"""What a map was made with is checked before it is kept."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from mrsne import Embedding
from mrsne.affinity.settings import CONDITIONAL, AffinitySettings
from mrsne.affinity.settings import NORMS as EXPONENTS
from mrsne.model.provenance import NORMS, SETTINGS, recorded_norm, recorded_settings, recorded_weights


def test_the_settings_that_are_kept_are_those_of_the_affinities() -> None:
    assert set(SETTINGS) == {field.name for field in fields(AffinitySettings)}


def test_settings_are_as_files_hold_them() -> None:
    given = {"perplexity": np.float32(5), "weights": {("a", "b"): np.int64(1)}, "relation_norm": [0.5, 1]}
    found = recorded_settings(given)
    assert found == {"perplexity": 5.0, "weights": {("a", "b"): 1}, "relation_norm": (0.5, 1)}
    assert recorded_norm([0.5, 0.25]) == (0.5, 0.25)
    assert recorded_norm(1) == 1.0


def test_the_names_of_normalisations_are_those_that_a_fit_can_have() -> None:
    assert set(NORMS) == {CONDITIONAL, *EXPONENTS}


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("size", "weights must be a mapping of domains and pairs of domains to numbers, got 'size'"),
        ({"word": 1.0}, "weights names 'word', but the domains are 'photo', 'tag'"),
        ({("photo", "tag", "tag"): 1.0}, "weights names .'photo', 'tag', 'tag'."),
        ({("photo", "word"): 1.0}, "weights names .'photo', 'word'."),
        ({3: 1.0}, "weights names 3"),
        ({"photo": 0.5, "tag": "much"}, r"weights.'tag'. must be a finite number of at least 0, got 'much'"),
        ({"photo": 0.5}, "weights must sum to 1, got 0.5"),
        ({}, "weights must sum to 1, got 0"),
    ],
)
def test_weights_that_no_fit_can_have_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recorded_weights(weights, ["photo", "tag"])


@pytest.mark.parametrize("norm", ["auto", "PMI", -0.1, 2, True, (0.5,), (0.5,) * 3, (0.5, "pmi"), (), b"pmi"])
def test_a_normalisation_that_no_fit_can_have_is_refused(norm: Any) -> None:
    with pytest.raises(ValueError, match="relation_norm must be one of 'conditional', 'unnorm', 'norm', 'pmi'"):
        Embedding({"photo": [[0, 0]]}, relation_norm=norm)


def test_the_mapping_of_the_caller_is_copied() -> None:
    given = {"photo": 1.0}
    embedding = Embedding({"photo": [[0, 0]]}, weights=given)
    given["photo"] = 0.5
    assert embedding.weights == {"photo": 1.0}
