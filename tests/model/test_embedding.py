from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.model.embedding import EmbeddingFileError
from tests.data.files.hostile_files import flipped_bits

WEIGHTS = {"photo": 0.25, ("photo", "tag"): 0.75}
MAP = Embedding({"photo": [[0, 1], [2, 3], [4, 5]], "tag": [[9, 9]]}, kl_divergence=0.5, n_iter=750)


def test_it_is_a_read_only_mapping() -> None:
    assert list(MAP) == ["photo", "tag"]
    assert MAP["tag"].dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        MAP["tag"][0, 0] = 1
    with pytest.raises(AttributeError, match="cannot be changed"):
        MAP.n_iter = 3
    with pytest.raises(KeyError, match="the domains are 'photo', 'tag'"):
        MAP["word"]


def test_coordinates_are_copied() -> None:
    given = np.zeros((2, 2), dtype=np.float32)
    embedding = Embedding({"photo": given})
    given[:] = 7
    assert not embedding["photo"].any()


def test_a_pickled_embedding_is_the_same() -> None:
    again = pickle.loads(pickle.dumps(MAP))
    assert again == MAP
    assert again.n_iter == 750


def test_what_a_map_was_made_with_survives_saving_and_pickling(tmp_path: Path) -> None:
    for norm in ("conditional", 0.5, (0.5, 0.25)):
        embedding = Embedding(MAP, weights=WEIGHTS, relation_norm=norm)
        embedding.save(tmp_path / "map.npz")
        for again in (Embedding.load(tmp_path / "map.npz"), pickle.loads(pickle.dumps(embedding))):
            assert again.weights == WEIGHTS
            assert again.relation_norm == norm
    with pytest.raises(TypeError):
        embedding.weights["photo"] = 1  # type: ignore[index]


def test_maps_are_equal_by_their_coordinates_whatever_they_were_made_with() -> None:
    assert Embedding(MAP, weights=WEIGHTS, relation_norm="pmi") == MAP


def test_a_map_of_an_older_version_does_not_know_what_it_was_made_with(tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    Embedding(MAP, weights=WEIGHTS, relation_norm="pmi").save(path)
    new = {"weights", "weight_blocks", "relation_norm"}
    np.savez(path, **{name: array for name, array in np.load(path).items() if name not in new})
    loaded = Embedding.load(path)
    assert (loaded, loaded.weights, loaded.relation_norm) == (MAP, None, None)


def test_a_fit_tells_its_weights() -> None:
    data = RelationalData({"image": np.eye(8), "tag": 2}, {("image", "tag"): np.eye(8, 2)})
    model = MRSNE(perplexity=2, max_iter=2, random_state=0)
    embedding = model.fit_transform(data)
    assert embedding.weights == model.weights_
    assert embedding.relation_norm == model.relation_norm_ == "conditional"
    assert ("image", "tag") in model.weights_


def test_the_similarity_it_was_made_for_survives_saving(tmp_path: Path) -> None:
    Embedding({"a": [[1, 2]]}, similarity="inner").save(tmp_path / "map.npz")
    assert Embedding.load(tmp_path / "map.npz").similarity == "inner"
    with pytest.raises(ValueError, match="similarity must be one of 'euclidean', 'inner', got 'cosine'"):
        Embedding({"a": [[1, 2]]}, similarity="cosine")


@settings(max_examples=30, deadline=None)
@given(
    domains=st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4, unique=True),
    n=st.integers(1, 5),
    k=st.integers(1, 4),
)
def test_any_names_survive_saving(tmp_path_factory: pytest.TempPathFactory, domains: list[str], n: int, k: int) -> None:
    """Names with slashes, dots, quotes, line breaks or nothing but spaces."""
    names = [name for name in domains if not name.endswith("\0")]
    if not names:
        return
    path = tmp_path_factory.mktemp("maps") / "map.npz"
    embedding = Embedding({name: np.full((n + i, k), i) for i, name in enumerate(names)})
    embedding.save(path)
    assert Embedding.load(path) == embedding


