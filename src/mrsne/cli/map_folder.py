"""``mrsne map FOLDER``: a folder of pictures and their tags into a map."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.cli.map_outputs import lines_of_map, write_map
from mrsne.cli.map_settings import MapSettings
from mrsne.cli.reporter import Reporter
from mrsne.cli.scoring import brief_scores
from mrsne.cli.weight_shares import weight_shares

if TYPE_CHECKING:
    from mrsne.cli.picture_data import Pictures
    from mrsne.data import RelationalData

WORDING = {
    ("items", "image"): "pictures: {value}",
    ("items", "tag"): "tags: {value}",
    ("links", "image", "tag"): "links: {value}",
    ("items_without_vector", "tag"): "tags without a vector: {value}",
    ("hit_rate_10", "image", "tag"): "pictures with one of their tags among the 10 nearest: {value}",
    ("trustworthiness", "image"): "trustworthiness of pictures: {value}",
    ("trustworthiness", "tag"): "trustworthiness of tags: {value}",
}


@dataclass(frozen=True)
class FolderOptions:
    """Where the tags of pictures are, and which of them are in the map."""

    tags: Path | None = None
    text_files: bool = False
    stop_tags: Sequence[str] = ()
    word_vectors: bool = True


def map_folder(
    folder: Path, output: Path, theme: str | None, options: FolderOptions, settings: MapSettings, report: Reporter
) -> None:
    """Make a map of the pictures in a folder and their tags."""
    from mrsne import MRSNE
    from mrsne.cli.picture_data import TagChoice, encode, picture_data, picture_paths, read_tags

    start = time.perf_counter()
    paths, problems = picture_paths(folder, output)
    names = [path.relative_to(folder).as_posix() for path in paths]
    found = read_tags(folder, names, options.tags, options.text_files)
    found.problems.extend(problems)
    pictures = encode(paths, names, settings.image_model, settings.cache, report, found.problems)
    data = picture_data(pictures, found, TagChoice(settings.min_count, options.stop_tags, options.word_vectors))
    model = MRSNE(**settings.model, random_state=settings.seed, verbose=report.live)
    about = {"settings": settings.model, "folder": str(folder.resolve()), "image_model": settings.image_model}
    with report.warnings_as_notes():
        embedding = model.fit_transform(data)
        files = write_map(embedding, data, found.problems, output, theme, about, folder.resolve().name, ["tag"])
    record = {
        **_counts(pictures, data),
        "left_out": found.problems,
        "iterations": model.n_iter_,
        "weights": weight_shares(model.weights_),
        "kl_divergence": round(float(model.kl_divergence_), 4),
        **brief_scores(embedding, data),
        "seconds": round(time.perf_counter() - start, 1),
        **files,
    }
    report.summary(record, lines_of_map(record, WORDING, full_size=True))


def _counts(pictures: Pictures, data: RelationalData) -> dict[str, Any]:
    """Return the numbers of pictures, tags and links; without tags they are zero."""
    tagged = "tag" in data.sizes
    return {
        "picture_files": len(pictures.names),
        "unreadable_pictures": len(pictures.encoded.problems),
        "pictures_from_cache": pictures.encoded.n_known,
        "pictures_per_second": round(len(pictures.names) / max(pictures.seconds, 1e-9), 1),
        "items": {"image": data.sizes["image"], "tag": data.sizes.get("tag", 0)},
        "links": {"image": {"tag": data.relations["image", "tag"].nnz if tagged else 0}},
        "items_without_vector": {"tag": int(np.count_nonzero(data.missing["tag"])) if tagged else 0},
    }
