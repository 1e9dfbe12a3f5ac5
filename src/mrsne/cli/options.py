"""Options that several commands share, and values of the form NAME=FILE."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mrsne.data.collection.files import DataFiles, linked_kinds
from mrsne.data.outline import check_known
from mrsne.data.tables.addresses import STANDARD_INPUT, is_elsewhere
from mrsne.parameters import ParameterError, describe, is_whole_number

BELONGING = "shared (a common link) or identical (the same links)"  # how items belong together


def option(about: str, *names: str, default: str | None = None, **more: Any) -> Any:
    """Return an option with this help; ``default`` says in words what holds without it."""
    if default is not None:
        more["show_default"] = default
    return typer.Option(*names, help=about, **more)


def output_file(about: str, default: str | None = None) -> Any:
    return option(about, "--output", "-o", default=default)


def argument(about: str, **more: Any) -> Any:
    return typer.Argument(help=about, show_default=False, **more)


MapFile = Annotated[Path, argument("A map that fit or map wrote (.npz).")]
Seed = Annotated[int, option("The same seed gives the same map.", min=0, max=2**32 - 1)]
Json = Annotated[bool, option("Print the summary as JSON.", "--json")]
NamingKinds = Annotated[
    list[str] | None,
    option("Name regions by items of this kind.", "--by", default="those of which an item can have several"),
]
PictureFolders = Annotated[
    list[str] | None, option("DOMAIN=FOLDER with its pictures in full size.", default="where map found them")
]
Perplexity = Annotated[float, option("Effective number of neighbours.")]
Metric = Annotated[
    str, option("Distance of vectors: euclidean or cosine, for each kind as image=cosine,tag=euclidean.")
]
Suggest = Annotated[bool, option("Let the page say which links its items may lack; takes some seconds.", "--suggest")]
Device = Annotated[str, option("cpu, cuda (a GPU) or auto.")]
Anchor = Annotated[
    str,
    option(
        "How strongly items that were in the map stay where they were: stay (they do not move), keep, follow, free, or "
        "a number from 0 to 10."
    ),
]


@dataclass(frozen=True)
class DataOptions:
    """The data of a map as it is given: ``NAME=FILE``, ``A:B=FILE`` and ``NAME=FILE``."""

    domains: Sequence[str] = ()
    relations: Sequence[str] = ()
    names: Sequence[str] = ()

    def parsed(self) -> DataFiles:
        vectors: dict[str, Path | int] = {}
        for text in self.domains:
            name, value = split_value("--domain", text)
            if name in vectors:
                raise ParameterError(f"--domain {name!r} is given twice")
            if value.isdecimal() and not is_whole_number(value):
                wanted = "a file, or a number of items below 10^18"
                raise ParameterError(f"--domain {name} must be {wanted}, got {describe(value)}")
            vectors[name] = int(value) if value.isdecimal() else Path(value)
        relations = tuple(pair_and_file(text) for text in self.relations)
        names = {}
        for text in self.names:
            name, value = split_value("--names", text)
            check_known("--names", {name: value}, vectors)
            names[name] = Path(value)
        return DataFiles(vectors, relations, names)

    def files(self) -> list[Path]:
        values = [*self.domains, *self.relations, *self.names]
        return [Path((value.partition("=")[2] or value).strip()) for value in values]


@dataclass(frozen=True)
class MapRun:
    """How ``mrsne map`` makes and writes a map, of a folder or a table."""

    output: Path
    theme: str | None
    links: float | None  # how much the links decide; None lets the data decide
    seed: int
    cache: Path | None  # folder that keeps vectors of pictures
    fresh: bool = False  # even where nothing has changed
    perplexity: float = 30.0
    metric: str | dict[str, str] = "euclidean"
    device: str = "cpu"
    anchor: str | float = "keep"  # of items that are in the map already
    suggest: bool = False  # whether the page says which links may be missing

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of :class:`mrsne.MRSNE` that are kept with the map."""
        weights = "auto" if self.links is None else self.links
        return {"weights": weights, "relation_norm": "auto", "perplexity": self.perplexity, "metric": self.metric}


def split_value(option: str, given: str, form: str = "NAME=FILE") -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise ParameterError(f"{option} must be {form}, got {describe(given)}")
    return name.strip(), value.strip()


def per_kind(option: str, given: str) -> str | dict[str, str]:
    """Return a word for all kinds, or one for each: ``image=cosine,tag=euclidean``."""
    if "=" not in given:
        return given
    return dict(split_value(option, part, "WORD or NAME=WORD,NAME=WORD") for part in given.split(","))


def anchor_of(given: str) -> str | float:
    """Return what ``--anchor`` means: a word or a number."""
    from mrsne.layout.continuing import check_anchor

    try:
        value: str | float = float(given)
    except ValueError:
        value = given
    return check_anchor(value)


def pair_and_file(given: str) -> tuple[tuple[str, str], Path]:
    """Return the kinds that ``--relation`` links and its file: ``A:B=FILE``, or a table whose headings name them."""
    if "=" in given:
        name, file = split_value("--relation", given)
        a, colon, b = name.partition(":")
        if not colon or not a or not b:
            raise ParameterError(f"--relation must be DOMAIN:DOMAIN=FILE, got {describe(given)}")
        return (a, b), Path(file)
    path = Path(given.strip())
    if path.suffix in (".npy", ".npz") or given == STANDARD_INPUT:
        raise ParameterError(f"--relation must be DOMAIN:DOMAIN=FILE for a matrix or '-', got {given!r}")
    return linked_kinds(path), path


def check_suffix(output: Path, accepted: tuple[str, ...], option: str = "--output") -> None:
    """Raise unless the file of an option ends in one of these."""
    if is_elsewhere(output):
        raise ParameterError(f"{option} must be a file of this computer, got {str(output)!r}")
    if output.suffix.lower() not in accepted:
        raise ParameterError(f"{option} must end in {', '.join(accepted)}, got {str(output)!r}")
