"""What a map can be turned into for other tools: a DataFrame, a Parquet file, a part of an AnnData object."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from mrsne.arrays import Float32
from mrsne.parameters import ParameterError

if TYPE_CHECKING:
    from pandas import DataFrame


class Exports(Mapping[str, Float32]):
    """The ways out of an :class:`mrsne.Embedding`."""

    __slots__ = ()

    @property
    @abstractmethod
    def data(self) -> Any:
        """The data that was embedded, or None."""

    def to_frame(self, data: Any = None, *, columns: bool = False) -> DataFrame:
        """Return the map as a DataFrame of pandas: kind, id, label, x and y (z, …) of each item.

        Parameters
        ----------
        data : RelationalData, optional
            Gives ids and labels; by default the data that was embedded, if it is known. Without it, ids are positions.
        columns : bool, default=False
            Add the columns of the data.

        Examples
        --------
        >>> import mrsne
        >>> mrsne.Embedding({"photo": [[0, 0], [1, 1]], "tag": [[0.5, 0.5]]}).to_frame()
            kind id label    x    y
        0  photo  0     0  0.0  0.0
        1  photo  1     1  1.0  1.0
        2    tag  0     0  0.5  0.5
        """
        from mrsne.data.interchange.rows import frame_of

        frame: DataFrame = frame_of(self._rows(data, columns), "pandas")
        return frame

    def to_parquet(self, path: str | os.PathLike[str], data: Any = None) -> None:
        """Write the map as a Parquet file with the columns of :meth:`to_frame` and those of the data, in one step.

        Embedding Atlas opens it: ``embedding-atlas map.parquet --x x --y y --text label``. Needs the extra ``parquet``.

        Parameters
        ----------
        path : path
            Where to write.
        data : RelationalData, optional
            Gives names, labels and columns; by default the data that was embedded, if it is known.

        Examples
        --------
        >>> import mrsne, os, tempfile
        >>> from pyarrow import parquet
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.parquet")
        ...     mrsne.Embedding({"tag": [[0, 1]]}).to_parquet(path)
        ...     parquet.read_table(path).to_pylist()
        [{'kind': 'tag', 'id': '0', 'label': '0', 'x': 0.0, 'y': 1.0}]
        """
        from mrsne.data.tables.formats.parquet import write

        write(Path(path), self._rows(data, columns=True))

    def to_anndata(self, adata: Any, *, key: str = "X_mrsne") -> Any:
        """Put a map of cells and genes into the AnnData object that it was made of, and return that object.

        Parameters
        ----------
        adata : anndata.AnnData
            Gets ``adata.obsm[key]`` and ``adata.varm[key]``, by name; NaN for genes that are not in the map.
        key : str, default="X_mrsne"

        See Also
        --------
        mrsne.RelationalData.from_anndata : the data of such a map.

        Examples
        --------
        >>> import anndata, numpy as np, mrsne
        >>> adata = anndata.AnnData(np.random.default_rng(0).random((30, 5), np.float32))
        >>> data = mrsne.RelationalData.from_anndata(adata)
        >>> adata = mrsne.MRSNE(perplexity=5, random_state=0).fit_transform(data).to_anndata(adata)
        >>> adata.obsm["X_mrsne"].shape, adata.varm["X_mrsne"].shape
        ((30, 2), (5, 2))
        """
        from mrsne.data.interchange.anndata_objects import write_to_anndata

        if self.data is None:
            raise ParameterError("the names of cells and genes are needed, but the data of this map is not known")
        write_to_anndata(adata, dict(self), dict(self.data.names), key)
        return adata

    def _rows(self, data: Any, columns: bool) -> dict[str, NDArray[Any]]:
        from mrsne.data.interchange.rows import item_rows

        known = self.data if data is None else data
        if known is not None and dict(known.sizes) != {name: len(Y) for name, Y in self.items()}:
            raise ParameterError(f"data must have the items of the embedding, {self}, got {known}")
        return item_rows(self, known, columns)
