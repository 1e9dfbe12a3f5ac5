"""What was left out, by keys that stay the same; the sentences are for people, and may change."""

import re
from collections import Counter

from mrsne.data.files.problems import Problems

KEYS = {
    "cell that is no date": "cell_no_date",
    "cell that is no number": "cell_no_number",
    "column that items of the map are compared by, and that is not there": "missing_column",
    "column that is not used": "unused_column",
    "column with one value for everybody": "constant_column",
    "column without a value": "empty_column",
    "folder of pictures that is gone; --pictures image=FOLDER names it": "missing_picture_folder",
    "folder that cannot be read": "unreadable_folder",
    "link to a folder, which is not followed": "link_to_folder",
    "item of fewer than N links": "rare_item",
    "link to an item that is not there": "link_to_unknown_item",
    "item without a link that counts": "item_without_link",
    "item that is in the map already": "known_item",
    "item that is in the map without its row in a second table": "item_without_row_of_second_table",
    "kind without an item": "kind_without_item",
    "number that is too large": "too_large_number",
    "picture that cannot be read": "unreadable_picture",
    "picture that is not there": "missing_picture",
    "picture that has no tag but is in the map": "picture_without_tag",
    "picture without a text file": "picture_without_text_file",
    "rating that is not above the person's mean": "low_rating",
    "reference to an item that is not there": "reference_to_unknown_item",
    "row for a picture that is not there": "row_for_unknown_picture",
    "row for an item that is not there": "row_for_unknown_item",
    "row of a second table that no row of the first names": "row_of_second_table_without_item",
    "row whose name fits several pictures": "ambiguous_picture",
    "row with a weight that is no positive number": "bad_weight",
    "row with more cells than headings": "long_row",
    "row with too few columns": "short_row",
    "row without an id": "row_without_id",
    "row without a picture": "row_without_picture",
    "row without a tag": "row_without_tag",
    "second column with the same heading": "repeated_column",
    "second row with the same id, whose links count and whose other values do not": "repeated_id",
    "second row for the same item": "repeated_item",
    "stop tag": "stop_tag",
    "tag of fewer than N pictures": "rare_tag",
    "tag of more than N characters": "long_tag",
    "text file that cannot be read": "unreadable_text_file",
    "value that the map does not have": "unknown_value",
    "value of fewer than N items": "rare_value",
    "value of more than N characters": "long_value",
}


def problem_key(kind: str) -> str:
    """Return the key of a kind of problem; one that has none here gets its own words."""
    numberless = re.sub(r"\d+", "N", kind)
    return KEYS.get(numberless) or re.sub(r"[^a-z0-9]+", "_", numberless.lower()).strip("_")


def counts_by_key(problems: Problems) -> dict[str, int]:
    """Return how many problems there are of each kind, the most frequent first."""
    counts = Counter[str]()
    for kind, count in problems.counts().items():
        counts[problem_key(kind)] += count
    return dict(counts.most_common())
