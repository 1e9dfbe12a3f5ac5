"""``mrsne demo``: the bundled emoji and their keywords."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from mrsne.cli.map_files import data_beside, write_picture
from mrsne.cli.options import Json
from mrsne.cli.reporter import Reporter


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the map and its picture.")] = Path("demo"),
    as_json: Json = False,
) -> None:
    """Map 1,636 emoji and 997 keywords, and write a map to explore in a browser and a picture of it.

    Example: mrsne demo -o demo
    """
    from mrsne import MRSNE, datasets, metrics, plot
    from mrsne.data.storage import save_data
    from mrsne.datasets.emoji import emoji_groups

    report = Reporter(as_json)
    start = time.perf_counter()
    data = datasets.load_emoji()
    model = MRSNE(weights=0.5, random_state=0, verbose=report.live)
    with report.warnings_as_notes():
        embedding = model.fit_transform(data)
    seconds = time.perf_counter() - start
    output.mkdir(parents=True, exist_ok=True)
    saved, page, picture = (output / f"emoji{ending}" for ending in (".npz", ".html", ".png"))
    embedding.save(saved)
    save_data(data, data_beside(saved), {"settings": {"weights": 0.5}})
    groups = {"image": {"group": emoji_groups()}}
    embedding.to_html(page, data, columns=groups, title="Emoji and their keywords")
    with report.warnings_as_notes():
        write_picture(plot.map_figure(embedding, data, size=12), picture, dpi=150)
    report.summary(
        {
            "emoji": data.sizes["image"],
            "keywords": data.sizes["tag"],
            "links": data.relations["image", "tag"].nnz,
            "seconds_for_the_map": round(seconds, 1),
            "kl_divergence": round(model.kl_divergence_, 3),
            "emoji_with_a_keyword_of_theirs_among_the_10_nearest": round(metrics.hit_rate(embedding, data, 10), 3),
            "links_told_from_other_pairs_by_nearness_(AUC)": round(
                metrics.link_auc(embedding, data, ("image", "tag")), 3
            ),
            "trustworthiness_of_emoji": round(metrics.trustworthiness(embedding, data, "image"), 3),
            "picture": str(picture),
            "map_for_other_commands": str(saved),
            "map": str(page),
            "to_explore_it_open_in_a_browser": page.resolve().as_uri(),
        }
    )
