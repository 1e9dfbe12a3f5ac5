"""Weighted blocks into one matrix on a GPU; see :mod:`mrsne.backends.cpu.assembly`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.base import Block
from mrsne.backends.cpu.assembly import assemble as assemble_there
from mrsne.backends.cpu.assembly import embedded
from mrsne.backends.gpu.graph.relations import Arrays, DeviceRelation
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix, copy_rows


def assemble(
    blocks: Mapping[Block, DeviceMatrix | DeviceRelation],
    items: Mapping[str, NDArray[np.int64]],
    beta: Mapping[Block, float],
    sizes: Mapping[str, int],
    device: str,
) -> DeviceMatrix:
    """Put β_d P^(d) on the diagonal, (β_de/2) R and its transpose on both sides of it.

    Parameters
    ----------
    blocks : mapping
        Neighbour graphs, over the ``items`` of a domain, and relations.
    items : mapping of str to array
        Which items of a domain its neighbour graph is over.
    beta : mapping
    sizes : mapping of str to int
    device : str

    Where a domain has both a neighbour graph and a graph of its own, which have to be added entry by entry, the
    processor does it.
    """
    if any(block in blocks and (block, block) in blocks for block in sizes):
        return DeviceMatrix.of(assemble_there(_brought_back(blocks, items, sizes), beta, sizes), device)
    if len(blocks) == len(sizes) == 1:
        (name,), (only,) = tuple(sizes), tuple(blocks.values())
        if isinstance(only, DeviceMatrix) and len(items[name]) == sizes[name]:
            return only
    offsets = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
    placed: list[tuple[str, str, Arrays, float, NDArray[np.int64] | None]] = []
    for block, matrix in blocks.items():
        a, b = (block, block) if isinstance(block, str) else block
        if isinstance(matrix, DeviceMatrix):
            placed.append((a, b, (matrix.indptr, matrix.indices, matrix.values), beta[block], items[a]))
            continue
        placed.append((a, b, matrix.arrays, beta[block] if a == b else beta[block] / 2, None))
        if a != b:
            placed.append((b, a, matrix.transposed().arrays, beta[block] / 2, None))
    lengths = torch.zeros(sum(sizes.values()), dtype=torch.int64, device=device)
    rows_of = []
    for a, _, (indptr, _, _), _, which in placed:
        rows = torch.arange(sizes[a], device=device) if which is None else torch.from_numpy(which).to(device)
        rows_of.append(rows + offsets[a])
        lengths[rows_of[-1]] += indptr[1:] - indptr[:-1]
    new_indptr = torch.zeros(len(lengths) + 1, dtype=torch.int64, device=device)
    torch.cumsum(lengths, 0, out=new_indptr[1:])
    indices = torch.empty(int(new_indptr[-1]), dtype=torch.int32, device=device)
    values = torch.empty(int(new_indptr[-1]), dtype=torch.float32, device=device)
    begin = new_indptr[:-1].clone()
    for number in sorted(range(len(placed)), key=lambda number: offsets[placed[number][1]]):  # columns come in order
        _, b, arrays, weight, which = placed[number]
        columns = torch.arange(sizes[b], device=device) if which is None else torch.from_numpy(which).to(device)
        columns = (columns + offsets[b]).to(torch.int32)
        every = torch.arange(len(arrays[0]) - 1, device=device)
        copy_rows(arrays, every, columns, weight, begin[rows_of[number]], indices, values)
        begin[rows_of[number]] += arrays[0][1:] - arrays[0][:-1]
    return DeviceMatrix(new_indptr, indices, values)


def _brought_back(
    blocks: Mapping[Block, DeviceMatrix | DeviceRelation],
    items: Mapping[str, NDArray[np.int64]],
    sizes: Mapping[str, int],
) -> dict[Block, sparse.csr_matrix]:
    return {
        block: embedded(matrix.to_csr(), items[block], sizes[block]) if isinstance(block, str) else matrix.to_csr()
        for block, matrix in blocks.items()
    }
