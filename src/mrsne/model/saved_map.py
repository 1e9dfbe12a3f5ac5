"""A map and its collection, in files beside each other, and new items in it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mrsne.affinity.settings import AffinitySettings
from mrsne.arrays import Int64
from mrsne.data.archive import DataFileError
from mrsne.data.collection.collection import Collection as ItemCollection
from mrsne.data.files.generation import coordinates_beside, current, data_beside
from mrsne.data.files.writing import one_generation, write_text
from mrsne.data.growth import NewItems, grown
from mrsne.data.identity import identity
from mrsne.data.relational import RelationalData
from mrsne.layout.settings import LayoutSettings
from mrsne.metrics.memory import memory_of
from mrsne.metrics.reasons import DEFAULTS, map_affinities, settings_of
from mrsne.model.embedding import Embedding
from mrsne.model.fit import embedding_of, fit_map, restored_map
from mrsne.model.placement import FittedMap, place
from mrsne.model.provenance import SETTINGS as AFFINITY_SETTINGS
from mrsne.model.searching import search
from mrsne.parameters import ParameterError

if TYPE_CHECKING:
    from pandas import DataFrame

MARK = "placed"  # heading of the column that tells new items from those before
SETTINGS = ("weights", "relation_norm", "perplexity", "metric", "n_components")  # of MRSNE, kept with a map


@dataclass(frozen=True)
class SavedMap:
    """A map together with the collection that it shows, as commands write them beside each other.

    Parameters
    ----------
    embedding : Embedding
    collection : Collection
    settings : mapping
        The parameters of :class:`mrsne.MRSNE` that the map was made with.

    See Also
    --------
    mrsne.Collection : What is mapped, and how it was read.

    Examples
    --------
    >>> import mrsne, os, tempfile
    >>> works = {"id": list("abcdef"), "tags": ["sea", "sea; ship", "ship", "lake", "lake; hill", "hill"]}
    >>> collection = mrsne.Collection.from_table(works, item="work")
    >>> settings = {"perplexity": 2.0}
    >>> embedding = mrsne.MRSNE(random_state=0, **settings).fit_transform(collection.data)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "map.npz")
    ...     mrsne.SavedMap(embedding, collection, settings).save(path)
    ...     saved = mrsne.SavedMap.load(path)
    >>> new = saved.collection.read_new({"id": ["g"], "tags": ["sea"]})
    >>> saved.place(new)
    Embedding(work: 1 item; 2-d)
    >>> saved.grown(new).embedding
    Embedding(work: 7 items, tag: 4 items; 2-d)
    """

    embedding: Embedding
    collection: ItemCollection
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> RelationalData:
        """The items of the map."""
        return self.collection.data

    @property
    def items(self) -> dict[str, Int64]:
        """The positions of all items, by domain."""
        return {name: np.arange(len(Y)) for name, Y in self.embedding.items()}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a map (``map.npz``) and the data beside it (``map.data.npz``), which must be what it was made from."""
        embedding, beside = Embedding.load(path), data_beside(path)
        if not os.path.exists(current(beside)):
            raise FileNotFoundError(f"the data of {str(path)!r} is not beside it: there is no {str(beside)!r}")
        collection = ItemCollection.load(beside)
        data, known = collection.data, embedding.data_identity  # maps of older versions have none
        sizes = {name: len(Y) for name, Y in embedding.items()}
        if sizes != dict(data.sizes) or (known is not None and known != identity(data)):
            hint = "put back the one that belongs to the other, or make the map again"
            what = f"{str(path)!r} was made from other data than {str(beside)!r} holds"
            raise ParameterError(f"{what}: one of the two has been replaced; {hint}")
        recipe = dict(collection.recipe)
        kept, folder = recipe.pop("settings", {}), recipe.get("folder")
        if not isinstance(kept, dict) or not set(kept) <= set(SETTINGS):
            raise DataFileError(f"{str(beside)!r} is damaged: its settings must be among {', '.join(SETTINGS)}")
        if not isinstance(folder, str | None) or "\0" in (folder or ""):
            raise DataFileError(f"{str(beside)!r} is damaged: its folder must be a path")
        settings = {name: restored_weights(value, data.sizes) for name, value in kept.items()}
        return cls(embedding, replace(collection, recipe=recipe), settings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the map, its data beside it, and a table of coordinates, all of them or none."""
        with one_generation():
            for file, write in self.writers(Path(path)).items():
                write(file)

    def writers(self, path: Path) -> dict[Path, Callable[[Path], object]]:
        """Return what writes each file of the map: itself, its data, and its coordinates."""
        kept = {"settings": {name: storable(value) for name, value in self.settings.items()}}
        with_settings = replace(self.collection, recipe={**kept, **self.collection.recipe})
        return {
            path: self.embedding.save,
            data_beside(path): with_settings.save,
            coordinates_beside(path): lambda file: write_coordinates(self.embedding, self.data, file),
        }

    @property
    def affinity_settings(self) -> dict[str, Any] | None:
        """The settings of its affinities, as the map or else its collection keeps them; None if not known."""
        kept = {name: value for name, value in self.settings.items() if name in AFFINITY_SETTINGS}
        return settings_of(self.embedding) or kept or None

    @property
    def metrics(self) -> dict[str, str]:
        """The distance of vectors of every domain that it was made with."""
        metric = self.settings.get("metric", "euclidean")
        return dict(metric) if isinstance(metric, Mapping) else dict.fromkeys(self.data.sizes, metric)

    def search(self, text: str, *, kind: str | None = None, k: int = 10) -> DataFrame:
        """Find what is near some words in meaning, by the affinities of this map.

        Parameters
        ----------
        text, kind, k : str, str and int
            As for :func:`mrsne.search`, which says what is returned.
        """
        settings = self.affinity_settings or DEFAULTS
        affinities = map_affinities(self.data, settings, memory_of(self.embedding))
        return search(self.data, text, kind=kind, k=k, affinities=affinities)

    def check_has_data(self, path: Path) -> None:
        """Raise for maps that new items cannot be placed in."""
        if not self.data.relations and all(vectors is None for vectors in self.data.vectors.values()):
            raise ParameterError(f"{str(path)!r} was made with --cluster, which keeps no data to place new items by")

    def transform(self, vectors: Mapping[str, Any], relations: Mapping[tuple[str, str], Any]) -> Embedding:
        """Return where new items are that are given as arrays.

        Parameters
        ----------
        vectors, relations : mapping
            As for :meth:`mrsne.MRSNE.transform`.
        """
        return Embedding(place(self._fitted, vectors, relations))

    def place(self, new: NewItems) -> Embedding:
        """Return where new items are in the map, which stays as it is: by vector and links, or by links alone.

        Parameters
        ----------
        new : NewItems
            As :meth:`mrsne.Collection.read_new` returns them.
        """
        domain = new.domain
        has_vectors = self.data.vectors[domain] is not None and new.vectors is not None
        without = np.zeros(len(new), bool) if new.without is None else new.without
        places = np.zeros((len(new), self.embedding.n_components), np.float32)
        for rows, by_vector in ((np.flatnonzero(~without), True), (np.flatnonzero(without), False)):
            if len(rows):
                links = {(domain, kind): W[rows] for kind, W in new.links.items()}
                vectors = {domain: new.vectors[rows]} if by_vector and has_vectors else {}
                if not vectors and not links:
                    raise ParameterError(
                        f"the new items of {domain!r} have neither vectors nor links, so nothing determines their place"
                    )
                places[rows] = place(self._fitted, vectors, links)[domain]
        return Embedding({domain: places})

    def write_marked_page(self, path: Path, placed: Embedding, new: NewItems | None, title: str) -> None:
        """Write a page of the old items and the new ones, coloured by which is which.

        Parameters
        ----------
        path : Path
            The HTML file to write.
        placed : Embedding
            Where the new items are, as :meth:`place` returns it.
        new : NewItems or None
            What they are called and what is known about them, as :meth:`mrsne.Collection.read_new` returns them; None
            numbers them.
        title : str
            The title of the page.
        """
        from mrsne.viewer.content import Content
        from mrsne.viewer.page import write_page

        data, places = self.data, dict(self.embedding)
        marks = {}
        for name, Y in placed.items():
            items = new or NewItems(name, [f"new {index + 1}" for index in range(len(Y))])
            marks[name] = {MARK: ["before"] * data.sizes[name] + ["new"] * len(Y)}
            data, places = grown(data, items), {**places, name: np.concatenate([places[name], Y])}
        foremost = {name: np.arange(len(places[name])) >= self.data.sizes[name] for name in marks}
        content = Content(places, data, columns=marks, title=title, report=False, foremost=foremost)
        content.colour_by(next(iter(marks)), MARK)
        write_page(path, content)

    def grown(self, new: NewItems) -> SavedMap:
        """Return the map with new items in it for good; the others stay where they are.

        Parameters
        ----------
        new : NewItems
            As :meth:`mrsne.Collection.read_new` returns them.
        """
        larger, old = self.collection.grown(new), self.embedding
        places = {**old, new.domain: np.concatenate([old[new.domain], self.place(new)[new.domain]])}
        made: dict[str, Any] = {"n_iter": old.n_iter, "weights": old.weights, "relation_norm": old.relation_norm}
        embedding = Embedding(places, data=larger.data, settings=self.affinity_settings, **made)
        return SavedMap(embedding, larger, self.settings)

    def continued(
        self, collection: ItemCollection, anchor: str | float = "keep", *, device: str = "cpu", verbose: bool = False
    ) -> SavedMap:
        """Return the map of the collection as it is now, made with the settings of this one and starting from it.

        Parameters
        ----------
        collection : Collection
            For example one that :meth:`mrsne.Collection.updated` returns.
        anchor : str or float
            How strongly old places hold, as for :meth:`mrsne.MRSNE.fit_transform`.
        device : {"cpu", "cuda", "auto"}
        verbose : bool
            Show a progress bar.
        """
        layout = LayoutSettings(n_components=self.embedding.n_components, random_state=0, verbose=verbose)
        fitted = fit_map(
            collection.data, self._affinity_settings, layout, device, start_from=self.embedding, anchor=anchor
        )
        return SavedMap(embedding_of(fitted), collection, self.settings)

    @property
    def _affinity_settings(self) -> AffinitySettings:
        settings = {name: value for name, value in self.settings.items() if name in AFFINITY_SETTINGS}
        return AffinitySettings(**{"weights": "auto", "relation_norm": "auto", **settings})

    @cached_property
    def _fitted(self) -> FittedMap:
        """The map with its affinities, computed when items are first placed."""
        return restored_map(self.data, self.embedding, self._affinity_settings)


def storable(weights: Any) -> Any:
    """Return weights as JSON can hold them, with pairs of domains as one text; other settings are as they are."""
    if not isinstance(weights, Mapping):
        return weights
    return {":".join(block) if isinstance(block, tuple) else block: value for block, value in weights.items()}


def restored_weights(weights: Any, domains: Collection[str]) -> Any:
    """Return weights as :class:`mrsne.MRSNE` takes them, from what JSON held."""
    if not isinstance(weights, Mapping):
        return weights
    pairs = {f"{a}:{b}": (a, b) for a in domains for b in domains}
    return {pairs.get(block, block) if block not in domains else block: value for block, value in weights.items()}


def write_coordinates(embedding: Embedding, data: RelationalData, path: Path) -> None:
    """Write a table for people and other programs: kind of item, name or position, coordinates, and label if any."""
    text = io.StringIO()
    writer = csv.writer(text)
    axes = list("xyz")[: embedding.n_components] if embedding.n_components <= 3 else range(embedding.n_components)
    writer.writerow(["kind", "item", *axes, *(["label"] if data.labels else [])])
    for name, Y in embedding.items():
        items = data.names.get(name) or range(len(Y))
        labels = data.shown_names(name) or items
        rows = zip(items, Y.tolist(), labels, strict=True)
        writer.writerows([name, item, *row, *([label] if data.labels else [])] for item, row, label in rows)
    write_text(path, text.getvalue())
