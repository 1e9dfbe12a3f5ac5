"""Cells and genes from AnnData, and the map back into it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32
from mrsne.data.tables.choices import columns_in
from mrsne.data.tables.formats.anndata_files import PRINCIPAL_COMPONENTS
from mrsne.data.tables.frames import columns_of_pandas, read_frame
from mrsne.data.tables.items import numbered_items
from mrsne.data.tables.kinds import kind_from_columns
from mrsne.data.tables.parts import Parts
from mrsne.data.tables.table import Coded, Role, TableError, texts_of

BLOCK_BYTES = 2**26  # of a dense matrix in a file, that are read at a time


class AnnDataError(TableError):
    """An AnnData object that does not hold what is asked of it."""


def parts_from_anndata(
    adata: Any,
    observation: str,
    variable: str,
    kinds: Mapping[str, str | Sequence[str]],
    layer: str | None,
    use_raw: bool,
    use_rep: str | None,
    min_count: int,
) -> Parts:
    """Return observations, variables, and the links between them: the matrix, which must not be negative.

    Columns of obs become further kinds of items, linked to the observations that have them.
    """
    for name in ("obs_names", "var_names", "obsm", "X"):
        if not hasattr(adata, name):
            raise AnnDataError(f"adata must be an AnnData object, got {type(adata).__name__}")
    W, source = _matrix(adata, layer, use_raw)
    _check_weights(adata, W, source, use_raw)
    variables = adata.raw.var if use_raw else adata.var
    counts = np.bincount(W.indices[W.data > 0], minlength=W.shape[1])
    kept = np.flatnonzero(counts >= max(min_count, 1))
    if not len(kept):
        raise AnnDataError(f"no {variable} of {source} occurs in {max(min_count, 1)} of {W.shape[0]} {observation}s")
    W = W[:, kept]
    vectors: Any = _vectors(adata, use_rep, W)
    parts = Parts(
        observation,
        vectors={observation: vectors, variable: len(kept)},
        relations={(observation, variable): W},
        names={observation: _names(adata.obs_names), variable: _names(variables.index[kept])},
        columns={
            domain: found
            for domain, frame in ((observation, adata.obs), (variable, variables.iloc[kept]))
            if (found := _columns(frame))
        },
    )
    for kind, columns in kinds.items():
        _add_kind(parts, adata.obs, kind, columns_in(columns))
    return parts


def _add_kind(parts: Parts, obs: Any, kind: str, columns: Sequence[str]) -> None:
    unknown = [repr(column) for column in columns if column not in obs.columns]
    if unknown:
        raise AnnDataError(f"adata.obs has no column {unknown[0]}; it has {', '.join(map(repr, obs)) or 'none'}")
    if kind in parts.vectors:
        raise AnnDataError(f"kinds names {kind!r}, which the map has already; call the column {columns[0]!r} otherwise")
    roles = {column: Role("kind", kind) for column in columns}
    table = read_frame(obs[list(columns)], "adata.obs")
    names, links = kind_from_columns(table, roles, numbered_items(table.size), kind, 1, parts.problems)
    if not names:
        raise AnnDataError(f"adata.obs has no value in the column {columns[0]!r}")
    parts.vectors[kind], parts.names[kind], parts.relations[parts.item, kind] = len(names), names, links


def _matrix(adata: Any, layer: str | None, use_raw: bool) -> tuple[sparse.csr_matrix, str]:
    if layer is not None and use_raw:
        raise AnnDataError("layer and use_raw are two ways to choose the matrix; give one of them")
    if use_raw:
        if adata.raw is None:
            raise AnnDataError("use_raw=True, but adata.raw is None")
        found, source = adata.raw.X, "adata.raw.X"
    elif layer is not None:
        if layer not in adata.layers:
            raise AnnDataError(f"adata has no layer {layer!r}; it has {', '.join(map(repr, adata.layers)) or 'none'}")
        found, source = adata.layers[layer], f"adata.layers[{layer!r}]"
    else:
        found, source = adata.X, "adata.X"
    if found is None:
        raise AnnDataError(f"{source} is None; choose a matrix with layer= or use_raw=True")
    return _sparse(found), source


def _sparse(found: Any) -> sparse.csr_matrix:
    """Return a matrix without its zeros; one that is dense in a file, as of backed data, is never in memory whole."""
    if hasattr(found, "to_memory"):  # sparse in a file
        found = found.to_memory()
    if not sparse.issparse(found):
        rows = max(1, BLOCK_BYTES // max(1, found.shape[1] * found.dtype.itemsize))
        blocks = [sparse.csr_matrix(found[start : start + rows]) for start in range(0, found.shape[0], rows)]
        found = sparse.vstack(blocks)
    W = sparse.csr_matrix(found, dtype=np.float64)
    W.eliminate_zeros()
    return W


def _check_weights(adata: Any, W: sparse.csr_matrix, source: str, use_raw: bool) -> None:
    if not np.isfinite(W.data).all():
        raise AnnDataError(f"{source} holds NaN or infinity; weights of links must be finite")
    if not W.nnz or W.data.min() >= 0:
        return
    ways = [f"layer={name!r}" for name, found in adata.layers.items() if _sparse(found).data.min(initial=0) >= 0]
    if not use_raw and adata.raw is not None and _sparse(adata.raw.X).data.min(initial=0) >= 0:
        ways.insert(0, "use_raw=True")
    remedy = (
        f"choose the matrix from before with {' or '.join(ways)}" if ways else "give the matrix from before scaling"
    )
    raise AnnDataError(
        f"{source} has negative entries (down to {W.data.min():.3g}), as a matrix has that was scaled (sc.pp.scale): "
        f"they cannot be weights of links; {remedy}"
    )


def _vectors(adata: Any, use_rep: str | None, W: sparse.csr_matrix) -> Any:
    """Return what observations are compared by: a representation, by default principal components, or else the rows."""
    if use_rep is None:
        return np.asarray(adata.obsm[PRINCIPAL_COMPONENTS]) if PRINCIPAL_COMPONENTS in adata.obsm else W
    if use_rep not in adata.obsm:
        raise AnnDataError(f"adata.obsm has no {use_rep!r}; it has {', '.join(map(repr, adata.obsm)) or 'nothing'}")
    return np.asarray(adata.obsm[use_rep])


def _names(index: Any) -> list[str]:
    names = [str(name) for name in index]
    if len(set(names)) != len(names):
        raise AnnDataError(
            "names in adata must be unique; call adata.obs_names_make_unique() and var_names_make_unique()"
        )
    return names


def _columns(frame: Any) -> dict[str, Any]:
    columns = columns_of_pandas(frame.reset_index(drop=True))
    return {name: texts_of(values) if isinstance(values, Coded) else values for name, values in columns.items()}


def write_to_anndata(adata: Any, places: dict[str, Float32], names: dict[str, Any], key: str) -> None:
    """Put the coordinates of observations and variables into ``obsm`` and ``varm``, NaN for those not in the map."""
    domains = list(places)
    if len(domains) != 2:
        raise AnnDataError(f"a map of observations and variables has two kinds, got {', '.join(map(repr, domains))}")
    for domain, index, target in zip(
        domains, (adata.obs_names, adata.var_names), (adata.obsm, adata.varm), strict=True
    ):
        position = {name: row for row, name in enumerate(names[domain])}
        rows = np.array([position.get(str(name), -1) for name in index], np.int64)
        if (rows < 0).all():
            raise AnnDataError(
                f"no name of adata is in the map: {domain!r} has {', '.join(list(names[domain])[:3])}, …"
            )
        found = places[domain][np.maximum(rows, 0)].astype(np.float32)
        found[rows < 0] = np.nan
        target[key] = found
