"""``mrsne map``: a folder of pictures and their tags into a map."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from mrsne.cli.fit import data_beside, write_coordinates
from mrsne.cli.output import Reporter

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.io import Problems, Tags

THUMBNAIL = 64  # pixels
PICTURES = (".png", ".svg", ".pdf")


def map_pictures(
    folder: Annotated[
        Path, typer.Argument(help="Folder of pictures; folders inside it count too.", show_default=False)
    ],
    tags: Annotated[
        Path | None,
        typer.Option(
            help='Table of pictures and tags (CSV, TSV, Parquet): picture,tag[,weight] or picture,"tag; tag".'
        ),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Tags are in text files beside the pictures: dog.txt.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The map: .png, .svg, .pdf; coordinates go beside it as .npz.")
    ] = Path("map.png"),
    min_count: Annotated[int, typer.Option(min=1, help="Leave out tags of fewer pictures.")] = 1,
    stop_tags: Annotated[str, typer.Option(help="Leave out these tags, separated by commas.")] = "",
    links: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How much the tags decide; the rest is what the pictures look like.")
    ] = 0.5,
    image_model: Annotated[
        str, typer.Option(help="efficientnet-lite0, a path that ends in .onnx, or timm:NAME and others.")
    ] = "efficientnet-lite0",
    word_vectors: Annotated[bool, typer.Option(help="Use what tags mean (English), not only where they occur.")] = True,
    cache: Annotated[
        Path | None, typer.Option(help="Folder that keeps vectors of pictures.", show_default="yours")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no vectors.")] = False,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    seed: Annotated[int, typer.Option(help="The same seed gives the same map.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Make a map of a folder of pictures and their tags.

    Without --tags and --text, the names of the folders inside the folder are the tags. What cannot be used (broken
    pictures, rows for pictures that are not there, ...) is counted at the end and listed in a table beside the map.

    Example: mrsne map photos --tags tags.csv -o map.png
    """
    from mrsne import MRSNE, plot
    from mrsne.data.storage import save_data
    from mrsne.encoders import encode_pictures
    from mrsne.encoders.cache import usable_default_cache
    from mrsne.io import find_pictures
    from mrsne.parameters import check_option

    if output.suffix.lower() not in PICTURES:
        raise ValueError(f"--output must end in {', '.join(PICTURES)}, got {str(output)!r}")
    check_option("--theme", theme, plot.THEMES)
    start = time.perf_counter()
    report = Reporter(as_json)
    paths = [path for path in find_pictures(folder) if path.resolve() != output.resolve()]
    names = [path.relative_to(folder).as_posix() for path in paths]
    found = _read_tags(folder, names, tags, text)
    with report.bar("pictures", len(paths)) as advance:
        encoded = encode_pictures(
            paths,
            model=image_model,
            cache=None if no_cache else cache or usable_default_cache(),
            thumbnail_side=THUMBNAIL,
            progress=advance,
        )
    for index, reason in encoded.problems.items():
        found.problems.add("picture that cannot be read", names[index], reason)
    encoding = time.perf_counter() - start
    kept = [index for index in range(len(names)) if index not in encoded.problems]
    if len(kept) < 2:
        raise ValueError(f"{len(kept)} of {len(names)} pictures can be read; a map needs at least two")
    data = _data(kept, names, found, encoded, min_count, stop_tags.split(","), word_vectors)
    model = MRSNE(weights=links if data.relations else "size", random_state=seed, verbose=report.live)
    embedding = report.quietly(lambda: model.fit_transform(data))
    output.parent.mkdir(parents=True, exist_ok=True)
    embedding.save(output.with_suffix(".npz"))
    save_data(data, data_beside(output.with_suffix(".npz")), {"settings": {"weights": model.weights}})
    labels = [name for name in ("tag",) if name in data.names]
    plot.map_figure(embedding, data, theme=theme, labels=labels).savefig(output, dpi=200)
    write_coordinates(embedding, data, output.with_suffix(".csv"))
    left_out = _write_problems(found.problems, output)
    summary = {
        **_counts(data, len(names), len(encoded.problems)),
        "tags_without_vector": int(np.count_nonzero(data.missing["tag"])) if "tag" in data.sizes else 0,
        "left_out_or_incomplete": found.problems.counts(),
        "kl_divergence": round(float(model.kl_divergence_), 4),
        **_scores(embedding, data),
        "seconds": round(time.perf_counter() - start, 1),
        "pictures_per_second": round(len(names) / max(encoding, 1e-9), 1),
        "pictures_from_cache": encoded.n_known,
        "map": str(output),
        "coordinates": str(output.with_suffix(".csv")),
        "map_for_other_commands": str(output.with_suffix(".npz")),
        "list_of_what_was_left_out": left_out,
    }
    report.summary(summary)


