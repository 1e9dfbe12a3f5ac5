"""Pictures and words into vectors, on the processor and without a network.

>>> import mrsne
>>> mrsne.encoders.encode_words(["dog", "hot-dog stands"]).shape
(2, 100)
"""

from mrsne.encoders.decoding import PictureError
from mrsne.encoders.images import Encoded, encode_images, encode_pictures
from mrsne.encoders.words import encode_words

__all__ = ["Encoded", "PictureError", "encode_images", "encode_pictures", "encode_words"]