def test_saved_where_told_and_nothing_else(tmp_path: Path) -> None:
    MAP.save(tmp_path / "map")
    assert [path.name for path in tmp_path.iterdir()] == ["map"]
    loaded = Embedding.load(tmp_path / "map")
    assert loaded == MAP
    assert (loaded.kl_divergence, loaded.n_iter) == (0.5, 750)


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "map.npz"
    MAP.save(path)

    def full_disk(file: object, **arrays: object) -> None:
        file.write(b"half a fi")  # type: ignore[attr-defined]
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="no space left"):
        Embedding({"photo": [[1, 1]]}).save(path)
    assert Embedding.load(path) == MAP
    assert [found.name for found in tmp_path.iterdir()] == ["map.npz"]


def test_other_files_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    MAP.save(path)
    whole = path.read_bytes()
    for content in (b"", b"not a map", whole[: len(whole) // 2], whole[:-30]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"map.npz' is not a saved embedding, or is damaged"):
            Embedding.load(path)
    np.savez(path, something=np.arange(3))
    with pytest.raises(ValueError, match="is not a saved embedding"):
        Embedding.load(path)
    np.savez(path, format=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="is not a saved embedding"):
        Embedding.load(path)
    with pytest.raises(FileNotFoundError):
        Embedding.load(tmp_path / "nothing.npz")


def test_damaged_maps_are_one_kind_of_error(tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    Embedding({"photo": np.eye(5, 2), "tag": np.ones((3, 2))}, 1.5, 750, weights=WEIGHTS).save(path)
    messages = []
    for _ in flipped_bits(path, 500):
        try:
            Embedding.load(path)  # a bit that nothing hangs on
        except (EmbeddingFileError, MemoryError) as error:
            messages.append(str(error))
    assert len(messages) > 250
    assert all("map.npz'" in message for message in messages)


@pytest.mark.parametrize(
    "changed",
    [
        {"n_iter": np.inf},
        {"n_iter": [1, 2]},
        {"kl_divergence": "much"},
        {"format": [1, 1]},
        {"domains": "photo"},
        {"domains": ["photo", "photo"]},
        {"domains": ["photo", "tag", "more"]},
        {"domains": np.array([], np.str_)},
        {"similarity": 5},
        {"domain_0": np.eye(5, 3)},
        {"domain_0": np.zeros(5)},
        {"domain_0": [["1", "2"]]},
        {"domain_0": np.eye(5, 2) * 1j},
        {"weights": ["0.25", "0.75"]},
        {"weights": [0.25, 0.75, 0.0]},
        {"weights": [0.25, 0.25]},
        {"weights": [1.25, -0.25]},
        {"weights": [np.nan, 0.75]},
        {"weights": np.array(0.25)},
        {"weight_blocks": [[0, -1], [0, 2]]},
        {"weight_blocks": [[0, -1], [-1, 1]]},
        {"weight_blocks": [[0, -1], [0, -1]]},
        {"weight_blocks": [[0.0, -1.0], [0.0, 1.0]]},
        {"weight_blocks": [0, 1]},
        {"relation_norm": "PMI"},
        {"relation_norm": 1.5},
        {"relation_norm": [0.5, 0.5, 0.5]},
        {"relation_norm": [[0.5, 0.5]]},
    ],
)
def test_a_map_with_something_else_in_it_is_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    whole = Embedding({"photo": np.eye(5, 2), "tag": np.ones((3, 2))}, 1.5, 750, weights=WEIGHTS, relation_norm="pmi")
    whole.save(path)
    np.savez(path, **{**dict(np.load(path)), **changed})
    with pytest.raises(EmbeddingFileError, match=r"map.npz' is not a saved embedding, or is damaged"):
        Embedding.load(path)


def test_coordinates_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"coordinates\['photo'\] must have shape"):
        Embedding({"photo": [1, 2]})
    with pytest.raises(ValueError, match="the same number of columns"):
        Embedding({"photo": [[1, 2]], "tag": [[1]]})


def test_a_fit_remembers_its_data_for_showing_and_forgets_it_in_a_file(tmp_path: Path) -> None:
    data = RelationalData({"image": np.eye(8), "tag": 2}, {("image", "tag"): np.eye(8, 2)})
    embedding = MRSNE(perplexity=2, max_iter=2, random_state=0).fit_transform(data)
    assert embedding.data is data
    embedding.save(tmp_path / "map.npz")
    loaded = Embedding.load(tmp_path / "map.npz")
    with pytest.warns(UserWarning, match=r"the data of the map is not beside it: there is no '.*map.data.npz'"):
        assert loaded.data is None
    assert pickle.loads(pickle.dumps(embedding)).data is None


@pytest.mark.parametrize("coordinates", [5, None, "photo", [[0, 1]], np.zeros((3, 2))])
def test_coordinates_that_are_no_mapping_are_refused(coordinates: Any) -> None:
    with pytest.raises(ValueError, match="coordinates must be a mapping of domain names to arrays"):
        Embedding(coordinates)


@pytest.mark.parametrize("given", [[["x", 1]], [[1, 2], [3]], [[None, object()]], [[10**400, 1]]])
def test_coordinates_that_are_no_numbers_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=r"coordinates\['photo'\] must be an array of numbers"):
        Embedding({"photo": given})


def test_a_map_that_is_loaded_finds_its_data_beside_it(tmp_path: Path) -> None:
    data = RelationalData({"image": np.eye(8), "tag": 2}, {("image", "tag"): np.eye(8, 2)}, names={"tag": ["a", "b"]})
    embedding = MRSNE(perplexity=2, max_iter=2, random_state=0).fit_transform(data)
    embedding.save(tmp_path / "map.npz")
    data.save(tmp_path / "map.data.npz")
    found = Embedding.load(tmp_path / "map.npz").data
    assert found is not None
    assert found.names["tag"] == ("a", "b")


def test_other_data_beside_a_map_is_not_taken_for_its_own(tmp_path: Path) -> None:
    data = RelationalData({"image": np.eye(8), "tag": 2}, {("image", "tag"): np.eye(8, 2)})
    MRSNE(perplexity=2, max_iter=2, random_state=0).fit_transform(data).save(tmp_path / "map.npz")
    RelationalData({"image": 8, "tag": 2}).save(tmp_path / "map.data.npz")
    with pytest.warns(UserWarning, match="holds other data than the map was made from"):
        assert Embedding.load(tmp_path / "map.npz").data is None
    (tmp_path / "map.data.npz").write_text("broken")
    with pytest.warns(UserWarning, match="is not saved data, or is damaged"):
        assert Embedding.load(tmp_path / "map.npz").data is None


def test_a_frame_has_kind_id_label_and_place_and_other_columns_if_asked() -> None:
    data = RelationalData(
        {"work": 2, "artist": 1},
        names={"work": ["A1", "A2"]},
        labels={"work": ["untitled", "untitled"]},
        columns={"work": {"year": [1850, None], "x": ["p", "q"]}, "artist": {"born": [1800]}},
    )
    embedding = Embedding({"work": [[0, 1], [2, 3]], "artist": [[4, 5]]}, data=data)
    frame = embedding.to_frame()
    assert list(frame.columns) == ["kind", "id", "label", "x", "y"]
    assert frame["id"].tolist() == ["A1", "A2", "0"]
    assert frame["label"].tolist() == ["untitled", "untitled", "0"]
    assert frame["y"].tolist() == [1, 3, 5]
    more = embedding.to_frame(columns=True)
    assert list(more.columns[5:]) == ["year", "x (column)", "born"]
    np.testing.assert_array_equal(more["born"], [np.nan, np.nan, 1800])
    with pytest.raises(ValueError, match="data must have the items of the embedding"):
        embedding.to_frame(RelationalData({"work": 3}))
