"""``mrsne demo``: the bundled emoji and their keywords."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mrsne.cli.map_files import PAGES, data_beside, write_picture
from mrsne.cli.options import Json
from mrsne.cli.outputs import check_map_output, check_outputs, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import by_pair, sentences
from mrsne.cli.weight_shares import weight_shares

WORDING = {
    ("items", "image"): "emoji: {value}",
    ("items", "tag"): "keywords: {value}",
    ("links", "image", "tag"): "links: {value}",
    ("seconds",): "seconds for the map: {value}",
    ("hit_rate_10", "image", "tag"): "emoji with one of their keywords among the 10 nearest: {value}",
    ("link_auc", "image", "tag"): "links told from other pairs by distance (AUC): {value}",
    ("trustworthiness", "image"): "trustworthiness of emoji: {value}",
}


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the map and its picture, or a page (.html) alone.")
    ] = Path("demo"),
    as_json: Json = False,
) -> None:
    """Map 1,636 emoji and 997 keywords, and write a map to explore in a browser and a picture of it.

    Example: mrsne demo -o demo
    """
    from mrsne import MRSNE, datasets, metrics, plot
    from mrsne.data.storage import save_data
    from mrsne.datasets.emoji import emoji_groups

    page = page_for(output)
    saved, picture = page.with_suffix(".npz"), None if page == output else page.with_suffix(".png")
    check_map_output(saved)
    check_outputs([saved, data_beside(saved), page, *([] if picture is None else [picture])])
    report = Reporter(as_json)
    start = time.perf_counter()
    data = datasets.load_emoji()
    settings: dict[str, Any] = {"weights": "auto", "relation_norm": "auto"}
    model = MRSNE(**settings, random_state=0, verbose=report.live)
    with report.warnings_as_notes():
        embedding = model.fit_transform(data)
    seconds = time.perf_counter() - start
    groups = {"image": {"group": emoji_groups()}}
    writers: dict[Path, Callable[[Path], None]] = {
        saved: embedding.save,
        data_beside(saved): lambda path: save_data(data, path, {"settings": settings}),
        page: lambda path: embedding.to_html(path, data, columns=groups, title="Emoji and their keywords"),
    }
    if picture is not None:
        writers[picture] = lambda path: write_picture(plot.map_figure(embedding, data, size=12), path, dpi=150)
    with report.warnings_as_notes():
        write_outputs(writers)
    pair = "image", "tag"
    record = {
        "items": dict(data.sizes),
        "links": by_pair({pair: data.relations[pair].nnz}),
        "iterations": model.n_iter_,
        "seconds": round(seconds, 1),
        "weights": weight_shares(model.weights_),
        "kl_divergence": round(model.kl_divergence_, 4),
        "hit_rate_10": by_pair({pair: round(metrics.hit_rate(embedding, data, 10), 3)}),
        "link_auc": by_pair({pair: round(metrics.link_auc(embedding, data, pair), 3)}),
        "trustworthiness": {"image": round(metrics.trustworthiness(embedding, data, "image"), 3)},
        "map": str(saved),
        "data": str(data_beside(saved)),
        "picture": None if picture is None else str(picture),
        "page": str(page),
        "page_url": page.resolve().as_uri(),
    }
    report.summary(record, sentences(record, WORDING))


def page_for(output: Path) -> Path:
    """Return the page to write: the output if it ends like a page, or else a page in that folder.

    Examples
    --------
    >>> page_for(Path("demo")).as_posix(), page_for(Path("emoji.html")).as_posix()
    ('demo/emoji.html', 'emoji.html')
    """
    if output.is_dir() or not output.suffix:
        return output / "emoji.html"
    if output.suffix.lower() not in PAGES:
        raise ValueError(
            f"--output must be a folder, or a page that ends in {' or '.join(PAGES)}, got {str(output)!r}; "
            "a folder with such a name must be there already"
        )
    return output
