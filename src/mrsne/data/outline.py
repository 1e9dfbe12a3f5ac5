"""What data in memory and data on a cluster have in common: their domains, sizes, names and pairs of linked domains."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool
from mrsne.data.vectors import DataError, read_only

Pair = tuple[str, str]


class Outline(ABC):
    """Several kinds of items and the pairs of kinds that are linked, wherever vectors and links are."""

    __slots__ = ("labels", "n_items", "names", "offsets", "sizes")

    vectors: Mapping[str, Any]
    names: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, tuple[str, ...]]
    sizes: Mapping[str, int]
    offsets: Mapping[str, int]
    n_items: int

    def _fill(self, sizes: Mapping[str, int], **parts: Mapping[Any, Any]) -> None:
        """Take over parts that have been checked."""
        starts = np.concatenate([[0], np.cumsum(list(sizes.values()))]).tolist()
        offsets = dict(zip(sizes, starts, strict=False))
        for name, part in {"sizes": sizes, "offsets": offsets, **parts}.items():
            object.__setattr__(self, name, _frozen(part))
        object.__setattr__(self, "n_items", starts[-1])

    @property
    @abstractmethod
    def pairs(self) -> tuple[Pair, ...]:
        """Pairs of domains between which an item is linked to another."""

    @abstractmethod
    def has_vector(self, domain: str) -> Bool:
        """Return which items of a domain have a vector."""

    def count_vectors(self, domain: str) -> int:
        """Return how many items of a domain have a vector."""
        return int(np.count_nonzero(self.has_vector(domain)))

    def shown_names(self, domain: str) -> tuple[str, ...] | None:
        """Return what people read as the names of a domain's items: labels or else names; None where it has neither."""
        return self.labels.get(domain, self.names.get(domain))

    def _described(self, links: Iterable[str]) -> str:
        """Return what the console shows: the domains, and what is said of their links."""
        width = {name: "no vectors" if X is None else f"{X.shape[1]}-d" for name, X in self.vectors.items()}
        return "; ".join([*(f"{name}: {size} items, {width[name]}" for name, size in self.sizes.items()), *links])

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"RelationalData does not change; build another one to have other {name}")

    def __iter__(self) -> Iterator[str]:
        raise TypeError("RelationalData is not iterable; data.sizes names its domains")


def _frozen(part: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a mapping that cannot be changed, nor can the mappings, arrays and matrices in it."""

    def frozen(value: Any) -> Any:
        if isinstance(value, np.ndarray) or sparse.issparse(value):
            return read_only(value)
        return _frozen(value) if isinstance(value, dict) else value

    return MappingProxyType({key: frozen(value) for key, value in part.items()})


def check_domains(vectors: Any) -> Mapping[str, Any]:
    if not isinstance(vectors, Mapping) or not vectors:
        wanted = "a non-empty mapping of domain names to arrays or counts"
        raise DataError(f"vectors must be {wanted}, got {type(vectors).__name__}")
    for name in vectors:
        if not isinstance(name, str) or not name:
            raise DataError(f"vectors must have non-empty strings as domain names, got {name!r}")
    return vectors


def check_known(argument: str, given: Mapping[str, Any] | None, domains: Mapping[str, Any]) -> None:
    if given is not None and not isinstance(given, Mapping):
        raise DataError(f"{argument} must be a mapping of domain names, got {type(given).__name__}")
    for name in given or ():
        if name not in domains:
            known = ", ".join(map(repr, domains))
            raise DataError(f"{argument} names the domain {name!r}, but the domains are {known}")


def check_names(domain: str, given: Sequence[str], size: int) -> tuple[str, ...]:
    names = _texts("names", domain, given, size, "; whole numbers in links are positions")
    if len(set(names)) != size:
        twice, hint = Counter(names).most_common(1)[0][0], "what need not be unique goes into labels="
        raise DataError(f"names[{domain!r}] must be unique, got {twice!r} more than once; {hint}")
    return names


def _texts(argument: str, domain: str, given: Any, size: int, hint: str = "") -> tuple[str, ...]:
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) == 0:
        raise DataError(f"{argument}[{domain!r}] must be a list of {argument}, got {type(given).__name__}")
    for text in given:
        if not isinstance(text, str):
            raise DataError(f"{argument}[{domain!r}] must be strings, got {text!r}{hint}")
    texts = tuple(str(text) for text in given)
    if len(texts) != size:
        raise DataError(f"{argument}[{domain!r}] has {len(texts)} {argument}, but {domain!r} has {size} items")
    return texts


def check_labels(given: Mapping[str, Any] | None, sizes: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    check_known("labels", given, sizes)
    return {name: _texts("labels", name, texts, sizes[name]) for name, texts in (given or {}).items()}


def check_pairs(relations: Mapping[Pair, Any] | None, sizes: Mapping[str, int]) -> list[tuple[Pair, Any]]:
    if relations is None:
        return []
    if not isinstance(relations, Mapping):
        found = type(relations).__name__
        raise DataError(f"relations must be a mapping of pairs of domain names to weights, got {found}")
    seen: set[frozenset[str]] = set()
    for pair in relations:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            wanted = "pairs of domain names as keys, such as ('image', 'tag')"
            raise DataError(f"relations must have {wanted}, got {pair!r}")
        check_known(f"relations[{pair!r}]", dict.fromkeys(pair), sizes)
        if frozenset(pair) in seen:
            raise DataError(f"relations[{pair!r}] is given twice, once for each direction; give it once")
        seen.add(frozenset(pair))
    return list(relations.items())
