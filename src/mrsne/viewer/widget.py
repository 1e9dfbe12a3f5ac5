"""The map as a live widget of Jupyter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import anywidget
import traitlets

from mrsne.data import RelationalData
from mrsne.embedding import Embedding
from mrsne.parameters import ParameterError, check_option
from mrsne.viewer.content import Content
from mrsne.viewer.notebook import HEIGHT, frame
from mrsne.viewer.page import THEMES, static_text


class MapWidget(anywidget.AnyWidget):
    """A map in a notebook; made by :meth:`mrsne.Embedding.widget`.

    Attributes
    ----------
    selection : dict of str to list of int
        The selected items, as positions by domain. Selecting on the map changes it, and setting it changes the map.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    about = traitlets.Dict().tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)
    selection = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        embedding: Embedding,
        data: RelationalData | None = None,
        *,
        columns: Mapping[str, Any] | None = None,
        title: str = "mrsne",
        theme: str = "auto",
        height: int = HEIGHT,
    ) -> None:
        check_option("theme", theme, THEMES)
        self._frame = partial(frame, embedding, data, columns=columns, title=title, theme=theme, height=height)
        self._content = Content(embedding, data, columns=columns, title=title)
        super().__init__(
            _esm=static_text("map.js"),
            _css=static_text("map.css"),
            about=self._content.about | {"theme": theme, "source": "notebook"},
            height=height,
        )
        self.on_msg(self._answer)

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Mapping[str, Any]) -> dict[str, list[int]]:
        sizes = {domain["name"]: domain["count"] for domain in self._content.about["domains"]}
        found = {}
        for name, items in proposal["value"].items():
            if name not in sizes:
                raise ParameterError(f"selection names {name!r}, but the domains are {', '.join(map(repr, sizes))}")
            found[name] = [int(item) for item in items]
            if any(not 0 <= item < sizes[name] for item in found[name]):
                raise ParameterError(f"selection[{name!r}] must be positions below {sizes[name]}, got {items!r}")
        return found

    def _answer(self, _: Any, message: Any, __: Any) -> None:
        """Send a part that the map asks for."""
        part = self._content.parts.get(message.get("part", "")) if isinstance(message, dict) else None
        if part is not None:
            self.send({"part": message["part"]}, buffers=[part()])

    def _repr_mimebundle_(self, **arguments: Any) -> Any:
        """Return the live widget and, for notebooks without Python behind them, the map as a page in a frame."""
        found = super()._repr_mimebundle_(**arguments)
        return found and ({**found[0], "text/html": self._frame()}, found[1])
