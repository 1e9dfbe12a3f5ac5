"""``mrsne map FOLDER``: a folder of pictures and their tags into a map."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.cli.map_outputs import lines_of_map, paths_of_map, write_map
from mrsne.cli.map_settings import MapSettings
from mrsne.cli.reporter import Reporter
from mrsne.cli.scoring import brief_scores
from mrsne.cli.weight_shares import weight_shares

if TYPE_CHECKING:
    from mrsne.cli.picture_data import Pictures
    from mrsne.data import RelationalData
    from mrsne.io import Problems

UP_TO_DATE = "up to date: nothing has changed since this map was made; --fresh makes it again"
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
    label: str | None = None


def map_folder(
    folder: Path, output: Path, theme: str | None, options: FolderOptions, settings: MapSettings, report: Reporter
) -> None:
    """Make a map of the pictures in a folder and their tags, unless there is one that is up to date."""
    from mrsne.cli.picture_data import picture_paths
    from mrsne.data.finished_maps import fingerprint
    from mrsne.encoders.networks import is_from_hub

    start = time.perf_counter()
    paths, problems = picture_paths(folder, output)
    names = [path.relative_to(folder).as_posix() for path in paths]
    made_from = _made_from(folder, names, output, theme, options, settings, problems)
    comparable = not is_from_hub(settings.image_model)  # its weights are only known once it is loaded
    record = None if settings.fresh or not comparable else _finished(paths, names, output, made_from, settings, report)
    if record is None:
        record, contents, written = _made(folder, paths, names, problems, output, theme, options, settings, report)
        unchanged = made_from == _made_from(folder, names, output, theme, options, settings, problems)
        if settings.cache is not None and comparable and unchanged:  # not where tags were edited meanwhile
            inputs = fingerprint(made_from, names, contents)
            _remember(output, inputs, written, record, settings.cache, report)
    record["seconds"] = round(time.perf_counter() - start, 1)
    lines = lines_of_map({key: value for key, value in record.items() if key != "up_to_date"}, WORDING, full_size=True)
    report.summary(record, [UP_TO_DATE, *lines] if record["up_to_date"] else lines)


def _made_from(
    folder: Path,
    names: Sequence[str],
    output: Path,
    theme: str | None,
    options: FolderOptions,
    settings: MapSettings,
    problems: Problems,
) -> dict[str, Any]:
    """Return all that decides what the map will be, besides the pictures."""
    from mrsne.data.finished_maps import file_content

    texts = [Path(folder, name).with_suffix(".txt") for name in names] if options.text_files else []
    files = [*([] if options.tags is None else [options.tags]), *texts, Path(settings.image_model)]
    return {
        "folder": str(folder.resolve()),
        "output": os.path.abspath(output),
        "theme": theme,
        "options": asdict(options),
        "settings": {**asdict(settings), "cache": None, "fresh": None},
        "files": [file_content(path) for path in files],
        "problems": [asdict(problem) for problem in problems],
    }


def _finished(
    paths: Sequence[Path],
    names: Sequence[str],
    output: Path,
    made_from: dict[str, Any],
    settings: MapSettings,
    report: Reporter,
) -> dict[str, Any] | None:
    """Return what was said of this map when it was made, if nothing has changed since then."""
    if settings.cache is None:
        return None
    from mrsne.data.finished_maps import MapRecords, fingerprint
    from mrsne.encoders.reading import picture_digests

    with MapRecords(settings.cache) as records:
        if not records.has(output):
            return None
        with report.stage("looking for what has changed"):
            found = records.summary(output, fingerprint(made_from, names, picture_digests(paths, records)))
    if records.trouble is not None:
        report.note(f"note: {records.trouble}")
    if found is None:
        return None
    return {
        **found,
        **paths_of_map(output, bool(found["left_out"])),  # as they are called from the folder of this run
        "up_to_date": True,
    }


def _remember(
    output: Path, inputs: str, written: dict[str, str | None], record: dict[str, Any], cache: Path, report: Reporter
) -> None:
    from mrsne.data.finished_maps import MapRecords

    with MapRecords(cache) as records:
        records.remember(output, inputs, written, record)
        if records.trouble is not None:
            report.note(f"note: {records.trouble}")


def _made(
    folder: Path,
    paths: Sequence[Path],
    names: Sequence[str],
    problems: Problems,
    output: Path,
    theme: str | None,
    options: FolderOptions,
    settings: MapSettings,
    report: Reporter,
) -> tuple[dict[str, Any], list[bytes], dict[str, str | None]]:
    """Make the map; return what there is to say of it, and the contents of the pictures and of what was written."""
    from mrsne import MRSNE
    from mrsne.cli.picture_data import TagChoice, encode, label_heading, picture_data, read_tags
    from mrsne.data.finished_maps import written_contents

    found = read_tags(folder, names, options.tags, options.text_files)
    found.problems.extend(problems)
    pictures = encode(paths, names, settings.image_model, settings.cache, report, found.problems)
    label = label_heading(found, pictures.readable, options.label)
    data = picture_data(pictures, found, TagChoice(settings.min_count, options.stop_tags, options.word_vectors, label))
    model = MRSNE(**settings.model, random_state=settings.seed, verbose=report.live)
    about = {
        "settings": settings.model,
        "folder": str(folder.resolve()),
        "image_model": settings.image_model,
        "label": label,
        "tags_from": "table" if options.tags is not None else "text files" if options.text_files else "folders",
    }
    with report.warnings_as_notes():
        embedding = model.fit_transform(data)
        with report.stage("writing the map"):
            files = write_map(embedding, data, found.problems, output, theme, about, folder.resolve().name, ["tag"])
            # at once: what somebody writes there while scores are computed is not this map
            written = {} if settings.cache is None else written_contents(files)
    with report.stage("scores"):
        scores = brief_scores(embedding, data)
    record = {
        "up_to_date": False,
        **_counts(pictures, data),
        "left_out": found.problems,
        "iterations": model.n_iter_,
        "weights": weight_shares(model.weights_),
        "kl_divergence": round(float(model.kl_divergence_), 4),
        **scores,
        "seconds": None,
        **files,
    }
    return record, pictures.encoded.contents, written


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
