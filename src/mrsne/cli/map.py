"""``mrsne map``: a folder of pictures and their tags, or a table, into a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mrsne.cli import map_options as given
from mrsne.cli import table_options as columns
from mrsne.cli.map_folder import map_folder
from mrsne.cli.map_table import map_table
from mrsne.cli.options import (
    Anchor,
    Device,
    Json,
    MapRun,
    Metric,
    Perplexity,
    Seed,
    Suggest,
    anchor_of,
    check_suffix,
    per_kind,
)
from mrsne.cli.outputs import PICTURES, check_map_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.collection.folder import FolderOptions
from mrsne.data.tables.addresses import ENDINGS, is_elsewhere
from mrsne.encoders.networks import BUNDLED
from mrsne.parameters import ParameterError, check_number, check_option
from mrsne.viewer import PAGES


def map_items(
    source: given.Source,
    tags: given.Tags = None,
    text_files: given.TextFiles = False,
    output: given.Output = Path("map.html"),
    min_count: given.MinCount = 1,
    stop_tags: given.StopTags = "",
    links: given.Links = None,
    perplexity: Perplexity = 30.0,
    metric: Metric = "euclidean",
    device: Device = "cpu",
    image_model: given.ImageModel = BUNDLED,
    word_vectors: given.WordVectors = True,
    cache: given.Cache = None,
    no_cache: given.NoCache = False,
    fresh: given.Fresh = False,
    anchor: Anchor = "keep",
    suggest: Suggest = False,
    theme: given.Theme = None,
    seed: Seed = 0,
    as_json: Json = False,
    item: columns.Item = None,
    id_column: columns.IdColumn = None,
    label: columns.LabelColumn = None,
    kind: columns.KindColumns = None,
    number: columns.NumberColumns = None,
    date: columns.DateColumns = None,
    category: columns.CategoryColumns = None,
    text: columns.TextColumns = None,
    show: columns.ShownColumns = None,
    picture: columns.PictureColumn = None,
    vector: columns.VectorColumns = None,
    weight: columns.WeightColumn = None,
    ratings: columns.Ratings = None,
    ignore: columns.IgnoredColumns = None,
    pictures: columns.PictureFolder = None,
    table: columns.TableName = None,
    also: columns.AlsoTables = None,
    on: columns.OnColumns = None,
    dry_run: columns.DryRun = False,
) -> None:
    """Make a map of a folder of pictures and their tags, or of a table.

    In a folder, without --tags and --text-files, the names of the folders inside it are the tags. Of a table, the
    command first says what it takes each column for: lists and repeated values are further kinds with links, numbers
    and dates are there to colour by, text is compared by its words. What cannot be used is counted at the end and
    listed in a table beside the map.

    Where there is a map of these items already, it is continued: items stay where they were unless what is known of
    them has changed, new ones come where they belong, and what changed is told. --fresh makes it anew.

    Example: mrsne map photos --tags tags.csv -o map.html

    Example: mrsne map works.csv --kind subject=subjects --label title
    """
    from mrsne.data.collection.collection import cache_folder

    options = columns.TableOptions.of(locals())
    kept = None if no_cache else cache_folder(cache or "")
    metrics, held = per_kind("--metric", metric), anchor_of(anchor)
    run = MapRun(output, theme, links, seed, kept, fresh, perplexity, metrics, device, held, suggest)
    is_named_as_table = not source.exists() and source.suffix.lower() in ENDINGS
    if is_elsewhere(source) or source.is_file() or is_named_as_table:
        _refuse({"--tags": tags, "--text-files": text_files, "--stop-tags": stop_tags}, "a folder of pictures")
        if not dry_run:
            _check(run, [source, *options.also])
        map_table(source, options, min_count, image_model, run, Reporter(as_json))
        return
    _refuse({option: True for option in options.given() if option != "--label"}, "a table")
    if label is not None and tags is None:
        raise ParameterError("--label names a column of --tags; give --tags TABLE too")
    _check(run, [] if tags is None else [tags])
    folder = FolderOptions(tags, text_files, stop_tags.split(","), min_count, word_vectors, label, image_model)
    map_folder(source, folder, run, Reporter(as_json))


def _check(run: MapRun, inputs: Sequence[Path]) -> None:
    """Raise, before anything is read, for settings that no data could be mapped with, or no map could be written."""
    from mrsne.backends.choice import choose_backend
    from mrsne.backends.rows import METRICS
    from mrsne.plot.drawing import THEMES

    check_number("--perplexity", run.perplexity, above=1)
    for metric in run.metric.values() if isinstance(run.metric, dict) else [run.metric]:
        check_option("--metric", metric, METRICS)
    choose_backend(None, run.device)
    check_suffix(run.output, (*PAGES, *PICTURES))
    if run.theme is not None:
        check_option("--theme", run.theme, THEMES)
    check_map_outputs(run.output, inputs)


def _refuse(options: Mapping[str, object], what: str) -> None:
    refused = [option for option, value in options.items() if value]
    if refused:
        raise ParameterError(f"{', '.join(refused)}: for {what} only")
