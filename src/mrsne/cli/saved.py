"""Commands about a map that was made before: ``evaluate``, ``plot``, ``place``, ``info``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mrsne.cli.files import PICTURES, data_beside
from mrsne.cli.output import Reporter

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.embedding import Embedding

MapFile = Annotated[Path, typer.Argument(help="A map that fit or map wrote (.npz).", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


@dataclass(frozen=True)
class Saved:
    """A map, its data, the settings it was made with, and the folder that its pictures were in, if it has any."""

    embedding: Embedding
    data: RelationalData
    settings: dict[str, Any]
    folder: Path | None


def opened(path: Path) -> Saved:
    """Return a map and what was kept with it."""
    from mrsne.data.storage import load_data
    from mrsne.embedding import Embedding

    embedding = Embedding.load(path)
    beside = data_beside(path)
    if not beside.exists():
        raise FileNotFoundError(f"the data of {str(path)!r} is not beside it: there is no {str(beside)!r}")
    data, about = load_data(beside)
    folder = about.get("folder")
    return Saved(embedding, data, about.get("settings", {}), None if folder is None else Path(folder))


def evaluate(
    path: MapFile,
    query: Annotated[str | None, typer.Option(help="Domain that is asked about.", show_default="the first")] = None,
    within: Annotated[str, typer.Option(help="What is true within it: shared or identical.")] = "shared",
    sample: Annotated[int, typer.Option(min=1, help="At most so many items are asked about.")] = 5000,
    as_json: Json = False,
) -> None:
    """Score a map: how well its links and neighbourhoods are kept.

    Example: mrsne evaluate map.npz --query image
    """
    import numpy as np

    from mrsne import metrics
    from mrsne.metrics.arguments import check_domain, linked_domains

    saved = opened(path)
    embedding, data = saved.embedding, saved.data
    domain = check_domain("--query", query, data)
    size = data.sizes[domain]
    asked = np.sort(np.random.default_rng(0).choice(size, min(size, sample), replace=False))
    found: dict[str, Any] = {"queries": len(asked), "kl_divergence": embedding.kl_divergence}
    for other in linked_domains(domain, data):
        found[f"link_auc_{domain}_{other}"] = metrics.link_auc(embedding, data, (domain, other))
        found[f"variance_ratio_{domain}_{other}"] = metrics.variance_ratio(embedding, domain, other)
        for k in (1, 10):
            if k <= data.sizes[other]:
                rate = metrics.hit_rate(embedding, data, k, domain, other, queries=asked)
                found[f"hit_rate_{domain}_{other}_{k}"] = rate
    if data.relations:
        found["reconstruction_auc"] = metrics.reconstruction_auc(embedding, data, domain, within, queries=asked)
    present = int(np.count_nonzero(~data.missing[domain]))
    if present > 20:
        chosen = np.sort(np.random.default_rng(0).choice(present, min(present, sample), replace=False))
        found["neighborhood_preservation"] = metrics.neighborhood_preservation(embedding, data, domain, queries=chosen)
        found["trustworthiness"] = metrics.trustworthiness(embedding, data, domain, queries=chosen)
    Reporter(as_json).summary({name: round(v, 4) if isinstance(v, float) else v for name, v in found.items()})


def plot(
    path: MapFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture: .png, .svg or .pdf.")] = Path("map.png"),
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    size: Annotated[float, typer.Option(min=1.0, max=100.0, help="Width and height in inches.")] = 10.0,
    dpi: Annotated[int, typer.Option(min=20, max=1200, help="Dots per inch; 300 for print.")] = 200,
    links: Annotated[list[str] | None, typer.Option(help="DOMAIN=NAME: draw the links of this item.")] = None,
    density: Annotated[bool, typer.Option("--density", help="Shade the ground by how many items there are.")] = False,
    as_json: Json = False,
) -> None:
    """Draw a map.

    Example: mrsne plot map.npz -o map.pdf --links tag=dog
    """
    from mrsne.cli.inputs import parts
    from mrsne.plot import map_figure

    if output.suffix.lower() not in PICTURES:
        raise ValueError(f"--output must end in {', '.join(PICTURES)}, got {str(output)!r}")
    saved = opened(path)
    embedding, data = saved.embedding, saved.data
    chosen: dict[str, list[int | str]] = {}
    for given in links or []:
        domain, name = parts("--links", given)
        known = name in data.names.get(domain, ()) or not name.isdecimal()
        chosen.setdefault(domain, []).append(name if known else int(name))
    figure = map_figure(embedding, data, size=size, theme=theme, links=chosen, density=density)
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output, dpi=dpi)
    Reporter(as_json).summary({"picture": str(output), "inches": size, "dots_per_inch": dpi})


def place(
    path: MapFile,
    domain: Annotated[list[str] | None, typer.Option(help="NAME=FILE with vectors of new items.")] = None,
    relation: Annotated[list[str] | None, typer.Option(help="A:B=FILE: links of new items of A to items of B.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Coordinates of the new items.")] = Path("placed.npz"),
    as_json: Json = False,
) -> None:
    """Place new items into a map, which stays as it is.

    Example: mrsne place map.npz --domain image=new.npy -o placed.npz
    """
    from mrsne import MRSNE
    from mrsne.cli.inputs import pair_of, positions_where_needed, read_domains
    from mrsne.io.arrays import read_links

    report = Reporter(as_json)
    if not domain and not relation:
        raise ValueError(
            "give new items: --domain NAME=FILE for their vectors, --relation A:B=FILE for their links, or both"
        )
    saved = opened(path)
    if not saved.data.relations and all(vectors is None for vectors in saved.data.vectors.values()):
        raise ValueError(f"{str(path)!r} was made with --cluster, which keeps no data to place new items by")
    embedding, data = saved.embedding, saved.data
    vectors, _ = read_domains(domain or [])
    tables = {}
    for given in relation or []:
        pair, file = pair_of("--relation", given)
        known = {pair[1]: list(data.names[pair[1]])} if pair[1] in data.names else {}
        tables[pair] = positions_where_needed(read_links(Path(file), *pair), pair, known)
    model = report.quietly(lambda: MRSNE(**saved.settings).restore(data, embedding))
    placed = report.quietly(lambda: model.transform(vectors, tables))
    output.parent.mkdir(parents=True, exist_ok=True)
    placed.save(output)
    report.summary({**{f"placed_{name}": len(Y) for name, Y in placed.items()}, "coordinates": str(output)})


def info(
    path: Annotated[
        Path | None, typer.Argument(help="A map; without one, what is installed.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what is in a map, or which versions and extras are installed.

    Example: mrsne info map.npz
    """
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from mrsne import __version__
    from mrsne.embedding import Embedding

    report = Reporter(as_json)
    if path is None:
        found: dict[str, Any] = {"mrsne": __version__, "python": platform.python_version()}
        for name in (
            "numpy",
            "scipy",
            "scikit-learn",
            "numba",
            "faiss-cpu",
            "onnxruntime",
            "torch",
            "pyarrow",
            "distributed",
        ):
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                found[name] = "not installed"
        report.summary(found)
        return
    embedding = Embedding.load(path)
    found = {f"items_of_{name}": len(Y) for name, Y in embedding.items()}
    found |= {
        "dimensions": embedding.n_components,
        "kl_divergence": embedding.kl_divergence,
        "iterations": embedding.n_iter,
    }
    if data_beside(path).exists():
        saved = opened(path)
        found |= {f"links_{a}_{b}": W.nnz for (a, b), W in saved.data.relations.items()}
        found |= {f"setting_{name}": value for name, value in saved.settings.items()}
    report.summary(found)
