"""New items of a collection, read as the collection itself was: from a folder of pictures, or a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.data.collection.folder import IMAGE, TAG, picture_labels, picture_paths, read_tags
from mrsne.data.files.problems import Problems
from mrsne.data.growth import NewItems
from mrsne.data.progress import Progress
from mrsne.data.relational import RelationalData
from mrsne.data.table_plan import picture_encoder
from mrsne.data.tables.cells import numbers_of
from mrsne.data.tables.dates import dates_of
from mrsne.data.tables.items import Items, item_columns, item_labels, items_of, numbered_items
from mrsne.data.tables.kinds import kind_from_columns, links_to_known
from mrsne.data.tables.models import Learnt, PictureSource, apply_model, thumbnail_side
from mrsne.data.tables.parts import Recipe
from mrsne.data.tables.reading import is_database, open_table
from mrsne.data.tables.table import Role, Table, TableError
from mrsne.data.tables.tags import Tags
from mrsne.encoders.cache import usable_default_cache
from mrsne.encoders.images import Encoded
from mrsne.encoders.networks import BUNDLED
from mrsne.parameters import ParameterError

ALREADY = "item that is in the map already"
UNKNOWN_VALUE = "value that the map does not have"
NO_TAGS = Tags()  # where nothing is said of tags, which is not to say that there are none


@dataclass(frozen=True)
class NewSource:
    """Where new items are: a folder of pictures with their tags, or a table; and what encodes pictures."""

    source: Any
    tags: Path | None
    text_files: bool
    image_model: str | None  # None for the bundled network
    progress: Progress
    grows: bool = False  # whether values that the map does not have become items of it


def read_new_items(data: RelationalData, recipe: Mapping[str, Any], given: NewSource) -> NewItems:
    """Return the new items of a folder or a table, without those that the data has already."""
    found, problems = _read(data, recipe, given)
    known = set(data.names.get(found.domain, ()))
    kept = np.array([index for index, name in enumerate(found.names) if name not in known], np.int64)
    for name in filter(known.__contains__, found.names):
        problems.add(ALREADY, found.domain, name)
    if not len(kept):
        where = str(given.source) if isinstance(given.source, (str, Path)) else "the table"
        raise ParameterError(f"there is nothing new in {where!r}: all {len(found)} items are in the map already")
    return found.subset(kept, problems)


def read_changed_items(data: RelationalData, recipe: Mapping[str, Any], given: NewSource) -> NewItems:
    """Return all items of a folder or a table, with links to values and rows that the data does not have yet."""
    found, problems = _read(data, recipe, replace(given, grows=True))
    return replace(found, left_out=problems)


def _read(data: RelationalData, recipe: Mapping[str, Any], given: NewSource) -> tuple[NewItems, Problems]:
    problems = Problems()
    if isinstance(given.source, (str, Path)) and Path(given.source).is_dir():
        if recipe.get("folder") is None or IMAGE not in data.names:
            raise ParameterError(f"{str(given.source)!r} is a folder, but the map was not made from one of pictures")
        return _pictures(data, recipe, given, problems), problems
    return _rows(data, recipe, given, problems), problems


def _encoded(
    data: RelationalData, recipe: Mapping[str, Any], given: NewSource, paths: Sequence[Path], domain: str
) -> Encoded:
    """Return vectors of new pictures, and thumbnails of the size that the old ones have."""
    side = data.pictures[domain].shape[1] if domain in data.pictures else thumbnail_side(len(paths))
    chosen = BUNDLED if given.image_model is None else given.image_model
    known = str(recipe.get("image_model", BUNDLED))
    if chosen != known:  # a map may come from strangers, and a model may be a program that is downloaded
        raise ParameterError(
            f"the pictures of the map were encoded with {known!r}, and new ones would be with {chosen!r}; "
            f"give --image-model {known} (in Python image_model=)"
        )
    return picture_encoder(chosen, usable_default_cache(), given.progress)(paths, side)


def _pictures(data: RelationalData, recipe: Mapping[str, Any], given: NewSource, problems: Problems) -> NewItems:
    """Return the pictures of a folder that can be read, and their tags."""
    folder = Path(given.source)
    paths, unreadable = picture_paths(folder, folder)
    names = [path.relative_to(folder).as_posix() for path in paths]
    tags = _tags(names, recipe, given)
    encoded = _encoded(data, recipe, given, paths, IMAGE)
    problems.extend([*unreadable, *tags.problems])
    for index, reason in encoded.problems.items():
        problems.add("picture that cannot be read", names[index], reason)
    readable = [index for index in range(len(names)) if index not in encoded.problems]
    links, values = {}, {}
    if TAG in data.names and tags is not NO_TAGS:
        values = {TAG: _unknown_tags(tags, data.names[TAG]) if given.grows else []}
        links = {TAG: _tag_links(tags, (*data.names[TAG], *values[TAG]), len(names), problems)[readable]}
    shown = [names[index] for index in readable]
    label = recipe.get("label")  # a map may come from anybody
    named = isinstance(label, str) and label in tags.columns and IMAGE in data.labels
    labels = picture_labels(tags, readable, shown, str(label)) if named else None
    known, cells = data.columns.get(IMAGE, {}), tags.columns.items()
    columns = {heading: _values(known.get(heading), list(map(own.get, readable))) for heading, own in cells}
    thumbnails = None if encoded.thumbnails is None else encoded.thumbnails[readable]
    without = np.zeros(len(readable), bool)
    described = (links, labels, columns, thumbnails, problems, values)
    return NewItems(IMAGE, shown, encoded.vectors[readable], without, *described)


def _tags(names: Sequence[str], recipe: Mapping[str, Any], given: NewSource) -> Tags:
    """Return the tags of new pictures from where those of the map came, or from where users say."""
    origin = recipe.get("tags_from")
    if given.tags is None and not given.text_files and origin == "table":
        given.progress.remark("the tags of the map came from a table; new pictures have none (--tags gives them some)")
        return NO_TAGS
    text_files = given.text_files or (given.tags is None and origin == "text files")
    return read_tags(Path(given.source), names, given.tags, text_files)


def _values(old: Any, words: list[str | None]) -> Any:
    """Return the values of a column as the map has them: numbers, dates or words."""
    if not isinstance(old, np.ndarray):
        return np.array(words, dtype=object)
    texts = [word or "" for word in words]
    return dates_of(texts) if old.dtype.kind == "M" else numbers_of(texts)


def _unknown_tags(tags: Tags, known: Sequence[str]) -> list[str]:
    """Return tags that the map does not have, each in one spelling."""
    names = {tag.casefold() for tag in known}
    spelling = {tag.casefold(): tag for tag in sorted({tag for _, tag in tags.links}, reverse=True)}
    return sorted(tag for key, tag in spelling.items() if key not in names)


def _tag_links(tags: Tags, known: Sequence[str], count: int, problems: Problems) -> sparse.csr_matrix:
    """Return the weights of tags that the map has; others are noted once."""
    position = {tag.casefold(): index for index, tag in enumerate(known)}
    unknown = Counter(tag for _, tag in tags.links if tag.casefold() not in position)
    for tag, number in unknown.items():
        problems.add(UNKNOWN_VALUE, TAG, f"{tag} ({number} pictures)")
    entries: dict[tuple[int, int], float] = {}
    for (picture, tag), weight in tags.links.items():
        if tag not in unknown:
            pair = picture, position[tag.casefold()]
            entries[pair] = max(weight, entries.get(pair, 0.0))
    rows, columns = (np.array([pair[side] for pair in entries], np.int64) for side in (0, 1))
    return sparse.csr_matrix((list(entries.values()), (rows, columns)), shape=(count, len(known)))


def _rows(data: RelationalData, kept: Mapping[str, Any], given: NewSource, problems: Problems) -> NewItems:
    if given.tags is not None or given.text_files:
        raise ParameterError("--tags and --text-files are for a folder of new pictures")
    if kept.get("recipe") is None:
        hint = "give --domain NAME=FILE for vectors, --relation A:B=FILE for links"
        raise ParameterError(f"{str(given.source)!r} is a table, but the map was not made from one; {hint}")
    recipe = Recipe.from_record(kept["recipe"])
    table = open_table(given.source, table=kept.get("table") if is_database(given.source) else None)
    problems.extend(table.problems)
    roles = {heading: role for heading, role in recipe.roles.items() if heading in table.columns}
    if not roles:
        wanted = ", ".join(list(recipe.roles)[:10])
        raise TableError(f"{table.source} has none of the columns that the map was made from: {wanted}")
    if recipe.ids is None:
        items = numbered_items(table.size, data.names.get(recipe.item, ()))
    elif recipe.ids in table.columns:
        items = items_of(table, recipe.ids, problems, once=not recipe.pairs)
    else:
        raise TableError(f"{table.source} has no column {recipe.ids!r}, which holds the ids of the map's items")
    shown = {heading: "shown" if role.role == "kind" else role.values for heading, role in roles.items()}
    for heading in set(recipe.model.columns) & data.columns.get(recipe.item, {}).keys() & roles.keys():
        if roles[heading].role == "vector":  # numbers and categories are there to colour by as well
            is_number = isinstance(data.columns[recipe.item][heading], np.ndarray)
            shown[heading] = "number" if is_number else "category"
    columns = item_columns(table, shown, items, problems)
    links, values = {}, {}
    for kind in dict.fromkeys(role.kind for role in roles.values() if role.role == "kind"):
        if kind is None or kind not in data.names:
            continue
        if given.grows:
            values[kind] = _unknown_values(table, roles, items, kind, data.names[kind], recipe.item)
        known = (*data.names[kind], *values.get(kind, ()))
        links[kind] = links_to_known(table, roles, items, kind, known, problems, UNKNOWN_VALUE)
    absent = [heading for heading in recipe.model.columns if heading not in table.columns]
    for heading in absent:
        problems.add("column that items of the map are compared by, and that is not there", table.source, heading)
    pictures = PictureSource(table.folder, lambda paths, side: _encoded(data, kept, given, paths, recipe.item))
    learnt = Learnt(recipe.model) if absent else apply_model(recipe.model, table, items, pictures, problems)
    labels = item_labels(table, roles, items, recipe.ids)
    described = (links, labels, columns, learnt.thumbnails, problems, values)
    return NewItems(recipe.item, items.names, learnt.vectors, learnt.without, *described)


def _unknown_values(
    table: Table, roles: Mapping[str, Role], items: Items, kind: str, known: Sequence[str], item: str
) -> list[str]:
    """Return values of a kind that the map does not have; where they are references to rows, the new rows."""
    names = {name.casefold() for name in known}
    found = items.names if kind == item else kind_from_columns(table, roles, items, kind, 1, Problems())[0]
    return [name for name in found if name.casefold() not in names]
