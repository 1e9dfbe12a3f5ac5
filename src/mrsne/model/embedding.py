"""The result: coordinates of the items, domain by domain."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.arrays import Float32
from mrsne.data.files.damage import check_format, open_arrays
from mrsne.data.files.generation import data_beside
from mrsne.data.files.writing import write_atomically
from mrsne.data.interchange.exports import Exports
from mrsne.data.vectors import check_plain
from mrsne.metrics.arguments import SIMILARITIES
from mrsne.metrics.memory import Memory
from mrsne.model import provenance
from mrsne.model.changes import Changes
from mrsne.model.embedding_file import arguments_from, arrays_of
from mrsne.model.lineage import Ancestor, Lineage
from mrsne.parameters import FileContentError, ParameterError, check_option, describe

if TYPE_CHECKING:
    from pandas import DataFrame

    from mrsne.data.relational import RelationalData
    from mrsne.metrics.card import Report
    from mrsne.model.link_prediction import LinkPredictor
    from mrsne.regions.result import Regions
    from mrsne.viewer.widget import MapWidget

FORMAT = 1


class EmbeddingFileError(FileContentError):
    """A file is not a saved embedding, or a damaged one."""


class Embedding(Exports):
    """Coordinates of the items of every domain: a read-only mapping from domain names to arrays.

    Parameters
    ----------
    coordinates : mapping of str to array of shape (n, K)
        Copied, as float32.
    kl_divergence : float, optional
        KL(P̃‖Q̃) of the map, in nats.
    n_iter : int, optional
        Iterations it took.
    similarity : {"euclidean", "inner"}, default="euclidean"
        Whether a small distance makes two items similar or, for methods trained for it, a large inner product.
    data : RelationalData, optional
        The data that was embedded, for names, pictures and links when the map is shown. Not saved, pickled or compared;
        a saved map keeps its fingerprint, :attr:`data_identity`.
    weights : mapping of str or (str, str) to float, optional
        β that the map was made with, summing to 1: how much the neighbours in each domain, and the links between each
        pair of domains, weigh. Saved and pickled, not compared, like the next.
    relation_norm : str, float or pair of float, optional
        How links were normalised.
    settings : mapping of str to object, optional
        Settings of :func:`mrsne.joint_affinities` that the map was made with, from which :meth:`reasons` follow.

    See Also
    --------
    mrsne.MRSNE : Makes one.
    mrsne.plot.map_figure : Draws one.
    mrsne.metrics.report : Says how far to trust it.

    Examples
    --------
    >>> import mrsne
    >>> embedding = mrsne.Embedding({"photo": [[0, 0], [1, 1]], "tag": [[0.5, 0.5]]})
    >>> embedding
    Embedding(photo: 2 items, tag: 1 item; 2-d)
    >>> embedding["tag"]
    array([[0.5, 0.5]], dtype=float32)
    >>> embedding.stacked.shape
    (3, 2)
    """

    def __init__(
        self,
        coordinates: Mapping[str, Any],
        kl_divergence: float | None = None,
        n_iter: int | None = None,
        similarity: str = "euclidean",
        data: RelationalData | None = None,
        weights: Mapping[Any, float] | None = None,
        relation_norm: provenance.Norm | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        found: dict[str, Float32] = {}
        if not isinstance(coordinates, Mapping):
            raise ParameterError(
                f"coordinates must be a mapping of domain names to arrays, got {describe(coordinates)}"
            )
        for name, given in coordinates.items():
            check_plain(f"coordinates[{name!r}]", given)
            try:
                array = np.array(given, dtype=np.float32)
            except (ValueError, TypeError, OverflowError) as error:
                raise ParameterError(f"coordinates[{name!r}] must be an array of numbers ({error})") from error
            if array.ndim != 2:
                raise ParameterError(f"coordinates[{name!r}] must have shape (items, K), got {array.shape}")
            array.flags.writeable = False
            found[str(name)] = array
        if len({array.shape[1] for array in found.values()}) != 1:
            raise ParameterError("coordinates must have at least one domain, and the same number of columns in each")
        vars(self).update(
            _coordinates=found,
            _data=data,
            _memory=Memory(),
            lineage=Lineage(),
            kl_divergence=None if kl_divergence is None else float(kl_divergence),
            n_iter=None if n_iter is None else int(n_iter),
            relation_norm=provenance.recorded_norm(relation_norm),
            settings=provenance.recorded_settings(settings),
            similarity=check_option("similarity", similarity, SIMILARITIES),
            weights=provenance.recorded_weights(weights, found),
        )

    _coordinates: dict[str, Float32]
    _memory: Memory  # affinities and scores, once computed
    kl_divergence: float | None
    n_iter: int | None
    similarity: str
    weights: Mapping[provenance.Block, float] | None
    relation_norm: provenance.Norm | None
    settings: Mapping[str, Any] | None
    lineage: Lineage  # when it was made, and from which maps; neither compared nor pickled
    _data: RelationalData | None
    _data_identity: str | None = None
    _data_file: Path | None = None  # where the data of a map that was loaded should be, until it has been read

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an Embedding cannot be changed")

    def __getitem__(self, name: str) -> Float32:
        try:
            return self._coordinates[name]
        except KeyError:
            raise KeyError(f"no domain {name!r}; the domains are {', '.join(map(repr, self._coordinates))}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._coordinates)

    def __len__(self) -> int:
        return len(self._coordinates)

    def __repr__(self) -> str:
        sizes = [f"{name}: {len(Y)} item{'s' * (len(Y) != 1)}" for name, Y in self.items()]
        return f"Embedding({', '.join(sizes)}; {self.n_components}-d)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Embedding):
            return NotImplemented
        same = (list(self), self.similarity) == (list(other), other.similarity)
        return same and all(np.array_equal(self[name], other[name]) for name in self)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        weights, settings = (None if known is None else dict(known) for known in (self.weights, self.settings))
        known = (self.kl_divergence, self.n_iter, self.similarity, None, weights, self.relation_norm, settings)
        return Embedding, (self._coordinates, *known)

    @property
    def n_components(self) -> int:
        """Dimension of the map."""
        return int(next(iter(self._coordinates.values())).shape[1])

    @property
    def stacked(self) -> Float32:
        """All items in one array, domain after domain."""
        return np.concatenate(list(self._coordinates.values()))

    @property
    def data(self) -> RelationalData | None:
        """The data that was embedded; None where it is not known.

        Of a map that was loaded, it is read from beside it (``map.data.npz`` beside ``map.npz``) when it is first asked
        for; where it is not there, or is other data, there is a warning.
        """
        if self._data is None and self._data_file is not None:
            from mrsne.data.identity import read_beside

            vars(self).update(_data=read_beside(self._data_file, self._data_identity), _data_file=None)
        return self._data

    @property
    def data_identity(self) -> str | None:
        """Fingerprint of the data that the map was made of; None where that is not known.

        It is saved with the map, so that data of the same size is not mistaken for what it shows.
        """
        if self._data is None or self._data_identity is not None:
            return self._data_identity
        from mrsne.data.identity import identity

        return identity(self._data)

    @property
    def changes(self) -> Changes | None:
        """What changed since the map that this one continues; None where it continues none."""
        return self.lineage.changes

    @property
    def entry(self) -> Ancestor:
        """What the history of a map that continues this one says of it."""
        settings = None if self.settings is None else provenance.settings_to_text(self.settings)
        return self.lineage.entry(self, self.data_identity, self.kl_divergence, self.n_iter, settings)

    @property
    def history(self) -> tuple[Ancestor, ...]:
        """The maps that led to this one, the oldest first, and itself."""
        return (*self.lineage.ancestors, self.entry)

    def regions(self, data: RelationalData | None = None, *, by: Sequence[str] | None = None) -> Regions:
        """Return the regions of a two-dimensional map, on up to four nested levels, with names.

        Regions are the basins of the density of all items, joined by Ward's criterion. A region is called by up
        to three linked items that describe more of it than of the rest of the map, the one first that best
        distinguishes it from that and from the region that it is a part of, or by the items in its middle where nothing
        is linked (``docs/regions.md``).

        Parameters
        ----------
        data : RelationalData, optional
            Gives names and links; by default the data that was embedded, if it is known. Without names, regions have
            none.
        by : list of str, optional
            Domains whose items name the regions; by default those of which an item can have several, such as tags.

        Returns
        -------
        regions : Regions
            A sequence; each has ``name``, ``words``, ``scores``, ``members``, ``outline``, ``centre``, ``level`` and
            ``parent``.

        Examples
        --------
        >>> import numpy as np, mrsne
        >>> random = np.random.default_rng(0)
        >>> corners = np.repeat([[0, 0], [0, 9], [9, 0], [9, 9]], 30, axis=0)
        >>> data = mrsne.RelationalData(
        ...     {"photo": 120, "tag": 4},
        ...     {("photo", "tag"): [(i, i // 30) for i in range(120)]},
        ...     names={"tag": ["cat", "dog", "sea", "sky"]},
        ... )
        >>> places = corners + random.normal(size=(120, 2))
        >>> embedding = mrsne.Embedding({"photo": places, "tag": corners[::30]})
        >>> regions = embedding.regions(data)
        >>> sorted(region.name for region in regions.at(0))
        ['cat', 'dog', 'sea', 'sky']
        """
        from mrsne.regions.finding import find_regions

        return find_regions(self, self.data if data is None else data, by, self.lineage.regions)

    def reasons(
        self, kind: str, item: int | str, data: RelationalData | None = None, *, affinities: Any = None, count: int = 6
    ) -> DataFrame:
        """Return why an item is where it is: its strongest affinities, and which of them the map does not honour.

        Parameters
        ----------
        kind : str
            Its domain.
        item : int or str
            Its position or its name.
        data : RelationalData, optional
            By default the data that was embedded, if it is known.
        affinities : array or sparse matrix of shape (n, n), optional
            P̃ that the map was made from. By default the one that its fit has left or, of a map that was loaded, one
            that is computed once, with the settings that the map keeps or else those of :class:`mrsne.MRSNE`.
        count : int
            How many affinities to its own kind at most, and to others.

        Returns
        -------
        reasons : DataFrame
            For each of them ``kind``, ``id`` and ``label`` of the other item; ``by`` ("vector", "links", or both; of
            items without vectors "shared links" or, where what they are linked to shares its links, such as "shared
            subject of work"); ``share`` of all affinities of the item; ``nearer``, the number of items of the
            other's kind that lie nearer on the map without being linked to the item; and ``far``, whether these are
            100 or a quarter of the kind.

        Examples
        --------
        >>> import mrsne
        >>> data = mrsne.RelationalData(
        ...     {"photo": 4, "tag": 3},
        ...     {("photo", "tag"): [(0, "sea"), (1, "dog"), (2, "sea"), (2, "sky"), (3, "sky")]},
        ...     names={"tag": ["sea", "sky", "dog"]},
        ... )
        >>> places = {"photo": [[0, 0], [5, 0], [2, 0], [9, 0]], "tag": [[1, 1], [9, 1], [5, 1]]}
        >>> embedding = mrsne.Embedding(places, data=data)
        >>> P = mrsne.joint_affinities(data, relation_norm="unnorm")
        >>> embedding.reasons("photo", 2, affinities=P)
          kind   id label     by  share  nearer    far
        0  tag  sea   sea  links    0.5       0  False
        1  tag  sky   sky  links    0.5       1   True
        """
        from mrsne.data.interchange.rows import frame_of
        from mrsne.metrics.reasons import item_reasons

        known = self.data if data is None else data
        frame: DataFrame = frame_of(item_reasons(self, known, kind, item, affinities, count), "pandas")
        return frame

    def to_html(
        self,
        path: str | os.PathLike[str],
        data: RelationalData | None = None,
        *,
        columns: Mapping[str, Any] | None = None,
        title: str = "mrsne",
        theme: str = "auto",
        thumbnail_side: int | None = None,
        report: Report | bool = True,
        suggestions: LinkPredictor | None = None,
    ) -> None:
        """Write an interactive map: one HTML file with everything in it, which any browser opens from disk.

        Parameters
        ----------
        path : path
            Must end in .html or .htm.
        data : RelationalData, optional
            Gives names, thumbnails and links; by default the data that was embedded, if it is known.
            Data on a cluster gives names only.
        columns : mapping of str to mapping of str to values, optional
            Columns by which items can be coloured: for a domain, a DataFrame or a mapping of names to one value for
            each item, numbers or categories.
        title : str, default="mrsne"
            What the page and its tab are called.
        theme : {"auto", "light", "dark"}, default="auto"
            "auto" follows the browser's preference.
        thumbnail_side : int, optional
            Pixels of a thumbnail; by default 96 up to 4,000 pictures, 64 up to 40,000, then 32, and never more than
            the pictures have.
        report : Report or bool, default=True
            The report card that the map shows about itself and by which items can be coloured, as
            :func:`mrsne.metrics.report` returns it. By default one is computed from a sample that takes a few seconds;
            False for none.
        suggestions : LinkPredictor, optional
            Fitted to the data: the panel of an item then says which links it may lack, and how likely each is.

        Examples
        --------
        >>> import tempfile, pathlib, mrsne
        >>> embedding = mrsne.Embedding({"photo": [[0, 0], [1, 1]], "tag": [[0.5, 0.5]]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "map.html")
        ...     embedding.to_html(path, columns={"photo": {"year": [2001, 2003]}})
        ...     path.read_text()[:15]
        '<!DOCTYPE html>'
        """
        from mrsne.viewer.content import Content
        from mrsne.viewer.page import write_page

        known = self.data if data is None else data
        shown: dict[str, Any] = {"columns": columns, "title": title, "report": report, "suggestions": suggestions}
        content = Content(self, known, side=thumbnail_side, **shown)
        write_page(path, content, theme)

    def _write_comparison(
        self, path: str | os.PathLike[str], comparison: Any, data: Any, titles: tuple[str, ...], title: str, theme: str
    ) -> None:
        """Write this map and the second one of a comparison as one page."""
        from mrsne.viewer.comparison import pair_content
        from mrsne.viewer.page import write_page

        write_page(path, pair_content(comparison, data, titles, title), theme)

    def widget(
        self,
        data: RelationalData | None = None,
        *,
        columns: Mapping[str, Any] | None = None,
        title: str = "mrsne",
        theme: str = "auto",
        height: int = 560,
        report: Report | bool = True,
    ) -> MapWidget:
        """Return the interactive map as a widget for Jupyter; needs ``pip install mrsne[notebook]``.

        Its ``selection`` holds the items selected on the map, as positions by domain. An embedding at the end of a cell
        is shown as a map as well, without a selection in Python: it stays in a saved notebook, whereas JupyterLab saves
        widgets only where its setting "Save Widget State Automatically" is on.

        Parameters
        ----------
        data, columns, title, theme, report
            As for :meth:`to_html`.
        height : int
            In pixels.

        Examples
        --------
        >>> widget = Embedding({"tag": [[0, 0], [1, 1]]}).widget()
        >>> widget.selection = {"tag": [1]}
        """
        try:
            from mrsne.viewer.widget import MapWidget
        except ImportError as error:
            raise ImportError("a widget needs anywidget: pip install 'mrsne[notebook]'") from error
        known = self.data if data is None else data
        return MapWidget(self, known, columns=columns, title=title, theme=theme, height=height, report=report)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any] | None:
        """Show a two-dimensional embedding as a map in notebooks."""
        if self.n_components != 2 or not np.isfinite(self.stacked).all():
            return None
        from mrsne.viewer.notebook import in_a_terminal, mime_bundle

        return None if in_a_terminal() else mime_bundle(self, self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the embedding as an npz file, in one step: after a failure, an older file is still there.

        The file holds plain arrays, no pickled objects, under the domains' names.

        Examples
        --------
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.npz")
        ...     Embedding({"tag": [[0, 1]]}, kl_divergence=1.5).save(path)
        ...     Embedding.load(path).kl_divergence
        1.5
        """
        arrays = {"format": np.array(FORMAT), **arrays_of(self)}
        write_atomically(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Embedding:
        """Read an embedding that was written by :meth:`save`; :attr:`data` finds the data beside it.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        EmbeddingFileError
            If the file is something else, or damaged.

        Examples
        --------
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.npz")
        ...     Embedding({"tag": [[0, 1]]}).save(path)
        ...     Embedding.load(path)
        Embedding(tag: 1 item; 2-d)
        """
        with open_arrays(path, "a saved embedding", EmbeddingFileError) as file:
            check_format(path, int(file["format"]), FORMAT, EmbeddingFileError)
            embedding = cls(**arguments_from(file))
            if "lineage" in file:
                vars(embedding).update(lineage=Lineage.from_text(str(file["lineage"])))
            made_from = str(file["data_identity"]) if "data_identity" in file else None
            if made_from is not None or data_beside(path).is_file():
                vars(embedding).update(_data_identity=made_from, _data_file=data_beside(path))
            return embedding
