"""``mrsne demo``: the bundled example."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the map and its picture.")] = Path("demo"),
) -> None:
    """Map 600 small pictures and their tags, and write the map and a picture of it.

    Example: mrsne demo -o demo
    """
    from rich.console import Console

    from mrsne import MRSNE, datasets, plot

    console = Console()
    data, pictures = datasets.make_shapes(600, random_state=0)
    start = time.perf_counter()
    model = MRSNE(weights="balanced", random_state=0, verbose=console.is_terminal)
    embedding = model.fit_transform(data)
    seconds = time.perf_counter() - start
    output.mkdir(parents=True, exist_ok=True)
    embedding.save(output / "shapes.npz")
    picture = output / "shapes.png"
    plot.map_figure(embedding, data, {"picture": pictures}).savefig(picture)
    links = sum(W.nnz for W in data.relations.values())
    console.print(
        f"{data.n_items} items ({', '.join(f'{size} {name}s' for name, size in data.sizes.items())}), {links} links: "
        f"map in {seconds:.1f} s, KL {model.kl_divergence_:.3f}"
    )
    console.print(f"picture: {picture}\nmap:     {output / 'shapes.npz'}", soft_wrap=True)
