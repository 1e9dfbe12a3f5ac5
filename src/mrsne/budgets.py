"""How much one file may take of memory and time: every limit, the reason for it, and the variable that raises it.

A file of a few kilobytes can describe a table of a billion cells, a query without an end or a picture of gigabytes.
What would go beyond a budget is refused before it is made, or as soon as it shows, by a message that names the budget.
"""

import os
from dataclasses import dataclass

from mrsne.parameters import MrsneError, ParameterError


class BudgetError(MrsneError, ValueError):
    """Reading a file would take more than is allowed for one."""


@dataclass(frozen=True)
class Budget:
    """A limit: so much for any file, and so much more for each byte that the file has."""

    variable: str  # of the environment: a whole number there is the limit instead
    limit: int
    unit: str
    per_byte: float = 0

    def most(self, file_bytes: int = 0) -> int:
        """Return the limit for a file of this size."""
        given = os.environ.get(self.variable)
        if given is None:
            return self.limit + int(self.per_byte * file_bytes)
        if not given.isascii() or not given.isdecimal():
            raise ParameterError(f"the environment variable {self.variable} must be a whole number, got {given[:50]!r}")
        return int(given)

    def excess(self, amount: int, file_bytes: int = 0) -> str:
        """Return what is wrong with an amount above the limit, or an empty text."""
        most = self.most(file_bytes)
        if amount <= most:
            return ""
        return f"{amount:,} {self.unit}; there can be {most:,} at most (the environment variable {self.variable})"

    def check(
        self, where: str, amount: int, error: type[MrsneError] = BudgetError, file_bytes: int = 0, advice: str = ""
    ) -> None:
        """Raise where an amount is above the limit."""
        if excess := self.excess(amount, file_bytes):
            raise error(f"{where} has {excess}{advice and f': {advice}'}")


# What a column costs beside its cells is some 20 µs and 2 kB, for looking at it and saying what it is: a second here.
COLUMNS = Budget("MRSNE_COLUMNS", 50_000, "columns")
# A cell takes four bytes as a text and eight as a number, however it is written: 1 to 2 GB here. Ten million rows of 25
# columns are read; an object of 50,000 keys above 20,000 empty ones, which is less than a megabyte, is not.
CELLS = Budget("MRSNE_CELLS", 250_000_000, "cells")
# Of a line of text, counted before it is taken apart: what stands in quotes counts too, such as a list of numbers.
LINE_SEPARATORS = Budget("MRSNE_LINE_SEPARATORS", 1_000_000, "separators")
# A text is decoded as a whole and divided into lines: about four times its size in memory.
TEXT_BYTES = Budget("MRSNE_TEXT_BYTES", 2 * 2**30, "bytes")
# Deflate reaches 1,000 to 1: ten megabytes are ten gigabytes. Our maps have 2 to 10, workbooks 5 to 20, and only small
# files have more than 100, such as a mask without a mark.
UNPACKED_BYTES = Budget("MRSNE_UNPACKED_BYTES", 256 * 2**20, "bytes when unpacked", per_byte=100)
# Openpyxl takes up to 30 µs for an element of a workbook's styles. A cell has four tags and takes three bytes or more.
XML_TAGS = Budget("MRSNE_XML_TAGS", 500_000, "XML tags", per_byte=10)
# SQLite takes some 10 ns for a step, and a row of a table about as many steps as it has columns, each at least a byte
# of the file; joins take ten times as many. A view without an end is stopped after a second or two.
QUERY_STEPS = Budget("MRSNE_QUERY_STEPS", 5_000_000, "steps", per_byte=100)
# One value of a database: the longest book is 20 MB, and the longest value that SQLite may make 1 GB.
VALUE_BYTES = Budget("MRSNE_VALUE_BYTES", 64 * 2**20, "bytes")
# Of the process that reads an .h5ad file: a second for what it imports, and about a microsecond for a short text.
READING_MILLISECONDS = Budget("MRSNE_READING_MILLISECONDS", 20_000, "milliseconds", per_byte=0.001)
# And its memory: the libraries take 1 GB of addresses, and the largest matrix two, once more where it is converted.
READING_BYTES = Budget("MRSNE_READING_BYTES", 6 * 2**30, "bytes of memory", per_byte=100)
# What is at an address, or comes from standard input, is copied into a temporary file, often in memory.
FETCHED_BYTES = Budget("MRSNE_FETCHED_BYTES", 4 * 2**30, "bytes")
# The limit of Pillow, which is there for the same reason.
PIXELS = Budget("MRSNE_PIXELS", 180_000_000, "pixels")
# Pixels take no more, compressed or not.
PICTURE_FILE_BYTES = Budget("MRSNE_PICTURE_FILE_BYTES", 2 * 2**30, "bytes")
# Each scan of a JPEG passes over all pixels, and Pillow joins sections of EXIF and XMP one by one; 1 to 12 are usual.
JPEG_PASSES = Budget("MRSNE_JPEG_PASSES", 100, "scans and sections of metadata")
# Decoded pictures of all threads together; a larger one is decoded alone. Seven of 24 megapixels, but JPEGs are made
# smaller while they are decoded.
DECODED_BYTES = Budget("MRSNE_DECODED_BYTES", 2 * 2**30, "bytes")
# Of the side of the pictures that a network takes: one batch of the largest is 6 GB.
NETWORK_SIDE = Budget("MRSNE_NETWORK_SIDE", 4096, "pixels")