def _read_tags(folder: Path, names: Sequence[str], table: Path | None, text: bool) -> Tags:
    from mrsne.io import tags_from_folders, tags_from_table, tags_from_text_files

    if table is not None and text:
        raise ValueError("--tags and --text are two ways to give tags; give one of them")
    if table is not None:
        found = tags_from_table(table, names)
        if not found.links:
            example = found.problems[0] if found.problems else None
            reason = "" if example is None else f"; first {example.where}: {example.kind} ({example.what!r})"
            raise ValueError(f"no row of {str(table)!r} gives a picture in {str(folder)!r} a tag{reason}")
        return found
    return tags_from_text_files(folder, names) if text else tags_from_folders(names)


def _data(
    kept: Sequence[int],
    names: Sequence[str],
    tags: Tags,
    encoded: Any,
    min_count: int,
    stop: Iterable[str],
    word_vectors: bool,
) -> RelationalData:
    """Return the readable pictures and the tags that are used often enough."""
    from mrsne.data import RelationalData
    from mrsne.encoders import encode_words

    place = {picture: index for index, picture in enumerate(kept)}
    unwanted = {tag.strip().casefold() for tag in stop if tag.strip()}
    links = _one_spelling({key: weight for key, weight in tags.links.items() if key[0] in place})
    counts = Counter(tag for _, tag in links)
    words = sorted(tag for tag, count in counts.items() if count >= min_count and tag.casefold() not in unwanted)
    for tag in sorted(set(counts) - set(words)):
        reason = "stop tag" if tag.casefold() in unwanted else f"tag of fewer than {min_count} pictures"
        tags.problems.add(reason, tag, f"{counts[tag]} pictures")
    position = {tag: index for index, tag in enumerate(words)}
    table = [(place[picture], position[tag], weight) for (picture, tag), weight in links.items() if tag in position]
    for index in sorted(set(range(len(kept))) - {row[0] for row in table}):
        tags.problems.add("picture that has no tag but is in the map", names[kept[index]], "")
    pictures = {"image": encoded.thumbnails[list(kept)]}
    shown = {"image": [names[index] for index in kept]}
    vectors: dict[str, Any] = {"image": encoded.vectors[list(kept)]}
    if not words:
        return RelationalData(vectors, names=shown, pictures=pictures)
    meanings = encode_words(words) if word_vectors else None
    unknown = None if meanings is None else np.isnan(meanings).any(axis=1)
    if meanings is None or unknown is None or unknown.all():
        return RelationalData(
            {**vectors, "tag": len(words)}, {("image", "tag"): table}, {**shown, "tag": words}, pictures=pictures
        )
    return RelationalData(
        {**vectors, "tag": meanings},
        {("image", "tag"): table},
        {**shown, "tag": words},
        missing={"tag": unknown},
        pictures=pictures,
    )


def _one_spelling(links: dict[tuple[int, str], float]) -> dict[tuple[int, str], float]:
    """Write tags that differ in capitals only in the way that is most frequent."""
    counts = Counter(tag for _, tag in links)
    best: dict[str, str] = {}
    for tag in sorted(counts, key=lambda tag: (-counts[tag], tag)):
        best.setdefault(tag.casefold(), tag)
    merged: dict[tuple[int, str], float] = {}
    for (picture, tag), weight in links.items():
        key = picture, best[tag.casefold()]
        merged[key] = max(merged.get(key, 0.0), weight)
    return merged


def _counts(data: RelationalData, n_files: int, n_broken: int) -> dict[str, int]:
    linked = sum(W.nnz for W in data.relations.values())
    return {
        "picture_files": n_files,
        "pictures_that_cannot_be_read": n_broken,
        "pictures": data.sizes["image"],
        "tags": data.sizes.get("tag", 0),
        "links": linked,
    }


def _scores(embedding: Any, data: RelationalData) -> dict[str, float]:
    """Return how often a picture's own tag is near it, and how far its neighbours can be trusted."""
    from mrsne import metrics

    found: dict[str, float] = {}
    random = np.random.default_rng(0)
    count = data.sizes["image"]
    queries = np.sort(random.choice(count, min(count, 2000), replace=False))
    if data.relations:
        k = min(10, data.sizes["tag"])
        rate = metrics.hit_rate(embedding, data, k, "image", "tag", queries=queries)
        found[f"pictures_with_a_tag_of_theirs_among_the_{k}_nearest"] = round(float(rate), 3)
    if count > 21:
        trust = metrics.trustworthiness(embedding, data, "image", 10, queries=queries)
        found["trustworthiness_of_pictures"] = round(trust, 3)
    return found


def _write_problems(problems: Problems, output: Path) -> str | None:
    """Write the list beside the map, or take an old one away."""
    path = output.with_suffix(".left-out.csv")
    if problems:
        problems.write(path)
        return str(path)
    if path.exists():
        os.remove(path)
    return None
