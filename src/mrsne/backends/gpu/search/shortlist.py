"""The few smallest of many numbers, row by row, on a GPU; see :mod:`mrsne.backends.cpu.search.shortlist`.

Selecting the smallest of thousands takes several passes over them. Where a limit is known that more than enough of them
are below, one pass copies these, and the selection is among them.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK = 1024  # numbers looked at together
ROOM = 16  # times as many as wanted may be below the limit


def smallest(values: torch.Tensor, wanted: int, first: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return columns of each row among which its smallest numbers are, and whether a row had too many below its limit.

    Parameters
    ----------
    values : array of shape (m, c), float32
    wanted : int
        At most c.
    first : int
        The limit of a row is the last wanted one of its first so many columns.

    Returns
    -------
    columns : int64 array of shape (m, wanted)
    crowded : bool array of shape (m,)
        Rows whose columns are not the right ones.
    """
    m, c = values.shape
    room = triton.next_power_of_2(ROOM * wanted)
    if first >= c or room >= c:
        columns = values.topk(wanted, dim=1, largest=False, sorted=False).indices
        return columns, torch.zeros(m, dtype=torch.bool, device=values.device)
    limits = values[:, :first].topk(wanted, dim=1, largest=False, sorted=False).values.amax(dim=1)
    kept = torch.full((m, room), torch.inf, dtype=torch.float32, device=values.device)
    places = torch.zeros((m, room), dtype=torch.int32, device=values.device)
    counts = torch.empty(m, dtype=torch.int32, device=values.device)
    _below[(m,)](values, limits, kept, places, counts, c, room, BLOCK=BLOCK, num_warps=4)
    best = kept.topk(wanted, dim=1, largest=False, sorted=False).indices
    return places.gather(1, best).long(), counts > room


@triton.jit
def _below(values, limits, kept, places, counts, c, room, BLOCK: tl.constexpr):
    """Copy the numbers of a row that are not above its limit, and where they are, as long as there is room."""
    row = tl.program_id(0).to(tl.int64)
    limit = tl.load(limits + row)
    count = 0
    start = 0
    while start < c:
        at = start + tl.arange(0, BLOCK)
        value = tl.load(values + row * c + at, mask=at < c, other=float("inf"))
        low = (value <= limit) & (at < c)
        hits = tl.sum(low.to(tl.int32), 0)
        if hits > 0:
            to = count + tl.cumsum(low.to(tl.int32), 0) - 1
            inside = low & (to < room)
            tl.store(kept + row * room + to, value, mask=inside)
            tl.store(places + row * room + to, at, mask=inside)
            count += hits
        start += BLOCK
    tl.store(counts + row, count)
