from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection

from mrsne import Embedding, RelationalData, datasets
from mrsne.plot import map_figure


def test_labels_do_not_overlap_and_the_most_linked_stay() -> None:
    random = np.random.default_rng(0)
    names = [f"tag number {i}" for i in range(80)]
    links = np.triu(np.ones((80, 80)))  # tag i is linked i + 1 times
    data = RelationalData({"photo": 80, "tag": 80}, {("photo", "tag"): links}, names={"tag": names})
    embedding = Embedding({"photo": random.random((80, 2)), "tag": random.random((80, 2))})
    figure = map_figure(embedding, data)
    figure.canvas.draw()
    texts = figure.axes[0].texts
    boxes = [text.get_window_extent() for text in texts]
    assert 10 < len(texts) < 80
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert texts[0].get_text() == "tag number 79"


def test_names_are_text_not_markup(tmp_path: Path) -> None:
    names = ["$x^", "a_b", "\\frac", "<b>", "犬"]
    data = RelationalData({"tag": np.eye(5)}, names={"tag": names})
    with pytest.warns(UserWarning, match="Glyph 29356"):  # the font has no such character
        figure = map_figure(Embedding({"tag": np.arange(10).reshape(5, 2)}), data)
    figure.savefig(tmp_path / "map.png")
    assert {text.get_text() for text in figure.axes[0].texts} == set(names)


def test_labels_of_different_domains_do_not_overlap() -> None:
    places = np.random.default_rng(0).random((30, 2))
    data = RelationalData(
        {"paper": np.eye(30), "word": np.eye(30)},
        names={"paper": [f"paper {i}" for i in range(30)], "word": [f"word {i}" for i in range(30)]},
    )
    figure = map_figure(Embedding({"paper": places, "word": places + 0.01}), data)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["paper", "word"]


def test_what_does_not_fit_together_is_named() -> None:
    embedding = Embedding({"tag": [[0, 0], [1, 1]]})
    with pytest.raises(ValueError, match="data has 3 items of 'tag', but the embedding has 2"):
        map_figure(embedding, RelationalData({"tag": np.eye(3)}))
    with pytest.raises(ValueError, match=r"pictures\['tag'\] has 1 pictures for 2 items"):
        map_figure(embedding, pictures={"tag": np.zeros((1, 4, 4, 3), np.uint8)})
    with pytest.raises(ValueError, match="pictures names 'foto', but the domains are 'tag'"):
        map_figure(embedding, pictures={"foto": np.zeros((2, 4, 4, 3), np.uint8)})
    with pytest.raises(ValueError, match="embedding must be an Embedding, got an array of shape"):
        map_figure(np.zeros((3, 2)))  # type: ignore[arg-type]


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


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_maps_are_drawn_in_every_format_and_theme(tmp_path: Path, ending: str, theme: str) -> None:
    embedding, data = tagged_map()
    figure = map_figure(embedding, data, size=4, theme=theme, density=True, links={"tag": ["red", 3]}, title="Shapes")
    figure.savefig(tmp_path / f"map.{ending}", dpi=300)
    assert (tmp_path / f"map.{ending}").stat().st_size > 10_000
    if ending == "png":
        pixels = matplotlib.image.imread(tmp_path / "map.png")
        assert pixels.shape[:2] == (1200, 1200)
        assert (pixels[5, 5, :3].mean() > 0.9) == (theme == "light")


def test_the_datas_own_pictures_are_drawn_where_the_items_are() -> None:
    red = np.zeros((2, 8, 8, 3), np.uint8)
    red[..., 0] = 255
    data = RelationalData({"image": np.eye(2)}, pictures={"image": red})
    figure = map_figure(Embedding({"image": [[0, 0], [1, 1]]}), data, size=4)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())
    y, x = np.nonzero((pixels[..., 0] > 200) & (pixels[..., 1] < 60))
    lower_left, upper_right = (x < 300) & (y > 300), (x > 300) & (y < 300)
    assert lower_left.sum() > 500
    assert upper_right.sum() > 500
    assert (lower_left | upper_right).all()


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
        ({"links": {"word": [0]}}, "links needs data, and domains of it; got 'word'"),
        ({"labels": ["picture"]}, r"labels must be domains with names \('tag'\), got 'picture'"),
    ):
        with pytest.raises(ValueError, match=message):
            map_figure(embedding, data, **settings)
