"""What a map shows besides places, from data in memory and from data on a cluster."""

from __future__ import annotations

import re
from pathlib import Path

import dask.array as da
import numpy as np
import pytest

from mrsne import Embedding, RelationalData
from mrsne.parameters import ParameterError
from mrsne.viewer.details import read_details

NAMES = {"tag": ["sun", "rain"]}
LINKS = {("photo", "tag"): [(0, "sun", 2.0), (1, "sun", 0.5), (3, "rain", 1.0)]}
MAP = Embedding({"photo": np.eye(6, 2), "tag": [[3, 0], [0, 3]]})


@pytest.fixture
def on_a_cluster() -> RelationalData:
    return RelationalData({"photo": da.from_array(np.eye(6), chunks=(3, -1)), "tag": 2}, LINKS, NAMES)


def test_data_in_memory_gives_names_pictures_and_links() -> None:
    pictures = {"photo": np.zeros((6, 4, 4, 3), np.uint8)}
    data = RelationalData({"photo": np.eye(6), "tag": 2}, LINKS, NAMES, pictures=pictures)
    details = read_details(data)
    assert details.names["tag"] == ("sun", "rain")
    assert details.pictures["photo"].shape == (6, 4, 4, 3)
    assert details.relations["photo", "tag"].nnz == 3
    assert details.strength("photo", 6).tolist() == [2.0, 0.5, 0.0, 1.0, 0.0, 0.0]
    assert details.strength("tag", 2).tolist() == [2.5, 1.0]


def test_data_on_a_cluster_gives_names(on_a_cluster: RelationalData) -> None:
    details = read_details(on_a_cluster)
    assert dict(details.names) == {"tag": ("sun", "rain")}
    assert (dict(details.pictures), dict(details.relations)) == ({}, {})
    assert details.strength("tag", 2).tolist() == [0.0, 0.0]


def test_no_data_gives_nothing() -> None:
    details = read_details(None)
    assert (details.names, details.pictures, details.relations) == ({}, {}, {})
    assert details.strength("photo", 2).tolist() == [0.0, 0.0]


def test_what_is_no_data_is_named() -> None:
    with pytest.raises(ParameterError, match=r"data must be a RelationalData, got {'a': 1}"):
        read_details({"a": 1})  # type: ignore[arg-type]


def test_a_page_of_data_on_a_cluster_has_names_and_no_links(on_a_cluster: RelationalData, tmp_path: Path) -> None:
    MAP.to_html(tmp_path / "map.html", on_a_cluster)
    parts = re.findall(r'data-part="([\w-]+)"', (tmp_path / "map.html").read_text("utf-8"))
    assert parts == ["places", "names-1", "tree-1"]


def test_a_widget_of_data_on_a_cluster_has_names_and_no_links(on_a_cluster: RelationalData) -> None:
    made = MAP.widget(on_a_cluster)
    assert list(made.initial_parts) == ["places", "names-1", "tree-1"]
    assert made.about["relations"] == []
    assert "<iframe" in made._repr_mimebundle_()[0]["text/html"]


def test_an_embedding_that_knows_its_data_on_a_cluster_shows_itself(on_a_cluster: RelationalData) -> None:
    shown = Embedding(MAP, data=on_a_cluster)._repr_mimebundle_()
    assert shown is not None
    assert "data-part=&quot;names-1&quot;" in shown["text/html"]


def test_data_of_another_map_is_refused_wherever_it_is(on_a_cluster: RelationalData, tmp_path: Path) -> None:
    other = Embedding({"photo": np.eye(5, 2), "tag": [[3, 0], [0, 3]]})
    with pytest.raises(ParameterError, match=r"data must have the items of the embedding, .*, got RelationalData on"):
        other.to_html(tmp_path / "map.html", on_a_cluster)
