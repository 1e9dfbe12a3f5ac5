"""New items for a map, from what the map was made from: a folder of pictures, or a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.cli.options import NewSource
from mrsne.cli.picture_data import picture_labels, picture_paths, read_tags
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import BUNDLED, SavedMap
from mrsne.data.growth import NewItems
from mrsne.io.problems import Problems
from mrsne.tables.tags import Tags

if TYPE_CHECKING:
    from mrsne.encoders import Encoded

IMAGE, TAG = "image", "tag"
ALREADY = "item that is in the map already"


def read_new_items(saved: SavedMap, given: NewSource, report: Reporter, problems: Problems) -> NewItems:
    """Return the new items of a folder or a table, without those that the map has already."""
    source, tags, text_files = given.source, given.tags, given.text_files
    if source.is_dir():
        if saved.folder is None or IMAGE not in saved.data.names:
            raise ValueError(f"{str(source)!r} is a folder, but the map was not made from a folder of pictures")
        found = _pictures(saved, given, report, problems)
    else:
        if tags is not None or text_files:
            raise ValueError("--tags and --text-files are for a folder of new pictures")
        if saved.recipe is None:
            raise ValueError(
                f"{str(source)!r} is a table, but the map was not made from one; give --domain NAME=FILE for vectors, "
                "--relation A:B=FILE for links"
            )
        found = _rows(saved, given, report, problems)
    known = set(saved.data.names.get(found.domain, ()))
    for name in found.names:
        if name in known:
            problems.add(ALREADY, found.domain, name)
    kept = np.array([index for index, name in enumerate(found.names) if name not in known], np.int64)
    if not len(kept):
        raise ValueError(f"there is nothing new in {str(source)!r}: all {len(found)} items are in the map already")
    return found.chosen(kept)


def check_image_model(saved: SavedMap, given: str | None) -> str:
    """Return what turns pictures into vectors; raise unless it is what made the map, which a map alone cannot order.

    A map may come from strangers, and a model may be a program that is downloaded: only users name one.
    """
    chosen = BUNDLED if given is None else given
    if chosen != saved.image_model:
        raise ValueError(
            f"the pictures of the map were encoded with {saved.image_model!r}, and new ones would be with {chosen!r}; "
            f"give --image-model {saved.image_model}"
        )
    return chosen


def _encoded(saved: SavedMap, given: NewSource, paths: Sequence[Path], domain: str, report: Reporter) -> Encoded:
    from mrsne.encoders import encode_pictures
    from mrsne.encoders.cache import usable_default_cache

    model = check_image_model(saved, given.image_model)
    side = saved.data.pictures[domain].shape[1] if domain in saved.data.pictures else None
    with report.warnings_as_notes(), report.bar("pictures", len(paths)) as advance:
        return encode_pictures(paths, model=model, cache=usable_default_cache(), thumbnail_side=side, progress=advance)


def _pictures(saved: SavedMap, given: NewSource, report: Reporter, problems: Problems) -> NewItems:
    folder = given.source
    paths, unreadable = picture_paths(folder, folder)
    names = [path.relative_to(folder).as_posix() for path in paths]
    found = _new_tags(saved, given, names, report)
    encoded = _encoded(saved, given, paths, IMAGE, report)
    problems.extend([*unreadable, *found.problems])
    for index, reason in encoded.problems.items():
        problems.add("picture that cannot be read", names[index], reason)
    readable = np.array([index for index in range(len(names)) if index not in encoded.problems], np.int64)
    links = {}
    if TAG in saved.data.names:
        links[TAG] = _tag_links(found.links, saved.data.names[TAG], len(names), problems)[readable]
    shown = [names[index] for index in readable.tolist()]
    label = saved.about.get("label")  # a map may come from anybody
    named = isinstance(label, str) and label in found.columns and IMAGE in saved.data.labels
    labels = picture_labels(found, readable.tolist(), shown, str(label)) if named else None
    columns = {
        heading: np.array([cells.get(index) for index in readable.tolist()], dtype=object)
        for heading, cells in found.columns.items()
    }
    return NewItems(
        IMAGE,
        shown,
        encoded.vectors[readable],
        np.zeros(len(readable), bool),
        links,
        labels,
        columns={heading: _as_in(saved, heading, values) for heading, values in columns.items()},
        pictures=None if encoded.thumbnails is None else encoded.thumbnails[readable],
    )


def _new_tags(saved: SavedMap, given: NewSource, names: Sequence[str], report: Reporter) -> Tags:
    """Return the tags of new pictures from where those of the map came, or from where users say.

    A folder called like some tag of a table would else be the only tag of all pictures in it.
    """
    origin = saved.about.get("tags_from")
    if given.tags is None and not given.text_files and origin == "table":
        report.note("note: the tags of the map came from a table; new pictures have none (--tags gives them some)")
        return Tags()
    text_files = given.text_files or (given.tags is None and origin == "text files")
    return read_tags(given.source, names, given.tags, text_files)


def _as_in(saved: SavedMap, heading: str, words: NDArray[Any]) -> Any:
    """Return the values of a column as the map has them: numbers, dates or words."""
    from mrsne.tables.cells import numbers_of
    from mrsne.tables.dates import dates_of

    old = saved.data.columns.get(IMAGE, {}).get(heading)
    texts = [word or "" for word in words]
    if isinstance(old, np.ndarray):
        return dates_of(texts) if old.dtype.kind == "M" else numbers_of(texts)
    return words


def _tag_links(
    links: dict[tuple[int, str], float], known: Sequence[str], count: int, problems: Problems
) -> sparse.csr_matrix:
    """Return the weights of known tags; others are noted once."""
    position = {tag.casefold(): index for index, tag in enumerate(known)}
    entries: dict[tuple[int, int], float] = {}
    strangers: dict[str, int] = {}
    for (picture, tag), weight in links.items():
        column = position.get(tag.casefold())
        if column is None:
            strangers[tag] = strangers.get(tag, 0) + 1
        else:
            entries[picture, column] = max(weight, entries.get((picture, column), 0.0))
    for tag, number in strangers.items():
        problems.add("value that the map does not have", "tag", f"{tag} ({number} pictures)")
    rows, columns = (np.array([pair[side] for pair in entries], np.int64) for side in (0, 1))
    return sparse.csr_matrix((list(entries.values()), (rows, columns)), shape=(count, len(known)))


def _rows(saved: SavedMap, given: NewSource, report: Reporter, problems: Problems) -> NewItems:
    from mrsne.tables.models import PictureSource
    from mrsne.tables.reading import open_table
    from mrsne.tables.recipe import read_new_rows

    recipe = saved.recipe
    assert recipe is not None
    table = open_table(given.source)
    pictures = PictureSource(table.folder, lambda paths, side: _encoded(saved, given, paths, recipe.item, report))
    rows = read_new_rows(table, recipe, saved.data.names, pictures, problems)
    return NewItems(
        recipe.item,
        rows.items.names,
        rows.learnt.vectors,
        rows.learnt.without,
        rows.links,
        rows.labels,
        rows.columns,
        rows.learnt.thumbnails,
    )


def placed(saved: SavedMap, new: NewItems, report: Reporter) -> NDArray[np.float32]:
    """Return where new items are in a map that stays as it is: by vector and links, or by links alone."""
    from mrsne import MRSNE

    with report.warnings_as_notes():
        model = MRSNE(**saved.settings).restore(saved.data, saved.embedding)
        pairs = {(new.domain, kind): W for kind, W in new.links.items()}
        has_vectors = saved.data.vectors[new.domain] is not None and new.vectors is not None
        without = np.ones(len(new), bool) if not has_vectors or new.without is None else new.without
        if has_vectors and new.without is None:
            without = np.zeros(len(new), bool)
        places = np.zeros((len(new), saved.embedding.n_components), np.float32)
        for rows, vectors in ((np.flatnonzero(~without), True), (np.flatnonzero(without), False)):
            if len(rows):
                chosen = {pair: W[rows] for pair, W in pairs.items()}
                given = {new.domain: new.vectors[rows]} if vectors else {}
                if not given and not chosen:
                    raise ValueError(
                        f"nothing tells where the new items of {new.domain!r} belong: no vectors, no links"
                    )
                places[rows] = model.transform(given, chosen)[new.domain]
    return places
