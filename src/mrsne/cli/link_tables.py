"""What a table of links says beyond the links: which kinds there are, and which items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mrsne.cli.options import split_pair
from mrsne.io.problems import Problems
from mrsne.io.tables import TableError, read_table

Pair = tuple[str, str]


def pair_and_file(given: str) -> tuple[Pair, Path]:
    """Return the kinds that ``--relation`` links and its file: ``A:B=FILE``, or a table whose headings name them.

    Examples
    --------
    >>> pair_and_file("image:tag=edges.csv")
    (('image', 'tag'), PosixPath('edges.csv'))
    """
    if "=" in given:
        pair, file = split_pair("--relation", given)
        return pair, Path(file)
    path = Path(given.strip())
    if path.suffix in (".npy", ".npz"):
        raise ValueError(f"--relation must be DOMAIN:DOMAIN=FILE for a matrix, got {given!r}")
    heads = [cell.strip() for cell in read_table(path)[0][1]]
    kinds = [head for head in heads if head and head != "weight"]
    if len(kinds) != 2:
        raise TableError(
            f"{given!r} must have two headings that name the kinds it links, and perhaps 'weight', got {heads}; "
            "or give --relation DOMAIN:DOMAIN=FILE"
        )
    if sorted(kinds) == ["source", "target"]:
        raise TableError(f"{given!r} links items of one kind; say which: --relation KIND:KIND={given}")
    return (kinds[0], kinds[1]), path


def add_kinds(
    tables: Mapping[Pair, Any], vectors: dict[str, Any], names: dict[str, list[str]], min_count: int, problems: Problems
) -> None:
    """Add the kinds that only the links know: the items of a table by name, those of a matrix by number.

    Items that fewer links than ``min_count`` name are left out.
    """
    known = set(vectors)
    for pair, links in tables.items():
        for side, domain in enumerate(pair):
            if domain in known:
                continue
            if not isinstance(links, dict):
                vectors.setdefault(domain, int(links.shape[side]))
                continue
            found = names.setdefault(domain, [])
            found.extend(_column(links, pair, side))
            vectors[domain] = 0
    for domain in [name for name in vectors if name not in known and name in names]:
        counts = Counter(names[domain])
        names[domain] = [name for name, count in counts.items() if count >= min_count and name]
        for name, count in counts.items():
            if count < min_count:
                problems.add(f"item of fewer than {min_count} links", f"{domain}: {name}", f"{count} links")
        if not names[domain]:
            raise ValueError(f"no item of {domain!r} has {min_count} links; lower --min-count")
        vectors[domain] = len(names[domain])


def _column(links: dict[str, Any], pair: Pair, side: int) -> list[str]:
    ends = ["source", "target"] if pair[0] == pair[1] else list(pair)
    return [str(cell) for cell in links[ends[side]]]


def without_unknown(links: Any, pair: Pair, names: Mapping[str, list[str]], file: Path, problems: Problems) -> Any:
    """Return a table of links without those to items that are not known by name, which are noted."""
    if not isinstance(links, dict):
        return links
    ends = ["source", "target"] if pair[0] == pair[1] else list(pair)
    if len(set(ends)) != 2 or "weight" in ends:
        return links
    kept = list(range(len(links[ends[0]])))
    for end, domain in zip(ends, pair, strict=True):
        if domain not in names:
            continue
        known = set(names[domain])
        for index in [index for index in kept if links[end][index] not in known]:
            problems.add(
                "link to an item that is not there", f"{file.name}, link {index + 1}", f"{domain}: {links[end][index]}"
            )
        kept = [index for index in kept if links[end][index] in known]
    if not kept:
        first = f"; first {problems[0].what}" if problems else ": it has no rows"
        raise ValueError(f"no link of {str(file)!r} is between known items{first}")
    return {name: [values[index] for index in kept] for name, values in links.items()}
