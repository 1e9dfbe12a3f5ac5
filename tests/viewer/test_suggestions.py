"""The parts of a page that say which links may be missing."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from mrsne import Embedding, LinkPredictor, RelationalData
from mrsne.viewer.content import Content
from mrsne.viewer.suggestions import COUNT, LEAST

RNG = np.random.default_rng(0)
SUBJECTS = np.repeat(np.arange(4), 30)


@pytest.fixture(scope="module")
def data() -> RelationalData:
    """Photos of four subjects, each with two of the three tags of its subject."""
    vectors = 4 * np.eye(4)[SUBJECTS] + RNG.normal(size=(120, 4))
    links = [(photo, 3 * s + tag) for photo, s in enumerate(SUBJECTS) for tag in RNG.permutation(3)[:2]]
    names = {"tag": [f"tag {i}" for i in range(12)]}
    return RelationalData({"photo": vectors, "tag": 12}, {("photo", "tag"): links}, names=names)


def test_each_direction_has_a_part_with_the_suggestions_of_every_item(data: RelationalData) -> None:
    predictor = LinkPredictor(random_state=0).fit(data)
    places = {"photo": RNG.normal(size=(120, 2)), "tag": RNG.normal(size=(12, 2))}
    page = Content(Embedding(places), data, report=False, suggestions=predictor)
    assert page.about["suggestions"] == [{"from": 0, "to": 1}, {"from": 1, "to": 0}]
    raw = np.frombuffer(gzip.decompress(page.parts["suggestions-0"]()), np.uint8)
    counts, rest = raw[:120].astype(int), raw[120:]
    scores, *planes = rest.reshape(5, counts.sum()).astype(int)
    items = sum(plane * 256**at for at, plane in enumerate(planes)) - 120
    wanted, likely = predictor.suggest("photo", "tag", k=COUNT)
    kept = (wanted >= 0) & (likely >= LEAST)
    np.testing.assert_array_equal(counts, kept.sum(axis=1))
    np.testing.assert_array_equal(items, wanted[kept])
    np.testing.assert_allclose(scores / 255, likely[kept], atol=0.5 / 255)
    photos = np.repeat(np.arange(120), counts)
    assert np.mean(items // 3 == SUBJECTS[photos]) > 0.5, "most are tags of the photo's own subject"


def test_a_page_without_a_predictor_has_none(data: RelationalData) -> None:
    places = {"photo": np.zeros((120, 2)), "tag": np.ones((12, 2))}
    page = Content(Embedding(places), data, report=False)
    assert page.about["suggestions"] is None
    assert not [name for name in page.parts if name.startswith("suggestions")]
