"""The data sets of ``mrsne demo``: what they are called on the page, and how they are read. One line each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mrsne.data.growth import renamed
from mrsne.data.relational import RelationalData
from mrsne.datasets.debian import load_debian
from mrsne.datasets.emoji import emoji_groups, load_emoji
from mrsne.datasets.icons import load_icons


@dataclass(frozen=True)
class Demo:
    """A data set to try. Its domains have the names that people read in the legend."""

    title: str  # of the page
    load: Callable[[], RelationalData]
    load_from: Callable[[Path], RelationalData] | None = None  # for data that a user brings
    columns: Callable[[], Mapping[str, Mapping[str, Sequence[str]]]] = dict  # what is only for this page to colour by


def _emoji() -> RelationalData:
    return renamed(load_emoji(), {"image": "emoji", "tag": "keyword"})


DEMOS = {
    "emoji": Demo("Emoji and their keywords", _emoji, columns=lambda: {"emoji": {"group": emoji_groups()}}),
    "icons": Demo("Material Design Icons", load_icons),
    "debian": Demo("Debian packages", load_debian, load_debian),
}
