"""A map as a picture."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import dask.array as da
import matplotlib.image
import numpy as np
import pytest
from matplotlib.collections import LineCollection

from mrsne import Embedding, RelationalData, datasets
from mrsne.plot.figure import map_figure


def test_what_does_not_fit_together_is_named() -> None:
    embedding = Embedding({"tag": [[0, 0], [1, 1]]})
    with pytest.raises(ValueError, match="data has 3 items of 'tag', but the embedding has 2"):
        map_figure(embedding, RelationalData({"tag": np.eye(3)}))
    with pytest.raises(ValueError, match=r"pictures\['tag'\] has 1 pictures for 2 items"):
        map_figure(embedding, pictures={"tag": np.zeros((1, 4, 4, 3), np.uint8)})
    with pytest.raises(ValueError, match="pictures names the domain 'foto', but the domains are 'tag'"):
        map_figure(embedding, pictures={"foto": np.zeros((2, 4, 4, 3), np.uint8)})
    with pytest.raises(ValueError, match="embedding must be an Embedding, got an array of shape"):
        map_figure(np.zeros((3, 2)))  # type: ignore[arg-type]


def test_the_names_of_themes_are_known_without_matplotlib() -> None:
    code = "import sys, mrsne.plot; print(sorted(mrsne.plot.THEMES), 'matplotlib' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['dark', 'light'] False"


def test_only_planes_are_drawn() -> None:
    with pytest.raises(ValueError, match="must be two-dimensional to be drawn, got 3 dimensions"):
        map_figure(Embedding({"tag": [[1, 2, 3]]}))


def tagged_map() -> tuple[Embedding, RelationalData]:
    data, pictures = datasets.make_shapes(60, random_state=0)
    random = np.random.default_rng(0)
    shown = RelationalData(
        {"picture": data.vectors["picture"], "tag": 14}, data.relations, data.names, pictures={"picture": pictures}
    )
    return Embedding({name: random.normal(size=(n, 2)) for name, n in data.sizes.items()}), shown


@pytest.mark.parametrize(("ending", "theme"), [("png", "light"), ("png", "dark"), ("svg", "dark"), ("pdf", "light")])
def test_maps_are_drawn_in_every_format_and_theme(tmp_path: Path, ending: str, theme: str) -> None:
    embedding, data = tagged_map()
    figure = map_figure(embedding, data, size=4, theme=theme, density=True, links={"tag": ["red", 3]}, title="Shapes")
    figure.savefig(tmp_path / f"map.{ending}", dpi=300)
    assert (tmp_path / f"map.{ending}").stat().st_size > 10_000
    if ending == "png":
        pixels = matplotlib.image.imread(tmp_path / "map.png")
        assert pixels.shape[:2] == (1200, 1200)
        assert (pixels[5, 5, :3].mean() > 0.9) == (theme == "light")


def test_links_of_chosen_items_are_lines() -> None:
    embedding, data = tagged_map()
    figure = map_figure(embedding, data, links={"tag": ["red"]})
    lines = [artist for artist in figure.axes[0].collections if isinstance(artist, LineCollection)]
    column = data.relations["picture", "tag"][:, 0]
    assert len(lines[0].get_segments()) == column.nnz
    assert figure.axes[0].texts[0].get_text() == "red"
    assert not [a for a in map_figure(embedding, data).axes[0].collections if isinstance(a, LineCollection)]


def test_unknown_themes_links_and_labels_are_named() -> None:
    embedding, data = tagged_map()
    for settings, message in (
        ({"theme": "blue"}, "theme must be one of 'light', 'dark', got 'blue'"),
        ({"links": {"tag": ["mauve"]}}, r"links\['tag'\] names 'mauve', which 'tag' does not have"),
        ({"links": {"word": [0]}}, "links names the domain 'word', but the domains are 'picture', 'tag'"),
        ({"labels": ["picture"]}, r"labels must be domains with names \('tag'\), got 'picture'"),
    ):
        with pytest.raises(ValueError, match=message):
            map_figure(embedding, data, **settings)


def test_data_on_a_cluster_gives_names_and_says_that_its_links_are_not_in_memory() -> None:
    vectors = da.from_array(np.eye(6), chunks=(3, -1))
    links = {("photo", "tag"): [(0, "sun"), (3, "rain")]}
    data = RelationalData({"photo": vectors, "tag": 2}, links, names={"tag": ["sun", "rain"]})
    embedding = Embedding({"photo": np.eye(6, 2), "tag": [[3, 0], [0, 3]]})
    figure = map_figure(embedding, data)
    assert {text.get_text() for text in figure.axes[0].texts} == {"sun", "rain"}
    with pytest.raises(ValueError, match=r"links names 'tag', but no links of 'tag' are known: give data .* in memory"):
        map_figure(embedding, data, links={"tag": ["sun"]})


def test_links_without_data_are_refused() -> None:
    with pytest.raises(ValueError, match="links names 'tag', but no links of 'tag' are known"):
        map_figure(Embedding({"tag": [[0, 0], [1, 1]]}), links={"tag": [0]})


def test_names_and_titles_of_any_characters_are_drawn() -> None:
    data = RelationalData({"tag": 2}, {("tag", "tag"): [(0, 1)]}, {"tag": ["\ud800", "$\\frac{"]})
    figure = map_figure(Embedding({"tag": [[0, 0], [1, 1]]}), data, size=2, title="$\\frac{ \udfff")
    assert figure.get_suptitle() == "$\\frac{ \ufffd"
    assert {text.get_text() for text in figure.axes[0].texts} == {"\ufffd", "$\\frac{"}
    figure.savefig(io.BytesIO(), dpi=20)


def test_maps_that_reach_as_far_as_numbers_do_are_drawn() -> None:
    figure = map_figure(Embedding({"tag": [[-3e38, 0], [3e38, 1]]}), size=2)
    assert np.isfinite(figure.axes[0].get_xlim()).all()


@pytest.mark.parametrize("coordinates", [[[0, np.nan]], [[np.inf, 0]], np.zeros((0, 2))])
def test_maps_without_places_are_not_drawn(coordinates: Any) -> None:
    with pytest.raises(ValueError, match="embedding must have items with finite coordinates to be drawn"):
        map_figure(Embedding({"tag": coordinates}))


@pytest.mark.parametrize("size", [0, -1, np.nan, "10", None])
def test_sizes_that_are_none_are_refused(size: Any) -> None:
    with pytest.raises(ValueError, match="size must be a finite number greater than 0, got"):
        map_figure(Embedding({"tag": [[0, 0], [1, 1]]}), size=size)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"links": 5}, "links must be a mapping of domain names, got int"),
        ({"links": {"tag": "b"}}, r"links\['tag'\] must be a list of names or positions, got 'b'"),
        ({"links": {"tag": 1}}, r"links\['tag'\] must be a list of names or positions, got 1"),
        ({"links": {"tag": [None]}}, r"links\['tag'\] names None, which 'tag' does not have"),
        ({"labels": 5}, "labels must be a list of domains, got 5"),
        ({"labels": "tag"}, "labels must be a list of domains, got 'tag'"),
    ],
)
def test_links_and_labels_that_are_no_lists_are_refused(settings: dict[str, Any], message: str) -> None:
    data = RelationalData({"tag": 2}, {("tag", "tag"): [(0, 1)]}, {"tag": ["a", "b"]})
    with pytest.raises(ValueError, match=message):
        map_figure(Embedding({"tag": [[0, 0], [1, 1]]}), data, **settings)


def test_labels_are_written_and_links_are_named_by_id() -> None:
    data = RelationalData(
        {"work": 2, "artist": 1},
        {("work", "artist"): np.ones((2, 1))},
        names={"work": ["A1", "A2"]},
        labels={"work": ["untitled", "untitled"]},
    )
    embedding = Embedding({"work": [[0, 0], [4, 4]], "artist": [[2, 0]]})
    figure = map_figure(embedding, data, links={"work": ["A2"]})
    assert [text.get_text() for text in figure.axes[0].texts].count("untitled") == 2
    with pytest.raises(ValueError, match="names 'untitled', which 'work' does not have"):
        map_figure(embedding, data, links={"work": ["untitled"]})
