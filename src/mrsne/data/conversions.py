"""Relational data from tables, files and the objects of other tools, and back into a file."""

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

from mrsne.data.archive import read_archive, write_archive


class Conversions:
    """Where :class:`mrsne.RelationalData` comes from, besides its own arguments."""

    __slots__ = ()

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        item: str | None = None,
        id: str | None = None,  # noqa: A002  # the word for it
        label: str | None = None,
        kinds: Mapping[str, str | Sequence[str]] | Sequence[str] = (),
        numbers: Sequence[str] = (),
        dates: Sequence[str] = (),
        categories: Sequence[str] = (),
        texts: Sequence[str] = (),
        shown: Sequence[str] = (),
        pictures: Sequence[str] = (),
        vectors: Sequence[str] = (),
        weight: str | None = None,
        ratings: str | None = None,
        ignore: Sequence[str] = (),
        min_count: int = 1,
        also: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return data from a table with one row for each item, or for each pair of items, such as a rating.

        What a column is, is guessed from its heading and its values; what is named here is not guessed. Lists and
        values that many rows share become further kinds of items, linked to the rows that have them.

        Parameters
        ----------
        frame : DataFrame of pandas or polars, table of pyarrow, or mapping of headings to values
        item : str, optional
            What a row is: the name of its domain. By default "item"; of a table of pairs, what its first column names.
        id, label : str, optional
            Columns of what links call an item by, and of what people read. Rows with the same id are one item.
        kinds : mapping of str to str or list of str, or list of str
            Further kinds of items, and the columns that hold them.
        numbers, dates, categories : list of str
            Columns to colour by.
        texts : list of str
            Columns that items are compared by: by the words of sentences (TF-IDF), by the meaning of single words.
        shown : list of str
            Columns that pages show and search, and that are nothing to compare by.
        pictures : list of str
            Columns with the paths of pictures, which items are compared by; thumbnails are made of them.
        vectors : list of str
            Columns that items are compared by: numbers, each scaled to variance 1, or a column of vectors.
        weight : str, optional
            A column of how strongly the links of a row count.
        ratings : {"above-mean", "as-is"}, optional
            Which links a weight makes: those above the mean of their person, by how much they are above it, or all, by
            their numbers. By default the first where the column is called a rating, else the second.
        ignore : list of str
            Columns that are left out.
        min_count : int, default=1
            Leave out values of further kinds that fewer items have.
        also : mapping of str to frame, optional
            For a column that names the rows of another table, that table: its columns tell more about that kind.

        Warns
        -----
        UserWarning
            If something could not be used, such as a cell that is no number in a column of numbers.

        Examples
        --------
        >>> import mrsne
        >>> works = {
        ...     "id": ["N1", "N2", "N3", "N4"],
        ...     "title": ["Storm", "[title not known]", "[title not known]", "Lake"],
        ...     "subjects": ["sea; ship", "sea", "mountain; lake", "lake"],
        ...     "year": [1842, None, 1805, 1806],
        ... }
        >>> data = mrsne.RelationalData.from_frame(works, item="work")
        >>> data
        RelationalData(work: 4 items, no vectors; subject: 4 items, 100-d; work-subject: 6 links)
        >>> data.names["work"][:2], data.labels["work"][:2], data.columns["work"]["year"]
        (('N1', 'N2'), ('Storm', '[title not known]'), array([1842., nan, 1805., 1806.]))
        """
        columns = {name: given for name, given in locals().items() if name not in ("cls", "frame", "also")}
        from mrsne.data.table_plan import plan_collection, table_choices

        parts = plan_collection(frame, also=also or {}, choices=table_choices(**columns)).read()
        for kind, count in parts.problems.counts().items():
            first = next(problem for problem in parts.problems if problem.kind == kind)
            warnings.warn(f"{count} × {kind}, first {first.where}: {first.what}", UserWarning, stacklevel=2)
        return cls(**parts.arguments())

    @classmethod
    def from_anndata(
        cls,
        adata: Any,
        *,
        observation: str = "cell",
        variable: str = "gene",
        kinds: Mapping[str, str | Sequence[str]] | Sequence[str] = (),
        layer: str | None = None,
        use_raw: bool = False,
        use_rep: str | None = None,
        min_count: int = 1,
    ) -> Self:
        """Return cells, genes and how strongly each gene is expressed in each cell, from an AnnData object.

        Parameters
        ----------
        adata : anndata.AnnData
            In memory or backed by its file, of which a dense matrix is then read in blocks.
        observation, variable : str
            What its rows and columns are called: the names of the domains.
        kinds : mapping of str to str or list of str, or list of str
            Further kinds of items, and the columns of ``adata.obs`` that hold them: ``{"sample": "batch"}``.
        layer : str, optional
            The layer whose entries are the weights of the links; by default ``adata.X``.
        use_raw : bool, default=False
            Take ``adata.raw`` instead. Entries must not be negative, as they are after scaling.
        use_rep : str, optional
            The key of ``adata.obsm`` that cells are compared by; by default ``"X_pca"`` where it is there, or else the
            rows of the matrix.
        min_count : int, default=1
            Leave out genes that fewer cells express.

        See Also
        --------
        mrsne.Embedding.to_anndata : the way back.

        Examples
        --------
        >>> import anndata, numpy as np, mrsne
        >>> adata = anndata.AnnData(np.array([[3.0, 0, 1], [2, 0, 0], [0, 5, 1]], np.float32))
        >>> mrsne.RelationalData.from_anndata(adata)
        RelationalData(cell: 3 items, 3-d; gene: 3 items, no vectors; cell-gene: 5 links)
        """
        from mrsne.data.interchange.anndata_objects import parts_from_anndata
        from mrsne.data.table_plan import table_choices

        columns = table_choices(kinds).kinds
        parts = parts_from_anndata(adata, observation, variable, columns, layer, use_raw, use_rep, min_count)
        return cls(**parts.arguments())

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        kind: str | None = None,
        node: str = "node",
        label: str | None = None,
        weight: str = "weight",
    ) -> Self:
        """Return the nodes and edges of a graph of networkx.

        Parameters
        ----------
        graph : networkx.Graph
            Of any class; directions do not count, and the weights of edges that come again are added.
        kind : str, optional
            The attribute of nodes that says what kind of item each is, such as ``"bipartite"``; each kind is a domain.
        node : str, default="node"
            What nodes are called, where they are all of one kind.
        label : str, optional
            The attribute that people read in place of the node's own name.
        weight : str, default="weight"
            The attribute of edges that holds their weight; 1 where an edge has none.

        Examples
        --------
        >>> import networkx, mrsne
        >>> mrsne.RelationalData.from_networkx(networkx.karate_club_graph(), node="member")
        RelationalData(member: 34 items, no vectors; member-member: 78 links)
        """
        from mrsne.data.interchange.networkx_graphs import parts_from_networkx

        return cls(**parts_from_networkx(graph, kind, node, label, weight).arguments())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the data as an npz file of plain arrays, in one step; ``map.data.npz`` lies beside the map ``map.npz``.

        Examples
        --------
        >>> import mrsne, os, tempfile
        >>> data = mrsne.RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 1), (2, 0)]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     data.save(os.path.join(folder, "map.data.npz"))
        ...     mrsne.RelationalData.load(os.path.join(folder, "map.data.npz"))
        RelationalData(photo: 3 items, no vectors; tag: 2 items, no vectors; photo-tag: 2 links)
        """
        write_archive(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read data that :meth:`save` wrote, or that a command wrote beside a map.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        DataFileError
            If it is something else, or damaged.

        Examples
        --------
        >>> import mrsne, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.data.npz")
        ...     mrsne.RelationalData({"tag": 2}, {("tag", "tag"): [(0, 1)]}).save(path)
        ...     mrsne.RelationalData.load(path)
        RelationalData(tag: 2 items, no vectors; tag-tag: 1 links)
        """
        return read_archive(path, cls)[0]
