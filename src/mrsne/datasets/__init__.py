"""Data sets to try mrsne on: read from published files, bundled, or made up."""

from mrsne.datasets.arrays import load_arrays
from mrsne.datasets.awa2 import load_awa2
from mrsne.datasets.classes import make_classes
from mrsne.datasets.debian import load_debian
from mrsne.datasets.emoji import load_emoji
from mrsne.datasets.files import DatasetError
from mrsne.datasets.flickr import load_flickr
from mrsne.datasets.groups import make_groups
from mrsne.datasets.icons import load_icons
from mrsne.datasets.shapes import make_shapes

__all__ = [
    "DatasetError",
    "load_arrays",
    "load_awa2",
    "load_debian",
    "load_emoji",
    "load_flickr",
    "load_icons",
    "make_classes",
    "make_groups",
    "make_shapes",
]
