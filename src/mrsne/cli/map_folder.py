"""``mrsne map FOLDER``: a folder of pictures and their tags into a map."""

import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import mrsne
from mrsne.cli.map_outputs import changes_record, fit_map, lines_of_map, map_record, paths_of_map, write_map
from mrsne.cli.options import MapRun
from mrsne.cli.reporter import Reporter
from mrsne.data.collection.folder import IMAGE, TAG, FolderOptions
from mrsne.data.files.problems import Problems
from mrsne.data.tables.addresses import is_elsewhere

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


def map_folder(folder: Path, options: FolderOptions, run: MapRun, report: Reporter) -> None:
    """Make a map of the pictures in a folder and their tags, unless there is one that is up to date."""
    from mrsne.data.collection.folder import picture_paths
    from mrsne.data.finished_maps import MapRecords, file_content, fingerprint
    from mrsne.encoders.networks import is_from_hub

    start = time.perf_counter()
    paths, problems = picture_paths(folder, run.output)
    names = [path.relative_to(folder).as_posix() for path in paths]
    texts = [Path(folder, name).with_suffix(".txt") for name in names] if options.text_files else []
    files = [*([] if options.tags is None else [options.tags]), *texts, Path(options.image_model)]
    contents_before = [file_content(path) for path in files]
    inputs = {  # all that decides what the map will be, besides the pictures
        "folder": str(folder.resolve()),
        "options": asdict(options),
        "run": {**asdict(run), "output": os.path.abspath(run.output), "cache": None, "fresh": None},
        "files": contents_before,
        "problems": [asdict(problem) for problem in problems],
    }
    # weights of a hub's model are only known once it is loaded, and what is at an address once it is read
    comparable = not is_from_hub(options.image_model) and not (options.tags and is_elsewhere(options.tags))
    record = None if run.fresh or not comparable else _earlier_record(paths, names, inputs, run, report)
    if record is None:
        record, contents, written = _make_map(folder, paths, problems, options, run, report)
        unchanged = contents_before == [file_content(path) for path in files]
        if run.cache is not None and comparable and unchanged:  # not where tags were edited meanwhile
            with MapRecords(run.cache) as records:
                records.remember(run.output, fingerprint(inputs, names, contents), written, record)
            if records.trouble is not None:
                report.remark(records.trouble)
    record["seconds"] = round(time.perf_counter() - start, 1)
    lines = lines_of_map({key: value for key, value in record.items() if key != "up_to_date"}, WORDING, full_size=True)
    report.summary(record, [UP_TO_DATE, *lines] if record["up_to_date"] else lines)


def _earlier_record(
    paths: Sequence[Path], names: Sequence[str], inputs: dict[str, Any], run: MapRun, report: Reporter
) -> dict[str, Any] | None:
    """Return the summary of the map that is there, if nothing has changed since it was made."""
    if run.cache is None:
        return None
    from mrsne.data.finished_maps import MapRecords, fingerprint
    from mrsne.encoders.reading import picture_digests

    with MapRecords(run.cache) as records:
        if not records.has(run.output):
            return None
        with report.stage("looking for what has changed"):
            found = records.summary(run.output, fingerprint(inputs, names, picture_digests(paths, records)))
    if records.trouble is not None:
        report.remark(records.trouble)
    if found is None:
        return None
    # as the files are called from the folder of this run
    return {**found, **paths_of_map(run.output, bool(found["left_out"])), "up_to_date": True}


def _make_map(
    folder: Path, paths: Sequence[Path], problems: Problems, options: FolderOptions, run: MapRun, report: Reporter
) -> tuple[dict[str, Any], list[bytes], dict[str, str | None]]:
    """Make the map; return its summary, and the contents of the pictures and of what was written."""
    from mrsne.data.collection.folder import read_folder
    from mrsne.data.finished_maps import written_contents

    with report.warnings_as_notes():
        content = read_folder(folder, paths, problems, options, run.cache, report)
    saved = fit_map(mrsne.Collection(content.data, content.recipe, content.left_out), run, report)
    files = write_map(saved, run, folder.resolve().name, [TAG], report)
    # at once: what somebody writes there while scores are computed is not this map
    written = {} if run.cache is None else written_contents(files)
    with report.stage("scores"):
        scores = map_record(saved)
    data, encoded, tagged = content.data, content.encoded, TAG in content.data.sizes
    record = {
        "up_to_date": False,
        "picture_files": len(paths),
        "unreadable_pictures": len(encoded.problems),
        "pictures_from_cache": encoded.n_known,
        "pictures_per_second": round(len(paths) / max(content.seconds, 1e-9), 1),
        "items": {IMAGE: data.sizes[IMAGE], TAG: data.sizes.get(TAG, 0)},
        "links": {IMAGE: {TAG: data.relations[IMAGE, TAG].nnz if tagged else 0}},
        "items_without_vector": {TAG: int(data.missing[TAG].sum()) if tagged else 0},
        "left_out": content.left_out,
        **scores,
        "changes": changes_record(saved.embedding),
        "seconds": None,
        **files,
    }
    return record, encoded.contents, written
