"""The map as a live widget of Jupyter."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from mrsne.data.outline import Outline, check_known
from mrsne.metrics.card import Report
from mrsne.parameters import ParameterError, check_option, describe
from mrsne.viewer.content import Content
from mrsne.viewer.details import Coordinates
from mrsne.viewer.filters import Filters, passing, read_filters
from mrsne.viewer.notebook import HEIGHT, frame
from mrsne.viewer.page import THEMES, static_text
from mrsne.viewer.reasons import SERVED_ITEMS

INITIAL_BYTES = 2_000_000  # that a widget comes with; it requests the rest


class MapWidget(anywidget.AnyWidget):
    """A map in a notebook; made by :meth:`mrsne.Embedding.widget`.

    Attributes
    ----------
    selection : dict of str to list of int
        The selected items, as positions by domain. Selecting on the map changes it, and setting it changes the map.
    filters : dict of str to dict of str to rule
        What the values of columns must be, by domain and column: of numbers and dates ``(from, to)``, of categories a
        list, of texts words. Filtering on the map changes it, and setting it changes the map.
    dimming : bool
        Whether what does not pass is dimmed, and not hidden.
    linked_only : bool
        Whether domains without a filter show only what is linked to something that passes.

    See Also
    --------
    mrsne.Embedding.widget : Makes it.
    mrsne.Embedding.to_html : The same map as a file, without Python.

    Examples
    --------
    >>> import mrsne
    >>> embedding = mrsne.Embedding({"photo": [[0, 0], [1, 0], [0, 1]]})
    >>> widget = embedding.widget(columns={"photo": {"year": [1990, 2001, 2005]}})
    >>> widget.selection = {"photo": [2]}  # now it is selected on the map
    >>> widget.filters = {"photo": {"year": (2000, None)}}
    >>> widget.passing["photo"].tolist()
    [1, 2]
    """

    _esm = traitlets.Unicode().tag(sync=True)
    stylesheet = traitlets.Unicode().tag(sync=True)  # not _css, which would be for the whole notebook
    about = traitlets.Dict().tag(sync=True)
    initial_parts = traitlets.Dict().tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)
    selection = traitlets.Dict().tag(sync=True)
    filters = traitlets.Dict().tag(sync=True)
    dimming = traitlets.Bool(False).tag(sync=True)
    linked_only = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        embedding: Coordinates,
        data: Outline | None = None,
        *,
        columns: Mapping[str, Any] | None = None,
        title: str = "mrsne",
        theme: str = "auto",
        height: int = HEIGHT,
        report: Report | bool = True,
    ) -> None:
        check_option("theme", theme, THEMES)
        self._content = Content(embedding, data, columns=columns, title=title, report=report, explained=SERVED_ITEMS)
        known = self._content.report or False  # the same card in the saved notebook
        look: dict[str, Any] = {"columns": columns, "title": title, "theme": theme, "height": height}
        self._frame = partial(frame, embedding, data, **look, report=known)
        super().__init__(
            _esm=static_text("map.js"),
            stylesheet=static_text("map.css"),
            about=self._content.about | {"theme": theme, "source": "notebook"},
            initial_parts=_initial_parts(self._content),
            height=height,
        )
        self.on_msg(self._send_part)

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Mapping[str, Any]) -> dict[str, list[int]]:
        sizes = {domain["name"]: domain["count"] for domain in self._content.about["domains"]}
        check_known("selection", proposal["value"], sizes)
        found = {}
        for name, items in proposal["value"].items():
            positions = np.asarray(sorted(items) if isinstance(items, set | frozenset) else items)
            if positions.ndim != 1 or (len(positions) and positions.dtype.kind not in "iu"):
                raise ParameterError(f"selection[{name!r}] must be a list of positions, got {describe(items)}")
            outside = positions[(positions < 0) | (positions >= sizes[name])] if len(positions) else positions
            if len(outside):
                raise ParameterError(f"selection[{name!r}] must be positions below {sizes[name]}, got {outside[0]}")
            found[name] = [int(position) for position in np.unique(positions)]
        return found

    @traitlets.validate("filters")
    def _check_filters(self, proposal: Mapping[str, Any]) -> Filters:
        return read_filters(proposal["value"], self._content.columns)

    @property
    def passing(self) -> dict[str, NDArray[np.intp]]:
        """The items that pass the filters, as positions by domain; computed when it is asked for."""
        sizes = {domain["name"]: domain["count"] for domain in self._content.about["domains"]}
        return passing(self.filters, self._content.columns, sizes, self._content.details.relations, self.linked_only)

    def _send_part(self, _: Any, message: Any, __: Any) -> None:
        """Send a part that the map requests, or why there is none: it would wait for ever."""
        name = message.get("part") if isinstance(message, dict) else None
        if not isinstance(name, str):
            return
        if name not in self._content.parts:
            self.send({"part": name, "error": f"the map has no part {name}"})
            return
        try:
            part = self._content.parts[name]()
        except Exception as error:
            self.send({"part": name, "error": str(error) or type(error).__name__})
            raise
        self.send({"part": name}, buffers=[part])

    def _repr_mimebundle_(self, **arguments: Any) -> Any:
        """Return the live widget and, for readers without widgets, the map as a page in a frame."""
        found = super()._repr_mimebundle_(**arguments)
        return found and ({**found[0], "text/html": self._frame()}, found[1])


def _initial_parts(content: Content) -> dict[str, bytes]:
    """Return the parts that a widget comes with, thumbnails last: where its state is saved, they need no Python."""
    found: dict[str, bytes] = {}
    left = INITIAL_BYTES
    eager = [name for name in content.parts if not name.startswith("reasons")]  # those take seconds to make
    for name in sorted(eager, key=lambda name: name.startswith("sheet")):
        part = content.parts[name]()
        left -= len(part)
        if left < 0:
            break
        found[name] = part
    return found
