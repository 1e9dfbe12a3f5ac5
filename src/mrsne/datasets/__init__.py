"""Data sets to try mrsne on: read from published files, bundled, or made up. One file each, and one line here."""

from mrsne.datasets.arrays import load_arrays as load_arrays
from mrsne.datasets.awa2 import load_awa2 as load_awa2
from mrsne.datasets.classes import make_classes as make_classes
from mrsne.datasets.debian import load_debian as load_debian
from mrsne.datasets.emoji import load_emoji as load_emoji
from mrsne.datasets.files import DatasetError as DatasetError
from mrsne.datasets.flickr import load_flickr as load_flickr
from mrsne.datasets.groups import make_groups as make_groups
from mrsne.datasets.icons import load_icons as load_icons
from mrsne.datasets.shapes import make_shapes as make_shapes

__all__ = sorted(name for name in globals() if name.startswith(("load_", "make_", "Dataset")))
