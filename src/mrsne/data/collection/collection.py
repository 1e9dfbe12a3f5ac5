"""Collection: a folder or a table, read into RelationalData, and the recipe by which later items are read."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from mrsne.data.archive import read_archive, write_archive
from mrsne.data.collection.files import DataFiles
from mrsne.data.collection.folder import FolderOptions, picture_paths, read_folder
from mrsne.data.collection.new_items import NewSource, read_changed_items, read_new_items
from mrsne.data.files.generation import data_beside
from mrsne.data.files.problems import Problems
from mrsne.data.growth import NewItems, grown
from mrsne.data.progress import Progress
from mrsne.data.relational import RelationalData, link_strength
from mrsne.data.table_plan import PlannedTables, plan_collection, table_choices
from mrsne.data.updating import updated
from mrsne.encoders.cache import usable_default_cache
from mrsne.encoders.networks import BUNDLED

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Collection:
    """A folder of pictures or a table, read into :class:`RelationalData` together with how it was read.

    The recipe is kept with the data, so that items that come later are read the same way: the same network for
    pictures, the same columns of a table, the same words.

    Parameters
    ----------
    data : RelationalData
    recipe : mapping
        How it was read, in values that JSON can hold: of a folder where it is, where its tags came from, and what
        encoded the pictures; of a table what its columns are and how rows became vectors.
    left_out : list of Problem
        What could not be used, and why.

    See Also
    --------
    mrsne.RelationalData : Data that is in arrays already.
    mrsne.SavedMap : A map, its collection, and new items in it.

    Examples
    --------
    >>> import mrsne
    >>> works = {"id": ["N1", "N2", "N3"], "title": ["Storm", "Sea", "Lake"], "subjects": ["sea; ship", "sea", "lake"]}
    >>> collection = mrsne.Collection.from_table(works, item="work")
    >>> collection.data
    RelationalData(work: 3 items, no vectors; subject: 3 items, 100-d; work-subject: 4 links)
    >>> new = collection.read_new({"id": ["N4"], "title": ["Coast"], "subjects": ["sea; cliff"]})
    >>> new.names, new.left_out[0].what
    (['N4'], 'cliff (1 items)')
    >>> collection.grown(new).data.sizes["work"]
    4
    """

    data: RelationalData
    recipe: Mapping[str, Any] = field(default_factory=dict)
    left_out: Problems = field(default_factory=Problems, compare=False)

    @classmethod
    def from_folder(
        cls,
        folder: PathLike,
        *,
        tags: PathLike | None = None,
        text_files: bool = False,
        stop_tags: Sequence[str] = (),
        min_count: int = 1,
        word_vectors: bool = True,
        label: str | None = None,
        image_model: str = BUNDLED,
        cache: PathLike | None = "",
        progress: Progress | None = None,
    ) -> Self:
        """Read the pictures in a folder, and their tags.

        Parameters
        ----------
        folder : path
            Folders inside it count too.
        tags : path, optional
            A table of pictures and tags, in any format of :meth:`from_table`. Without one, and without text files, the
            names of the folders inside the folder are the tags.
        text_files : bool, default=False
            Tags are in text files beside the pictures: ``dog.txt`` for ``dog.jpg``.
        stop_tags : list of str
            Tags to leave out, in whatever capitals.
        min_count : int, default=1
            Leave out tags of fewer pictures.
        word_vectors : bool, default=True
            Give tags the vectors of their words (English).
        label : str, optional
            The column of ``tags`` with what pictures are called; by default it is guessed.
        image_model : str, default="efficientnet-lite0"
            What turns pictures into vectors; see :func:`mrsne.encoders.encode_images`.
        cache : path or None, optional
            Folder that keeps vectors and thumbnails; by default the user's cache folder, None for none.
        progress : Progress, optional
            What shows how far the work is.
        """
        options = FolderOptions(
            None if tags is None else Path(tags), text_files, stop_tags, min_count, word_vectors, label, image_model
        )
        paths, problems = picture_paths(Path(folder))
        found = read_folder(Path(folder), paths, problems, options, cache_folder(cache), progress or Progress())
        return cls(found.data, found.recipe, found.left_out)

    @classmethod
    def from_table(
        cls,
        source: Any,
        *,
        table: str | None = None,
        also: Mapping[str, Any] | None = None,
        picture_folder: PathLike | None = None,
        image_model: str = BUNDLED,
        cache: PathLike | None = "",
        progress: Progress | None = None,
        **columns: Any,
    ) -> Self:
        """Read a table with one row for each item, or for each pair of items; or a database of several tables.

        Parameters
        ----------
        source : path, DataFrame of pandas or polars, table of pyarrow, or mapping of headings to values
            A file is CSV, TSV, Parquet, JSON Lines, SQLite, Excel or AnnData, here or at an address.
        table : str, optional
            Which table, in a database.
        also : mapping of str to path or frame, optional
            For a column that names the rows of another table, that table: its columns tell more about that kind.
        picture_folder : path, optional
            Where pictures are, by their paths or called like the ids; by default beside the table.
        image_model, cache, progress
            As for :meth:`from_folder`.
        **columns
            What columns are, in the words of :meth:`mrsne.RelationalData.from_frame`: ``item``, ``id``, ``label``,
            ``kinds``, ``numbers``, ``dates``, ``categories``, ``texts``, ``shown``, ``pictures``, ``vectors``,
            ``weight``, ``ratings``, ``ignore``, ``min_count``. What is not named is guessed.
        """
        plan = plan_collection(source, table, also or {}, table_choices(**columns), picture_folder)
        return cls(*read_tables(plan, image_model, cache_folder(cache), progress or Progress()))

    @classmethod
    def from_files(
        cls,
        vectors: Mapping[str, PathLike | int],
        relations: Mapping[tuple[str, str], PathLike] | None = None,
        *,
        names: Mapping[str, PathLike] | None = None,
        min_count: int = 1,
    ) -> Self:
        """Read files of vectors and links, one for each kind and for each pair of kinds.

        Parameters
        ----------
        vectors : mapping of str to path or int
            ``.npy``, ``.npz`` or a table of numbers; a row of NaN is an item without a vector. A whole number stands
            for that many items without vectors. Kinds that are not named here are those that the links name.
        relations : mapping of (str, str) to path, optional
            A matrix in ``.npy`` or ``.npz``, or a table of pairs and perhaps weights.
        names : mapping of str to path, optional
            Files with a name on each line.
        min_count : int, default=1
            Leave out items known only from links that have fewer links.
        """
        files = DataFiles(
            {name: given if isinstance(given, int) else Path(given) for name, given in vectors.items()},
            tuple((pair, Path(file)) for pair, file in (relations or {}).items()),
            {name: Path(file) for name, file in (names or {}).items()},
        )
        left_out = Problems()
        return cls(files.read(min_count, left_out), {}, left_out)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read what :meth:`save` wrote, or what lies beside a map: ``map.data.npz``, or ``map.npz`` for short.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        DataFileError
            If it is something else, or damaged.
        """
        file = Path(path)
        return cls(*read_archive(file if file.name.endswith(".data.npz") else data_beside(file), RelationalData))

    def save(self, path: PathLike) -> None:
        """Write data and recipe as one npz file, in one step; :meth:`RelationalData.load` reads it too."""
        write_archive(self.data, path, dict(self.recipe))

    def read_new(
        self,
        source: Any,
        *,
        tags: PathLike | None = None,
        text_files: bool = False,
        image_model: str | None = None,
        progress: Progress | None = None,
    ) -> NewItems:
        """Read new items as those of the collection were read; those that it has already are left out.

        Parameters
        ----------
        source : path or frame
            A folder of pictures for a collection from a folder, a table for one from a table.
        tags : path, optional
            Table of the new pictures and their tags.
        text_files : bool
            Tags are in text files beside the new pictures.
        image_model : str, optional
            That of the collection, if it was not the bundled one. A file from a stranger may not choose a model, which
            can be a program.
        progress : Progress, optional
            As for :meth:`from_folder`.

        Returns
        -------
        new : NewItems
            Names, vectors, links, labels, columns and thumbnails; ``left_out`` says what could not be used.
        """
        where = None if tags is None else Path(tags)
        given = NewSource(source, where, text_files, image_model, progress or Progress())
        return read_new_items(self.data, self.recipe, given)

    def read_changes(self, source: Any, **given: Any) -> NewItems:
        """Read items of the collection that have changed, and new ones, with whatever they are linked to.

        Parameters
        ----------
        source : path or frame
            As for :meth:`read_new`.
        **given
            ``tags``, ``text_files``, ``image_model`` and ``progress``, as for :meth:`read_new`.

        Returns
        -------
        found : NewItems
            All items of the source, for :meth:`updated`.
        """
        where = given.pop("tags", None)
        known = {"tags": None if where is None else Path(where), "text_files": False, "image_model": None, **given}
        return read_changed_items(self.data, self.recipe, NewSource(source, **{"progress": Progress(), **known}))

    def updated(self, found: NewItems) -> "Collection":
        """Return the collection with items as they are now: those it has are replaced, others come after them.

        Parameters
        ----------
        found : NewItems
            As :meth:`read_changes` returns them. Items that are not among them stay; links of kinds that it says
            nothing of stay too.
        """
        return Collection(updated(self.data, found), self.recipe, found.left_out)

    def grown(self, new: NewItems) -> "Collection":
        """Return the collection with new items after the others of their kind.

        Parameters
        ----------
        new : NewItems
            As :meth:`read_new` returns them.
        """
        return Collection(grown(self.data, new), self.recipe, new.left_out)

    @property
    def folder(self) -> Path | None:
        """Where the pictures were, if it was read from a folder."""
        folder = self.recipe.get("folder")
        return None if folder is None else Path(folder)

    @property
    def image_model(self) -> str:
        """What turned pictures into vectors."""
        return str(self.recipe.get("image_model", BUNDLED))


def read_tables(
    plan: PlannedTables, image_model: str, cache: Path | None, progress: Progress
) -> tuple[RelationalData, dict[str, Any], Problems]:
    """Return the data, recipe and problems of tables of which it has been decided what their columns are."""
    parts = plan.read(image_model, cache, progress)
    assert parts.recipe is not None
    recipe = {"recipe": asdict(parts.recipe), "image_model": image_model, "table": plan.table}
    data = RelationalData(**parts.arguments())
    return data if plan.database is None else _linked(data, parts.problems), recipe, parts.problems


def _linked(data: RelationalData, problems: Problems) -> RelationalData:
    """Return data without the items that nothing is known of, as there are many in databases; these are noted."""
    kept: dict[str, Any] = {}
    for kind in data.sizes:
        known = (link_strength(data, kind) > 0) | data.has_vector(kind)
        if known.any():
            kept[kind] = known
            for position in np.flatnonzero(~known).tolist():
                problems.add("item without a link that counts", kind, data.names[kind][position])
    return data.subset(kept)


def cache_folder(given: PathLike | None) -> Path | None:
    """Return the folder that keeps vectors of pictures: the user's own for an empty text, none for None."""
    if given == "":
        return usable_default_cache()
    return None if given is None else Path(given)
