"""Thumbnails on a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from mrsne import Embedding, RelationalData
from mrsne.plot.drawing import writable
from mrsne.plot.figure import map_figure


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


def test_names_are_cut_and_have_no_halves_of_characters() -> None:
    assert (writable("caf\udce9"), writable("abcdef", 4)) == ("caf\ufffd", "abc…")
